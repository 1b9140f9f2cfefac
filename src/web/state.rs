//! What every handler shares.

use super::address_limit::AddressLimit;
use super::keyring::KeyRing;
use super::readiness::Readiness;
use super::sampling::Sampler;
use super::survey::Survey;
use crate::actors::Gateway;
use crate::channels::Channels;
use crate::clock::SharedClock;
use crate::config::Settings;
use crate::fulfilment::OutboxBell;
use crate::store::{Database, Journal};
use crate::telemetry::Metrics;
use actix_web::web::Data;
use std::sync::Arc;
use std::time::Duration;

/// What a runtime hands to its HTTP API.
#[derive(Clone)]
pub struct Parts {
    pub gateway: Gateway,
    pub database: Database,
    pub journal: Journal,
    pub clock: SharedClock,
    pub settings: Arc<Settings>,
    pub channels: Arc<Channels>,
    pub metrics: Metrics,
    pub keys: KeyRing,
    pub readiness: Readiness,
    pub outbox: OutboxBell,
}

/// What every handler shares. Clones are cheap, and share the rate limits too.
#[derive(Clone)]
pub struct State {
    pub(crate) parts: Data<Shared>,
}

/// The parts of the runtime, and what the API keeps for itself.
pub(crate) struct Shared {
    pub(crate) gateway: Gateway,
    pub(crate) database: Database,
    pub(crate) journal: Journal,
    pub(crate) clock: SharedClock,
    pub(crate) settings: Arc<Settings>,
    pub(crate) channels: Arc<Channels>,
    pub(crate) metrics: Metrics,
    pub(crate) keys: KeyRing,
    pub(crate) readiness: Readiness,
    /// Wakes who delivers webhooks.
    pub(crate) outbox: OutboxBell,
    pub(crate) callbacks: AddressLimit,
    pub(crate) strangers: AddressLimit,
    /// When orders and alerts are counted for a scrape.
    pub(crate) survey: Survey,
    pub(crate) sampler: Sampler,
}

impl State {
    #[must_use]
    pub fn new(parts: Parts) -> Self {
        let (limits, server) = (&parts.settings.limits, &parts.settings.server);
        let of_addresses = |rate| AddressLimit::new(rate, &server.trusted_proxies);
        let callbacks = of_addresses(limits.callbacks_per_address);
        let strangers = of_addresses(limits.unauthenticated_per_address);
        let shared = Shared {
            gateway: parts.gateway,
            database: parts.database,
            journal: parts.journal,
            clock: parts.clock,
            settings: parts.settings,
            channels: parts.channels,
            metrics: parts.metrics,
            keys: parts.keys,
            readiness: parts.readiness,
            outbox: parts.outbox,
            callbacks,
            strangers,
            survey: Survey::default(),
            sampler: Sampler::default(),
        };
        Self {
            parts: Data::new(shared),
        }
    }
}

impl std::fmt::Debug for State {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("State").finish_non_exhaustive()
    }
}

impl Shared {
    /// How long a create may wait at most.
    pub(crate) fn ui_deadline(&self) -> Duration {
        let millis = u64::try_from(self.settings.server.ui_deadline_ms).unwrap_or(0);
        Duration::from_millis(millis)
    }

    /// The public address of this path of the API.
    pub(crate) fn public(&self, path: &str) -> String {
        let base = self.settings.server.public_url.trim_end_matches('/');
        format!("{base}{path}")
    }
}
