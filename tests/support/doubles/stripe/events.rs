//! Events, signed as Stripe signs them.

use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Value, json};
use sha2::Sha256;

/// The signing secret of the double's endpoint.
pub const SECRET: &str = "whsec_testOnly_current_000000000000";

/// A webhook as it is posted.
#[derive(Debug, Clone)]
pub struct SignedEvent {
    pub signature: String,
    pub body: Vec<u8>,
}

/// An event's body.
pub fn event(id: &str, kind: &str, object: &Value) -> Value {
    json!({
        "id": id, "object": "event", "api_version": "2026-10-28.endive", "created": 1, "type": kind,
        "data": {"object": object}, "livemode": false, "pending_webhooks": 1,
        "request": {"id": null, "idempotency_key": null},
    })
}

/// The body with its signature: the key is the whole secret, the text the time, a dot and the body.
pub fn sign(secret: &str, at_s: i64, body: Vec<u8>) -> SignedEvent {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).expect("any key will do");
    mac.update(format!("{at_s}.").as_bytes());
    mac.update(&body);
    let hex = hex::encode(mac.finalize().into_bytes());
    SignedEvent {
        signature: format!("t={at_s},v1={hex}"),
        body,
    }
}
