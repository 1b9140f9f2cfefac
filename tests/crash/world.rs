//! The processes of the lab, who can all be killed and started again, and the folders that they leave.

use crate::processes::{MAIL_SERVER, RECEIVER, environment};
use crate::support::{
    Processor, Running, Shop, Stage, WEBHOOK_SECRET, eventually, free_port, webhooks_to,
};
use oncepay::clock::SystemClock;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tokio::net::TcpStream;

/// Only a hang runs into it.
const READY_WITHIN: Duration = Duration::from_secs(90);

/// A server of the lab that is this program once more.
pub(crate) struct Neighbour {
    test: &'static str,
    port: u16,
    file: PathBuf,
    running: Running,
}

impl Neighbour {
    fn open(test: &'static str, folder: &TempDir) -> Self {
        let name = test.rsplit("::").next().expect("a name");
        let file = folder.path().join(name);
        let port = free_port();
        let running = start(test, port, &file);
        Self {
            test,
            port,
            file,
            running,
        }
    }

    pub(crate) fn kill(&mut self) {
        self.running.kill();
    }

    pub(crate) fn start_again(&mut self) {
        self.running = start(self.test, self.port, &self.file);
    }

    async fn is_up(&self) {
        eventually(self.test, || async {
            let connected = TcpStream::connect(("127.0.0.1", self.port)).await;
            connected.map(drop).map_err(|_refused| self.running.log())
        })
        .await;
    }

    /// What it has taken: whole lines, the last one may be torn.
    pub(crate) fn lines(&self) -> Vec<serde_json::Value> {
        let text = std::fs::read_to_string(&self.file).unwrap_or_default();
        let whole = text.lines().filter_map(|it| serde_json::from_str(it).ok());
        whole.collect()
    }
}

/// An hour at which no run is: the mail of a day is no alert's.
fn half_a_day_from_now() -> String {
    let hours = SystemClock::start().wall().0 / 3_600_000;
    format!("{:02}:00", (hours + 12) % 24)
}

fn start(test: &str, port: u16, file: &std::path::Path) -> Running {
    let folder = file.parent().expect("a folder");
    let log = file.with_extension("log");
    Running::this_test(test, folder, &environment(port, file), &log)
}

/// See the module.
pub(crate) struct World {
    pub(crate) processor: Processor,
    pub(crate) shop: Shop,
    pub(crate) receiver: Neighbour,
    pub(crate) mail_server: Neighbour,
    folder: TempDir,
    /// How to repeat what was played.
    recipe: String,
    /// How much of the server's log was looked at.
    log_read: usize,
}

impl World {
    pub(crate) async fn open(recipe: String) -> Self {
        let folder = tempfile::Builder::new().prefix("oncepay-crash-").tempdir();
        let folder = folder.expect("a folder");
        let processor = Processor::start().await;
        let receiver = Neighbour::open(RECEIVER, &folder);
        let mail_server = Neighbour::open(MAIL_SERVER, &folder);
        let url = format!("http://127.0.0.1:{}/hooks/oncepay", receiver.port);
        // An attempt that a crash interrupts uses up a rung, and after the last one it is hourly.
        let schedule = format!("{:?}", ["400ms"; 200]);
        let smtp = format!("smtp://127.0.0.1:{}", mail_server.port);
        let stage = Stage {
            ui_deadline: "400ms",
            submit_timeout: "200ms",
            query_timeout: "300ms",
            read_timeout: "700ms",
            // Longer than any submit takes to land: where each of them charges, *not found* must be the truth.
            not_found_grace: "1s",
            startup_grace: "100ms",
            schedule: r#"["200ms", "300ms", "400ms", "500ms", "1s", "1s", "1s", "1s", "2s"]"#,
            pending_schedule: r#"["300ms", "500ms", "1s"]"#,
            max_submits: 8,
            more: webhooks_to(&url, &[WEBHOOK_SECRET], &schedule),
            ..Stage::default()
        }
        .with("ONCEPAY_ALERTS__SMTP_URL", &smtp)
        .with("ONCEPAY_ALERTS__DAILY_AT", &half_a_day_from_now());
        let shop = Shop::open(&processor, stage).await;
        let world = Self {
            processor,
            shop,
            receiver,
            mail_server,
            folder,
            recipe,
            log_read: 0,
        };
        world.receiver.is_up().await;
        world.mail_server.is_up().await;
        world
    }

    /// Waits until the server that was started again serves.
    pub(crate) async fn is_ready(&mut self) {
        let until = Instant::now() + READY_WITHIN;
        loop {
            let asked = self.shop.client.get(self.shop.url("/readyz"));
            let answer = asked.timeout(Duration::from_secs(5)).send().await;
            if answer.is_ok_and(|answer| answer.status().is_success()) {
                return;
            }
            let ended = !self.shop.running.is_running();
            assert!(!ended, "it does not start:\n{}", self.shop.running.log());
            assert!(Instant::now() < until, "it is not ready after a restart");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// Lines of the server's log that nobody may ever read, since the last look.
    pub(crate) fn bad_lines(&mut self) -> Vec<String> {
        let log = self.shop.running.log();
        let new = log.get(self.log_read..).unwrap_or_default();
        let bad = new.lines().filter(|line| line.contains("panicked"));
        let bad = bad.map(str::to_owned).collect();
        self.log_read = log.len();
        bad
    }
}

impl Drop for World {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            return;
        }
        self.folder.disable_cleanup(true);
        self.shop.database.keep();
        let processor = self.processor.keep_folder();
        let server = self.shop.keep_folder().to_owned();
        println!(
            "kept: the server's folder {}, the processor's {}, the others' {}, the database {}\nagain: {}",
            server.display(),
            processor.display(),
            self.folder.path().display(),
            self.shop.database.url,
            self.recipe
        );
    }
}
