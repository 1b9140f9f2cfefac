//! The statuses of an order, their reasons, and the words beside them.

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
    /// What the merchant is told about an order.
    Announcement {
        OrderPaid = "order.paid",
        OrderFailed = "order.failed",
        OrderClosed = "order.closed",
        OrderManual = "order.manual",
    }
);
