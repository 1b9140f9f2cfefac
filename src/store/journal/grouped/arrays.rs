//! A batch as arrays of rows in JSON, in the order of the text's parameters.

use crate::store::mapping::Prepared;
use sea_orm::{DbBackend, DbErr, Value};
use serde::Serialize;

/// One array for each kind of row; [`super::text`] names them by their numbers, which begin after the epoch's.
#[derive(Debug, Default)]
pub(super) struct Arrays {
    creates: Array,
    updates: Array,
    events: Array,
    payments: Array,
    kept_payments: Array,
    notices: Array,
    repeated_notices: Array,
    alerts: Array,
    resolutions: Array,
    idempotency_keys: Array,
    decisions: Array,
}

impl Arrays {
    /// # Errors
    /// When a row cannot be written as JSON.
    pub(super) fn of(decisions: &[&Prepared]) -> Result<Self, DbErr> {
        let mut batch = Self::default();
        for decision in decisions {
            batch
                .add(decision)
                .map_err(|error| DbErr::Json(error.to_string()))?;
        }
        Ok(batch)
    }

    fn add(&mut self, write: &Prepared) -> Result<(), serde_json::Error> {
        let guard = Guard {
            guard_order: &write.order.order_id,
            guard_decision: write.decision(),
        };
        match write.expected_version {
            None => self.creates.push(&write.order, &())?,
            Some(expected_version) => self.updates.push(
                &write.order,
                &Expectation {
                    expected_version,
                    unless_replaced: write.unless_replaced,
                },
            )?,
        }
        self.events.extend(&write.events, &guard)?;
        self.payments.extend(&write.payments, &guard)?;
        self.kept_payments.extend(&write.kept_payments, &guard)?;
        self.alerts.extend(&write.alerts, &guard)?;
        self.idempotency_keys.extend(&write.idempotency, &guard)?;
        if let Some(notice) = &write.notice {
            let rows = if notice.repeat {
                &mut self.repeated_notices
            } else {
                &mut self.notices
            };
            rows.push(&notice.row, &guard)?;
        }
        if write.resolves_alerts {
            self.resolutions
                .push(&Resolution { at: write.at }, &guard)?;
        }
        self.decisions.push(&guard, &())
    }

    /// The values of the text's parameters; PostgreSQL counts them.
    pub(super) fn values(self, epoch: i64, backend: DbBackend) -> Vec<Value> {
        let arrays = [
            self.creates,
            self.updates,
            self.events,
            self.payments,
            self.kept_payments,
            self.notices,
            self.repeated_notices,
            self.alerts,
            self.resolutions,
            self.idempotency_keys,
            self.decisions,
        ];
        let count = if backend == DbBackend::Sqlite {
            arrays.len()
        } else {
            arrays.len().saturating_sub(1)
        };
        let arrays = arrays.into_iter().take(count).map(Array::value);
        std::iter::once(Value::from(epoch)).chain(arrays).collect()
    }
}

/// The row is written only if this order bears this decision.
#[derive(Serialize)]
struct Guard<'a> {
    guard_order: &'a str,
    guard_decision: &'a str,
}

#[derive(Serialize)]
struct Expectation {
    expected_version: i64,
    unless_replaced: bool,
}

#[derive(Serialize)]
struct Resolution {
    at: i64,
}

/// A JSON array of flat objects.
#[derive(Debug, Default)]
struct Array {
    bytes: Vec<u8>,
}

impl Array {
    /// Adds one object with the fields of `row` and of `extra`.
    fn push(
        &mut self,
        row: &impl Serialize,
        extra: &impl Serialize,
    ) -> Result<(), serde_json::Error> {
        self.bytes
            .push(if self.bytes.is_empty() { b'[' } else { b',' });
        serde_json::to_writer(&mut self.bytes, row)?;
        let end = self.bytes.len();
        serde_json::to_writer(&mut self.bytes, extra)?;
        // `{…}{…}` becomes `{…,…}`; `{…}null` becomes `{…}`.
        if self.bytes.get(end) == Some(&b'{') {
            self.bytes.remove(end);
            if let Some(brace) = end.checked_sub(1).and_then(|at| self.bytes.get_mut(at)) {
                *brace = b',';
            }
        } else {
            self.bytes.truncate(end);
        }
        Ok(())
    }

    fn extend<'a, T: Serialize + 'a>(
        &mut self,
        rows: impl IntoIterator<Item = &'a T>,
        extra: &impl Serialize,
    ) -> Result<(), serde_json::Error> {
        rows.into_iter().try_for_each(|row| self.push(row, extra))
    }

    fn value(mut self) -> Value {
        self.bytes
            .push(if self.bytes.is_empty() { b'[' } else { b']' });
        if self.bytes == b"[" {
            self.bytes.push(b']');
        }
        // serde_json writes UTF-8 only.
        Value::from(String::from_utf8(self.bytes).unwrap_or_default())
    }
}
