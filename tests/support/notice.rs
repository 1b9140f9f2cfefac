//! Notices that a test signs itself, as the processor would.

use super::{Answer, Processor, Shop};
use oncepay::channels::http::sign::{self, Stamped};
use oncepay::channels::signing::{self, SigningKey};
use oncepay::clock::SystemClock;
use oncepay::domain::UnixMillis;
use secrecy::SecretString;
use serde_json::{Value, json};

/// What a notice says about a charge of 1999 CNY.
pub fn said(order_no: &str, trade_no: &str, status: &str) -> Value {
    json!({"type": "charge.updated", "data": {
        "trade_no": trade_no, "order_no": order_no, "idempotency_key": format!("pay:order:{order_no}"),
        "amount": 1999, "currency": "CNY", "status": status,
    }})
}

/// The headers of a notice with this id, signed now.
pub fn signed(secret: &str, id: &str, body: &[u8]) -> [(&'static str, String); 3] {
    signed_at(secret, id, body, SystemClock::start().wall())
}

/// The headers of a notice with this id, signed then.
pub fn signed_at(
    secret: &str,
    id: &str,
    body: &[u8],
    at: UnixMillis,
) -> [(&'static str, String); 3] {
    let key = SigningKey::parse(&SecretString::from(secret)).expect("a secret");
    let timestamp = signing::timestamp(at);
    let head = Stamped {
        id,
        timestamp: &timestamp,
    };
    let signature = key.sign(&sign::notice_text(head, body));
    [
        (sign::ID, id.to_owned()),
        (sign::TIMESTAMP, timestamp),
        (sign::SIGNATURE, signature),
    ]
}

impl Shop {
    /// A notice with this id, signed with the processor's secret, reaches the shop.
    pub async fn hear(&self, processor: &Processor, id: &str, notice: &Value) -> Answer {
        let body = notice.to_string().into_bytes();
        let headers = signed(&processor.secret, id, &body);
        self.notify("sandbox", &headers, body).await
    }
}
