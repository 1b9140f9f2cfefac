//! The running server, asked over HTTP with a key of this installation.

use super::problem::Problem;
use crate::config::{KeySettings, Settings, kept};
use reqwest::{Method, StatusCode};
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;
use std::time::Duration;

/// Longer than any answer of the API but a create's.
const TIMEOUT: Duration = Duration::from_secs(90);

#[derive(Clone)]
pub(super) struct Client {
    http: reqwest::Client,
    base: String,
    key: SecretString,
}

impl Client {
    /// The server of these settings, with a key that has this role or more.
    pub(super) fn of(settings: &Settings, role: &str) -> Result<Self, Problem> {
        let listen = settings.server.listen;
        let host = match listen.ip() {
            ip if ip.is_unspecified() && ip.is_ipv4() => "127.0.0.1".to_owned(),
            ip if ip.is_unspecified() => "[::1]".to_owned(),
            std::net::IpAddr::V4(ip) => ip.to_string(),
            std::net::IpAddr::V6(ip) => format!("[{ip}]"),
        };
        Self::at(
            format!("http://{host}:{}", listen.port()),
            key(settings, role)?,
        )
    }

    pub(super) fn at(base: String, key: SecretString) -> Result<Self, Problem> {
        let http = reqwest::Client::builder()
            .timeout(TIMEOUT)
            .no_proxy()
            .build()
            .map_err(|error| Problem::plain(error.to_string()))?;
        Ok(Self { http, base, key })
    }

    /// Asks; the body of a good answer, or the problem as the server tells it.
    pub(super) async fn ask(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> Result<Value, Problem> {
        let (status, answer) = self.exchange(method, path, body).await?;
        if status.is_success() {
            return Ok(answer);
        }
        let detail = answer.get("detail").or_else(|| answer.get("title"));
        let detail = detail.and_then(Value::as_str).unwrap_or("no reason given");
        let code = answer
            .get("code")
            .and_then(Value::as_str)
            .unwrap_or_default();
        Err(Problem::Plain(format!(
            "the server answers {status} {code}: {detail}"
        )))
    }

    /// Asks; status and body of any answer.
    pub(super) async fn exchange(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> Result<(StatusCode, Value), Problem> {
        let mut request = self
            .http
            .request(method, format!("{}{path}", self.base))
            .bearer_auth(self.key.expose_secret());
        if let Some(body) = body {
            request = request
                .header("content-type", "application/json")
                .body(body.to_string());
        }
        let failed = |error: reqwest::Error| {
            Problem::Plain(format!(
                "the server at {} does not answer: {error}",
                self.base
            ))
        };
        let answer = request.send().await.map_err(failed)?;
        let status = answer.status();
        let bytes = answer.bytes().await.map_err(failed)?;
        let body = serde_json::from_slice(&bytes).unwrap_or_default();
        Ok((status, body))
    }
}

/// `ONCEPAY_KEY`, or a key of the configuration or the first start.
fn key(settings: &Settings, role: &str) -> Result<SecretString, Problem> {
    if let Ok(key) = std::env::var("ONCEPAY_KEY")
        && !key.is_empty()
    {
        return Ok(SecretString::from(key));
    }
    let first = kept::read_keys(&settings.data_dir)?;
    settings
        .keys
        .iter()
        .chain(&first)
        .filter(|key| may(key, role))
        .min_by_key(|key| key.role != role)
        .map(|key| key.key.clone())
        .ok_or_else(|| {
            Problem::Plain(format!(
                "a server is running and wants a key of the role {role}: set ONCEPAY_KEY. Without any, stop the server \
                 and use `oncepay keys create`, which then needs none"
            ))
        })
}

fn may(key: &KeySettings, role: &str) -> bool {
    key.role == role || key.role == "admin"
}
