//! Bodies of the processor protocol, made of bytes: as a processor would word them, somewhat off, or anything at all.

use super::bytes::Bytes;
use serde_json::{Map, Value, json};

pub(crate) const ORDER_NO: &str = "A-1";

/// The body of a callback.
pub(crate) fn body(bytes: &mut Bytes<'_>) -> Vec<u8> {
    if bytes.rarely(4) {
        return bytes.rest().to_vec();
    }
    let kind = *bytes.pick(&[
        "charge.updated",
        "refund.updated",
        "payment.succeeded",
        "charge.updated",
    ]);
    let data = if kind == "refund.updated" {
        refund(bytes)
    } else {
        charge(bytes)
    };
    written(bytes, &json!({ "type": kind, "data": data }))
}

/// The body of a reply.
pub(crate) fn reply(bytes: &mut Bytes<'_>) -> Vec<u8> {
    let value = match bytes.below(8) {
        0..=2 => charge(bytes),
        3 | 4 => refund(bytes),
        5 | 6 => {
            let codes = [
                "not_found",
                "idempotency_conflict",
                "cannot_close",
                "PAID",
                "",
            ];
            json!({ "code": *bytes.pick(&codes) })
        }
        _ => return bytes.rest().to_vec(),
    };
    written(bytes, &value)
}

/// As it stands, or with a few bytes of it changed.
fn written(bytes: &mut Bytes<'_>, value: &Value) -> Vec<u8> {
    let mut written = value.to_string().into_bytes();
    while bytes.rarely(8) {
        let place = bytes.below(4_096).checked_rem(written.len());
        if let Some(byte) = place.and_then(|place| written.get_mut(place)) {
            *byte = bytes.byte();
        }
    }
    written
}

fn charge(bytes: &mut Bytes<'_>) -> Value {
    let statuses = [
        "PAID",
        "PENDING",
        "PROCESSING",
        "DECLINED",
        "CLOSED",
        "FROZEN",
        "paid",
        "",
    ];
    let status = *bytes.pick(&statuses);
    let mut charge = named(bytes, status);
    if bytes.rarely(4) {
        let value = odd(bytes);
        charge.insert(
            "next_action".to_owned(),
            json!({ "kind": "qr", "value": value }),
        );
    }
    if bytes.rarely(4) {
        charge.insert("reason".to_owned(), odd(bytes));
    }
    Value::Object(charge)
}

fn refund(bytes: &mut Bytes<'_>) -> Value {
    let statuses = ["SUCCEEDED", "PENDING", "FAILED", "GONE"];
    let status = *bytes.pick(&statuses);
    let mut refund = named(bytes, status);
    refund.insert("refund_no".to_owned(), text(bytes, "r1"));
    refund.remove("currency");
    Value::Object(refund)
}

/// What charges and refunds have in common.
fn named(bytes: &mut Bytes<'_>, status: &str) -> Map<String, Value> {
    let mut fields = Map::new();
    let key = format!("pay:order:{ORDER_NO}");
    for (name, usual) in [
        ("trade_no", "T1"),
        ("order_no", ORDER_NO),
        ("idempotency_key", &key),
    ] {
        fields.insert(name.to_owned(), text(bytes, usual));
    }
    let amount = if bytes.flag() {
        json!(1_999)
    } else {
        odd(bytes)
    };
    fields.insert("amount".to_owned(), amount);
    fields.insert("currency".to_owned(), text(bytes, "CNY"));
    fields.insert("status".to_owned(), json!(status));
    if bytes.rarely(8) {
        let names: Vec<String> = fields.keys().cloned().collect();
        fields.remove(bytes.pick(&names));
    }
    fields
}

fn text(bytes: &mut Bytes<'_>, usual: &str) -> Value {
    if bytes.rarely(8) {
        odd(bytes)
    } else {
        json!(usual)
    }
}

/// What nobody expects there.
fn odd(bytes: &mut Bytes<'_>) -> Value {
    match bytes.below(9) {
        0 => Value::Null,
        1 => json!(bytes.whole()),
        2 => json!(1_999.0),
        3 => json!(u64::MAX),
        4 => json!(""),
        5 => json!("n".repeat(256)),
        6 => json!(["T1", {}]),
        7 => json!("a\u{0}b"),
        _ => json!(bytes.text(40)),
    }
}
