//! Counting orders and alerts for a scrape, without letting scrapes load the database.

use super::state::Shared;
use crate::domain::UnixMillis;
use crate::store::{self, Database, StoreError};
use crate::telemetry::Metrics;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// A scrape does not wait longer than this: it shows what was counted before.
const COUNT_WITHIN: Duration = Duration::from_secs(1);
/// A count rests for so many times as long as it took: it costs one reader a hundredth of its time at most, also
/// when it walks tens of millions of orders.
const REST: u32 = 100;
/// Open alerts beyond this are not counted one by one.
const ALERTS_MAX: u64 = 1000;
/// Nor are rows of the outbox.
const OUTBOX_MAX: u64 = 1000;

/// When orders and alerts are counted next; `None` while a count runs.
#[derive(Debug, Clone)]
pub(crate) struct Survey {
    next: Arc<Mutex<Option<Instant>>>,
}

impl Default for Survey {
    fn default() -> Self {
        Self {
            next: Arc::new(Mutex::new(Some(Instant::now()))),
        }
    }
}

impl Survey {
    /// Brings the gauges up to date, if that is due and as far as it takes no longer than a scrape may wait.
    pub(crate) async fn refresh(&self, shared: &Shared) {
        if !self.begin() {
            return;
        }
        let survey = self.clone();
        let (database, metrics) = (shared.database.clone(), shared.metrics.clone());
        let now = shared.clock.wall();
        let counted = actix_web::rt::spawn(async move {
            let started = Instant::now();
            if let Err(error) = count(&database, &metrics, now).await {
                tracing::debug!(%error, "orders and alerts could not be counted for a scrape");
            }
            survey.end(started.elapsed());
        });
        drop(tokio::time::timeout(COUNT_WITHIN, counted).await);
    }

    fn begin(&self) -> bool {
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        let due = next.is_some_and(|at| Instant::now() >= at);
        if due {
            *next = None;
        }
        due
    }

    fn end(&self, took: Duration) {
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        *next = Instant::now().checked_add(took.saturating_mul(REST));
    }
}

async fn count(database: &Database, metrics: &Metrics, now: UnixMillis) -> Result<(), StoreError> {
    let orders = store::orders::count_by_status(&database.read).await?;
    metrics.set_orders(&orders);
    let open = store::alerts::open(&database.read, ALERTS_MAX).await?;
    metrics.set_open_alerts(open);
    let grants = store::fulfilments::waiting(&database.read, OUTBOX_MAX).await?;
    let webhooks = store::deliveries::waiting(&database.read, OUTBOX_MAX).await?;
    for (queue, (waiting, oldest)) in [("grants", grants), ("deliveries", webhooks)] {
        let age_ms = oldest.map_or(0, |oldest| now.since(oldest).max(0));
        metrics.set_outbox(queue, waiting, age_ms / 1_000);
    }
    Ok(())
}
