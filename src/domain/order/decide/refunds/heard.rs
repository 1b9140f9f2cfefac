//! An answer held against the refund that it is about.

use super::super::super::refund::{Refund, RefundAnswer, RefundCallKind};

/// By what way the channel spoke of a refund.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    Call(RefundCallKind),
    Notice,
}

/// An answer held against the refund.
pub(super) enum Heard {
    Succeeded,
    Pending,
    Failed,
    /// Refused now and possible later.
    Repeatable,
    /// About another amount or trade, or the number stands for another refund.
    Otherwise,
    /// Nothing that counts.
    Unknown,
    NotFound,
}

pub(super) fn held_against(refund: &Refund, answer: &RefundAnswer, way: Way) -> Heard {
    if let Some(said) = answer.statement() {
        let other_number = said.refund_no != refund.refund_no;
        if other_number && way != Way::Notice {
            return Heard::Unknown;
        }
        let other_amount = said
            .amount
            .is_some_and(|amount| amount != refund.money.amount);
        let other_trade = said
            .trade_no
            .as_ref()
            .is_some_and(|trade_no| *trade_no != refund.trade_no);
        if other_amount || other_trade {
            return Heard::Otherwise;
        }
    }
    match answer {
        RefundAnswer::Succeeded(_) => Heard::Succeeded,
        RefundAnswer::Pending(_) => Heard::Pending,
        RefundAnswer::Failed(_) => Heard::Failed,
        RefundAnswer::Repeatable { .. } => Heard::Repeatable,
        RefundAnswer::Conflict { .. } => Heard::Otherwise,
        RefundAnswer::NotFound if way == Way::Call(RefundCallKind::Query) => Heard::NotFound,
        // A send that is answered "not found" is an answer to another question.
        RefundAnswer::NotFound
        | RefundAnswer::Throttled { .. }
        | RefundAnswer::NotSent { .. }
        | RefundAnswer::Unknown(_) => Heard::Unknown,
    }
}
