//! One round: claim, then send, then mark. Every step may be the last one of this process.

use super::daily::{Daily, Office};
use super::plan::{Mailing, plan};
use crate::clock::SharedClock;
use crate::domain::UnixMillis;
use crate::domain::outbox::mail_delay_ms;
use crate::mail::{self, Item, Transport};
use crate::store::alerts::{self, StoredAlert};
use crate::store::{Database, Journal};
use std::collections::BTreeSet;

/// Alerts that one round takes: the greatest storm that still is one mail.
const DUE_MAX: u64 = 10_000;
/// Claims in one write: they pass the journal between the decisions of orders, not before them all.
const CLAIMS_PER_WRITE: usize = 500;

/// What rounds need, and what they remember of each other.
pub struct Rounds {
    database: Database,
    journal: Journal,
    transport: Transport,
    clock: SharedClock,
    public_url: String,
    digest_window_ms: i64,
    /// Mails that were handed over and could not be marked: never sent again by this process.
    unmarked: BTreeSet<String>,
    /// Set while the last attempt to send has failed.
    held_until: Option<UnixMillis>,
    daily: Daily,
}

impl Rounds {
    #[must_use]
    pub fn new(
        database: Database,
        journal: Journal,
        transport: Transport,
        settings: &crate::config::Settings,
        clock: SharedClock,
    ) -> Self {
        let daily = Daily::of(&Office {
            database: &database,
            journal: &journal,
            transport: &transport,
            settings,
            clock: &clock,
        });
        Self {
            daily,
            database,
            journal,
            transport,
            clock,
            public_url: settings.server.public_url.clone(),
            digest_window_ms: settings.alerts.digest_window_ms,
            unmarked: BTreeSet::new(),
            held_until: None,
        }
    }

    pub(super) fn clock(&self) -> SharedClock {
        SharedClock::clone(&self.clock)
    }

    /// Mails what is due; when to look again, if that is known.
    pub async fn run(&mut self) -> Option<UnixMillis> {
        self.daily.run().await;
        self.mark_what_was_sent().await;
        let due = match alerts::due(&self.database.read, self.clock.wall(), DUE_MAX).await {
            Ok(due) => due,
            Err(error) => {
                tracing::warn!(%error, "alerts cannot be read; they are mailed later");
                return None;
            }
        };
        let due = due
            .into_iter()
            .filter(|alert| !self.is_unmarked(alert))
            .collect();
        // Retries first: their outcome decides whether what is new waits.
        let retries = plan(
            due,
            self.clock.wall(),
            self.digest_window_ms,
            self.held_until,
        );
        for mailing in retries.retries {
            self.mail(mailing).await;
        }
        let mut next = retries.window_ends_at;
        if let Some(fresh) = retries.fresh {
            let again = plan(
                fresh.alerts,
                self.clock.wall(),
                self.digest_window_ms,
                self.held_until,
            );
            next = again.window_ends_at;
            if let Some(mailing) = again.fresh {
                self.mail(mailing).await;
            }
        }
        self.next_look(next).await
    }

    fn is_unmarked(&self, alert: &StoredAlert) -> bool {
        let message_id = alert.message_id.as_ref();
        message_id.is_some_and(|message_id| self.unmarked.contains(message_id))
    }

    /// The end of the open window, or the next alert that becomes due, whichever is first and still to come.
    async fn next_look(&self, window_ends_at: Option<UnixMillis>) -> Option<UnixMillis> {
        let now = self.clock.wall();
        let next_due = alerts::next_due(&self.database.read).await.ok().flatten();
        let to_come = next_due.filter(|next_due| *next_due > now);
        window_ends_at.into_iter().chain(to_come).min()
    }

    async fn mail(&mut self, mailing: Mailing) {
        let message_id = mailing
            .message_id
            .unwrap_or_else(|| self.transport.new_message_id());
        let attempt = mailing
            .alerts
            .iter()
            .map(|alert| alert.mail_attempts)
            .max()
            .unwrap_or_default()
            .saturating_add(1);
        let next_attempt_at = self.clock.wall().plus(mail_delay_ms(attempt));
        let claimed = self
            .claim(mailing.alerts, &message_id, next_attempt_at)
            .await;
        if claimed.is_empty() {
            return;
        }
        let items: Vec<Item> = claimed.iter().map(item).collect();
        let at = self.clock.wall();
        let mail = mail::render(&items, &self.public_url, &message_id, at);
        match self.transport.send(&mail).await {
            Ok(()) => {
                tracing::info!(message_id, alerts = items.len(), attempt, "alerts mailed");
                self.held_until = None;
                self.unmarked.insert(message_id);
                self.mark_what_was_sent().await;
            }
            Err(error) => {
                tracing::warn!(message_id, alerts = items.len(), attempt, %error, "alerts not mailed; again later");
                self.held_until = Some(next_attempt_at);
            }
        }
    }

    /// Commits the claims before anything is sent; those that were still to be had.
    async fn claim(
        &self,
        alerts: Vec<StoredAlert>,
        message_id: &str,
        next_attempt_at: UnixMillis,
    ) -> Vec<StoredAlert> {
        let backend = self.database.backend();
        let mut claimed = Vec::with_capacity(alerts.len());
        for some in alerts.chunks(CLAIMS_PER_WRITE) {
            let claims = some
                .iter()
                .map(|alert| alerts::claim(backend, alert, message_id, next_attempt_at));
            match self.journal.run(claims.collect()).await {
                Ok(affected) => {
                    let won = some.iter().zip(affected).filter(|(_, rows)| *rows == 1);
                    claimed.extend(won.map(|(alert, _)| alert.clone()));
                }
                Err(error) => {
                    tracing::warn!(%error, "alerts cannot be claimed; they are mailed later");
                    break;
                }
            }
        }
        claimed
    }

    async fn mark_what_was_sent(&mut self) {
        if self.unmarked.is_empty() {
            return;
        }
        let (backend, at) = (self.database.backend(), self.clock.wall());
        let marks = self
            .unmarked
            .iter()
            .map(|message_id| alerts::mailed(backend, message_id, at));
        match self.journal.run(marks.collect()).await {
            Ok(_) => self.unmarked.clear(),
            Err(error) => tracing::warn!(%error, "mails sent cannot be marked yet"),
        }
    }
}

fn item(alert: &StoredAlert) -> Item {
    Item {
        alert_id: alert.alert_id.clone(),
        kind: alert.kind.clone(),
        severity: alert.severity.clone(),
        resolved: alert.status == "resolved",
        order_id: alert.order_id.clone(),
        order_no: alert.order_no.clone(),
        idempotency_key: alert.idempotency_key.clone(),
        channel: alert.channel.clone(),
        channel_trade_no: alert.channel_trade_no.clone(),
        count: alert.count,
        message: alert.message.clone(),
        created_at: alert.created_at,
    }
}
