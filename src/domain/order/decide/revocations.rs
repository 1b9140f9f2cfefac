//! What a refund of the order's own payment takes back, holds back and gives again.

use super::super::posting::FulfilmentChange;
use super::super::refund::{Refund, RefundStatus};
use super::super::status::{Announcement, EntitlementStatus};
use super::super::{Entitlement, Order};
use super::draft::Draft;
use super::grants::{paid_status, standing};
use crate::domain::schedule::OnRefund;

impl Draft<'_> {
    /// As [`Self::follow_refunds`], for a refund that has not moved money.
    pub(super) fn follow_open_refund(&mut self, refund_no: &str) {
        let source = format!("refund:{}:{refund_no}", self.before.order_no);
        self.follow_refunds(refund_no, &source);
    }

    /// The order, its entitlements and the ledger follow the refunds of the order's own payment, and no others.
    /// `source` names the entries of the ledger.
    pub(super) fn follow_refunds(&mut self, refund_no: &str, source: &str) {
        let Some(paid) = self.next.own_payment().map(|own| own.money.amount) else {
            return;
        };
        if !self.next.status.is_paid() {
            return;
        }
        let before = self.next.amount_refunded;
        let after = sum_of_own(&self.next, |refund| {
            refund.status == RefundStatus::Succeeded
        });
        let open = own_refunds(&self.next).any(|refund| refund.status.is_open());
        self.next.amount_refunded = after;
        self.next.status = paid_status(open, after, paid);
        for entitlement in self.next.entitlements.clone() {
            let taken = share(&self.next, entitlement.quantity, after).saturating_sub(share(
                &self.next,
                entitlement.quantity,
                before,
            ));
            if entitlement.granted {
                self.take_back(&entitlement, taken, refund_no, source);
            } else if taken < 0 {
                self.queue_again(&entitlement);
            }
        }
    }

    /// `taken` is negative where a refund failed after it had succeeded.
    fn take_back(&mut self, before: &Entitlement, taken: i64, refund_no: &str, source: &str) {
        let kept_by_policy = self.context.rules.on_refund == OnRefund::Keep && taken > 0;
        let taken = if kept_by_policy { 0 } else { taken };
        let mut next = before.clone();
        next.revoked = if taken < 0 {
            // Only what was taken is given again: where the payer keeps what refunds would take, less was.
            let by_now = share(&self.next, before.quantity, self.next.amount_refunded);
            before.revoked.min(by_now)
        } else {
            let revoked = before.revoked.saturating_add(taken);
            revoked.min(before.quantity.max(0))
        };
        next.held = held_of(self, &next);
        next.status = standing(&next);
        let quantity = before.revoked.saturating_sub(next.revoked);
        self.post(before, quantity, next.held, source);
        if before.outside && quantity != 0 {
            self.fulfilments.push(FulfilmentChange::Queue {
                kind: next.kind.clone(),
            });
        }
        if quantity < 0 {
            self.announcements.push(Announcement::EntitlementRevoked {
                kind: before.kind.clone(),
                quantity: quantity.saturating_neg(),
                refund_no: refund_no.to_owned(),
                again: self
                    .next
                    .refund(refund_no)
                    .is_some_and(|refund| refund.accepted),
            });
        }
        self.replace_entitlement(next);
    }

    /// Nothing was granted because all was refunded, and some of that has failed: there is something to grant again.
    fn queue_again(&mut self, before: &Entitlement) {
        if self.next.withheld || before.status != EntitlementStatus::Revoked {
            return;
        }
        let mut next = before.clone();
        next.revoked = 0;
        if next.frozen_by.is_empty() {
            next.status = EntitlementStatus::Pending;
            self.fulfilments.push(FulfilmentChange::Queue {
                kind: next.kind.clone(),
            });
        } else {
            next.status = EntitlementStatus::Frozen;
        }
        self.replace_entitlement(next);
    }
}

/// What refunds of this much take of `quantity`: `floor(quantity × refunded ÷ paid)`.
pub(super) fn share(order: &Order, quantity: i64, refunded: i64) -> i64 {
    let paid = order
        .own_payment()
        .map_or(order.money.amount, |own| own.money.amount);
    let (paid, refunded) = (i128::from(paid.max(1)), i128::from(refunded.max(0)));
    let taken = i128::from(quantity)
        .checked_mul(refunded)
        .and_then(|product| product.checked_div(paid))
        .unwrap_or_default();
    i64::try_from(taken)
        .unwrap_or(quantity)
        .clamp(0, quantity.max(0))
}

/// What is held back of a granted entitlement: all that is left of it while it is disputed, or, by policy, what the
/// open refunds would take.
pub(super) fn held_of(draft: &Draft<'_>, entitlement: &Entitlement) -> i64 {
    let left = entitlement
        .quantity
        .saturating_sub(entitlement.revoked)
        .max(0);
    if !entitlement.frozen_by.is_empty() {
        return left;
    }
    match draft.context.rules.on_refund {
        OnRefund::Debt | OnRefund::Keep => 0,
        OnRefund::Hold => {
            let order = &draft.next;
            let done = order.amount_refunded;
            let open = sum_of_own(order, |refund| refund.status.is_open());
            let at_most = share(order, entitlement.quantity, done.saturating_add(open));
            let by_now = share(order, entitlement.quantity, done);
            at_most.saturating_sub(by_now).clamp(0, left)
        }
    }
}

fn own_refunds(order: &Order) -> impl Iterator<Item = &Refund> {
    let own = order.own_payment().map(|own| own.trade_no.as_str());
    order
        .refunds
        .iter()
        .filter(move |refund| own == Some(&refund.trade_no))
}

fn sum_of_own(order: &Order, counts: impl Fn(&Refund) -> bool) -> i64 {
    own_refunds(order)
        .filter(|refund| counts(refund))
        .fold(0, |sum, refund| sum.saturating_add(refund.money.amount))
}
