//! A server of its own for a play: a second process of this program with a sandbox, in a folder that goes with it.

use super::client::Client;
use super::problem::Problem;
use crate::config::kept;
use reqwest::Method;
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;
use std::fs::{File, OpenOptions};
use std::future::Future;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::Duration;
use tokio::signal::unix::{SignalKind, signal};

/// How long a start may take, in tenths of a second.
const START_TENTHS_MAX: u32 = 150;
/// The end of a program that was interrupted: 128 and the number of the signal.
const INTERRUPTED: u8 = 130;

/// The server, and the client of each role that the play has a part for.
pub(super) struct Rehearsal {
    pub(super) base: String,
    pub(super) merchant: Client,
    pub(super) operator: Client,
    process: Child,
    folder: PathBuf,
}

/// What is written into its configuration.
struct Configured<'a> {
    port: u16,
    /// More lines of `[checks]`.
    checks: &'a str,
    sandbox: &'a SecretString,
    merchant: &'a SecretString,
    operator: &'a SecretString,
}

impl Rehearsal {
    /// Starts it and waits until it is ready. `checks` are lines of `[checks]` beside those of every play.
    pub(super) async fn start(name: &str, checks: &str) -> Result<Self, Problem> {
        let folder = std::env::temp_dir().join(crate::clock::new_id(name));
        let failed = |error: std::io::Error| Problem::file(&folder, &error);
        let data_dir = folder.join("data");
        std::fs::create_dir(&folder).map_err(failed)?;
        std::fs::create_dir(&data_dir).map_err(failed)?;
        let configured = Configured {
            port: free_port().map_err(failed)?,
            checks,
            sandbox: &kept::sandbox_secret(&data_dir).map_err(failed)?,
            merchant: &kept::new_key("merchant").map_err(failed)?,
            operator: &kept::new_key("operator").map_err(failed)?,
        };
        let config = folder.join("oncepay.toml");
        std::fs::write(&config, configured.text()).map_err(failed)?;
        let base = format!("http://127.0.0.1:{}", configured.port);
        let mut rehearsal = Self {
            merchant: Client::at(base.clone(), configured.merchant.clone())?,
            operator: Client::at(base.clone(), configured.operator.clone())?,
            process: process(&folder).map_err(failed)?,
            base,
            folder: folder.clone(),
        };
        rehearsal.wait_until_ready().await?;
        Ok(rehearsal)
    }

    /// `kill -9`.
    pub(super) fn crash(&mut self) -> Result<(), Problem> {
        let ended = self.process.kill().and_then(|()| self.process.wait());
        ended.map_err(|error| Problem::file(&self.folder, &error))?;
        Ok(())
    }

    /// Starts it again in the same folder and at the same address.
    pub(super) async fn start_again(&mut self) -> Result<(), Problem> {
        self.process =
            process(&self.folder).map_err(|error| Problem::file(&self.folder, &error))?;
        self.wait_until_ready().await
    }

    async fn wait_until_ready(&mut self) -> Result<(), Problem> {
        for _ in 0..START_TENTHS_MAX {
            if matches!(self.process.try_wait(), Ok(Some(_)) | Err(_)) {
                break;
            }
            let answer = self.merchant.exchange(Method::GET, "/readyz", None).await;
            if answer.is_ok_and(|(status, _)| status.is_success()) {
                return Ok(());
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        let log = std::fs::read_to_string(self.folder.join("log")).unwrap_or_default();
        let end: Vec<&str> = log.lines().rev().take(5).collect();
        let end: Vec<&str> = end.into_iter().rev().collect();
        Err(Problem::Plain(format!(
            "the server of the play does not start:\n{}",
            end.join("\n")
        )))
    }

    /// What the sandbox says about an order's charge; null when it knows none.
    pub(super) async fn charge(&self, order_no: &str) -> Result<Value, Problem> {
        let ledger = self
            .merchant
            .ask(Method::GET, "/sandbox/ledger", None)
            .await?;
        let charges = ledger.get("charges").and_then(Value::as_array);
        let mut charges = charges.into_iter().flatten();
        let charge =
            charges.find(|charge| charge.get("order_no").and_then(Value::as_str) == Some(order_no));
        Ok(charge.cloned().unwrap_or_default())
    }

    /// How often the sandbox has charged this order.
    pub(super) async fn charges(&self, order_no: &str) -> Result<u64, Problem> {
        let charge = self.charge(order_no).await?;
        let times = charge.get("charged_times").and_then(Value::as_u64);
        Ok(times.unwrap_or_default())
    }

    /// The mails that were written for ops, as they are.
    pub(super) fn mails(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.folder.join("data/mail"));
        let files = entries.into_iter().flatten().flatten();
        files
            .map(|file| file.path())
            .filter(|path| path.extension().is_some_and(|ending| ending == "eml"))
            .filter_map(|path| std::fs::read_to_string(path).ok())
            .collect()
    }
}

impl Drop for Rehearsal {
    fn drop(&mut self) {
        // It is a play: nothing in it is worth an orderly end, and there is nobody left to tell.
        self.process.kill().unwrap_or_default();
        if self.process.wait().is_ok() {
            std::fs::remove_dir_all(&self.folder).unwrap_or_default();
        }
    }
}

/// Plays until the end, or until a signal: what the play has started and made goes with it, either way.
pub(super) async fn unless_interrupted(
    play: impl Future<Output = Result<ExitCode, Problem>>,
) -> Result<ExitCode, Problem> {
    let failed = |error: std::io::Error| Problem::plain(error.to_string());
    let mut interrupt = signal(SignalKind::interrupt()).map_err(failed)?;
    let mut terminate = signal(SignalKind::terminate()).map_err(failed)?;
    tokio::select! {
        ended = play => ended,
        _ = interrupt.recv() => Ok(ExitCode::from(INTERRUPTED)),
        _ = terminate.recv() => Ok(ExitCode::from(INTERRUPTED)),
    }
}

fn free_port() -> std::io::Result<u16> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?.port())
}

fn log(folder: &Path) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    options.create(true).append(true).open(folder.join("log"))
}

fn process(folder: &Path) -> std::io::Result<Child> {
    let log = log(folder)?;
    let mut command = Command::new(std::env::current_exe()?);
    // The play has settings of its own, whatever this shell has set for a real installation.
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("ONCEPAY_") {
            command.env_remove(name);
        }
    }
    command
        .args(["serve", "--config", "oncepay.toml"])
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(log.try_clone()?)
        .stderr(log)
        .spawn()
}

impl Configured<'_> {
    fn text(&self) -> String {
        let port = self.port;
        format!(
            r#"[server]
listen = "127.0.0.1:{port}"
ui_deadline = "4s"
[checks]
submit_timeout = "1s"
query_timeout = "1s"
schedule = ["2s", "4s", "6s"]
not_found_grace = "2s"
startup_spread = "100ms"
{}
[alerts]
digest_window = "0ms"
[channels.sandbox]
kind = "http"
base_url = "http://127.0.0.1:{port}/sandbox"
secret = "{}"
read_timeout = "9s"
[[keys]]
name = "shop"
role = "merchant"
scopes = ["refunds"]
key = "{}"
[[keys]]
name = "ops"
role = "operator"
key = "{}"
"#,
            self.checks,
            self.sandbox.expose_secret(),
            self.merchant.expose_secret(),
            self.operator.expose_secret()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_play_is_configured_as_any_server_would_accept() {
        let folder = std::env::temp_dir().join(crate::clock::new_id("oncepay-play-test"));
        std::fs::create_dir(&folder).unwrap();
        let sandbox = kept::sandbox_secret(&folder).unwrap();
        std::fs::remove_dir_all(&folder).unwrap();
        let text = Configured {
            port: 8080,
            checks: "startup_grace = \"500ms\"",
            sandbox: &sandbox,
            merchant: &kept::new_key("merchant").unwrap(),
            operator: &kept::new_key("operator").unwrap(),
        }
        .text();
        let settings = crate::config::Settings::from_text(&text).unwrap();
        assert!(settings.sandbox.mounted);
        assert_eq!(settings.server.ui_deadline_ms, 4_000);
    }
}
