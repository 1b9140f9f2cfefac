//! What the payer gets: queued by the payment, and granted in the same write or by a worker's claim.

use super::super::posting::{FulfilmentChange, Held, Posting};
use super::super::status::{Announcement, EntitlementStatus, OrderStatus};
use super::super::{Entitlement, Order};
use super::draft::Draft;
use super::revocations::{held_of, share};

impl Draft<'_> {
    /// The order is paid: what it entitles to is to be granted.
    pub(super) fn queue_grants(&mut self) {
        if self.next.withheld {
            return;
        }
        let waiting = self
            .next
            .entitlements
            .iter()
            .filter(|entitlement| entitlement.status == EntitlementStatus::Pending);
        let queued = waiting.map(|entitlement| FulfilmentChange::Queue {
            kind: entitlement.kind.clone(),
        });
        let queued: Vec<_> = queued.collect();
        self.fulfilments.extend(queued);
    }

    /// Moves the account by this much of the entitlement's kind, and what is held back of it. An order without an
    /// account has no ledger.
    pub(super) fn post(&mut self, before: &Entitlement, quantity: i64, held: i64, source: &str) {
        let moved = quantity != 0 || held != before.held;
        let Some(account) = self.next.account.clone().filter(|_| moved) else {
            return;
        };
        let held = (held != before.held).then_some(Held {
            before: before.held,
            after: held,
        });
        self.postings.push(Posting {
            account,
            kind: before.kind.clone(),
            quantity,
            source: source.to_owned(),
            held,
        });
    }

    pub(super) fn replace_entitlement(&mut self, next: Entitlement) {
        let mut all = self.next.entitlements.iter_mut();
        if let Some(kept) = all.find(|kept| kept.kind == next.kind) {
            *kept = next;
        }
    }
}

/// The sources of a grant's entries.
pub(super) fn order_source(order: &Order) -> String {
    format!("order:{}", order.order_no)
}

/// This grant is to be made. A repeated claim finds it done and moves nothing. What stands outside may be
/// outdated by the time it is told: the grant then stays queued, until both sides agree.
pub(super) fn fulfil(draft: &mut Draft<'_>, kind: &str, outside: Option<i64>) {
    let order = draft.before;
    let entitlement = order.entitlements.iter().find(|kept| kept.kind == kind);
    let Some(entitlement) = entitlement else {
        return done(draft, kind);
    };
    match entitlement.status {
        EntitlementStatus::Pending if order.withheld => done(draft, kind),
        EntitlementStatus::Pending if order.status.is_paid() => grant(draft, entitlement, outside),
        // Not paid, or frozen before it was granted: it waits, and stays queued.
        EntitlementStatus::Pending => keep_outside(draft, entitlement, outside),
        EntitlementStatus::Frozen if !entitlement.granted => {
            keep_outside(draft, entitlement, outside);
        }
        EntitlementStatus::Frozen | EntitlementStatus::Granted | EntitlementStatus::Revoked => {
            if outside.is_none_or(|told| told == stands(order, entitlement)) {
                done(draft, kind);
            }
        }
    }
}

/// It was granted outside and may not be granted here yet: what refunds take meanwhile is to be taken there as well.
fn keep_outside(draft: &mut Draft<'_>, entitlement: &Entitlement, outside: Option<i64>) {
    if entitlement.outside || outside.is_none_or(|told| told <= 0) {
        return;
    }
    let mut next = entitlement.clone();
    next.outside = true;
    draft.replace_entitlement(next);
}

fn done(draft: &mut Draft<'_>, kind: &str) {
    draft.fulfilments.push(FulfilmentChange::Done {
        kind: kind.to_owned(),
    });
}

/// What the payer has, or would have if it were granted now, of an entitlement.
#[must_use]
pub fn stands(order: &Order, entitlement: &Entitlement) -> i64 {
    match entitlement.status {
        EntitlementStatus::Pending | EntitlementStatus::Frozen if !entitlement.granted => {
            left_to_grant(order, entitlement)
        }
        EntitlementStatus::Pending
        | EntitlementStatus::Frozen
        | EntitlementStatus::Granted
        | EntitlementStatus::Revoked => entitlement.quantity.saturating_sub(entitlement.revoked),
    }
}

/// All that is not refunded.
fn left_to_grant(order: &Order, entitlement: &Entitlement) -> i64 {
    let taken = share(order, entitlement.quantity, order.amount_refunded);
    entitlement.quantity.saturating_sub(taken)
}

/// What is not refunded by now: a refund may have overtaken the grant.
fn grant(draft: &mut Draft<'_>, entitlement: &Entitlement, outside: Option<i64>) {
    draft.note();
    let mut next = entitlement.clone();
    let left = left_to_grant(draft.before, entitlement);
    next.revoked = entitlement.quantity.saturating_sub(left);
    let quantity = entitlement.quantity.saturating_sub(next.revoked);
    draft.event.detail.quantity = Some(quantity);
    next.outside |= outside.is_some_and(|told| told > 0);
    if outside.is_none_or(|told| told == quantity) {
        done(draft, &entitlement.kind);
    }
    if quantity <= 0 {
        draft.event.detail.summary = format!("nothing of {} is left to grant", entitlement.kind);
        next.status = EntitlementStatus::Revoked;
        return draft.replace_entitlement(next);
    }
    draft.event.detail.summary = format!("{quantity} {} granted", entitlement.kind);
    next.granted = true;
    next.held = held_of(draft, &next);
    next.status = standing(&next);
    let source = order_source(draft.before);
    draft.post(entitlement, quantity, next.held, &source);
    draft.announcements.push(Announcement::EntitlementGranted {
        kind: entitlement.kind.clone(),
        quantity,
    });
    draft.replace_entitlement(next);
}

/// Where a granted entitlement stands.
pub(super) fn standing(granted: &Entitlement) -> EntitlementStatus {
    if granted.revoked >= granted.quantity {
        EntitlementStatus::Revoked
    } else if granted.held > 0 || !granted.frozen_by.is_empty() {
        EntitlementStatus::Frozen
    } else {
        EntitlementStatus::Granted
    }
}

/// Where an order stands by the refunds of its own payment: any open, or else by the sum that succeeded.
pub(super) const fn paid_status(any_open: bool, refunded: i64, paid: i64) -> OrderStatus {
    if any_open {
        OrderStatus::Refunding
    } else if refunded <= 0 {
        OrderStatus::Paid
    } else if refunded < paid {
        OrderStatus::PartiallyRefunded
    } else {
        OrderStatus::Refunded
    }
}
