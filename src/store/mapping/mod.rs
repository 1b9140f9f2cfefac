//! Between rows and the domain: the only place that knows both.

mod account;
mod alert;
mod order;
mod outbox;
mod postings;
mod prepare;
mod refund;

pub(super) use account::{AccountRows, prepare_account};
pub(super) use alert::{alert_from_row, new_alert, stored_event};
pub(super) use order::{order_from_row, order_row, status};
pub(super) use postings::{MovementRow, PostingRows};
pub(super) use prepare::{NoticeRow, OrderRows, Prepared, prepare};
pub(super) use refund::refund_row;

use super::StoreError;
use sea_orm::{ColumnTrait, ColumnType};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A value in the JSON text of a column.
fn to_json<T: Serialize>(value: &T) -> Result<String, StoreError> {
    serde_json::to_string(value).map_err(|error| StoreError::Row(error.to_string()))
}

/// The value in the JSON text of `column`.
pub(super) fn from_json<T: DeserializeOwned>(column: &str, text: &str) -> Result<T, StoreError> {
    serde_json::from_str(text).map_err(|error| StoreError::Row(format!("{column}: {error}")))
}

/// A word or a count that only a newer version, or another hand, can have written.
fn unreadable(column: &str, found: impl std::fmt::Display) -> StoreError {
    StoreError::Row(format!("{column} holds `{found}`"))
}

/// The type of a column in words that both backends know; our tables have these three.
pub(super) fn column_type(column: &impl ColumnTrait) -> &'static str {
    let definition = column.def();
    let kind = definition.get_column_type();
    if *kind == ColumnType::BigInteger {
        "bigint"
    } else if *kind == ColumnType::Boolean {
        "boolean"
    } else {
        "text"
    }
}
