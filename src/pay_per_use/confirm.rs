//! Tells channels what was delivered, until they have taken it; and tells people of what was paid and not delivered.

use super::desk::{Desk, REPEATS_MS};
use super::told;
use crate::channels::pay_per_use::Confirmation;
use crate::domain::UnixMillis;
use crate::scrub::scrub;
use crate::store::metered::{self, Trade};
use crate::store::{JournalError, StoreError, alerts};
use std::time::Duration;

/// Trades that are taken up at once.
const PAGE: u64 = 64;
/// Between tries to confirm; after the last one a person is told, and it goes on hourly.
const LADDER_MS: [i64; 5] = [2_000, 30_000, 300_000, 900_000, 3_600_000];
const HOUR_MS: i64 = 3_600_000;
/// What is due is found so much later if a wake-up was missed, and while the database does not answer.
const POLL_MS: i64 = 10_000;
const LEAST_MS: i64 = 10;

/// The worker of confirmations.
pub(crate) struct Confirmer {
    pub(crate) desk: Desk,
}

impl Confirmer {
    /// Works for ever, also on what an earlier run has left.
    pub(crate) async fn keep_on(self) {
        loop {
            let next = match self.round().await {
                Ok(next) => next,
                Err(error) => {
                    tracing::warn!(%error, "deliveries cannot be confirmed; again later");
                    None
                }
            };
            let now = self.desk.parts.clock.wall();
            let wait_ms = next.map_or(POLL_MS, |next| next.since(now).clamp(LEAST_MS, POLL_MS));
            let wait = tokio::time::sleep(Duration::from_millis(wait_ms.unsigned_abs()));
            tokio::select! {
                () = wait => {}
                () = self.desk.delivered.notified() => {}
            }
        }
    }

    /// Takes up what is due; when the next of it will be.
    async fn round(&self) -> Result<Option<UnixMillis>, StoreError> {
        let parts = &self.desk.parts;
        let now = parts.clock.wall();
        for trade in metered::due(&parts.database.read, now, PAGE).await? {
            if trade.delivered_at.is_none() {
                self.tell(&trade).await?;
            } else if self.stands(&trade).await? {
                self.confirm(&trade).await.map_err(unwritten)?;
            }
        }
        let forget = metered::forget_answers(parts.database.backend(), now.plus(-REPEATS_MS));
        if metered::holds_answers(&parts.database.read, now.plus(-REPEATS_MS)).await? {
            parts.journal.run(vec![forget]).await.map_err(unwritten)?;
        }
        metered::next_due(&parts.database.read).await
    }

    /// Whether it went out, and not only its row says so: who has its seat may be taking that back.
    async fn stands(&self, trade: &Trade) -> Result<bool, StoreError> {
        if self.desk.is_seated(&trade.key) {
            return Ok(false);
        }
        let stands = metered::find(&self.desk.parts.database.read, &trade.key).await?;
        Ok(stands.is_some_and(|stands| stands.delivered_at.is_some()))
    }

    async fn confirm(&self, trade: &Trade) -> Result<(), JournalError> {
        let parts = &self.desk.parts;
        // Without a turn it stays due.
        if !(parts.turn)(&trade.key.channel, parts.timeout).await {
            return Ok(());
        }
        let channel = parts.channels.get(&trade.key.channel);
        let answer = match channel.and_then(|channel| channel.pay_per_use()) {
            Some(pays) => pays.confirm(&trade.key.trade_no, parts.timeout).await,
            None => Confirmation::NotConfirmed {
                summary: "the channel is not configured any more".to_owned(),
            },
        };
        let (backend, now) = (parts.database.backend(), parts.clock.wall());
        let statements = match answer {
            Confirmation::Confirmed => {
                let over = alerts::resolve(backend, &told::unconfirmed(&trade.key, "").key(), now);
                vec![metered::confirmed(backend, &trade.key, now), over]
            }
            Confirmation::NotConfirmed { summary } => {
                let error = scrub(&summary, &[&trade.key.trade_no]);
                tracing::warn!(
                    trade_no = trade.key.trade_no,
                    error,
                    "a delivery is not confirmed yet"
                );
                let rung = usize::try_from(trade.confirm_count).unwrap_or(usize::MAX);
                let delay_ms = LADDER_MS.get(rung).copied().unwrap_or(HOUR_MS);
                let next = now.plus(delay_ms);
                let mut statements = vec![metered::not_confirmed(backend, trade, next, &error)];
                if rung == LADDER_MS.len() {
                    let alert = told::unconfirmed(&trade.key, &error);
                    let about = told::about(&trade.key);
                    statements.extend(alerts::raise(backend, &alert, &about, now));
                }
                statements
            }
        };
        let told = statements.len() > 2;
        parts.journal.run(statements).await?;
        if told {
            (parts.on_alert)();
        }
        Ok(())
    }

    /// Nothing was delivered for it in time, unless it is being delivered just now.
    async fn tell(&self, trade: &Trade) -> Result<(), StoreError> {
        let parts = &self.desk.parts;
        let Some(seat) = self.desk.seat(trade.key.clone()) else {
            return Ok(());
        };
        let stands = metered::find(&parts.database.read, &seat.key).await?;
        if stands.is_none_or(|stands| stands.delivered_at.is_some()) {
            return Ok(());
        }
        let (backend, now) = (parts.database.backend(), parts.clock.wall());
        let alert = told::undelivered(&trade.key, &trade.resource_id);
        let about = told::about(&trade.key);
        let mut statements = vec![metered::told_of(backend, trade)];
        statements.extend(alerts::raise(backend, &alert, &about, now));
        parts.journal.run(statements).await.map_err(unwritten)?;
        (parts.on_alert)();
        Ok(())
    }
}

fn unwritten(error: JournalError) -> StoreError {
    StoreError::Unusable(error.to_string())
}
