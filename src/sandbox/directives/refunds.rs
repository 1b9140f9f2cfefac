//! The directives about refunds.

use super::read::{counted, duration, fault};
use super::{Fault, Times};
use std::time::Duration;

/// What becomes of a refund.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RefundOutcome {
    #[default]
    Succeeded,
    Pending,
    Failed,
    /// `#refund=failed-later`: pending, and then it fails.
    FailedLater,
    /// `#refund=bounced`: it succeeds, and then it fails.
    Bounced,
    /// 500, and nothing was refunded.
    Unknown,
}

/// What goes wrong with the calls about refunds; calls are counted per charge.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RefundFaults {
    /// `#lost-refund[=n]`: nothing lands and the connection is dropped.
    pub lost_request: Times,
    /// `#lost-refund-reply[=n]`: the refund lands and the connection is dropped without an answer.
    pub lost_reply: Times,
    /// `#refund-delay=5s[:n]`: the refund lands at once, the reply is late.
    pub delay: Option<(Duration, Times)>,
    /// `#refund-query=unknown|timeout|not-found|unsigned[:n]`.
    pub query: Option<(Fault, Times)>,
    /// `#wrong-refund=1`: replies say another amount.
    pub amount: Option<i64>,
    /// `#no-refund-callback`.
    pub no_callback: bool,
}

impl RefundOutcome {
    pub(super) fn parse(word: &str) -> Option<Self> {
        match word {
            "pending" => Some(Self::Pending),
            "failed" => Some(Self::Failed),
            "failed-later" => Some(Self::FailedLater),
            "bounced" => Some(Self::Bounced),
            "unknown" => Some(Self::Unknown),
            _ => None,
        }
    }
}

impl RefundFaults {
    pub(super) fn apply_flag(&mut self, name: &str) -> Option<()> {
        match name {
            "lost-refund" => self.lost_request = Times::Always,
            "lost-refund-reply" => self.lost_reply = Times::Always,
            "no-refund-callback" => self.no_callback = true,
            _ => return None,
        }
        Some(())
    }

    pub(super) fn apply(&mut self, name: &str, value: &str) -> Option<()> {
        let (head, count) = counted(value);
        match name {
            "lost-refund" => self.lost_request = Times::First(value.parse().ok()?),
            "lost-refund-reply" => self.lost_reply = Times::First(value.parse().ok()?),
            "refund-delay" => self.delay = Some((duration(head)?, Times::parse(count)?)),
            "refund-query" => self.query = Some((fault(head)?, Times::parse(count)?)),
            "wrong-refund" => self.amount = Some(value.parse().ok()?),
            _ => return None,
        }
        Some(())
    }
}
