//! Deletes what nobody needs any more, in small writes: old webhooks, and old notices about unknown orders.

use crate::actors::{ForgetError, Gateway};
use crate::clock::SharedClock;
use crate::config::RetentionSettings;
use crate::store::{Database, Journal, retention};
use std::time::Duration;

/// After a start the workers of the outbox come first.
const FIRST_AFTER: Duration = Duration::from_secs(5);
const EVERY: Duration = Duration::from_secs(300);
/// Writes of one round: 10,000 rows in five minutes are some three million a day.
const WRITES_MAX: usize = 50;
/// Pages that are read in one round: what has failed stays, and is passed over.
const PAGES_MAX: usize = 500;

/// What deleting needs, and how far it is.
pub(crate) struct Retention {
    pub(crate) gateway: Gateway,
    pub(crate) database: Database,
    pub(crate) journal: Journal,
    pub(crate) clock: SharedClock,
    pub(crate) settings: RetentionSettings,
    /// The webhook that the next round goes on after.
    pub(crate) delivery_id: String,
}

impl Retention {
    /// Deletes shortly after the start and then every five minutes, for ever.
    pub(crate) async fn keep_on(mut self) {
        tokio::time::sleep(FIRST_AFTER).await;
        loop {
            if let Err(error) = self.deliveries().await {
                tracing::warn!(%error, "old webhooks cannot be deleted yet");
            }
            if let Err(error) = self.orphans().await {
                tracing::warn!(%error, "old orphans cannot be deleted yet");
            }
            tokio::time::sleep(EVERY).await;
        }
    }

    async fn deliveries(&mut self) -> Result<(), ForgetError> {
        let before = self.clock.wall().plus(-self.settings.deliveries_ms);
        let mut writes = 0_usize;
        for _ in 0..PAGES_MAX {
            let page =
                retention::deliveries_over(&self.database.read, &self.delivery_id, before).await?;
            if !page.over.is_empty() {
                let backend = self.database.backend();
                let statements = retention::forget_deliveries(backend, &page.over, before);
                self.journal.run(statements).await?;
                writes = writes.saturating_add(1);
            }
            let ended = page.next.is_none();
            self.delivery_id = page.next.unwrap_or_default();
            if ended || writes >= WRITES_MAX {
                break;
            }
        }
        Ok(())
    }

    async fn orphans(&self) -> Result<(), ForgetError> {
        let before = self.clock.wall().plus(-self.settings.orphans_ms);
        for _ in 0..WRITES_MAX {
            if self.gateway.forget_orphans(before).await? == 0 {
                break;
            }
        }
        Ok(())
    }
}
