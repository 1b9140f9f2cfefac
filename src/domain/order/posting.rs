//! What an order writes into its account's ledger.

use serde::{Deserialize, Serialize};

/// One movement of an account that a decision about an order makes, in the same write. The source is its key: an
/// account moves once for one source and kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Posting {
    pub account: String,
    pub kind: String,
    /// Signed; 0 moves only what is held and makes no entry.
    pub quantity: i64,
    /// `order:<order_no>`, `refund:<order_no>:<refund_no>` or `refund:<order_no>:<refund_no>:reversed`.
    pub source: String,
    /// What this order holds back of this kind from now on, and what it held before.
    pub held: Option<Held>,
}

/// How much of a kind an order holds back: before and after.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Held {
    pub before: i64,
    pub after: i64,
}

/// A change of the outbox row of a grant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FulfilmentChange {
    /// This kind is to be granted: by a worker, unless the same write does it.
    Queue { kind: String },
    /// It is granted, or there is nothing to grant any more.
    Done { kind: String },
}
