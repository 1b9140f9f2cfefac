//! Everything that may happen to an order.

use super::Order;
use super::refund::{RefundAnswer, RefundCallKind, RefundNews, RefundRequest, RefundReview};
use super::statement::{Answer, Finding, Proof};
use super::status::{DisputePhase, ReviewDecision};

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
    /// A merchant or an operator wants money given back.
    RefundRequested(RefundRequest),
    /// The answer to a call of ours about a refund.
    RefundReply {
        call: RefundCallKind,
        refund_no: String,
        answer: RefundAnswer,
    },
    /// The channel tells of a refund: one of ours, or one that began there.
    RefundTold {
        source: Source,
        news: RefundNews,
    },
    RefundReview(RefundReview),
    /// This kind is to be granted: what queued it does it in the same write, or a worker has claimed it, and what had to be
    /// done outside is done.
    Fulfil {
        kind: String,
        /// What stands of it outside, where its kind is granted there too.
        outside: Option<i64>,
    },
    /// The payer disputes the payment at the channel.
    Dispute {
        source: Source,
        reference: String,
        phase: DisputePhase,
        summary: String,
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

impl Input {
    /// The submit that this is the reply of.
    #[must_use]
    pub const fn replied_submit(&self) -> Option<u32> {
        let Self::Answer {
            source: Source::Reply { submit },
            ..
        } = self
        else {
            return None;
        };
        Some(*submit)
    }

    /// The number of the refund whose send this answers.
    #[must_use]
    pub fn replied_refund(&self) -> Option<&str> {
        let Self::RefundReply {
            call: RefundCallKind::Send,
            refund_no,
            ..
        } = self
        else {
            return None;
        };
        Some(refund_no)
    }

    /// Says of a notice whether this very one is on record already; everything else is left as it is.
    pub const fn mark_repeat(&mut self, on_record: bool) {
        if let Self::Answer {
            source: Source::Callback { repeat, .. },
            ..
        }
        | Self::RefundTold {
            source: Source::Callback { repeat, .. },
            ..
        }
        | Self::Dispute {
            source: Source::Callback { repeat, .. },
            ..
        } = self
        {
            *repeat = on_record;
        }
    }

    /// The database refused to keep this proof, since another order owns its trade: that is what happened, then.
    #[must_use]
    pub fn trade_taken(self, order: &Order) -> Option<Self> {
        let Self::Answer { source, answer } = self else {
            return None;
        };
        match answer.against(order) {
            Finding::Paid(proof)
            | Finding::PaidAndRefunded(proof)
            | Finding::PaidAndSomeRefunded(proof)
            | Finding::PaidMismatch { proof, .. } => Some(Self::TradeTaken { source, proof }),
            Finding::PendingMismatch { .. } | Finding::Unexplained | Finding::Word(_) => None,
        }
    }

    /// Whether what became of an order that replaces this one matters: when money comes after the end, and when a
    /// review says paid.
    #[must_use]
    pub const fn reads_successor(&self, order: &Order) -> bool {
        order.status.is_ended() || matches!(self, Self::Review(_))
    }
}
