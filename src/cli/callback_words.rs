//! What `callback verify` may repeat of a notice: its identifiers, and its free text without cards, keys and people.

use crate::channels::Rejection;
use crate::scrub::scrub;
use reqwest::Url;
use serde_json::Value;
use std::collections::BTreeMap;

/// Fields of a notice that name a thing by its type.
const IDENTIFIERS: [&str; 17] = [
    "BlockTransactionId",
    "Id",
    "OutOrderId",
    "ToAddress",
    "app_id",
    "channel_refund_no",
    "channel_trade_no",
    "idempotency_key",
    "merchant",
    "notify_id",
    "order_no",
    "out_biz_no",
    "out_trade_no",
    "refund_no",
    "seller_id",
    "trade_no",
    "type",
];
/// Headers that say which message it is, when it was signed, and with which key.
const STAMPS: [&str; 5] = [
    "webhook-id",
    "webhook-timestamp",
    "wechatpay-nonce",
    "wechatpay-serial",
    "wechatpay-timestamp",
];
/// A body is nested no deeper than this.
const DEPTH_MAX: usize = 16;

/// The rejection as it may be shown.
pub(super) fn shown(
    rejection: &Rejection,
    headers: &BTreeMap<String, String>,
    body: &[u8],
) -> Rejection {
    let mut keep = Vec::new();
    for name in STAMPS {
        keep.extend(headers.get(name).cloned());
    }
    match serde_json::from_slice(body) {
        Ok(body) => collect(&body, 0, &mut keep),
        Err(_no_json) => collect_form(body, &mut keep),
    }
    let keep: Vec<&str> = keep.iter().map(String::as_str).collect();
    Rejection {
        rule: rejection.rule,
        explanation: scrub(&rejection.explanation, &keep),
        key_id: rejection.key_id.clone(),
        signed_text: rejection
            .signed_text
            .as_deref()
            .map(|text| scrub(text, &keep)),
    }
}

/// Some channels post forms.
fn collect_form(body: &[u8], keep: &mut Vec<String>) {
    let form = format!("form:?{}", String::from_utf8_lossy(body));
    let fields = Url::parse(&form);
    for (name, value) in fields.iter().flat_map(|form| form.query_pairs()) {
        if IDENTIFIERS.contains(&&*name) {
            keep.push(value.into_owned());
        }
    }
}

fn collect(value: &Value, depth: usize, keep: &mut Vec<String>) {
    if depth > DEPTH_MAX {
        return;
    }
    let deeper = depth.saturating_add(1);
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                match value.as_str() {
                    Some(text) if IDENTIFIERS.contains(&name.as_str()) => {
                        keep.push(text.to_owned())
                    }
                    Some(_) | None => collect(value, deeper, keep),
                }
            }
        }
        Value::Array(values) => values.iter().for_each(|value| collect(value, deeper, keep)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
