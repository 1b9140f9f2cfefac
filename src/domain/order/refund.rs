//! Refunds of an order: what is asked of the channel, what it may answer, and where a refund stands.

use super::statement::UnknownAnswer;
use crate::domain::words::words;
use crate::domain::{Money, Stamp, UnixMillis};
use serde::{Deserialize, Serialize};

words!(
    /// Where a refund stands.
    RefundStatus {
        Processing = "PROCESSING",
        Unknown = "UNKNOWN",
        Succeeded = "SUCCEEDED",
        Failed = "FAILED",
        Manual = "MANUAL",
    }
);

impl RefundStatus {
    /// Neither succeeded nor failed.
    #[must_use]
    pub const fn is_open(self) -> bool {
        matches!(self, Self::Processing | Self::Unknown | Self::Manual)
    }
}

words!(
    /// Who wanted a refund.
    RefundSource {
        Merchant = "merchant",
        Operator = "operator",
        Review = "review",
        Policy = "policy",
        /// It began at the channel.
        Channel = "channel",
    }
);

words!(
    /// What an operator decides about a refund in `MANUAL`.
    RefundDecision {
        Succeeded = "SUCCEEDED",
        Failed = "FAILED",
        Retry = "RETRY",
    }
);

/// One refund as its row has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refund {
    pub refund_id: String,
    /// The merchant's number, unique in its order; or one that oncepay or the channel made.
    pub refund_no: String,
    /// The trade that is given back.
    pub trade_no: String,
    pub money: Money,
    pub status: RefundStatus,
    pub source: RefundSource,
    /// Who asked for it, as in events.
    pub by: String,
    /// The words of whoever asked for it.
    pub reason: Option<String>,
    pub channel_refund_no: Option<String>,
    /// Moves with every field that decisions read.
    pub version: i64,
    /// Sends that count against `max_submits`; a review that retries takes one back where none is left.
    pub send_count: u32,
    /// The start of the channel's `key_life`.
    pub first_sent_at: Option<UnixMillis>,
    /// When the newest send went out.
    pub last_sent: Option<Stamp>,
    /// When the call of the newest send ended.
    pub last_ended: Option<Stamp>,
    /// The channel said that it is under way: `PROCESSING` then waits for the channel and not for an answer. Once it is
    /// settled: it failed after a success before, so that its next ledger entries need names of their own.
    pub accepted: bool,
    /// Rungs used since the newest send, or since the channel accepted it.
    pub check_count: u32,
    pub next_check_at: Option<UnixMillis>,
    /// First of two *not found* that a channel without idempotent submits needs.
    pub not_found_since: Option<Stamp>,
    pub proposal: Option<RefundReviewProposal>,
    /// The newest trouble with the channel, in words, redacted.
    pub last_error: Option<String>,
    pub created_at: UnixMillis,
    pub updated_at: UnixMillis,
}

impl Refund {
    /// A send is out, and the channel has not said that it is under way.
    #[must_use]
    pub fn waits_for_its_send(&self) -> bool {
        self.status == RefundStatus::Processing && !self.accepted
    }
}

/// A review of a refund that waits for a second person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefundReviewProposal {
    pub decision: RefundDecision,
    /// The operator's key name.
    pub by: String,
    pub at: UnixMillis,
    /// The refund's version.
    pub version: i64,
}

/// A refund that an operator asked for and that waits for a second person: it has no row yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefundProposal {
    pub refund_no: String,
    pub amount: i64,
    pub trade_no: Option<String>,
    /// The operator's key name.
    pub by: String,
    pub at: UnixMillis,
    /// The order's version.
    pub version: i64,
}

impl Refund {
    /// Whether a caller that waits for its result has one: settled, under way at the channel, or with a person.
    #[must_use]
    pub const fn answers_a_wait(&self) -> bool {
        match self.status {
            RefundStatus::Succeeded | RefundStatus::Failed | RefundStatus::Manual => true,
            RefundStatus::Processing => self.accepted,
            RefundStatus::Unknown => false,
        }
    }
}

impl RefundReviewProposal {
    /// From then on it is void.
    #[must_use]
    pub const fn expires_at(&self) -> UnixMillis {
        self.at.plus(super::PROPOSAL_LIFE_MS)
    }
}

impl RefundProposal {
    /// From then on it is void.
    #[must_use]
    pub const fn expires_at(&self) -> UnixMillis {
        self.at.plus(super::PROPOSAL_LIFE_MS)
    }
}

/// What a merchant or an operator asks to be given back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefundRequest {
    pub refund_no: String,
    /// Minor units, at least 1.
    pub amount: i64,
    pub reason: Option<String>,
    /// `None` is the order's own payment.
    pub trade_no: Option<String>,
    /// `Merchant` or `Operator`; an operator's may want a second person.
    pub source: RefundSource,
    /// The name of the key that asks.
    pub key_name: String,
}

/// What an operator decided about a refund in `MANUAL`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefundReview {
    pub refund_no: String,
    pub decision: RefundDecision,
    pub basis: String,
    pub expected_version: i64,
    /// The name of the operator's key.
    pub operator: String,
}

/// What came of a refund call, or what a notice said of a refund. Only a [`RefundStatement`] is authenticated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RefundAnswer {
    /// The money is on its way back.
    Succeeded(RefundStatement),
    /// Accepted and not yet done.
    Pending(RefundStatement),
    /// A definite no.
    Failed(RefundStatement),
    /// Refused now and possible later under the same number (the merchant's balance, an abnormal account).
    Repeatable {
        summary: String,
    },
    /// The number stands for another refund at the channel.
    Conflict {
        summary: String,
    },
    /// Authenticated: the channel has no refund under this number.
    NotFound,
    Throttled {
        summary: String,
    },
    NotSent {
        summary: String,
    },
    Unknown(UnknownAnswer),
}

/// An authenticated statement of the channel about one refund.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefundStatement {
    pub refund_no: String,
    /// Minor units; absent where the channel's answer carries none.
    pub amount: Option<i64>,
    pub trade_no: Option<String>,
    pub channel_refund_no: Option<String>,
    /// For people, redacted.
    pub summary: String,
}

/// News of a refund that a channel told by itself: of one of ours, or of one that began there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefundNews {
    /// The number that the channel tells it by: ours, or its own.
    pub refund_no: String,
    pub trade_no: Option<String>,
    /// The amount is all that was ever refunded of this trade, not this refund alone.
    pub cumulative: bool,
    /// The channel tells a refund of ours by our number alone: under any other number it is another refund. Where it
    /// may tell one of ours by a number of its own, one that is open may be the one that is meant.
    pub ours_by_our_number: bool,
    pub answer: RefundAnswer,
}

/// Which of our calls a refund's answer belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefundCallKind {
    Send,
    Query,
}

impl RefundAnswer {
    /// The authenticated statement, where there is one.
    #[must_use]
    pub const fn statement(&self) -> Option<&RefundStatement> {
        match self {
            Self::Succeeded(statement) | Self::Pending(statement) | Self::Failed(statement) => {
                Some(statement)
            }
            Self::Repeatable { .. }
            | Self::Conflict { .. }
            | Self::NotFound
            | Self::Throttled { .. }
            | Self::NotSent { .. }
            | Self::Unknown(_) => None,
        }
    }

    /// For people and for `detail.summary`: what the channel said.
    #[must_use]
    pub fn summary(&self) -> &str {
        match self {
            Self::Succeeded(statement) | Self::Pending(statement) | Self::Failed(statement) => {
                &statement.summary
            }
            Self::NotFound => "not found",
            Self::Repeatable { summary }
            | Self::Conflict { summary }
            | Self::Throttled { summary }
            | Self::NotSent { summary } => summary,
            Self::Unknown(unknown) => &unknown.summary,
        }
    }
}
