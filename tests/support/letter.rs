//! Callbacks as a processor signs them (Standard Webhooks), and as somebody else would forge them.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use oncepay::clock::SystemClock;
use serde_json::{Value, json};
use sha2::Sha256;

/// A callback that is about to be posted.
#[derive(Debug, Clone)]
pub struct Notice {
    pub id: String,
    /// Unix seconds.
    pub timestamp: u64,
    pub body: Vec<u8>,
}

impl Notice {
    pub fn of(id: &str, body: impl Into<Vec<u8>>) -> Self {
        Self {
            id: id.to_owned(),
            timestamp: unix_seconds(),
            body: body.into(),
        }
    }

    /// `charge.updated` about an order of [`super::order`], paid by trade `T-<order_no>`; `change` makes it say otherwise.
    pub fn paid(id: &str, order_no: &str, change: &Value) -> Self {
        let mut data = json!({
            "trade_no": format!("T-{order_no}"), "order_no": order_no,
            "idempotency_key": format!("pay:order:{order_no}"),
            "amount": 1999, "currency": "CNY", "status": "PAID",
        });
        for (field, value) in change.as_object().expect("changes are an object") {
            data[field] = value.clone();
        }
        Self::of(
            id,
            json!({"type": "charge.updated", "data": data}).to_string(),
        )
    }

    /// Its headers, signed with the key in `secret` (`whsec_…`).
    pub fn signed(&self, secret: &str) -> Vec<(&'static str, String)> {
        let key = STANDARD
            .decode(secret.trim_start_matches("whsec_"))
            .expect("a secret is base64");
        let mut mac = Hmac::<Sha256>::new_from_slice(&key).expect("any length is a key");
        mac.update(format!("{}.{}.", self.id, self.timestamp).as_bytes());
        mac.update(&self.body);
        let signature = STANDARD.encode(mac.finalize().into_bytes());
        vec![
            ("webhook-id", self.id.clone()),
            ("webhook-timestamp", self.timestamp.to_string()),
            ("webhook-signature", format!("v1,{signature}")),
        ]
    }
}

fn unix_seconds() -> u64 {
    let now_ms = SystemClock::start().wall().0;
    u64::try_from(now_ms / 1000).expect("after 1970")
}
