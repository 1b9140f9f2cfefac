//! A merchant's server: the real binary with a configuration of short times, and verbs for what people do with it.

use super::{Mailbox, Notice, Processor, Running, ScratchDatabase, eventually, free_port, watch};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitStatus;
use std::time::Duration;
use tempfile::TempDir;

pub const MERCHANT: &str = "opk_merchant_0123456789abcdef0123456789abcdef";
/// A merchant's key without the scope that lets it refund.
pub const TILL: &str = "opk_merchant_fedcba9876543210fedcba9876543210";
pub const OPERATOR: &str = "opk_operator_0123456789abcdef0123456789abcdef";
pub const SECOND_OPERATOR: &str = "opk_operator_fedcba9876543210fedcba9876543210";
pub const VIEWER: &str = "opk_viewer_0123456789abcdef0123456789abcdef";
pub const ADMIN: &str = "opk_admin_0123456789abcdef0123456789abcdef";

/// What is set before a shop opens. Times are short, and in the same order as real ones.
pub struct Stage {
    pub ui_deadline: &'static str,
    pub on_deadline: &'static str,
    pub submit_timeout: &'static str,
    pub query_timeout: &'static str,
    pub read_timeout: &'static str,
    pub schedule: &'static str,
    pub pending_schedule: &'static str,
    pub not_found_grace: &'static str,
    pub startup_grace: &'static str,
    pub max_submits: u32,
    pub late_success: &'static str,
    pub digest_window: &'static str,
    pub callbacks_per_address: &'static str,
    /// Off, since most stories are about channels that do not answer.
    pub circuit: &'static str,
    /// More lines of `[limits]`.
    pub limits: String,
    /// More of the configuration, as TOML; whole sections only.
    pub more: String,
    /// More lines of `[server]`, `[checks]`, `[channels.sandbox]`.
    pub server: String,
    pub checks: String,
    pub channel: String,
    pub environment: Vec<(String, String)>,
    /// Instead of a scratch database.
    pub database: Option<ScratchDatabase>,
}

impl Default for Stage {
    fn default() -> Self {
        Self {
            ui_deadline: "1500ms",
            on_deadline: "accepted",
            submit_timeout: "400ms",
            query_timeout: "400ms",
            read_timeout: "3s",
            schedule: r#"["500ms", "1500ms", "3s"]"#,
            pending_schedule: r#"["500ms", "1s", "2s"]"#,
            not_found_grace: "300ms",
            startup_grace: "300ms",
            max_submits: 3,
            late_success: "manual",
            digest_window: "0ms",
            callbacks_per_address: "off",
            circuit: "\"off\"",
            limits: String::new(),
            more: String::new(),
            server: String::new(),
            checks: String::new(),
            channel: String::new(),
            environment: Vec::new(),
            database: None,
        }
    }
}

/// An answer of the API.
#[derive(Debug, Clone)]
pub struct Answer {
    pub status: u16,
    pub headers: reqwest::header::HeaderMap,
    pub body: Value,
}

impl Answer {
    pub fn text(&self, field: &str) -> &str {
        self.body[field].as_str().unwrap_or_default()
    }

    pub fn header(&self, name: &str) -> &str {
        self.headers
            .get(name)
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default()
    }
}

/// The body of a create for 1999 CNY.
pub fn order(order_no: &str, subject: &str) -> Value {
    json!({"order_no": order_no, "channel": "sandbox", "amount": 1999, "currency": "CNY", "subject": subject})
}

/// Longer than anything that a story waits for: a server that never answers fails the story that asked it.
const ANSWER_MAX: Duration = Duration::from_secs(150);

pub fn patient_client() -> reqwest::Client {
    let client = reqwest::Client::builder().timeout(ANSWER_MAX);
    client.build().expect("a client")
}

/// Whether it is ready is said at once, or something hangs.
const READY_WITHIN: Duration = Duration::from_secs(60);

/// A server with its folder, database and address; it keeps them over restarts.
pub struct Shop {
    pub running: Running,
    pub port: u16,
    pub database: ScratchDatabase,
    pub client: reqwest::Client,
    environment: Vec<(String, String)>,
    folder: TempDir,
}

impl Shop {
    /// Opens a shop that charges through this processor.
    pub async fn open(processor: &Processor, stage: Stage) -> Self {
        Self::open_with_mail(processor, stage, None).await
    }

    pub async fn open_with_mail(
        processor: &Processor,
        mut stage: Stage,
        mailbox: Option<&Mailbox>,
    ) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let database = match stage.database.take() {
            Some(database) => database,
            None => ScratchDatabase::make(folder.path()).await,
        };
        let port = free_port();
        let text = configuration(&stage, port, &database.url, processor, mailbox);
        std::fs::write(folder.path().join("oncepay.toml"), text)
            .expect("the configuration is written");
        let running = run(folder.path(), &stage.environment);
        let client = patient_client();
        let environment = stage.environment;
        let shop = Self {
            running,
            port,
            database,
            client,
            environment,
            folder,
        };
        shop.is_ready().await;
        shop
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Its folder stays when the test ends.
    pub fn keep_folder(&mut self) -> &Path {
        self.folder.disable_cleanup(true);
        self.folder.path()
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    pub async fn is_ready(&self) {
        eventually("the shop is ready", || async {
            let asked = self.client.get(self.url("/readyz")).timeout(READY_WITHIN);
            match asked.send().await {
                Ok(answer) if answer.status().is_success() => Ok(()),
                Ok(answer) => Err(answer.text().await.unwrap_or_default()),
                Err(error) if error.is_timeout() => panic!("{}", self.hangs(&error)),
                Err(error) => Err(format!("{error:?}; its log:\n{}", self.running.log())),
            }
        })
        .await;
    }

    /// What can be seen from outside of a server that does not answer.
    fn hangs(&self, error: &reqwest::Error) -> String {
        format!(
            "the shop does not answer: {error:?}; its threads:\n{}ours:\n{}connections of {:04X}:\n{}its log:\n{}",
            watch::threads(&self.running.pid().to_string()),
            watch::threads("self"),
            self.port,
            watch::connections(self.port),
            self.running.log()
        )
    }

    /// `kill -9`.
    pub fn crash(&mut self) {
        self.running.kill();
    }

    /// Starts again on the same folder, database and address.
    pub async fn start_again(&mut self) {
        self.start_without_waiting();
        self.is_ready().await;
    }

    pub fn start_without_waiting(&mut self) {
        self.running = run(self.folder.path(), &self.environment);
    }

    pub async fn crash_and_start_again(&mut self) {
        self.crash();
        self.start_again().await;
    }

    /// SIGTERM, and the end it comes to.
    pub fn stop(&mut self) -> ExitStatus {
        self.running.signal("TERM");
        self.running.ended(Duration::from_secs(20))
    }

    /// Changes the configuration file; it counts from the next start.
    pub fn reconfigure(&self, change: impl FnOnce(String) -> String) {
        let file = self.folder.path().join("oncepay.toml");
        let text = std::fs::read_to_string(&file).expect("the configuration is there");
        std::fs::write(&file, change(text)).expect("the configuration is written");
    }

    /// A request with this key.
    pub async fn ask(&self, method: &str, path: &str, key: &str, body: Option<&Value>) -> Answer {
        let method = method.parse().expect("a method");
        let mut request = self.client.request(method, self.url(path)).bearer_auth(key);
        if let Some(body) = body {
            request = request
                .header("content-type", "application/json")
                .body(body.to_string());
        }
        read(request.send().await.expect("the shop answers")).await
    }

    pub async fn create(&self, body: &Value) -> Answer {
        self.ask("POST", "/v1/orders", MERCHANT, Some(body)).await
    }

    /// Creates and does not wait for the result.
    pub async fn create_async(&self, body: &Value) -> Answer {
        let request = self
            .client
            .post(self.url("/v1/orders"))
            .bearer_auth(MERCHANT)
            .header("content-type", "application/json")
            .header("prefer", "respond-async")
            .body(body.to_string());
        read(request.send().await.expect("the shop answers")).await
    }

    /// A merchant's request with these headers.
    pub async fn ask_with(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<&Value>,
    ) -> Answer {
        let method = method.parse().expect("a method");
        let mut request = self
            .client
            .request(method, self.url(path))
            .bearer_auth(MERCHANT);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        if let Some(body) = body {
            request = request
                .header("content-type", "application/json")
                .body(body.to_string());
        }
        read(request.send().await.expect("the shop answers")).await
    }

    pub async fn get(&self, order_id: &str) -> Value {
        let answer = self
            .ask("GET", &format!("/v1/orders/{order_id}"), MERCHANT, None)
            .await;
        assert_eq!(answer.status, 200, "{:?}", answer.body);
        answer.body
    }

    /// The order with this number of the merchant's.
    pub async fn find(&self, order_no: &str) -> Option<Value> {
        let path = format!("/v1/orders?order_no={order_no}");
        let answer = self.ask("GET", &path, MERCHANT, None).await;
        assert_eq!(answer.status, 200, "{:?}", answer.body);
        answer.body["data"]
            .as_array()
            .and_then(|data| data.first().cloned())
    }

    pub async fn events(&self, order_id: &str) -> Vec<Value> {
        let answer = self
            .ask(
                "GET",
                &format!("/v1/orders/{order_id}/events"),
                VIEWER,
                None,
            )
            .await;
        assert_eq!(answer.status, 200, "{:?}", answer.body);
        answer.body["data"].as_array().cloned().unwrap_or_default()
    }

    /// The kinds of an order's events, oldest first.
    pub async fn history(&self, order_id: &str) -> Vec<String> {
        let events = self.events(order_id).await;
        events
            .iter()
            .map(|event| event["kind"].as_str().unwrap_or_default().to_owned())
            .collect()
    }

    /// Webhooks about this order, newest first.
    pub async fn deliveries(&self, order_no: &str) -> Vec<Value> {
        let path = format!("/v1/deliveries?order_no={order_no}&limit=200");
        let answer = self.ask("GET", &path, VIEWER, None).await;
        assert_eq!(answer.status, 200, "{:?}", answer.body);
        answer.body["data"].as_array().cloned().unwrap_or_default()
    }

    /// Waits until this kind of event stands in the order's history.
    pub async fn happens(&self, kind: &str, order_id: &str) {
        eventually(&format!("{kind} of {order_id}"), || async {
            let history = self.history(order_id).await;
            let happened = history.iter().any(|event| event == kind);
            happened.then_some(()).ok_or_else(|| format!("{history:?}"))
        })
        .await;
    }

    /// Waits until the one webhook of this type about the order has this status.
    pub async fn delivery_becomes(&self, order_no: &str, kind: &str, status: &str) -> Value {
        eventually(
            &format!("{kind} of {order_no} becomes {status}"),
            || async {
                let all = self.deliveries(order_no).await;
                let mut of_kind = all.iter().filter(|delivery| delivery["type"] == kind);
                let delivery = of_kind.next().cloned().unwrap_or_default();
                assert!(of_kind.next().is_none(), "one webhook: {all:?}");
                if delivery["status"] == status {
                    Ok(delivery)
                } else {
                    Err(format!("{all:?}"))
                }
            },
        )
        .await
    }

    pub async fn redeliver(&self, delivery_id: &str, key: &str) -> Answer {
        let path = format!("/v1/deliveries/{delivery_id}/redeliver");
        self.ask("POST", &path, key, None).await
    }

    pub async fn alerts(&self) -> Vec<Value> {
        let answer = self.ask("GET", "/v1/alerts?limit=200", VIEWER, None).await;
        assert_eq!(answer.status, 200, "{:?}", answer.body);
        answer.body["data"].as_array().cloned().unwrap_or_default()
    }

    /// Waits until the order has this status.
    pub async fn becomes(&self, order_id: &str, status: &str) -> Value {
        eventually(&format!("{order_id} becomes {status}"), || async {
            let order = self.get(order_id).await;
            if order["status"] == status {
                Ok(order)
            } else {
                Err(order.to_string())
            }
        })
        .await
    }

    pub async fn review(&self, order_id: &str, key: &str, body: &Value) -> Answer {
        self.ask(
            "POST",
            &format!("/v1/orders/{order_id}/reviews"),
            key,
            Some(body),
        )
        .await
    }

    /// A request that was made by hand.
    pub async fn send(&self, request: reqwest::RequestBuilder) -> Answer {
        read(request.send().await.expect("the shop answers")).await
    }

    /// A notice, signed with this secret, posted to the channel's callback address.
    pub async fn tell(&self, channel: &str, secret: &str, notice: &Notice) -> Answer {
        self.notify(channel, &notice.signed(secret), notice.body.clone())
            .await
    }

    /// A body posted to the callback address as it is.
    pub async fn notify(&self, channel: &str, headers: &[(&str, String)], body: Vec<u8>) -> Answer {
        let mut request = self
            .client
            .post(self.url(&format!("/v1/callbacks/{channel}")))
            .body(body);
        for (name, value) in headers {
            request = request.header(*name, value);
        }
        read(request.send().await.expect("the shop answers")).await
    }
}

/// What ops were told about an order, oldest first: kind, severity and status.
pub async fn alerts_of(shop: &Shop, order_id: &str) -> Vec<String> {
    let mut alerts = shop.alerts().await;
    alerts.reverse();
    let text = |alert: &Value, field: &str| alert[field].as_str().unwrap_or_default().to_owned();
    alerts
        .iter()
        .filter(|alert| alert["order_id"] == order_id)
        .map(|alert| {
            let [kind, severity, status] =
                ["kind", "severity", "status"].map(|field| text(alert, field));
            format!("{kind} {severity} {status}")
        })
        .collect()
}

async fn read(response: reqwest::Response) -> Answer {
    let status = response.status().as_u16();
    let headers = response.headers().clone();
    let bytes = response.bytes().await.expect("the answer is whole");
    let body = serde_json::from_slice(&bytes)
        .unwrap_or_else(|_| Value::String(String::from_utf8_lossy(&bytes).into_owned()));
    Answer {
        status,
        headers,
        body,
    }
}

fn run(folder: &Path, environment: &[(String, String)]) -> Running {
    Running::start(folder, &["serve"], environment, &folder.join("log"))
}

/// A key for everybody who works here.
fn keys() -> String {
    let mut text = String::new();
    let keys = [
        ("shop", "merchant", MERCHANT, "\"refunds\""),
        ("till", "merchant", TILL, ""),
        ("ann", "operator", OPERATOR, ""),
        ("bob", "operator", SECOND_OPERATOR, ""),
        ("eye", "viewer", VIEWER, ""),
        ("root", "admin", ADMIN, ""),
    ];
    for (name, role, key, scopes) in keys {
        write!(
            text,
            "[[keys]]\nname = \"{name}\"\nrole = \"{role}\"\nkey = \"{key}\"\nscopes = [{scopes}]\n"
        )
        .expect("text grows");
    }
    text
}

fn configuration(
    stage: &Stage,
    port: u16,
    database: &str,
    processor: &Processor,
    mailbox: Option<&Mailbox>,
) -> String {
    let mut text = format!(
        r#"[server]
listen = "127.0.0.1:{port}"
public_url = "http://127.0.0.1:{port}"
ui_deadline = "{}"
on_deadline = "{}"
{}
[database]
url = "{database}"
[checks]
submit_timeout = "{}"
query_timeout = "{}"
schedule = {}
pending_schedule = {}
not_found_grace = "{}"
startup_grace = "{}"
startup_spread = "50ms"
max_submits = {}
{}
[channels.sandbox]
kind = "http"
base_url = "{}"
secret = "{}"
read_timeout = "{}"
late_success = "{}"
circuit = {}
{}
[limits]
callbacks_per_address = "{}"
{}
[alerts]
from = "oncepay@example.com"
to = ["ops@example.com"]
digest_window = "{}"
"#,
        stage.ui_deadline,
        stage.on_deadline,
        stage.server,
        stage.submit_timeout,
        stage.query_timeout,
        stage.schedule,
        stage.pending_schedule,
        stage.not_found_grace,
        stage.startup_grace,
        stage.max_submits,
        stage.checks,
        processor.base_url(),
        processor.secret,
        stage.read_timeout,
        stage.late_success,
        stage.circuit,
        stage.channel,
        stage.callbacks_per_address,
        stage.limits,
        stage.digest_window,
    );
    if let Some(mailbox) = mailbox {
        writeln!(text, "smtp_url = \"smtp://127.0.0.1:{}\"", mailbox.port).expect("text grows");
    }
    text.push_str(&keys());
    text.push_str(&stage.more);
    text
}
