//! Everything that may happen to an order.

use super::statement::{Answer, Proof};
use super::status::ReviewDecision;

/// Where an answer of the channel came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// The reply of submit `n`.
    Reply {
        submit: u32,
    },
    Query,
    Close,
    /// A notice. `repeat`: this very notice, by its id and status, is on record already.
    Callback {
        repeat: bool,
        digest: String,
    },
}

/// One thing that happened to an order that has a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// The channel spoke.
    Answer {
        source: Source,
        answer: Answer,
    },
    /// Proof of this order names a trade that another order owns (the database refused it).
    TradeTaken {
        source: Source,
        proof: Proof,
    },
    /// `submit_timeout` has passed since submit `submit` began.
    SubmitTimedOut {
        submit: u32,
    },
    /// The order's timer has come: a submit, a check or an expiry.
    Due,
    /// `ui_deadline` has passed and its user was answered.
    UiDeadlinePassed,
    /// Start-up found the row; or its actor was rebuilt.
    Recovered,
    /// Its actor died more often than its restart budget allows.
    ActorFailed {
        summary: String,
    },
    /// The merchant wants it closed. `by` as in events.
    CloseRequested {
        by: String,
    },
    /// A person wants the channel asked now. `by` as in events.
    QueryRequested {
        by: String,
    },
    Review(Review),
    /// The channel gave money back, and not at our request.
    ExternalRefund {
        source: Source,
        reference: String,
        summary: String,
    },
    /// The payer disputes the payment at the channel.
    Dispute {
        reference: String,
        phase: String,
    },
    /// A line of a bill speaks of this order: not authenticated, so it asks and never pays.
    BillLine {
        summary: String,
    },
}

/// What an operator decided about an order in `MANUAL`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Review {
    pub decision: ReviewDecision,
    pub basis: String,
    pub channel_trade_no: Option<String>,
    pub expected_version: i64,
    /// The name of the operator's key.
    pub operator: String,
}
