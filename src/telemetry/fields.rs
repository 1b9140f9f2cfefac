//! The fields of one log line. Free text is scrubbed; what names a thing by its type stays as it is.

use crate::scrub::scrub;
use serde_json::Value;
use std::error::Error;
use std::fmt::Debug;
use tracing::field::{Field, Visit};

/// Fields of our own lines that hold an identifier, an address of this server or one word of ours: never free text.
const IDENTIFIERS: [&str; 38] = [
    "account",
    "address",
    "alert_id",
    "break_id",
    "call",
    "channel",
    "channel_refund_no",
    "channel_trade_no",
    "circuit",
    "code",
    "currency",
    "debit_no",
    "delivery_id",
    "entry_id",
    "event_id",
    "from",
    "hold_no",
    "idempotency_key",
    "key",
    "kind",
    "message_id",
    "method",
    "name",
    "new_orders_wait_until",
    "order_id",
    "order_no",
    "outcome",
    "reconciliation_id",
    "refund_id",
    "refund_no",
    "request_id",
    "route",
    "run_id",
    "status",
    "trade_no",
    "until",
    "verification",
    "webhook_id",
];

/// The fields of a line in their order; `message` is one of them.
#[derive(Debug, Default)]
pub(super) struct Fields {
    /// The line is one of ours: what its fields are called can be relied on.
    ours: bool,
    pub(super) of_line: Vec<(&'static str, Value)>,
}

/// Whether lines of this target are ours.
fn is_ours(target: &str) -> bool {
    let root = target.split("::").next().unwrap_or_default();
    root == env!("CARGO_CRATE_NAME")
}

impl Fields {
    /// Of a line of this target. A dependency's line is scrubbed whole.
    pub(super) fn of(target: &str) -> Self {
        Self {
            ours: is_ours(target),
            of_line: Vec::new(),
        }
    }

    /// Scrubs the free texts. An identifier that the line names in a field may also stand in its words.
    pub(super) fn scrubbed(mut self) -> Vec<(&'static str, Value)> {
        let (named, free): (Vec<_>, Vec<_>) = self
            .of_line
            .iter()
            .partition(|(name, value)| self.ours && (value.is_number() || is_identifier(name)));
        if free.is_empty() {
            return self.of_line;
        }
        let keep: Vec<String> = named.iter().map(|(_, value)| shown(value)).collect();
        let keep: Vec<&str> = keep.iter().map(String::as_str).collect();
        let ours = self.ours;
        for (name, value) in &mut self.of_line {
            if !(ours && (value.is_number() || is_identifier(name))) {
                let text = shown(value);
                let clean = scrub(&text, &keep);
                if clean != text {
                    *value = Value::String(clean);
                }
            }
        }
        self.of_line
    }

    fn add(&mut self, field: &Field, value: Value) {
        self.of_line.push((field.name(), value));
    }
}

fn is_identifier(name: &str) -> bool {
    IDENTIFIERS.binary_search(&name).is_ok()
}

/// A value as a person reads it.
pub(super) fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            value.to_string()
        }
    }
}

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.add(field, Value::String(format!("{value:?}")));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.add(field, Value::String(value.to_owned()));
    }

    fn record_error(&mut self, field: &Field, value: &(dyn Error + 'static)) {
        self.add(field, Value::String(value.to_string()));
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.add(field, Value::from(value));
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.add(field, Value::from(value));
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.add(field, Value::from(value));
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.add(field, Value::from(value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOOKS_LIKE_A_CARD: &str = "20260726000017";

    fn line(target: &str, fields: &[(&'static str, Value)]) -> Vec<String> {
        let mut line = Fields::of(target);
        line.of_line.extend(fields.iter().cloned());
        let scrubbed = line.scrubbed();
        scrubbed.iter().map(|(_, value)| shown(value)).collect()
    }

    #[test]
    fn the_identifiers_are_in_order_so_that_they_are_found() {
        assert!(IDENTIFIERS.is_sorted());
    }

    #[test]
    fn an_identifier_stays_in_its_field_and_in_the_words_of_its_line() {
        let fields = [
            (
                "message",
                Value::from(format!("order {LOOKS_LIKE_A_CARD} of 13812345678")),
            ),
            ("order_no", Value::from(LOOKS_LIKE_A_CARD)),
            ("elapsed_ms", Value::from(4_111_111_111_111_111_i64)),
        ];
        assert_eq!(
            line("oncepay::web", &fields),
            [
                "order 20260726000017 of 138****5678",
                LOOKS_LIKE_A_CARD,
                "4111111111111111"
            ]
        );
    }

    #[test]
    fn a_line_of_a_dependency_is_scrubbed_whatever_its_fields_are_called() {
        let fields = [
            ("order_no", Value::from("4111111111111111")),
            ("size", Value::from(4_111_111_111_111_111_i64)),
            ("count", Value::from(12)),
        ];
        let said = line("oncepay_other::x", &fields);
        assert_eq!(said, ["[card number]", "[card number]", "12"]);
    }
}
