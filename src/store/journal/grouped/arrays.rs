//! A batch as arrays of rows in JSON, in the order of the text's parameters.

use super::super::rows::FIXED_AT_CREATION;
use super::table::{Parameter, Present};
use crate::store::mapping::Prepared;
use sea_orm::{DbBackend, DbErr, EntityTrait, IdenStatic, Iterable, ModelTrait, Value};

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
        let guard = [text(&write.order.order_id), text(write.decision())];
        match write.expected_version {
            None => self.creates.push(cells(&write.order, &[]))?,
            Some(expected_version) => {
                let expected = [
                    text(&write.order.order_id),
                    Value::from(expected_version),
                    Value::from(write.unless_replaced),
                ];
                self.updates
                    .push(cells(&write.order, FIXED_AT_CREATION).chain(expected))?;
            }
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
            rows.extend([&notice.row], &guard)?;
        }
        if write.resolves_alerts {
            let at = [Value::from(write.at)];
            self.resolutions.push(at.into_iter().chain(guard.clone()))?;
        }
        self.decisions.push(guard)
    }

    /// Which of them hold rows.
    pub(super) fn present(&self) -> Present {
        [
            (Parameter::Creates, &self.creates),
            (Parameter::Updates, &self.updates),
            (Parameter::Events, &self.events),
            (Parameter::Payments, &self.payments),
            (Parameter::KeptPayments, &self.kept_payments),
            (Parameter::Notices, &self.notices),
            (Parameter::RepeatedNotices, &self.repeated_notices),
            (Parameter::Alerts, &self.alerts),
            (Parameter::Resolutions, &self.resolutions),
            (Parameter::IdempotencyKeys, &self.idempotency_keys),
            (Parameter::Decisions, &self.decisions),
        ]
        .into_iter()
        .fold(Present::default(), |present, (parameter, array)| {
            present.with(parameter, !array.bytes.is_empty())
        })
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

fn text(text: &str) -> Value {
    Value::from(text)
}

/// The values of a row, in the order of its entity's columns.
fn cells<M: ModelTrait>(
    row: &M,
    without: &'static [<M::Entity as EntityTrait>::Column],
) -> impl Iterator<Item = Value> {
    <M::Entity as EntityTrait>::Column::iter()
        .filter(|column| {
            !without
                .iter()
                .any(|fixed| fixed.as_str() == column.as_str())
        })
        .map(|column| row.get(column))
}

/// A JSON array of rows, each an array of its values.
#[derive(Debug, Default)]
struct Array {
    bytes: Vec<u8>,
}

impl Array {
    fn push(&mut self, row: impl IntoIterator<Item = Value>) -> Result<(), serde_json::Error> {
        self.bytes
            .push(if self.bytes.is_empty() { b'[' } else { b',' });
        for (place, value) in row.into_iter().enumerate() {
            self.bytes.push(if place == 0 { b'[' } else { b',' });
            write_cell(&mut self.bytes, &value)?;
        }
        self.bytes.push(b']');
        Ok(())
    }

    fn extend<'a, M: ModelTrait + 'a>(
        &mut self,
        rows: impl IntoIterator<Item = &'a M>,
        guard: &[Value; 2],
    ) -> Result<(), serde_json::Error> {
        rows.into_iter()
            .try_for_each(|row| self.push(cells(row, &[]).chain(guard.iter().cloned())))
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

/// Our tables hold whole numbers, truths, texts and nothing else.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "a value of another type has no column here, and fails the write by name"
)]
fn write_cell(bytes: &mut Vec<u8>, value: &Value) -> Result<(), serde_json::Error> {
    match value {
        Value::BigInt(number) => serde_json::to_writer(bytes, number),
        Value::Bool(truth) => serde_json::to_writer(bytes, truth),
        Value::String(text) => serde_json::to_writer(bytes, text),
        other => Err(serde::ser::Error::custom(format!(
            "{other:?} has no place in a row"
        ))),
    }
}
