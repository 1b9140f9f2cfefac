//! The workers, started and stopped as one.

use super::deliveries::{Courier, Endpoint};
use super::grants::Granter;
use super::shared::{FulfilmentParts, Shared, run_of};
use crate::config::ConfigError;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

/// A worker that broke begins again after this.
const BEGIN_AGAIN: Duration = Duration::from_secs(1);

/// The workers of the outbox.
pub struct Fulfilment {
    shared: Arc<Shared>,
    granter: Arc<Granter>,
    /// `None`: no endpoint is configured.
    courier: Option<Arc<Courier>>,
}

impl std::fmt::Debug for Fulfilment {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Fulfilment").finish_non_exhaustive()
    }
}

impl Fulfilment {
    /// # Errors
    /// Names the key of `[fulfilment]` that cannot be used.
    pub fn new(parts: FulfilmentParts) -> Result<Self, ConfigError> {
        let endpoint = Endpoint::open(&parts.settings, parts.resolver, Arc::clone(&parts.clock))?;
        let shared = Arc::new(Shared {
            gateway: parts.gateway,
            database: parts.database,
            journal: parts.journal,
            clock: parts.clock,
            metrics: parts.metrics,
            outbox: parts.outbox,
            schedule_ms: parts.settings.schedule_ms,
            on_alert: parts.on_alert,
            run: run_of(parts.epoch),
            stopping: watch::Sender::new(false),
        });
        Ok(Self {
            granter: Arc::new(Granter::new(Arc::clone(&shared), parts.fulfillers)),
            courier: endpoint.map(|endpoint| Arc::new(Courier::new(Arc::clone(&shared), endpoint))),
            shared,
        })
    }

    /// Works until it is stopped; to be spawned where its connections shall live.
    pub fn run(&self) -> impl Future<Output = ()> + Send + use<> {
        let (granter, courier) = (Arc::clone(&self.granter), self.courier.clone());
        let shared = Arc::clone(&self.shared);
        async move {
            let grants = again_and_again(&shared, "grants", || Arc::clone(&granter).run());
            let deliveries = async {
                if let Some(courier) = &courier {
                    again_and_again(&shared, "deliveries", || Arc::clone(courier).run()).await;
                }
            };
            tokio::join!(grants, deliveries);
        }
    }

    /// Takes no new work from now on, and waits, at most so long, for what is under way.
    pub async fn stop(&self, at_most: Duration) {
        self.shared.stopping.send_replace(true);
        let idle = async {
            self.granter.is_idle().await;
            if let Some(courier) = &self.courier {
                courier.is_idle().await;
            }
        };
        drop(tokio::time::timeout(at_most, idle).await);
    }
}

/// A worker is a task of its own: one that panics is begun again, its claims are taken up when they have run out.
async fn again_and_again<F>(shared: &Shared, name: &'static str, worker: impl Fn() -> F)
where
    F: Future<Output = ()> + Send + 'static,
{
    while !shared.is_stopping() {
        if let Err(end) = tokio::spawn(worker()).await {
            tracing::error!(worker = name, %end, "a worker of the outbox broke; it begins again");
            tokio::time::sleep(BEGIN_AGAIN).await;
        }
    }
}
