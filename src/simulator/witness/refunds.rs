//! What refunds may do.

use super::Change;
use crate::domain::order::{Order, OrderStatus, Refund, RefundSource, RefundStatus};
use crate::simulator::charge::Return;
use crate::simulator::memory::exceeds;
use crate::simulator::parts::Parts;
use crate::simulator::rule::Rule;
use crate::simulator::run::{Run, Step};

impl<P: Parts> Run<'_, P> {
    pub(super) fn examine_refunds(&self, change: &Change<'_>) -> Step {
        let (no, next) = (change.no, change.next());
        self.holds(
            Rule::RefundCap,
            no,
            !exceeds(next),
            || "refunds beyond what was paid",
        )?;
        for refund in &next.refunds {
            let old = change
                .before
                .and_then(|before| before.refund(&refund.refund_no));
            if old.map(|old| old.status) != Some(refund.status) {
                self.examine_refund(no, refund)?;
            }
        }
        let fits = expected_status(next).is_none_or(|expected| expected == next.status);
        self.holds(Rule::RefundStatusTrue, no, fits, || {
            format!("{}", next.status)
        })
    }

    /// A refund has come to stand somewhere.
    fn examine_refund(&self, no: u32, refund: &Refund) -> Step {
        let charge = self.cases.get(&no).map(|case| &case.charge);
        let there = charge.and_then(|charge| charge.refund(&refund.refund_no));
        let so = match refund.status {
            // What a statement about the charge told of has no number there.
            RefundStatus::Succeeded if refund.source == RefundSource::Channel => true,
            RefundStatus::Succeeded => there.is_some_and(|there| there.was_done),
            RefundStatus::Failed => there.is_none_or(|there| there.stands == Return::Failed),
            RefundStatus::Processing | RefundStatus::Unknown | RefundStatus::Manual => true,
        };
        let what = || {
            format!(
                "refund {} {}, there {there:?}",
                refund.refund_no, refund.status
            )
        };
        self.holds(Rule::RefundTrue, no, so, what)
    }
}

/// Where a paid order stands by the refunds of its own payment.
fn expected_status(order: &Order) -> Option<OrderStatus> {
    let own = order.own_payment().filter(|_| order.status.is_paid())?;
    let of_own = || {
        order
            .refunds
            .iter()
            .filter(|refund| refund.trade_no == own.trade_no)
    };
    let succeeded = of_own().filter(|refund| refund.status == RefundStatus::Succeeded);
    let gone: i64 = succeeded.map(|refund| refund.money.amount).sum();
    Some(if of_own().any(|refund| refund.status.is_open()) {
        OrderStatus::Refunding
    } else if gone == 0 {
        OrderStatus::Paid
    } else if gone < own.money.amount {
        OrderStatus::PartiallyRefunded
    } else {
        OrderStatus::Refunded
    })
}
