//! A batch as arrays of rows in JSON, in the order of the text's parameters.

use super::super::rows::FIXED_AT_CREATION;
use super::table::{Extent, Parameter};
use crate::store::mapping::{AccountRows, MovementRow, OrderRows, Prepared};
use entities::audit_log;
use sea_orm::{DbErr, EntityTrait, IdenStatic, Iterable, ModelTrait, Value};

/// One array for each parameter; [`super::text`] names them by their numbers, which begin after the epoch's.
#[derive(Debug)]
pub(super) struct Arrays([Array; Parameter::ARRAYS.len()]);

impl Arrays {
    /// # Errors
    /// When a row cannot be written as JSON.
    pub(super) fn of(
        decisions: &[&Prepared],
        audit: Option<audit_log::Model>,
    ) -> Result<Self, DbErr> {
        let mut batch = Self(Default::default());
        let mut audit = audit;
        for decision in decisions {
            let sealed = decision.audit().and_then(|_| audit.take());
            let added = match decision {
                Prepared::Order(rows) => batch.add_order(rows, sealed),
                Prepared::Account(rows) => batch.add_account(rows),
            };
            added.map_err(|error| DbErr::Json(error.to_string()))?;
        }
        Ok(batch)
    }

    fn add_order(
        &mut self,
        write: &OrderRows,
        audit: Option<audit_log::Model>,
    ) -> Result<(), serde_json::Error> {
        let order_id = &write.order.order_id;
        let guard = [text(order_id), text(&write.order.last_decision)];
        self.add_row_of_order(write)?;
        self.extend(Parameter::Events, &write.events, &guard)?;
        self.extend(Parameter::Payments, &write.payments, &guard)?;
        self.extend(Parameter::KeptPayments, &write.kept_payments, &guard)?;
        self.extend(Parameter::Refunds, &write.refunds, &guard)?;
        self.extend(Parameter::Queued, &write.fulfilments.queued, &guard)?;
        self.extend(Parameter::Granted, &write.fulfilments.done, &guard)?;
        self.extend(Parameter::Deliveries, &write.deliveries, &guard)?;
        self.extend(Parameter::Alerts, &write.alerts, &guard)?;
        self.extend(Parameter::IdempotencyKeys, &write.idempotency, &guard)?;
        self.extend(Parameter::Audit, &audit, &guard)?;
        if let Some(notice) = &write.notice {
            let rows = if notice.repeat {
                Parameter::RepeatedNotices
            } else {
                Parameter::Notices
            };
            self.extend(rows, [&notice.row], &guard)?;
        }
        if write.resolves_alerts {
            let at = [Value::from(write.at)];
            self.push(Parameter::Resolutions, at.into_iter().chain(guard.clone()))?;
        }
        for key in &write.resolved_alerts {
            let row = [text(key), Value::from(write.at)];
            self.push(
                Parameter::ResolvedKeys,
                row.into_iter().chain(guard.clone()),
            )?;
        }
        for movement in &write.postings.movements {
            self.add_movement(movement, Some(order_id), None)?;
        }
        self.extend(Parameter::Entries, &write.postings.entries, &[])?;
        self.extend(Parameter::Holds, &write.postings.holds, &guard[1..])
    }

    fn add_row_of_order(&mut self, write: &OrderRows) -> Result<(), serde_json::Error> {
        let Some(expected_version) = write.expected_version else {
            let limit = [
                Value::from(write.daily_limit.map(|limit| limit.amount)),
                Value::from(write.daily_limit.map(|limit| limit.since.0)),
            ];
            return self.push(Parameter::Creates, cells(&write.order, &[]).chain(limit));
        };
        let expected = [
            text(&write.order.order_id),
            Value::from(expected_version),
            Value::from(write.unless_replaced),
        ];
        let changed = cells(&write.order, FIXED_AT_CREATION);
        self.push(Parameter::Updates, changed.chain(expected))
    }

    fn add_account(&mut self, write: &AccountRows) -> Result<(), serde_json::Error> {
        let source = write.entry.as_ref().map(|entry| &entry.source);
        self.add_movement(&write.movement, None, source)?;
        self.extend(Parameter::Entries, &write.entry, &[])?;
        let decision = text(&write.movement.row.last_decision);
        self.extend(Parameter::Holds, &write.hold, &[decision])
    }

    fn add_movement(
        &mut self,
        movement: &MovementRow,
        order_id: Option<&String>,
        source: Option<&String>,
    ) -> Result<(), serde_json::Error> {
        let condition = [
            Value::from(movement.expected_version),
            Value::from(order_id.cloned()),
            Value::from(source.cloned()),
        ];
        self.push(
            Parameter::Movements,
            cells(&movement.row, &[]).chain(condition),
        )
    }

    /// The least that has a place for all of it.
    pub(super) fn extent(&self) -> Extent {
        let mut unusual = self.0.iter().skip(Extent::Usual.arrays());
        if unusual.all(|array| array.bytes.is_empty()) {
            Extent::Usual
        } else {
            Extent::All
        }
    }

    /// The values of the parameters of the text of this extent.
    pub(super) fn values(self, epoch: i64, extent: Extent) -> Vec<Value> {
        let arrays = self.0.into_iter().take(extent.arrays()).map(Array::value);
        std::iter::once(Value::from(epoch)).chain(arrays).collect()
    }

    fn push(
        &mut self,
        parameter: Parameter,
        row: impl IntoIterator<Item = Value>,
    ) -> Result<(), serde_json::Error> {
        match self.0.get_mut(parameter.place()) {
            Some(array) => array.push(row),
            None => Ok(()),
        }
    }

    fn extend<'a, M: ModelTrait + 'a>(
        &mut self,
        parameter: Parameter,
        rows: impl IntoIterator<Item = &'a M>,
        guard: &[Value],
    ) -> Result<(), serde_json::Error> {
        rows.into_iter()
            .try_for_each(|row| self.push(parameter, cells(row, &[]).chain(guard.iter().cloned())))
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
