//! What the ways of writing agree on.

use crate::domain::order::AlertKind;
use entities::orders::Column;
use sea_orm::{EntityTrait, IdenStatic, Iterable};

/// Columns of an order that no decision changes after its creation.
pub(super) const FIXED_AT_CREATION: &[Column] = &[
    Column::OrderId,
    Column::OrderNo,
    Column::IdempotencyKey,
    Column::Channel,
    Column::Merchant,
    Column::Live,
    Column::Method,
    Column::Amount,
    Column::Currency,
    Column::Subject,
    Column::Account,
    Column::Metadata,
    Column::ReturnUrl,
    Column::NotifyUrl,
    Column::Payer,
    Column::Replaces,
    Column::CreatedAt,
];

/// Alerts of severity `action` that are about an order's stay in `MANUAL`.
pub(super) const OVER_WITH_MANUAL: [AlertKind; 5] = [
    AlertKind::OrderManual,
    AlertKind::ChannelChanged,
    AlertKind::PaymentMismatch,
    AlertKind::TradeNoConflict,
    AlertKind::LateSuccess,
];

/// Columns of a refund that no decision changes after its creation.
pub(super) const REFUND_FIXED_AT_CREATION: [&str; 11] = [
    "refund_id",
    "order_id",
    "refund_no",
    "channel",
    "trade_no",
    "amount",
    "currency",
    "source",
    "actor",
    "note",
    "created_at",
];

/// The names of an entity's columns without these.
pub(super) fn names<E: EntityTrait>(without: &[&str]) -> Vec<&'static str> {
    E::Column::iter()
        .map(|column| column.as_str())
        .filter(|name| !without.contains(name))
        .collect()
}

/// What becomes of a row that is there already: it is as the new one, but for what is fixed.
pub(super) fn replacing<E: EntityTrait>(key: &str, fixed: &[&str]) -> String {
    let changes: Vec<_> = names::<E>(fixed)
        .iter()
        .map(|name| format!("{name} = excluded.{name}"))
        .collect();
    format!(" ON CONFLICT ({key}) DO UPDATE SET {}", changes.join(", "))
}

/// Words of ours, which hold no quote.
pub(super) fn quoted(words: impl Iterator<Item = &'static str>) -> String {
    let words: Vec<_> = words.map(|word| format!("'{word}'")).collect();
    words.join(", ")
}
