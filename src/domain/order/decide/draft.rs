//! A decision in the making.

use super::super::decision::{Alert, Decision, Effect, Event};
use super::super::input::Input;
use super::super::statement::Proof;
use super::super::status::{Announcement, EntitlementStatus, OrderStatus, Reason};
use super::super::{FulfilmentChange, Order, Payment, Posting, Refund, Submit};
use super::history::event_of;
use super::{Column, Context};
use crate::domain::UnixMillis;

pub(super) struct Draft<'a> {
    pub(super) before: &'a Order,
    pub(super) context: &'a Context<'a>,
    pub(super) column: Column,
    pub(super) next: Order,
    /// The event of the input itself; written if `noted`.
    pub(super) event: Event,
    noted: bool,
    /// The events that follow the input's own in the same write.
    following: Vec<Event>,
    payments: Vec<Payment>,
    pub(super) alerts: Vec<Alert>,
    pub(super) resolves_alerts: bool,
    pub(super) resolved_alerts: Vec<String>,
    pub(super) postings: Vec<Posting>,
    pub(super) fulfilments: Vec<FulfilmentChange>,
    pub(super) announcements: Vec<Announcement>,
    effects: Vec<Effect>,
}

impl<'a> Draft<'a> {
    pub(super) fn of(before: &'a Order, context: &'a Context<'a>, input: &Input) -> Self {
        Self {
            before,
            context,
            column: Column::of(before),
            next: before.clone(),
            event: event_of(before, input),
            noted: false,
            following: Vec::new(),
            payments: Vec::new(),
            alerts: Vec::new(),
            resolves_alerts: false,
            resolved_alerts: Vec::new(),
            postings: Vec::new(),
            fulfilments: Vec::new(),
            announcements: Vec::new(),
            effects: Vec::new(),
        }
    }

    /// `ev`: the input becomes a line of the history.
    pub(super) fn note(&mut self) {
        self.noted = true;
    }

    /// The line of the history that is being written: the input's own, or the newest that follows it.
    pub(super) fn line(&mut self) -> &mut Event {
        self.following.last_mut().unwrap_or(&mut self.event)
    }

    /// What happens from here on is a line of the history of its own.
    pub(super) fn next_line(&mut self, event: Event) {
        let status = self.next.status;
        self.line().to = status;
        self.following.push(Event {
            from: Some(status),
            ..event
        });
    }

    /// `ask`: the input is noted and the channel is asked, under the order's own account or not at all.
    pub(super) fn ask(&mut self) {
        self.note();
        if self.context.same_account(self.before) {
            self.effect(Effect::Query);
        } else {
            self.channel_changed();
        }
    }

    /// Has the channel close it, under the order's own account or not at all.
    pub(super) fn close_at_channel(&mut self) {
        self.note();
        if self.context.same_account(self.before) {
            self.effect(Effect::Close);
        } else {
            self.channel_changed();
        }
    }

    pub(super) fn effect(&mut self, effect: Effect) {
        if !self.effects.contains(&effect) {
            self.effects.push(effect);
        }
    }

    /// A call is due and would be made under another account than the row names.
    pub(super) fn channel_changed(&mut self) {
        match Column::of(&self.next) {
            Column::Unpaid | Column::Processing | Column::Pending | Column::Unknown => {
                self.manual(Reason::ChannelChanged, None);
            }
            Column::ManualOpen => self.swap(Reason::ChannelChanged, None),
            Column::ManualHeld | Column::Paid | Column::Ended => self.note(),
        }
    }

    pub(super) fn stop_timer(&mut self) {
        self.next.next_check_at = None;
        self.next.ask_due = false;
        self.next.not_found_since = None;
    }

    /// Any change of status: the input is noted, the timer of before is void.
    pub(super) fn enter(&mut self, status: OrderStatus, reason: Option<Reason>) {
        self.note();
        if self.before.status == OrderStatus::Manual && status != OrderStatus::Manual {
            self.resolves_alerts = true;
        }
        self.next.status = status;
        self.next.reason = reason;
        self.next.proposal = None;
        self.stop_timer();
        if status != OrderStatus::Pending {
            self.next.next_action = None;
        }
    }

    /// Keeps what a trade moved; true if the trade was not on record.
    pub(super) fn keep_payment(&mut self, proof: &Proof, own: bool) -> bool {
        let known = self
            .next
            .payments
            .iter_mut()
            .find(|kept| kept.trade_no == proof.trade_no);
        if let Some(kept) = known {
            if own && !kept.own {
                // What it is worth is what the channel says now, when it matches.
                kept.own = true;
                kept.money = proof.money;
            }
            return false;
        }
        let payment = Payment {
            trade_no: proof.trade_no.clone(),
            money: proof.money,
            own,
            at: self.context.now.wall,
        };
        self.next.payments.push(payment.clone());
        self.payments.push(payment);
        true
    }

    /// Nothing will ever be granted for this order.
    pub(super) fn withhold(&mut self) {
        self.next.withheld = true;
        for entitlement in &mut self.next.entitlements {
            if entitlement.status == EntitlementStatus::Pending {
                entitlement.status = EntitlementStatus::Revoked;
            }
        }
        self.fulfilments.clear();
        self.announcements
            .retain(|announcement| *announcement != Announcement::OrderPaid);
    }

    /// The call of submit `n` has ended, whatever it brought.
    pub(super) fn end_submit(&mut self, n: u32) -> Option<&mut Submit> {
        let stamp = self.context.now.stamp();
        let submit = self.next.submits.iter_mut().find(|submit| submit.n == n)?;
        submit.ended = submit.ended.or(Some(stamp));
        Some(submit)
    }

    /// Counts, numbers and versions: what the write will hold.
    pub(super) fn finish(mut self) -> Decision {
        let status = self.next.status;
        self.line().to = status;
        let mut events: Vec<Event> = Vec::new();
        if self.noted {
            events.push(self.event);
        }
        events.append(&mut self.following);
        let count = u32::try_from(events.len()).unwrap_or(u32::MAX);
        for event in &mut events {
            event.detail.reason = self.next.reason;
            event.detail.submit_count = self.next.submit_count();
            event.detail.check_count = self.next.check_count;
            let refund = event.detail.refund_no.as_deref();
            let refund = refund.and_then(|refund_no| self.next.refund(refund_no));
            event.detail.refund_status = refund.map(|refund| refund.status);
        }
        self.next.event_seq = self.before.event_seq.saturating_add(count);
        let refunds = changed_refunds(self.before, &mut self.next, self.context.now.wall);
        if decisive(&self.next) != decisive(self.before) {
            self.next.version = self.before.version.saturating_add(1);
        }
        if self.next != *self.before {
            self.next.updated_at = self.context.now.wall;
        }
        Decision {
            next: self.next,
            events,
            payments: self.payments,
            alerts: self.alerts,
            resolves_alerts: self.resolves_alerts,
            resolved_alerts: self.resolved_alerts,
            refunds,
            postings: self.postings,
            fulfilments: self.fulfilments,
            announcements: self.announcements,
            effects: self.effects,
        }
    }
}

/// The refunds that are new or have changed, their versions and moments set.
fn changed_refunds(before: &Order, next: &mut Order, now: UnixMillis) -> Vec<Refund> {
    let mut changed = Vec::new();
    for refund in &mut next.refunds {
        match before.refund(&refund.refund_no) {
            Some(old) if old == refund => continue,
            Some(old) if decisive_refund(old) != decisive_refund(refund) => {
                refund.version = old.version.saturating_add(1);
            }
            Some(_) => {}
            None => refund.version = 1,
        }
        refund.updated_at = now;
        changed.push(refund.clone());
    }
    changed
}

fn decisive_refund(refund: &Refund) -> Refund {
    Refund {
        proposal: None,
        last_error: None,
        version: 0,
        updated_at: UnixMillis(0),
        ..refund.clone()
    }
}

/// The order without what no decision reads: events, duplicates and proposals leave the version alone.
fn decisive(order: &Order) -> Order {
    let mut read = order.clone();
    read.refunds = order.refunds.iter().map(decisive_refund).collect();
    read.refund_proposal = None;
    read.proposal = None;
    read.callback_count = 0;
    read.event_seq = 0;
    read.last_error = None;
    read.updated_at = UnixMillis(0);
    read.version = 0;
    read
}
