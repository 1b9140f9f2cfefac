//! The witness: it sees the processor's books, the rows and the actors' memory, and holds every step against the rules.

mod charges;
mod ending;
mod grants;
mod refunds;
mod told;

use super::memory::Write;
use super::parts::Parts;
use super::rule::Rule;
use super::run::{Run, Step};
use crate::domain::order::{Input, Order, RefundStatus};

/// What is about to be written: the row as it stands, and as it will.
pub(super) struct Change<'a> {
    pub(super) no: u32,
    /// `None` before its birth.
    pub(super) before: Option<&'a Order>,
    pub(super) write: &'a Write,
    pub(super) input: &'a Input,
}

impl Change<'_> {
    pub(super) const fn next(&self) -> &Order {
        &self.write.decision.next
    }
}

impl<P: Parts> Run<'_, P> {
    /// Before a write that holds is made.
    pub(super) fn examine(&self, write: &Write, input: &Input) -> Step {
        let change = Change {
            no: write.no,
            before: self.store.order(write.no),
            write,
            input,
        };
        self.examine_row(&change)?;
        self.examine_charge(&change)?;
        self.examine_refunds(&change)?;
        self.examine_notice(&change)?;
        self.examine_promise(&change)?;
        self.examine_grants(&change)
    }

    /// The row goes on from what it was, and forgets nothing.
    fn examine_row(&self, change: &Change<'_>) -> Step {
        let (no, next) = (change.no, change.next());
        let birth = change.write.expected_version.is_none();
        let Some(before) = change.before else {
            return Ok(());
        };
        self.holds(
            Rule::NumberOnce,
            no,
            !birth,
            || "its number has a row already",
        )?;
        let read = change.write.expected_version;
        let fresh = read == Some(before.version);
        let what = || {
            format!(
                "decided on version {read:?}, written over {}",
                before.version
            )
        };
        self.holds(Rule::VersionMoves, no, fresh, what)?;
        let refund_moved = next.refunds.iter().any(|refund| {
            let old = before.refund(&refund.refund_no);
            old.is_none_or(|old| old.status != refund.status)
        });
        let moved = next.status != before.status || refund_moved;
        let counted = next.version > before.version || (!moved && next.version == before.version);
        let what = || format!("{} after {}", next.version, before.version);
        self.holds(Rule::VersionMoves, no, counted, what)?;
        let events = &change.write.decision.events;
        let told =
            next.status == before.status || events.iter().any(|event| event.to == next.status);
        self.holds(Rule::EventTold, no, told, || {
            format!("{} to {}", before.status, next.status)
        })?;
        let payments = before.payments.iter();
        let kept = payments
            .clone()
            .all(|payment| next.payment(&payment.trade_no).is_some())
            && before
                .refunds
                .iter()
                .all(|refund| next.refund(&refund.refund_no).is_some())
            && next.submits.len() >= before.submits.len()
            && (next.proof_in_conflict || !before.proof_in_conflict);
        self.holds(Rule::Remembered, no, kept, || "something on record is gone")?;
        let undone = before.status.is_paid() && !next.status.is_paid();
        let what = || format!("{} becomes {}", before.status, next.status);
        self.holds(Rule::PaidStays, no, !undone, what)
    }

    /// After a write and what follows it: somebody looks after what is not done.
    pub(super) fn examine_what_stands(&self, no: u32) -> Step {
        self.examine_told(no)?;
        self.examine_ledger(no)?;
        self.examine_watch(no)
    }

    /// What is in flight has a timer.
    pub(super) fn examine_watch(&self, no: u32) -> Step {
        let (Some(order), Some(case)) = (self.store.order(no), self.cases.get(&no)) else {
            return Ok(());
        };
        let waits = order.status.is_in_flight()
            || order.refunds.iter().any(|refund| {
                matches!(
                    refund.status,
                    RefundStatus::Processing | RefundStatus::Unknown
                )
            });
        let watched = case.actor.armed.is_some() || case.actor.found;
        let what = || format!("{} and no timer", order.status);
        self.holds(Rule::Watched, no, !waits || watched, what)
    }
}
