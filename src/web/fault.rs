//! Errors of the parts behind the API, as problems.

use super::language::Text;
use super::problem::{FieldError, Problem};
use super::problem_kind::Kind;
use crate::actors::{AccountError, GatewayError};
use crate::domain::order::Refusal;
use crate::store::{JournalError, StoreError};

/// Seconds after which a caller may try again: work that was refused is refused for moments, not minutes.
pub(crate) const RETRY_AFTER_S: u64 = 1;

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Row(_) => Self::new(Kind::Internal).because(error),
            StoreError::Database(_) | StoreError::InUse(_) | StoreError::Unusable(_) => {
                Self::new(Kind::Unavailable)
                    .retry_after(RETRY_AFTER_S)
                    .because(error)
            }
        }
    }
}

impl From<JournalError> for Problem {
    fn from(error: JournalError) -> Self {
        match error {
            JournalError::Refused(_) => Self::new(Kind::Internal).because(error),
            JournalError::Full
            | JournalError::Unavailable(_)
            | JournalError::EpochLost
            | JournalError::LogCut
            | JournalError::Stopped => Self::new(Kind::Unavailable)
                .retry_after(RETRY_AFTER_S)
                .because(error),
        }
    }
}

impl From<GatewayError> for Problem {
    fn from(error: GatewayError) -> Self {
        match error {
            GatewayError::Refused(Refusal::BasisMissing) => {
                Self::validation(vec![FieldError::new(
                    "basis",
                    Text::new("is required", "为必填项"),
                )])
            }
            GatewayError::Refused(refusal) => Self::new(Kind::Refused(refusal)),
            GatewayError::OrderConflict => Self::new(Kind::OrderConflict),
            GatewayError::IdempotencyKeyReuse => Self::new(Kind::IdempotencyKeyReuse),
            GatewayError::ReplacedOrderOpen => Self::new(Kind::ReplacedOrderOpen),
            GatewayError::DailyLimit => Self::new(Kind::DailyLimit),
            GatewayError::ChannelDown { retry_after } => {
                Self::new(Kind::ChannelUnavailable).retry_after_at_least(retry_after)
            }
            GatewayError::NoSuchOrder => Self::new(Kind::NotFound),
            GatewayError::NoSuchChannel => {
                Self::field("channel", Text::new("is not configured", "未配置该渠道"))
            }
            GatewayError::Busy(_) => Self::new(Kind::Unavailable)
                .retry_after(RETRY_AFTER_S)
                .because(error),
            GatewayError::Unclear(_) => Self::new(Kind::PaymentUnconfirmed)
                .retry_after(RETRY_AFTER_S)
                .because(error),
        }
    }
}

impl From<AccountError> for Problem {
    fn from(error: AccountError) -> Self {
        match error {
            AccountError::Refused(refusal) => Self::new(Kind::Ledger(refusal)),
            AccountError::Busy(_) => Self::new(Kind::Unavailable)
                .retry_after(RETRY_AFTER_S)
                .because(error),
            AccountError::Unclear(_) => Self::new(Kind::Unconfirmed)
                .retry_after(RETRY_AFTER_S)
                .because(error),
        }
    }
}
