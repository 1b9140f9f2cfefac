//! The processes of a measurement: this very executable in another role.

use oncepay::clock::SystemClock;
use oncepay::config::Settings;
use oncepay::runtime::{Runtime, serve};
use oncepay::sandbox::{SandboxServe, serve as serve_sandbox};
use oncepay::store::journal::JournalKind;
use secrecy::SecretString;
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

#[path = "../support/ports.rs"]
mod ports;
pub use ports::free_port;

pub const ROLE: &str = "ONCEPAY_BENCH_ROLE";
const CONFIGURATION: &str = "ONCEPAY_BENCH_CONFIGURATION";
const JOURNAL: &str = "ONCEPAY_BENCH_JOURNAL";
const PORT: &str = "ONCEPAY_BENCH_PORT";
const LEDGER: &str = "ONCEPAY_BENCH_LEDGER";
pub const SECRET: &str = "whsec_YmVuY2htYXJrLXNlY3JldC1vZi10aGUtc2FuZGJveA==";
pub const KEY: &str = "opk_merchant_0123456789abcdef0123456789abcdef";

/// A process that ends when it is dropped.
pub struct Role(Child);

impl Role {
    pub fn pid(&self) -> u32 {
        self.0.id()
    }
}

impl Drop for Role {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

fn variable(name: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| panic!("{name} is set by the parent"))
}

pub fn server() {
    let journal = match variable(JOURNAL).as_str() {
        "grouped" => JournalKind::Grouped,
        "naive" => JournalKind::Naive,
        _ => JournalKind::Discard,
    };
    let settings =
        Settings::from_text(&variable(CONFIGURATION)).expect("the bench's configuration");
    let builder = Runtime::builder(settings).journal(journal);
    actix_web::rt::System::new()
        .block_on(serve(builder, |_| {}))
        .expect("the server serves");
}

pub fn sandbox() {
    let settings = SandboxServe {
        listen: format!("127.0.0.1:{}", variable(PORT)),
        file: variable(LEDGER).into(),
        secret: SecretString::from(SECRET),
        workers: Some(1),
    };
    actix_web::rt::System::new()
        .block_on(serve_sandbox(settings, SystemClock::start()))
        .expect("the sandbox serves");
}

fn start(role: &str, variables: &[(&str, String)], port: u16) -> Role {
    let child = Command::new(std::env::current_exe().expect("this executable"))
        .env(ROLE, role)
        .envs(
            variables
                .iter()
                .map(|(name, value)| (*name, value.as_str())),
        )
        .stdout(Stdio::null())
        .spawn()
        .expect("a role starts");
    let role = Role(child);
    let until = Instant::now() + Duration::from_secs(60);
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        assert!(Instant::now() < until, "a role does not listen");
        std::thread::sleep(Duration::from_millis(20));
    }
    role
}

pub fn start_sandbox(folder: &Path, port: u16) -> Role {
    let ledger = folder.join("ledger").display().to_string();
    start(
        "sandbox",
        &[(PORT, port.to_string()), (LEDGER, ledger)],
        port,
    )
}

/// A server on a database of its own; returns when it takes requests.
pub fn start_server(folder: &Path, database: &str, sandbox: u16, port: u16, journal: &str) -> Role {
    let text = format!(
        r#"[server]
listen = "127.0.0.1:{port}"
public_url = "http://127.0.0.1:{port}"
data_dir = "{data}"
in_flight_max = 20000
[database]
url = "{database}"
[channels.sandbox]
kind = "http"
base_url = "http://127.0.0.1:{sandbox}/sandbox"
secret = "{SECRET}"
[limits]
requests_per_key = "off"
callbacks_per_address = "off"
[alerts]
from = "oncepay@example.com"
to = ["ops@example.com"]
[[keys]]
name = "bench"
role = "merchant"
key = "{KEY}"
"#,
        data = folder.display(),
    );
    start(
        "server",
        &[(CONFIGURATION, text), (JOURNAL, journal.to_owned())],
        port,
    )
}
