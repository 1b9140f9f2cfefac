//! The mail of each day: made as a row at its hour, claimed before it is sent, under one Message-ID in every attempt.
//!
//! A day whose hour passed while nothing ran is made up for; a database that has just been made owes nothing.

use super::figures;
use crate::clock::SharedClock;
use crate::domain::UnixMillis;
use crate::domain::outbox::mail_delay_ms;
use crate::mail::{Transport, render_daily};
use crate::moment;
use crate::store::daily::{self, StoredDaily};
use crate::store::{Database, Journal, StoreError};

const DAY_MS: i64 = 86_400_000;
/// Days that are made up for: who was away for longer reads the figures elsewhere.
const DAYS_MADE_UP: i64 = 7;

/// Sends the daily mails of one runtime.
pub(super) struct Daily {
    database: Database,
    journal: Journal,
    transport: Transport,
    clock: SharedClock,
    public_url: String,
    /// After midnight, UTC.
    daily_at_ms: i64,
    /// Handed over and not marked: never sent again by this process.
    unmarked: Option<String>,
    /// The day whose row is known to be there: nothing is read until the next one.
    made: Option<i64>,
}

/// What a daily mail needs of its runtime.
pub(super) struct Office<'a> {
    pub(super) database: &'a Database,
    pub(super) journal: &'a Journal,
    pub(super) transport: &'a Transport,
    pub(super) settings: &'a crate::config::Settings,
    pub(super) clock: &'a SharedClock,
}

impl Daily {
    pub(super) fn of(office: &Office<'_>) -> Self {
        Self {
            database: office.database.clone(),
            journal: office.journal.clone(),
            transport: office.transport.clone(),
            clock: SharedClock::clone(office.clock),
            public_url: office.settings.server.public_url.clone(),
            daily_at_ms: office.settings.alerts.daily_at_ms,
            unmarked: None,
            made: None,
        }
    }

    /// Makes and sends what is due.
    pub(super) async fn run(&mut self) {
        if let Err(error) = self.round().await {
            tracing::warn!(%error, "the daily mail waits for the database");
        }
    }

    async fn round(&mut self) -> Result<(), StoreError> {
        if let Some(day) = self.unmarked.clone() {
            self.mark(&day).await;
        }
        let now = self.clock.wall();
        let today = due_day(now, self.daily_at_ms);
        if self.made != Some(today) && self.make(today, now).await? {
            self.made = Some(today);
        }
        for mail in daily::due(&self.database.read, now).await? {
            if self.unmarked.as_ref() != Some(&mail.day) {
                self.send(mail).await?;
            }
        }
        Ok(())
    }

    /// Makes the rows of this day and of those that were missed; whether they are there now.
    async fn make(&self, today: i64, now: UnixMillis) -> Result<bool, StoreError> {
        let backend = self.database.backend();
        let newest = daily::newest_day(&self.database.read).await?;
        let rows = match newest.as_deref().map(day_number) {
            // The first start: what was before is not ours to tell.
            None => vec![daily::open(backend, &day_text(today), "", None)],
            Some(newest) => {
                let first = newest
                    .unwrap_or(today)
                    .saturating_add(1)
                    .max(today.saturating_sub(DAYS_MADE_UP).saturating_add(1));
                (first..=today)
                    .map(|day| {
                        let message_id = self.transport.new_message_id();
                        daily::open(backend, &day_text(day), &message_id, Some(now))
                    })
                    .collect()
            }
        };
        if rows.is_empty() {
            return Ok(true);
        }
        let made = self.journal.run(rows).await;
        if let Err(error) = &made {
            tracing::warn!(%error, "the daily mail cannot be made yet");
        }
        Ok(made.is_ok())
    }

    async fn send(&mut self, mail: StoredDaily) -> Result<(), StoreError> {
        let Some(day) = day_number(&mail.day) else {
            return Ok(());
        };
        // Read before the claim: figures that cannot be read are no attempt.
        let told = UnixMillis(day.saturating_sub(1).saturating_mul(DAY_MS));
        let now = self.clock.wall();
        let report = figures::report(&self.database, told, now).await?;
        let attempt = mail.attempts.saturating_add(1);
        let next_attempt_at = now.plus(mail_delay_ms(attempt));
        let claim = daily::claim(self.database.backend(), &mail, next_attempt_at);
        let claimed = self.journal.run(vec![claim]).await;
        if claimed.ok().and_then(|rows| rows.first().copied()) != Some(1) {
            return Ok(());
        }
        let rendered = render_daily(&report, &self.public_url, &mail.message_id, now);
        match self.transport.send(&rendered).await {
            Ok(()) => {
                tracing::info!(day = mail.day, attempt, "the daily mail is sent");
                self.unmarked = Some(mail.day.clone());
                self.mark(&mail.day).await;
            }
            Err(error) => {
                tracing::warn!(day = mail.day, attempt, %error, "the daily mail is not sent; again later");
            }
        }
        Ok(())
    }

    async fn mark(&mut self, day: &str) {
        let mark = daily::sent(self.database.backend(), day, self.clock.wall());
        match self.journal.run(vec![mark]).await {
            Ok(_) => self.unmarked = None,
            Err(error) => {
                tracing::warn!(%error, day, "the daily mail that was sent cannot be marked yet")
            }
        }
    }
}

/// The newest day whose hour has come, in days since 1970.
const fn due_day(now: UnixMillis, daily_at_ms: i64) -> i64 {
    now.0.saturating_sub(daily_at_ms).div_euclid(DAY_MS)
}

fn day_text(day: i64) -> String {
    let moment = moment::rfc3339(UnixMillis(day.saturating_mul(DAY_MS)));
    moment.chars().take(10).collect()
}

fn day_number(text: &str) -> Option<i64> {
    let moment = moment::parse(&format!("{text}T00:00:00Z"))?;
    Some(moment.0.div_euclid(DAY_MS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_begins_at_its_hour() {
        let eight = 8 * 3_600_000;
        let at = |text: &str| due_day(moment::parse(text).unwrap(), eight);
        let day = day_number("2026-08-01").unwrap();
        assert_eq!(at("2026-08-01T07:59:59.999Z"), day - 1);
        assert_eq!(at("2026-08-01T08:00:00.000Z"), day);
        assert_eq!(at("2026-08-02T07:00:00.000Z"), day);
        assert_eq!(day_text(day), "2026-08-01");
        assert_eq!(day_number("yesterday"), None);
    }
}
