//! What a decision may refuse, one name for each.

use thiserror::Error;

/// Why an input was refused. Nothing was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Refusal {
    #[error("the order is paid already")]
    AlreadyPaid,
    #[error("the order is not in MANUAL")]
    NotReviewable,
    #[error("the order has changed since you read it")]
    VersionConflict,
    #[error("a basis is required")]
    BasisMissing,
    #[error("proof of the payment is on record")]
    EvidenceOfPayment,
    #[error("another operator must confirm this decision")]
    SecondPersonRequired,
    #[error("the channel's account is not the one that the order was made under")]
    ChannelChanged,
    #[error("an order that replaces this one is open or paid")]
    ReplacedOrderOpen,
    #[error("this trade number belongs to another order")]
    TradeNoConflict,
    #[error("a submit call is still open")]
    SubmitOpen,
    #[error("no payment is on record and none was named")]
    NoPaymentOnRecord,
    #[error("the order has no payment that could be refunded")]
    NotRefundable,
    #[error("a refund with this number and another content exists")]
    RefundConflict,
    #[error("the refunds would exceed what was paid")]
    RefundExceedsOrder,
    #[error("this trade is not on record")]
    UnknownTrade,
    #[error("there is no such refund")]
    NoSuchRefund,
}

impl Refusal {
    /// The problem's code in the API.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::AlreadyPaid => "already-paid",
            Self::NotReviewable => "not-reviewable",
            Self::VersionConflict => "version-conflict",
            Self::BasisMissing => "validation",
            Self::EvidenceOfPayment => "evidence-of-payment",
            Self::SecondPersonRequired => "second-person-required",
            Self::ChannelChanged => "channel-changed",
            Self::ReplacedOrderOpen => "replaced-order-open",
            Self::TradeNoConflict => "trade-no-conflict",
            Self::SubmitOpen => "submit-open",
            Self::NoPaymentOnRecord => "no-payment-on-record",
            Self::NotRefundable => "not-refundable",
            Self::RefundConflict => "refund-conflict",
            Self::RefundExceedsOrder => "refund-exceeds-order",
            Self::UnknownTrade => "unknown-trade",
            Self::NoSuchRefund => "not-found",
        }
    }

    /// The status of the HTTP answer.
    #[must_use]
    pub const fn http_status(self) -> u16 {
        match self {
            Self::AlreadyPaid
            | Self::NotReviewable
            | Self::VersionConflict
            | Self::SecondPersonRequired
            | Self::ChannelChanged
            | Self::SubmitOpen
            | Self::NotRefundable => 409,
            Self::NoSuchRefund => 404,
            Self::BasisMissing
            | Self::EvidenceOfPayment
            | Self::ReplacedOrderOpen
            | Self::TradeNoConflict
            | Self::NoPaymentOnRecord
            | Self::RefundConflict
            | Self::RefundExceedsOrder
            | Self::UnknownTrade => 422,
        }
    }
}
