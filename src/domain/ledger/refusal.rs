//! Why a request to an account is refused.

use thiserror::Error;

/// A refusal of the ledger. Nothing has moved by the request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Refusal {
    #[error("a debit with this number and another content exists")]
    DebitConflict,
    #[error("a hold with this number and another content exists")]
    HoldConflict,
    #[error("the account has too little")]
    InsufficientBalance,
    #[error("more would be captured than is held")]
    CaptureExceedsHold,
    #[error("the hold has expired")]
    HoldExpired,
    #[error("the hold has ended in another way")]
    HoldEnded,
    #[error("there is no such hold")]
    NoSuchHold,
}

impl Refusal {
    /// The code of the problem.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::DebitConflict => "debit-conflict",
            Self::HoldConflict => "hold-conflict",
            Self::InsufficientBalance => "insufficient-balance",
            Self::CaptureExceedsHold => "capture-exceeds-hold",
            Self::HoldExpired => "hold-expired",
            Self::HoldEnded => "hold-ended",
            Self::NoSuchHold => "not-found",
        }
    }

    #[must_use]
    pub const fn http_status(self) -> u16 {
        match self {
            Self::DebitConflict
            | Self::HoldConflict
            | Self::InsufficientBalance
            | Self::CaptureExceedsHold => 422,
            Self::HoldExpired | Self::HoldEnded => 409,
            Self::NoSuchHold => 404,
        }
    }
}
