//! A server of its own for the demonstration: a second process of this program, in a folder that goes with it.

use crate::cli::client::Client;
use crate::cli::problem::Problem;
use crate::config::kept;
use reqwest::Method;
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// How long a start may take, in tenths of a second.
const START_TENTHS_MAX: u32 = 150;

pub(super) struct Server {
    pub(super) base: String,
    pub(super) client: Client,
    process: Child,
    folder: PathBuf,
}

impl Server {
    /// Starts it and waits until it is ready.
    pub(super) async fn start() -> Result<Self, Problem> {
        let folder = std::env::temp_dir().join(crate::clock::new_id("oncepay-demo"));
        let failed = |error: std::io::Error| Problem::file(&folder, &error);
        std::fs::create_dir(&folder).map_err(failed)?;
        let port = free_port().map_err(failed)?;
        let key = kept::new_key("merchant").map_err(failed)?;
        let config = folder.join("oncepay.toml");
        std::fs::write(&config, configuration(port, &folder, &key).map_err(failed)?)
            .map_err(failed)?;
        let base = format!("http://127.0.0.1:{port}");
        let mut server = Self {
            client: Client::at(base.clone(), key)?,
            process: process(&config, &folder).map_err(failed)?,
            base,
            folder: folder.clone(),
        };
        server.wait_until_ready().await?;
        Ok(server)
    }

    async fn wait_until_ready(&mut self) -> Result<(), Problem> {
        for _ in 0..START_TENTHS_MAX {
            if matches!(self.process.try_wait(), Ok(Some(_)) | Err(_)) {
                break;
            }
            let answer = self.client.exchange(Method::GET, "/readyz", None).await;
            if answer.is_ok_and(|(status, _)| status.is_success()) {
                return Ok(());
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        let log = std::fs::read_to_string(self.folder.join("log")).unwrap_or_default();
        let end: Vec<&str> = log.lines().rev().take(5).collect();
        let end: Vec<&str> = end.into_iter().rev().collect();
        Err(Problem::Plain(format!(
            "the demonstration's server does not start:\n{}",
            end.join("\n")
        )))
    }

    /// How often the sandbox has charged this order.
    pub(super) async fn charges(&self, order_no: &str) -> Result<u64, Problem> {
        let ledger = self
            .client
            .ask(Method::GET, "/sandbox/ledger", None)
            .await?;
        let charges = ledger.get("charges").and_then(Value::as_array);
        let charge = charges
            .into_iter()
            .flatten()
            .find(|charge| charge.get("order_no").and_then(Value::as_str) == Some(order_no));
        Ok(charge
            .and_then(|charge| charge.get("charged_times"))
            .and_then(Value::as_u64)
            .unwrap_or_default())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It is a play: nothing in it is worth an orderly end, and there is nobody left to tell.
        self.process.kill().unwrap_or_default();
        if self.process.wait().is_ok() {
            std::fs::remove_dir_all(&self.folder).unwrap_or_default();
        }
    }
}

fn free_port() -> std::io::Result<u16> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?.port())
}

fn process(config: &Path, folder: &Path) -> std::io::Result<Child> {
    let log = std::fs::File::create(folder.join("log"))?;
    let mut command = Command::new(std::env::current_exe()?);
    // The play has settings of its own, whatever this shell has set for a real installation.
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("ONCEPAY_") {
            command.env_remove(name);
        }
    }
    command
        .args(["serve", "--config"])
        .arg(config)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(log.try_clone()?)
        .stderr(log)
        .spawn()
}

fn configuration(port: u16, folder: &Path, key: &SecretString) -> std::io::Result<String> {
    let data_dir = folder.join("data");
    std::fs::create_dir(&data_dir)?;
    let secret = kept::sandbox_secret(&data_dir)?;
    Ok(format!(
        r#"[server]
listen = "127.0.0.1:{port}"
ui_deadline = "4s"
[checks]
submit_timeout = "1s"
query_timeout = "1s"
schedule = ["2s", "4s", "6s"]
not_found_grace = "2s"
startup_spread = "100ms"
[channels.sandbox]
kind = "http"
base_url = "http://127.0.0.1:{port}/sandbox"
secret = "{}"
read_timeout = "9s"
[[keys]]
name = "demo"
role = "merchant"
key = "{}"
"#,
        secret.expose_secret(),
        key.expose_secret()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_demonstration_is_configured_as_any_server_would_accept() {
        let folder = std::env::temp_dir().join(crate::clock::new_id("oncepay-demo-test"));
        std::fs::create_dir(&folder).unwrap();
        let key = kept::new_key("merchant").unwrap();
        let text = configuration(8080, &folder, &key).unwrap();
        std::fs::remove_dir_all(&folder).unwrap();
        let settings = crate::config::Settings::from_text(&text).unwrap();
        assert!(settings.sandbox.mounted);
        assert_eq!(settings.server.ui_deadline_ms, 4_000);
    }
}
