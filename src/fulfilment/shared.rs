//! What the workers share: the database, the clock, the bell; and how they wait.

use super::bell::OutboxBell;
use super::deliveries::Resolve;
use super::fulfiller::Fulfillers;
use crate::actors::Gateway;
use crate::clock::{SharedClock, new_id};
use crate::config::FulfilmentSettings;
use crate::domain::UnixMillis;
use crate::domain::outbox::Jitter;
use crate::store::{Database, Journal};
use crate::telemetry::Metrics;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Notify, watch};

/// A wake-up can be missed when a clock steps or another hand writes: what is due is found this much later.
const POLL_MS: i64 = 10_000;
/// While the database does not answer.
pub(super) const TROUBLE_MS: i64 = 1_000;
/// A wait of 0 would be a loop.
const LEAST_MS: i64 = 10;

/// What fulfilment is made of.
pub struct FulfilmentParts {
    pub gateway: Gateway,
    pub database: Database,
    pub journal: Journal,
    pub clock: SharedClock,
    pub epoch: i64,
    pub metrics: Metrics,
    pub outbox: OutboxBell,
    pub settings: FulfilmentSettings,
    pub fulfillers: Fulfillers,
    pub resolver: Arc<dyn Resolve>,
    /// Called after a commit that raised an alert.
    pub on_alert: Box<dyn Fn() + Send + Sync>,
}

/// What the workers share.
pub(super) struct Shared {
    pub(super) gateway: Gateway,
    pub(super) database: Database,
    pub(super) journal: Journal,
    pub(super) clock: SharedClock,
    pub(super) metrics: Metrics,
    pub(super) outbox: OutboxBell,
    pub(super) schedule_ms: Vec<i64>,
    pub(super) on_alert: Box<dyn Fn() + Send + Sync>,
    /// What the tokens of this run's claims begin with.
    pub(super) run: String,
    pub(super) stopping: watch::Sender<bool>,
}

impl Shared {
    pub(super) fn now(&self) -> UnixMillis {
        self.clock.wall()
    }

    /// A token for one claim.
    pub(super) fn token(&self) -> Arc<str> {
        format!("{}{}", self.run, new_id("claim")).into()
    }

    pub(super) fn is_stopping(&self) -> bool {
        *self.stopping.borrow()
    }
}

/// The tokens of a run begin with its epoch: a claim of an earlier run is known to be nobody's.
pub(super) fn run_of(epoch: i64) -> String {
    format!("{epoch}:")
}

/// A fresh jitter; without randomness there is none.
pub(super) fn jitter() -> Jitter {
    Jitter::from_random(getrandom::u32().unwrap_or(100))
}

/// When a worker looks again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Look {
    /// At this moment, or when the bell rings.
    At(Option<UnixMillis>),
    /// When one of its own is done: it can take no more.
    WhenFree,
}

/// Wakes one worker.
pub(super) struct Wakes {
    rung: watch::Receiver<u64>,
    stopping: watch::Receiver<bool>,
    /// Told when work of this worker has ended.
    pub(super) freed: Arc<Notify>,
    clock: SharedClock,
}

impl Wakes {
    pub(super) fn of(shared: &Shared) -> Self {
        Self {
            rung: shared.outbox.listener(),
            stopping: shared.stopping.subscribe(),
            freed: Arc::default(),
            clock: Arc::clone(&shared.clock),
        }
    }

    /// What rings from now on wakes: called before the worker looks.
    pub(super) fn listen(&mut self) {
        self.rung.mark_unchanged();
    }

    /// Waits until there may be something to do; false when there never will be.
    pub(super) async fn wait(&mut self, look: Look) -> bool {
        let stopped = self.stopping.wait_for(|stopping| *stopping);
        let freed = self.freed.notified();
        let woken = async {
            let Look::At(next) = look else {
                return freed.await;
            };
            let wait_ms = next.map_or(POLL_MS, |next| {
                next.since(self.clock.wall()).clamp(LEAST_MS, POLL_MS)
            });
            // What has ended may be due again earlier than anything was before.
            tokio::select! {
                () = freed => {}
                // The bell lives as long as the worker's parts.
                _ = self.rung.changed() => {}
                () = tokio::time::sleep(Duration::from_millis(wait_ms.unsigned_abs())) => {}
            }
        };
        tokio::select! {
            biased;
            _ = stopped => false,
            () = woken => true,
        }
    }
}
