//! Stages that many stories need.

use super::{Answer, Processor, Proxy, Shop, Stage};
use oncepay::channels::http::sign;
use oncepay::channels::signing::{self, SigningKey};
use oncepay::clock::{Clock as _, SystemClock};
use serde_json::{Value, json};

impl Stage {
    /// The ladder of checks is over in a second; nothing is submitted twice.
    pub fn with_a_short_ladder() -> Self {
        Self {
            ui_deadline: "300ms",
            submit_timeout: "100ms",
            query_timeout: "2s",
            read_timeout: "600ms",
            schedule: r#"["200ms", "300ms", "400ms"]"#,
            max_submits: 1,
            ..Self::default()
        }
    }

    /// No clock of ours ends a call: only what the test does.
    pub fn with_patience() -> Self {
        Self {
            ui_deadline: "40s",
            submit_timeout: "30s",
            read_timeout: "60s",
            schedule: r#"["500ms", "1500ms", "60s"]"#,
            ..Self::default()
        }
    }

    /// Its calls go through this wire.
    #[must_use]
    pub fn through(mut self, proxy: &Proxy) -> Self {
        self.environment.push(proxy.environment());
        self
    }

    /// With one more variable in its environment.
    #[must_use]
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.environment.push((name.to_owned(), value.to_owned()));
        self
    }
}

impl Shop {
    /// A notice about a charge, signed as the processor signs.
    pub async fn notify_signed(&self, processor: &Processor, id: &str, charge: &Value) -> Answer {
        let body = json!({"type": "charge.updated", "data": charge}).to_string();
        let key = SigningKey::parse(&processor.secret.clone().into()).expect("a key");
        let timestamp = signing::timestamp(SystemClock::start().wall());
        let head = sign::Stamped {
            id,
            timestamp: &timestamp,
        };
        let signature = key.sign(&sign::notice_text(head, body.as_bytes()));
        let headers = [
            (sign::ID, id.to_owned()),
            (sign::TIMESTAMP, timestamp),
            (sign::SIGNATURE, signature),
        ];
        self.notify("sandbox", &headers, body.into_bytes()).await
    }
}
