//! The moves that the cells of the table are made of: each is one code of a cell.

use super::super::decision::{AlertKind, Effect, EventDetail};
use super::super::statement::Proof;
use super::super::status::{Announcement, CloseBy, EventKind, OrderStatus, Reason};
use super::super::{NextAction, Submit};
use super::draft::Draft;
use crate::domain::UnixMillis;

impl Draft<'_> {
    /// `pay`: proof is on record and this trade paid the order.
    pub(super) fn pay(&mut self, proof: &Proof, reason: Option<Reason>) {
        self.enter(OrderStatus::Paid, reason);
        self.next.paid_at = Some(self.context.now.wall);
        self.next.last_error = None;
        self.keep_payment(proof, true);
        self.queue_grants();
        self.announcements.push(Announcement::OrderPaid);
        self.tell_of_deadline(
            AlertKind::SlowSuccess,
            "paid after its user was answered that it was open",
        );
    }

    /// `fail(declined)`: the channel said no, and nothing else is open.
    pub(super) fn fail(&mut self, reason: Reason) {
        self.enter(OrderStatus::Failed, Some(reason));
        self.announcements.push(Announcement::OrderFailed);
        self.tell_of_deadline(
            AlertKind::SlowFailure,
            "failed after its user was answered that it was open",
        );
    }

    /// `shut`: the channel confirms that it is closed and unpaid.
    pub(super) fn shut(&mut self, reason: Reason) {
        self.enter(OrderStatus::Closed, Some(reason));
        self.announcements.push(Announcement::OrderClosed);
        self.tell_of_deadline(
            AlertKind::SlowFailure,
            "closed after its user was answered that it was open",
        );
    }

    /// `shut(w)`: closed, with the reason of whoever wanted it.
    pub(super) fn shut_as_wanted(&mut self) {
        let reason = match self.before.close_by {
            Some(CloseBy::Merchant) => Reason::ClosedByMerchant,
            Some(CloseBy::Review) => Reason::Review,
            None if self.context.now.wall >= self.before.expires_at => Reason::Expired,
            None => Reason::ClosedByChannel,
        };
        self.shut(reason);
    }

    /// `man`: automatic action stops, and a person is told once.
    pub(super) fn manual(&mut self, reason: Reason, proof: Option<&Proof>) {
        self.enter(OrderStatus::Manual, Some(reason));
        self.keep_unless_taken(reason, proof);
        self.raise_manual(reason, proof);
        self.announcements.push(Announcement::OrderManual);
    }

    /// `swap`: a second fact in `MANUAL` is a new condition; the alert of before is over.
    pub(super) fn swap(&mut self, reason: Reason, proof: Option<&Proof>) {
        self.note();
        self.next.reason = Some(reason);
        self.stop_timer();
        self.resolves_alerts = true;
        self.keep_unless_taken(reason, proof);
        self.raise_manual(reason, proof);
    }

    /// Keeps the proof, or, where another order owns its trade, that there was one.
    pub(super) fn keep_unless_taken(&mut self, reason: Reason, proof: Option<&Proof>) {
        match proof {
            Some(_) if reason == Reason::TradeNoConflict => self.next.proof_in_conflict = true,
            Some(proof) => {
                self.keep_payment(proof, false);
            }
            None => {}
        }
    }

    /// `unk`: we asked and do not know.
    pub(super) fn unknown(&mut self, reason: Reason) {
        self.enter(OrderStatus::Unknown, Some(reason));
        let delay = self.context.rules.check_delay_ms(1).unwrap_or_default();
        self.next.next_check_at = Some(self.context.after(delay));
    }

    /// `pend`: the payer must still act, or an asynchronous method settles by its contract.
    pub(super) fn pend(&mut self, action: Option<NextAction>) {
        let action = action.or_else(|| self.next.next_action.clone());
        self.enter(OrderStatus::Pending, None);
        self.next.next_action = action;
        self.next.check_count = 0;
        self.next.expiry_count = 0;
        self.next.next_check_at = Some(self.next_pending_check(1));
        if self.context.is_closing(self.before) {
            self.ask();
        }
    }

    /// When check `n` of a `PENDING` order comes: by schedule, and at its expiry at the latest.
    pub(super) fn next_pending_check(&self, n: u32) -> UnixMillis {
        let rules = self.context.rules;
        let now = self.context.now.wall;
        if self.context.is_closing(&self.next) {
            self.context.after(rules.expiry_delay_ms(1))
        } else if now < self.next.expires_at {
            self.context
                .after(rules.pending_delay_ms(n))
                .min(self.next.expires_at)
        } else {
            self.context
                .after(self.context.startup_grace_left(&self.next))
        }
    }

    /// A submit goes out: `PROCESSING`, the ladder starts anew.
    pub(super) fn submit(&mut self) {
        let n = self.next.submit_count().saturating_add(1);
        self.enter(OrderStatus::Processing, None);
        self.next.check_count = 0;
        self.next.ask_first = false;
        self.next.submits.push(Submit {
            n,
            started: self.context.now.stamp(),
            ended: None,
            resolved: false,
        });
        self.effect(Effect::Submit { n });
    }

    /// The submit that an input leads to is a line of the history of its own.
    pub(super) fn submit_with_event(&mut self) {
        let n = self.next.submit_count().saturating_add(1);
        let summary = format!("submit {n} goes out");
        if self.event.kind == EventKind::Query {
            // A timer that leads to a submit is that submit.
            self.event.kind = EventKind::Submit;
            self.event.detail.summary = summary;
        } else {
            let mut submit = self.event.clone();
            submit.kind = EventKind::Submit;
            submit.digest = None;
            submit.detail = EventDetail {
                summary,
                ..EventDetail::default()
            };
            self.next_line(submit);
        }
        self.submit();
    }
}
