//! A decision in the making, and the moves that the cells of the table are made of.

use super::super::decision::{Alert, AlertKind, Decision, Effect, Event, EventDetail, Severity};
use super::super::input::{Input, Source};
use super::super::statement::Proof;
use super::super::status::{Announcement, CloseBy, EventKind, OrderStatus, Reason};
use super::super::{NextAction, Order, Payment, Submit};
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
    following: Option<Event>,
    payments: Vec<Payment>,
    alerts: Vec<Alert>,
    resolves_alerts: bool,
    announcements: Vec<Announcement>,
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

    fn effect(&mut self, effect: Effect) {
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

    /// `pay`: proof is on record and this trade paid the order.
    pub(super) fn pay(&mut self, proof: &Proof, reason: Option<Reason>) {
        self.enter(OrderStatus::Paid, reason);
        self.next.paid_at = Some(self.context.now.wall);
        self.next.last_error = None;
        self.keep_payment(proof, true);
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
    fn keep_unless_taken(&mut self, reason: Reason, proof: Option<&Proof>) {
        match proof {
            Some(_) if reason == Reason::TradeNoConflict => self.next.proof_in_conflict = true,
            Some(proof) => {
                self.keep_payment(proof, false);
            }
            None => {}
        }
    }

    fn stop_timer(&mut self) {
        self.next.next_check_at = None;
        self.next.ask_due = false;
        self.next.not_found_since = None;
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
    pub(super) fn next_pending_check(&self, n: u32) -> crate::domain::UnixMillis {
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
        self.submit();
        let n = self.next.submit_count();
        if self.event.kind == EventKind::Query {
            // A timer that leads to a submit is that submit.
            self.event.kind = EventKind::Submit;
            self.event.detail.summary = format!("submit {n} goes out");
            return;
        }
        let mut submit = self.event.clone();
        submit.kind = EventKind::Submit;
        submit.digest = None;
        submit.detail = EventDetail {
            summary: format!("submit {n} goes out"),
            ..EventDetail::default()
        };
        self.following = Some(submit);
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
        use super::super::EntitlementStatus;
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

    fn tell_of_deadline(&mut self, kind: AlertKind, what: &str) {
        if self.before.deadline_passed_at.is_some() {
            let message = format!("Order {} was {what}.", self.before.order_no);
            self.alert(kind, Severity::Info, "once", message);
        }
    }

    fn raise_manual(&mut self, reason: Reason, proof: Option<&Proof>) {
        let order_no = &self.before.order_no;
        let message = match proof {
            Some(proof) => format!(
                "Order {order_no} needs a person: {reason} (trade {}, {}; the order is {}).",
                proof.trade_no, proof.money, self.before.money
            ),
            None => format!("Order {order_no} needs a person: {reason}."),
        };
        let entry = self.before.version.saturating_add(1).to_string();
        match reason {
            Reason::AmountMismatch
            | Reason::CurrencyMismatch
            | Reason::MerchantMismatch
            | Reason::KeyMismatch => match proof {
                Some(proof) => {
                    self.alert_of_trade(AlertKind::PaymentMismatch, &proof.trade_no, message);
                }
                // Nothing was paid yet, and a review may let it happen again: each entry is an episode.
                None => {
                    self.alert(
                        AlertKind::PaymentMismatch,
                        Severity::Action,
                        &entry,
                        message,
                    );
                }
            },
            Reason::TradeNoConflict => {
                let trade_no = proof.map_or("-", |proof| proof.trade_no.as_str());
                self.alert_of_trade(AlertKind::TradeNoConflict, trade_no, message);
            }
            Reason::LateSuccess => {
                self.alert(AlertKind::LateSuccess, Severity::Action, "first", message);
            }
            Reason::ChannelChanged => {
                self.alert(AlertKind::ChannelChanged, Severity::Action, &entry, message);
            }
            Reason::SubmitTimeout
            | Reason::ChannelUnavailable
            | Reason::UnreadableReply
            | Reason::ChannelProcessing
            | Reason::Interrupted
            | Reason::NotFound
            | Reason::MaxChecks
            | Reason::MaxSubmits
            | Reason::ResubmitRefused
            | Reason::UnexplainedStatus
            | Reason::Declined
            | Reason::Expired
            | Reason::ExpiryUnconfirmed
            | Reason::ClosedByMerchant
            | Reason::ClosedByChannel
            | Reason::Review
            | Reason::ActorFailed => {
                self.alert(AlertKind::OrderManual, Severity::Action, &entry, message);
            }
        }
    }

    /// Raises an alert about the order.
    pub(super) fn alert(
        &mut self,
        kind: AlertKind,
        severity: Severity,
        episode: &str,
        message: String,
    ) {
        let subject = self.before.order_id.0.clone();
        self.alerts.push(Alert {
            kind,
            severity,
            subject,
            episode: episode.to_owned(),
            message,
        });
    }

    /// Raises an alert about one trade of the order.
    pub(super) fn alert_of_trade(&mut self, kind: AlertKind, trade_no: &str, message: String) {
        let subject = format!("{}/{trade_no}", self.before.order_id);
        let episode = "first".to_owned();
        self.alerts.push(Alert {
            kind,
            severity: Severity::Action,
            subject,
            episode,
            message,
        });
    }

    /// The channel says something that does not fit what is on record.
    pub(super) fn contradiction(&mut self, by_query: bool) {
        self.note();
        let status = self.before.status;
        let (severity, episode) = if by_query {
            (Severity::Action, format!("{status}:query"))
        } else {
            (Severity::Info, status.to_string())
        };
        let message = format!(
            "Order {} is {status}, and the channel now says: {}.",
            self.before.order_no, self.event.detail.summary
        );
        self.alert(AlertKind::Contradiction, severity, &episode, message);
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

/// The event that an input is, before the decision is known.
fn event_of(order: &Order, input: &Input) -> Event {
    let channel = || format!("channel:{}", order.fingerprint.channel);
    let (kind, by, summary) = match input {
        Input::Answer { source, answer } => {
            (kind_of(source), channel(), answer.summary().to_owned())
        }
        Input::TradeTaken { source, proof } => (
            kind_of(source),
            channel(),
            format!("trade {} is another order's", proof.trade_no),
        ),
        Input::SubmitTimedOut { .. } => (
            EventKind::SubmitTimeout,
            "timer".into(),
            "no reply in time; the call goes on".into(),
        ),
        Input::Due => (EventKind::Query, "timer".into(), "a check is due".into()),
        Input::UiDeadlinePassed => (
            EventKind::SubmitTimeout,
            "timer".into(),
            "its user was answered".into(),
        ),
        Input::Recovered => (
            EventKind::Recovered,
            "startup".into(),
            "found after a restart".into(),
        ),
        Input::ActorFailed { summary } => (EventKind::Recovered, "startup".into(), summary.clone()),
        Input::CloseRequested { by } => {
            (EventKind::Close, by.clone(), "a close was asked for".into())
        }
        Input::QueryRequested { by } => {
            (EventKind::Query, by.clone(), "a query was asked for".into())
        }
        Input::Review(review) => (
            EventKind::Review,
            format!("operator:{}", review.operator),
            review.decision.as_str().to_owned(),
        ),
        Input::ExternalRefund { summary, .. } => (EventKind::Refund, channel(), summary.clone()),
        Input::Dispute { phase, .. } => (EventKind::Dispute, channel(), format!("dispute {phase}")),
        Input::BillLine { summary } => (EventKind::Reconcile, "reconcile".into(), summary.clone()),
    };
    let mut detail = EventDetail {
        summary,
        ..EventDetail::default()
    };
    let mut digest = None;
    if let Input::Answer { source, .. } | Input::TradeTaken { source, .. } = input {
        match source {
            Source::Reply { submit } => detail.submit = Some(*submit),
            Source::Callback { digest: bytes, .. } => digest = Some(bytes.clone()),
            Source::Query | Source::Close => {}
        }
    }
    if let Input::TradeTaken { proof, .. } = input {
        detail.channel_trade_no = Some(proof.trade_no.clone());
        detail.amount = Some(proof.money.amount);
        detail.currency = Some(proof.money.currency.to_string());
    }
    if let Input::Answer { answer, .. } = input {
        detail.channel_trade_no = answer.trade_no().map(str::to_owned);
        if let super::super::Answer::Charge(statement) = answer {
            detail.amount = statement.money.map(|money| money.amount);
            detail.currency = statement.money.map(|money| money.currency.to_string());
        }
    }
    Event {
        kind,
        by,
        from: Some(order.status),
        to: order.status,
        detail,
        digest,
    }
}

const fn kind_of(source: &Source) -> EventKind {
    match source {
        Source::Reply { .. } => EventKind::SubmitReply,
        Source::Query => EventKind::QueryReply,
        Source::Close => EventKind::Close,
        Source::Callback { .. } => EventKind::Callback,
    }
}
