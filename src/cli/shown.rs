//! One order for a person: what matters first, and nothing that is empty.

use super::{out, view};
use crate::domain::order::Order;
use crate::domain::{Currency, Money};
use crate::moment::rfc3339;
use crate::store::orders::StoredEvent;
use serde_json::Value;

/// The order of the fields; what is not named here follows.
const FIRST: [&str; 14] = [
    "order_no",
    "order_id",
    "status",
    "reason",
    "message",
    "amount",
    "amount_refunded",
    "channel",
    "live",
    "channel_trade_no",
    "last_error",
    "next_action",
    "next_check_at",
    "subject",
];

/// Every field of the API's document that says something, a line each; then what a proposed decision waits for.
pub(super) fn fields(order: &Value) {
    let Some(fields) = order.as_object() else {
        return;
    };
    let named = FIRST.iter().copied();
    let rest = fields
        .keys()
        .map(String::as_str)
        .filter(|name| !FIRST.contains(name));
    for name in named.chain(rest) {
        if let Some(text) = fields.get(name).and_then(|value| text(order, name, value)) {
            out::line(format_args!("{name:16}  {text}"));
        }
    }
    let word = |pointer: &str| order.pointer(pointer).and_then(Value::as_str);
    if let (Some(decision), Some(by), Some(until)) = (
        word("/review/decision"),
        word("/review/by"),
        word("/review/expires_at"),
    ) {
        out::line(format_args!(
            "\nNothing is decided yet: {by} has proposed {decision}. Another operator must give the same decision with \
             their own key (ONCEPAY_KEY) until {until}."
        ));
    }
}

/// What stands beside the name; `None` where there is nothing to say.
fn text(order: &Value, name: &str, value: &Value) -> Option<String> {
    match (name, value) {
        // They stand in the amount and in a sentence of their own.
        ("currency" | "review", _) | (_, Value::Null) => None,
        ("amount_refunded", value) if value.as_i64() == Some(0) => None,
        ("amount" | "amount_refunded", value) => Some(money(order, value)),
        (_, Value::String(text)) => Some(text.clone()),
        (_, Value::Array(values)) if values.is_empty() => None,
        (_, Value::Object(values)) if values.is_empty() => None,
        (_, Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)) => {
            Some(value.to_string())
        }
    }
}

fn money(order: &Value, amount: &Value) -> String {
    let currency = order.get("currency").and_then(Value::as_str);
    match amount.as_i64().zip(currency.and_then(Currency::parse)) {
        Some((amount, currency)) => Money::new(amount, currency).to_string(),
        None => amount.to_string(),
    }
}

/// Payments that are on record, those that the order does not count as its own among them.
pub(super) fn payments(order: &Order) {
    for payment in &order.payments {
        let counts = if payment.own {
            ""
        } else {
            " (not counted as this order's payment)"
        };
        out::line(format_args!(
            "{:16}  {} under trade {}{counts}",
            "payment", payment.money, payment.trade_no
        ));
    }
}

/// Refunds, each with its number, its status and its version.
pub(super) fn refunds(order: &Order) {
    for refund in &order.refunds {
        out::line(format_args!(
            "{:16}  {} {} of trade {} is {} (version {})",
            "refund",
            refund.refund_no,
            refund.money,
            refund.trade_no,
            refund.status,
            refund.version
        ));
    }
}

/// The history, a line an event.
pub(super) fn history(order: &Order, events: &[StoredEvent]) {
    let rows: Vec<_> = events
        .iter()
        .map(|event| {
            vec![
                rfc3339(event.at),
                event.to.clone(),
                event.kind.clone(),
                event.by.clone(),
                what(order, &view::event(event)),
            ]
        })
        .collect();
    out::table(&["AT", "STATUS", "EVENT", "BY", "WHAT"], &rows);
}

/// The summary, with another amount than the order's, why a person is needed, and a decision's basis. What was said of a
/// refund is not yet what became of it: one that waits for a person says so.
fn what(order: &Order, event: &Value) -> String {
    let detail = |name: &str| event.get("detail").and_then(|detail| detail.get(name));
    let word = |name: &str| detail(name).and_then(Value::as_str);
    let mut text = word("summary").unwrap_or_default().to_owned();
    let amount = detail("amount").and_then(Value::as_i64);
    let currency = word("currency").and_then(Currency::parse);
    let told = amount
        .zip(currency)
        .map(|(amount, currency)| Money::new(amount, currency));
    let told = told.filter(|told| *told != order.money);
    if let Some(told) = told.map(|told| told.to_string()) {
        let joint = if detail("refund_no").is_some() {
            ","
        } else {
            " of"
        };
        if !text.contains(&told) {
            text.push_str(&format!("{joint} {told}"));
        }
    }
    if word("refund_status") == Some("MANUAL") {
        text.push_str(" (the refund is MANUAL)");
    }
    let to_a_person = event.get("to").and_then(Value::as_str) == Some("MANUAL");
    if let Some(reason) = word("reason").filter(|_| to_a_person) {
        text.push_str(&format!(" ({reason})"));
    }
    if let Some(basis) = word("basis") {
        text.push_str(&format!(": {basis}"));
    }
    text
}
