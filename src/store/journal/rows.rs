//! What the two ways of writing agree on.

use crate::domain::order::AlertKind;
use entities::orders::Column;

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
