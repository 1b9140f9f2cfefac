//! The statuses of an order, their reasons, and the words beside them.

use crate::domain::OrderNo;
use crate::domain::words::words;

words!(
    /// Where an order stands. Only `decide` moves an order from one to another.
    OrderStatus {
        Unpaid = "UNPAID",
        Processing = "PROCESSING",
        Pending = "PENDING",
        Unknown = "UNKNOWN",
        Manual = "MANUAL",
        Paid = "PAID",
        Failed = "FAILED",
        Closed = "CLOSED",
        Refunding = "REFUNDING",
        PartiallyRefunded = "PARTIALLY_REFUNDED",
        Refunded = "REFUNDED",
    }
);

impl OrderStatus {
    /// The payment is decided: a POST answers 200.
    #[must_use]
    pub const fn is_settled(self) -> bool {
        match self {
            Self::Unpaid | Self::Processing | Self::Pending | Self::Unknown | Self::Manual => false,
            Self::Paid
            | Self::Failed
            | Self::Closed
            | Self::Refunding
            | Self::PartiallyRefunded
            | Self::Refunded => true,
        }
    }

    /// The runtime still has something to do by itself: such an order has a timer.
    #[must_use]
    pub const fn is_in_flight(self) -> bool {
        matches!(
            self,
            Self::Unpaid | Self::Processing | Self::Pending | Self::Unknown
        )
    }

    /// Proof is committed and the order was paid by it.
    #[must_use]
    pub const fn is_paid(self) -> bool {
        matches!(
            self,
            Self::Paid | Self::Refunding | Self::PartiallyRefunded | Self::Refunded
        )
    }

    /// Definitely not charged, as far as anyone knows.
    #[must_use]
    pub const fn is_ended(self) -> bool {
        matches!(self, Self::Failed | Self::Closed)
    }
}

words!(
    /// Why an order stands where it stands.
    Reason {
        SubmitTimeout = "submit_timeout",
        ChannelUnavailable = "channel_unavailable",
        UnreadableReply = "unreadable_reply",
        ChannelProcessing = "channel_processing",
        Interrupted = "interrupted",
        NotFound = "not_found",
        MaxChecks = "max_checks",
        MaxSubmits = "max_submits",
        ResubmitRefused = "resubmit_refused",
        ChannelChanged = "channel_changed",
        UnexplainedStatus = "unexplained_status",
        AmountMismatch = "amount_mismatch",
        CurrencyMismatch = "currency_mismatch",
        MerchantMismatch = "merchant_mismatch",
        KeyMismatch = "key_mismatch",
        TradeNoConflict = "trade_no_conflict",
        LateSuccess = "late_success",
        Declined = "declined",
        Expired = "expired",
        ExpiryUnconfirmed = "expiry_unconfirmed",
        ClosedByMerchant = "closed_by_merchant",
        ClosedByChannel = "closed_by_channel",
        Review = "review",
        ActorFailed = "actor_failed",
    }
);

impl Reason {
    /// `MANUAL` for this reason is left by a review alone; more proof is an event (class b of the table).
    #[must_use]
    pub const fn only_a_review_settles(self) -> bool {
        matches!(
            self,
            Self::AmountMismatch
                | Self::CurrencyMismatch
                | Self::MerchantMismatch
                | Self::KeyMismatch
                | Self::TradeNoConflict
                | Self::LateSuccess
                | Self::ChannelChanged
        )
    }
}

words!(
    /// What an event of an order's history is about.
    EventKind {
        Created = "created",
        Submit = "submit",
        SubmitReply = "submit_reply",
        SubmitTimeout = "submit_timeout",
        Query = "query",
        QueryReply = "query_reply",
        Callback = "callback",
        Review = "review",
        Close = "close",
        Expiry = "expiry",
        Refund = "refund",
        RefundReply = "refund_reply",
        RefundReview = "refund_review",
        Dispute = "dispute",
        Reconcile = "reconcile",
        Fulfilment = "fulfilment",
        Recovered = "recovered",
    }
);

words!(
    /// Who asked for a close.
    CloseBy {
        Merchant = "merchant",
        Review = "review",
    }
);

words!(
    /// What became of an entitlement.
    EntitlementStatus {
        Pending = "PENDING",
        Granted = "GRANTED",
        Frozen = "FROZEN",
        Revoked = "REVOKED",
    }
);

words!(
    /// What an operator decides about an order in `MANUAL`.
    ReviewDecision {
        Paid = "PAID",
        NotPaid = "NOT_PAID",
        Resubmit = "RESUBMIT",
        Close = "CLOSE",
        Refund = "REFUND",
    }
);

words!(
    /// How far a dispute at the channel is. *Ended*: over, in a way that is not in the channel's list.
    DisputePhase {
        Opened = "opened",
        Won = "won",
        Lost = "lost",
        Ended = "ended",
    }
);

/// What the merchant is told, in the write that makes it so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Announcement {
    OrderPaid,
    OrderFailed,
    OrderClosed,
    OrderManual,
    EntitlementGranted {
        kind: String,
        quantity: i64,
    },
    /// `quantity` is positive.
    EntitlementRevoked {
        kind: String,
        quantity: i64,
        refund_no: String,
        /// The refund had succeeded before, had failed, and takes once more: it is another piece of news.
        again: bool,
    },
    RefundSucceeded {
        refund_no: String,
    },
    RefundFailed {
        refund_no: String,
    },
}

impl Announcement {
    #[must_use]
    pub const fn is_a_grant(&self) -> bool {
        matches!(self, Self::EntitlementGranted { .. })
    }

    /// Its own id, stable over repetitions; `None`: the id of the event that it was committed with.
    #[must_use]
    pub fn webhook_id(&self, order_no: &OrderNo) -> Option<String> {
        match self {
            Self::EntitlementGranted { kind, .. } => Some(format!("ful:{order_no}:{kind}")),
            Self::EntitlementRevoked {
                kind,
                refund_no,
                again: false,
                ..
            } => Some(format!("rev:{order_no}:{kind}:{refund_no}")),
            Self::EntitlementRevoked { again: true, .. }
            | Self::OrderPaid
            | Self::OrderFailed
            | Self::OrderClosed
            | Self::OrderManual
            | Self::RefundSucceeded { .. }
            | Self::RefundFailed { .. } => None,
        }
    }

    /// The type of the webhook.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::OrderPaid => "order.paid",
            Self::OrderFailed => "order.failed",
            Self::OrderClosed => "order.closed",
            Self::OrderManual => "order.manual",
            Self::EntitlementGranted { .. } => "entitlement.granted",
            Self::EntitlementRevoked { .. } => "entitlement.revoked",
            Self::RefundSucceeded { .. } => "refund.succeeded",
            Self::RefundFailed { .. } => "refund.failed",
        }
    }
}
