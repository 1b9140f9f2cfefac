//! What follows a commit: grants, webhooks to the merchant, mails to ops, and the receivers that fail.

use super::clocks::{HOUR, Moment, SECOND};
use super::event::What;
use super::memory::Added;
use super::mishap::Mishap;
use super::parts::Parts;
use super::rule::Rule;
use super::run::{Run, Step};
use crate::domain::order::{Alert, AlertKind, EntitlementStatus, Input, Severity};
use crate::domain::outbox::{DeliveryStatus, Jitter, Missed, mail_delay_ms, next_grant};

const SCHEDULE_MS: [i64; 5] = [5_000, 60_000, 300_000, 900_000, 3_600_000];
/// Alerts of half a minute are one mail.
const WINDOW_MS: Moment = 30 * SECOND;

impl<P: Parts> Run<'_, P> {
    /// The workers are woken after the commit.
    pub(super) fn take_up(&mut self, no: u32, added: Added) {
        let run = self.clocks.epoch;
        for place in added.alerts {
            self.report.alerts = self.report.alerts.saturating_add(1);
            self.after(WINDOW_MS, no, What::Mail { run, place });
        }
        for kind in added.grants {
            let kind = kind.into();
            self.after(20, no, What::Grant { run, kind });
        }
        for place in added.deliveries {
            self.after(50, no, What::Webhook { run, place });
        }
    }

    /// What an earlier run has left in the outbox.
    pub(super) fn find_outbox(&mut self, no: u32) {
        let Some(row) = self.store.row(no) else {
            return;
        };
        let places = |(place, _)| place;
        let unmailed = row
            .alerts
            .iter()
            .enumerate()
            .filter(|(_, alert)| !alert.mailed);
        let alerts = unmailed.map(|(place, _)| place).collect();
        let waiting = row.grants.iter().filter(|grant| grant.waits);
        let grants = waiting.map(|grant| grant.kind.clone()).collect();
        let deliveries = row.deliveries.iter().enumerate();
        let pending = deliveries.filter(|(_, it)| it.status == DeliveryStatus::Pending);
        let added = Added {
            alerts,
            grants,
            deliveries: pending.map(places).collect(),
        };
        self.take_up(no, added);
    }

    /// A worker has claimed a grant.
    pub(super) fn grant(&mut self, no: u32, run: i64, kind: &str) -> Step {
        let row = self
            .store
            .row_mut(no)
            .filter(|_| self.up && run == self.clocks.epoch);
        let grant = row.and_then(|row| {
            row.grants
                .iter_mut()
                .find(|grant| grant.waits && grant.kind == kind)
        });
        let Some(grant) = grant else {
            return Ok(());
        };
        grant.attempts = grant.attempts.saturating_add(1);
        let attempts = grant.attempts;
        if self.hit(no, Mishap::GrantFails).is_some() {
            let now = self.clocks.wall();
            let next = next_grant(attempts, &SCHEDULE_MS, Jitter::from_random(100), now);
            let kind = kind.into();
            self.after(next.at.since(now), no, What::Grant { run, kind });
            return Ok(());
        }
        let input = Input::Fulfil {
            kind: kind.to_owned(),
            outside: None,
        };
        if self.hit(no, Mishap::GrantTwice).is_some() {
            // The claim ran out, and another worker has taken it up.
            self.happened(no, input.clone(), None)?;
        }
        self.happened(no, input, None)?;
        if self.waits_still(no, kind) {
            let kind = kind.into();
            self.after(HOUR, no, What::Grant { run, kind });
        }
        Ok(())
    }

    /// It was not made, and nothing would queue it anew.
    fn waits_still(&self, no: u32, kind: &str) -> bool {
        self.store.row(no).is_some_and(|row| {
            let mut queued = row.grants.iter();
            let mut entitled = row.order.entitlements.iter();
            queued.any(|grant| grant.waits && grant.kind == kind)
                && entitled.any(|it| it.kind == kind && it.status == EntitlementStatus::Pending)
        })
    }

    /// A webhook goes to the merchant.
    pub(super) fn deliver(&mut self, no: u32, run: i64, place: usize) -> Step {
        let is_mine = self.is_of_this_run(run);
        let fails = self.hit(no, Mishap::WebhookFails).is_some();
        let unnoted = self.hit(no, Mishap::WebhookUnnoted).is_some();
        let now = self.clocks.wall();
        let row = self.store.row_mut(no).filter(|_| is_mine);
        let delivery = row.and_then(|row| row.deliveries.get_mut(place));
        let Some(delivery) = delivery.filter(|it| it.status == DeliveryStatus::Pending) else {
            return Ok(());
        };
        delivery.attempts = delivery.attempts.saturating_add(1);
        let first_attempt_at = *delivery.first_attempt_at.get_or_insert(now);
        if !fails && let Some(case) = self.cases.get_mut(&no) {
            case.facts.received.push(delivery.webhook_id.clone());
        }
        if !fails && !unnoted {
            delivery.status = DeliveryStatus::Delivered;
            self.report.delivered = self.report.delivered.saturating_add(1);
            return Ok(());
        }
        let missed = Missed {
            attempts: delivery.attempts,
            first_attempt_at,
            now,
            retry_after_ms: None,
        };
        let (kind, id) = (delivery.kind, delivery.webhook_id.clone());
        match missed.next(&SCHEDULE_MS, Jitter::from_random(100)) {
            Some(at) => self.after(at.since(now), no, What::Webhook { run, place }),
            None => {
                delivery.status = DeliveryStatus::Failed;
                self.raise(no, undelivered(&id, kind));
            }
        }
        Ok(())
    }

    fn raise(&mut self, no: u32, alert: Alert) {
        let parts = self.parts;
        let raised = self
            .store
            .row_mut(no)
            .and_then(|row| row.raise(alert, parts));
        let added = Added {
            alerts: raised.into_iter().collect(),
            ..Added::default()
        };
        self.take_up(no, added);
    }

    /// A mail about an alert.
    pub(super) fn mail(&mut self, no: u32, run: i64, place: usize) -> Step {
        let is_mine = self.is_of_this_run(run);
        let fails = self.hit(no, Mishap::MailFails).is_some();
        let row = self.store.row_mut(no).filter(|_| is_mine);
        let alert = row.and_then(|row| row.alerts.get_mut(place));
        let Some(alert) = alert.filter(|alert| !alert.mailed) else {
            return Ok(());
        };
        alert.attempts = alert.attempts.saturating_add(1);
        if fails {
            let pause = mail_delay_ms(alert.attempts).min(HOUR);
            self.after(pause, no, What::Mail { run, place });
            return Ok(());
        }
        alert.mailed = true;
        let asks = alert.severity == Severity::Action;
        self.report.mails = self.report.mails.saturating_add(1);
        let known = self.cases.contains_key(&no);
        self.holds(
            Rule::Mailed,
            no,
            known,
            || "a mail about an order that is not there",
        )?;
        if asks {
            self.call_an_operator(no);
        }
        Ok(())
    }
}

fn undelivered(webhook_id: &str, kind: &str) -> Alert {
    Alert {
        kind: AlertKind::DeliveryFailed,
        severity: Severity::Action,
        subject: webhook_id.to_owned(),
        episode: "once".to_owned(),
        message: format!("{kind} was not taken for a day"),
    }
}
