//! Balances, entries and holds as the API shows them.

use crate::domain::ledger::{Entry, Hold};
use crate::moment::rfc3339;
use crate::store::ledger::StoredBalance;
use serde::Serialize;
use utoipa::ToSchema;

/// What an account has of one kind.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Balance)]
pub(crate) struct BalanceView {
    pub(crate) kind: String,
    /// The sum of its entries.
    pub(crate) balance: i64,
    /// How much of it is held back.
    #[schema(minimum = 0)]
    pub(crate) held: i64,
    /// What may be spent: the balance without what is held back.
    pub(crate) available: i64,
    /// Until when a subscription is paid; only with a kind that has periods.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, nullable = false, format = DateTime)]
    pub(crate) valid_until: Option<String>,
}

/// A movement of a balance.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Entry)]
pub(crate) struct EntryView {
    pub(crate) entry_id: String,
    #[schema(format = DateTime)]
    pub(crate) at: String,
    pub(crate) kind: String,
    /// Signed: a debit is negative.
    pub(crate) quantity: i64,
    /// `order:<order_no>`, `debit:<debit_no>`, `hold:<hold_no>`, `refund:<order_no>:<refund_no>`,
    /// `refund:<order_no>:<refund_no>:reversed` or `review:<event_id>`.
    pub(crate) source: String,
    pub(crate) balance_after: i64,
}

/// Credits that are held back, or were.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Hold)]
pub(crate) struct HoldView {
    pub(crate) hold_no: String,
    pub(crate) kind: String,
    #[schema(minimum = 1)]
    pub(crate) quantity: i64,
    /// What was taken of it; the rest was freed in the same moment.
    #[schema(minimum = 0)]
    pub(crate) captured: i64,
    #[schema(value_type = crate::web::words::HoldStatusWord)]
    pub(crate) status: &'static str,
    #[schema(required = true, format = DateTime)]
    pub(crate) expires_at: Option<String>,
}

impl BalanceView {
    pub(super) fn of(stored: StoredBalance) -> Self {
        let balance = stored.balance;
        Self {
            kind: stored.kind,
            balance: balance.balance,
            held: balance.held,
            available: balance.available(),
            valid_until: stored.valid_until.map(rfc3339),
        }
    }
}

impl EntryView {
    pub(super) fn of(entry: Entry) -> Self {
        Self {
            entry_id: entry.entry_id,
            at: rfc3339(entry.at),
            kind: entry.kind,
            quantity: entry.quantity,
            source: entry.source,
            balance_after: entry.balance_after,
        }
    }
}

impl HoldView {
    pub(super) fn of(hold: Hold) -> Self {
        Self {
            hold_no: hold.hold_no,
            kind: hold.kind,
            quantity: hold.quantity,
            captured: hold.captured,
            status: hold.status.as_str(),
            expires_at: hold.expires_at.map(rfc3339),
        }
    }
}
