//! A story that never ends is ended, and named: a run must not wait for it until somebody gives up.

use std::collections::BTreeMap;
use std::sync::{LazyLock, Mutex};
use std::time::{Duration, Instant};

/// Benches and the long modes of other suites may take hours.
fn is_watched() -> bool {
    module_path!().starts_with("e2e::")
}

/// Several times what the longest story takes on a slow machine.
const STORY_MAX: Duration = Duration::from_secs(420);
const LOOK_EVERY: Duration = Duration::from_secs(5);

/// Stories on their stages: when each of them opened one.
static ON_STAGE: LazyLock<Mutex<BTreeMap<u64, (String, Instant)>>> = LazyLock::new(|| {
    std::thread::spawn(watch);
    Mutex::default()
});

/// A story is on stage until this is dropped.
pub struct OnStage(Option<u64>);

impl OnStage {
    /// The story of this thread, which the test harness has named after it.
    pub fn enters() -> Self {
        if !is_watched() {
            return Self(None);
        }
        let thread = std::thread::current();
        let name = thread.name().unwrap_or("a story without a name").to_owned();
        let mut stories = ON_STAGE.lock().expect("unpoisoned");
        let id = stories.last_key_value().map_or(0, |(last, _)| last + 1);
        stories.insert(id, (name, Instant::now()));
        Self(Some(id))
    }
}

impl Drop for OnStage {
    fn drop(&mut self) {
        let Some(id) = self.0 else { return };
        if let Ok(mut stories) = ON_STAGE.lock() {
            stories.remove(&id);
        }
    }
}

fn watch() {
    loop {
        std::thread::sleep(LOOK_EVERY);
        let stories = ON_STAGE.lock().expect("unpoisoned").clone();
        let endless = stories
            .into_values()
            .find(|(_, since)| since.elapsed() > STORY_MAX);
        if let Some((name, _)) = endless {
            tell(&format!(
                "the story {name} does not end; what its process waits for:\n{}",
                threads("self")
            ));
            std::process::abort();
        }
    }
}

/// Beside the harness, which keeps what its tests print.
fn tell(text: &str) {
    use std::io::Write;
    drop(writeln!(std::io::stderr().lock(), "{text}"));
}

/// Each thread of a process: its name, its state, where it waits in the kernel, and the system call that it is in.
pub fn threads(process: &str) -> String {
    let Ok(threads) = std::fs::read_dir(format!("/proc/{process}/task")) else {
        return "unknown".to_owned();
    };
    let lines = threads.flatten().map(|thread| {
        let read = |file: &str| {
            let text = std::fs::read_to_string(thread.path().join(file)).unwrap_or_default();
            text.trim().to_owned()
        };
        let status = read("status");
        let state = status.lines().find(|line| line.starts_with("State:"));
        format!(
            "{} | {} | {} | {}\n",
            read("comm"),
            state.unwrap_or("gone"),
            read("wchan"),
            read("syscall")
        )
    });
    lines.collect()
}

/// The connections of this port on the loopback, as the kernel lists them: addresses, state (01 open, 06 waiting, 0A
/// listening), and the bytes that were sent and received and that nobody has taken yet.
pub fn connections(port: u16) -> String {
    let table = std::fs::read_to_string("/proc/net/tcp").unwrap_or_default();
    let port = format!(":{port:04X}");
    let lines = table.lines().filter(|line| line.contains(&port));
    lines.map(|line| format!("{line}\n")).collect()
}
