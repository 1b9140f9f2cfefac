//! The credit ledger of an account: what may be spent, held back and given back. Pure.
//!
//! An account has a balance of each kind: the sum of its entries. A hold keeps a part of it back, for a job whose
//! price is not known yet: it is captured once, in part or whole, or given back, or it expires.

mod decide;
mod refusal;

pub use decide::{Decided, Movement, Outcome, decide};
pub use refusal::Refusal;

use super::UnixMillis;
use super::words::words;

/// The largest quantity of one debit or hold; the least is 1.
pub const QUANTITY_MAX: i64 = 1_000_000_000_000;
/// How long a hold lasts, in seconds: at least, at most, and if nobody says.
pub const HOLD_S_LEAST: i64 = 1;
pub const HOLD_S_MAX: i64 = 2_592_000;
pub const HOLD_S_DEFAULT: i64 = 3_600;

words!(
    /// Where a hold stands.
    HoldStatus {
        Held = "HELD",
        Captured = "CAPTURED",
        Released = "RELEASED",
        Expired = "EXPIRED",
    }
);

/// What an account has of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Balance {
    /// The sum of its entries.
    pub balance: i64,
    /// How much of it is held back.
    pub held: i64,
}

impl Balance {
    /// What may be spent or held back without an overdraft.
    #[must_use]
    pub const fn available(self) -> i64 {
        self.balance.saturating_sub(self.held)
    }
}

/// A movement of a balance as it was booked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub entry_id: String,
    pub at: UnixMillis,
    pub kind: String,
    /// Signed, never 0.
    pub quantity: i64,
    /// What moved the balance: `debit:<no>`, `hold:<no>`, or something of an order.
    pub source: String,
    pub balance_after: i64,
}

/// A quantity that is held back, or was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hold {
    pub hold_no: String,
    pub kind: String,
    pub quantity: i64,
    /// What was taken of it in the end.
    pub captured: i64,
    pub status: HoldStatus,
    /// `None`: it belongs to an order, which alone ends it.
    pub expires_at: Option<UnixMillis>,
    pub created_at: UnixMillis,
}

impl Hold {
    /// Whether it still keeps something back although its time is over.
    #[must_use]
    pub fn is_due(&self, now: UnixMillis) -> bool {
        self.status == HoldStatus::Held && self.expires_at.is_some_and(|at| at <= now)
    }
}

/// What is asked of an account. Each repeats by its number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Request {
    Debit {
        debit_no: String,
        kind: String,
        quantity: i64,
        reason: Option<String>,
    },
    Hold {
        hold_no: String,
        kind: String,
        quantity: i64,
        expires_in_s: i64,
    },
    /// Takes so much of what is held, and frees the rest.
    Capture {
        hold_no: String,
        quantity: i64,
    },
    Release {
        hold_no: String,
    },
    /// Its time may be over.
    Expire {
        hold_no: String,
    },
}

/// What a request finds: the balance of its kind, and what stands under its number.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Found {
    pub balance: Balance,
    /// The entry of the debit with this number, of whatever kind.
    pub entry: Option<Entry>,
    /// The hold with this number.
    pub hold: Option<Hold>,
}

/// The source of the entry that a debit makes.
#[must_use]
pub fn debit_source(debit_no: &str) -> String {
    format!("debit:{debit_no}")
}
