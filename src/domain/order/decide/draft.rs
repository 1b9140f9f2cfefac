//! A decision in the making.

use super::super::decision::{Alert, Decision, Effect, Event};
use super::super::input::Input;
use super::super::statement::Proof;
use super::super::status::{Announcement, EntitlementStatus, OrderStatus, Reason};
use super::super::{Order, Payment, Submit};
use super::history::event_of;
use super::{Column, Context};

pub(super) struct Draft<'a> {
    pub(super) before: &'a Order,
    pub(super) context: &'a Context<'a>,
    pub(super) column: Column,
    pub(super) next: Order,
    /// The event of the input itself; written if `noted`.
    pub(super) event: Event,
    noted: bool,
    /// The event that follows the input's own in the same write.
    pub(super) following: Option<Event>,
    payments: Vec<Payment>,
    pub(super) alerts: Vec<Alert>,
    pub(super) resolves_alerts: bool,
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
            following: None,
            payments: Vec::new(),
            alerts: Vec::new(),
            resolves_alerts: false,
            announcements: Vec::new(),
            effects: Vec::new(),
        }
    }

    /// `ev`: the input becomes a line of the history.
    pub(super) fn note(&mut self) {
        self.noted = true;
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
            entitlement.status = EntitlementStatus::Revoked;
        }
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
        let mut events: Vec<Event> = Vec::new();
        if self.noted {
            self.event.to = match self.following {
                Some(_) => self.before.status,
                None => self.next.status,
            };
            events.push(self.event);
        }
        events.extend(self.following.map(|event| Event {
            to: self.next.status,
            ..event
        }));
        let count = u32::try_from(events.len()).unwrap_or(u32::MAX);
        for event in &mut events {
            event.detail.reason = self.next.reason;
            event.detail.submit_count = self.next.submit_count();
            event.detail.check_count = self.next.check_count;
        }
        self.next.event_seq = self.before.event_seq.saturating_add(count);
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
            announcements: self.announcements,
            effects: self.effects,
        }
    }
}

/// The order without what no decision reads: events, duplicates and proposals leave the version alone.
fn decisive(order: &Order) -> Order {
    let mut read = order.clone();
    read.proposal = None;
    read.callback_count = 0;
    read.event_seq = 0;
    read.last_error = None;
    read.updated_at = crate::domain::UnixMillis(0);
    read.version = 0;
    read
}
