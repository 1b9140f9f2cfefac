//! Putting a runtime together.

use super::{Runtime, RuntimeError};
use crate::actors::notifier::{Notifier, Rounds, Wake};
use crate::actors::{Found, Parts, start};
use crate::channels::http::{HttpChannel, HttpChannelSettings};
use crate::channels::{Channel, Channels};
use crate::clock::{SharedClock, SystemClock};
use crate::config::{Settings, check_against_rows};
use crate::domain::UnixMillis;
use crate::domain::order::Fingerprint;
use crate::domain::schedule::Rules;
use crate::mail::Transport;
use crate::store::journal::JournalKind;
use crate::store::{Database, Journal, ProcessLock, inbox, orders};
use crate::telemetry::Metrics;
use crate::web;
use actix::{Actor, Addr, Arbiter};
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// For so long after a restore a first submit is preceded by a query, where a channel's keys live for ever.
const RESTORE_KEY_LIFE_MS: i64 = 30 * 86_400_000;

/// What a runtime is made of, before it starts.
pub struct RuntimeBuilder {
    settings: Settings,
    own_channels: Vec<Arc<dyn Channel>>,
    clock: SharedClock,
    journal: JournalKind,
    locked: bool,
}

impl RuntimeBuilder {
    pub(super) fn new(settings: Settings) -> Self {
        Self {
            settings,
            own_channels: Vec::new(),
            clock: SystemClock::start(),
            journal: JournalKind::Grouped,
            locked: true,
        }
    }

    /// What it will run with.
    #[must_use]
    pub const fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Adds a channel of the merchant's own beside those that are configured.
    #[must_use]
    pub fn channel(mut self, channel: Arc<dyn Channel>) -> Self {
        self.own_channels.push(channel);
        self
    }

    /// Another clock, for tests.
    #[must_use]
    pub fn clock(mut self, clock: SharedClock) -> Self {
        self.clock = clock;
        self
    }

    /// Another writer: the reference, or the bound of a benchmark.
    #[doc(hidden)]
    #[must_use]
    pub const fn journal(mut self, kind: JournalKind) -> Self {
        self.journal = kind;
        self
    }

    /// Starts beside another runtime: what the version alone must then prevent is shown by tests.
    #[doc(hidden)]
    #[must_use]
    pub const fn without_lock(mut self) -> Self {
        self.locked = false;
        self
    }

    /// Locks and opens the database, finds what is in flight, starts the actors. Needs a running actix system.
    pub async fn start(self) -> Result<Runtime, RuntimeError> {
        let lock = self.lock().await?;
        let database = Database::open(&self.settings.database).await?;
        let readiness = web::Readiness::default();
        readiness.set_migrated();
        let channels = Arc::new(self.channels()?);
        self.refuse_lost_accounts(&database, &channels).await?;
        let started_at = self.clock.wall();
        let epoch = if self.locked {
            database.next_epoch(started_at).await?
        } else {
            database.epoch().await?
        };
        let journal = Journal::start(&database, epoch, self.journal, Arc::clone(&self.clock));
        let metrics = metrics_of(&journal, started_at);
        let transport = Transport::open(&self.settings.alerts, &self.settings.data_dir)?;
        let found = self.find(&database, started_at).await?;
        tracing::info!(epoch, in_flight = found.count(), "the database is open");

        let arbiter = Arbiter::new();
        let notifier: Arc<OnceLock<Addr<Notifier>>> = Arc::default();
        let parts = self.parts(Fresh {
            database: &database,
            journal: &journal,
            channels: &channels,
            metrics: &metrics,
            epoch,
            notifier: Arc::clone(&notifier),
        });
        let gateway = start(parts.await?, found, &arbiter);
        let rounds = Rounds::new(
            database.clone(),
            journal.clone(),
            transport,
            &self.settings,
            Arc::clone(&self.clock),
        );
        let address = Notifier::start_in_arbiter(&arbiter.handle(), move |_| Notifier::new(rounds));
        drop(notifier.set(address));
        readiness.set_rehydrated();

        let settings = Arc::new(self.settings);
        let keys = web::KeyRing::new(&settings.keys).limited(settings.limits.requests_per_key);
        keys.refresh(&database).await?;
        arbiter.spawn(keys.clone().keep_fresh(database.clone()));
        let state = web::State::new(web::Parts {
            gateway: gateway.clone(),
            database: database.clone(),
            journal: journal.clone(),
            clock: self.clock,
            settings: Arc::clone(&settings),
            channels,
            metrics,
            keys,
            readiness: readiness.clone(),
        });
        Ok(Runtime {
            gateway,
            database,
            journal,
            state,
            readiness,
            settings,
            arbiter,
            epoch,
            lock,
        })
    }

    async fn lock(&self) -> Result<Option<ProcessLock>, RuntimeError> {
        if !self.locked {
            return Ok(None);
        }
        Ok(Some(ProcessLock::take(&self.settings.database.url).await?))
    }

    fn channels(&self) -> Result<Channels, RuntimeError> {
        let mut channels = Channels::new();
        for (name, configured) in &self.settings.channels {
            let settings = HttpChannelSettings {
                name: name.clone(),
                base_url: configured.base_url.clone(),
                secret: configured.secret.clone(),
                previous_secret: None,
                live: Some(configured.live),
                merchant: Some(configured.merchant.clone()),
                amount_max: configured.amount_max,
            };
            let channel = HttpChannel::new(settings, Arc::clone(&self.clock))?;
            channels.insert(name.clone(), Arc::new(channel));
        }
        for channel in &self.own_channels {
            channels.insert(channel.name().to_owned(), Arc::clone(channel));
        }
        Ok(channels)
    }

    /// A channel that is gone, or another merchant's now, while orders are in flight there, is refused.
    async fn refuse_lost_accounts(
        &self,
        database: &Database,
        channels: &Channels,
    ) -> Result<(), RuntimeError> {
        let mut accounts = orders::accounts_in_flight(&database.read).await?;
        let is_own = |account: &Fingerprint| {
            self.own_channels
                .iter()
                .any(|own| own.name() == account.channel)
                && channels
                    .get(&account.channel)
                    .is_some_and(|own| own.account() == *account)
        };
        accounts.retain(|account| !is_own(account));
        Ok(check_against_rows(&self.settings, &accounts)?)
    }

    async fn find(&self, database: &Database, now: UnixMillis) -> Result<Found, RuntimeError> {
        let mut found = Found::new(now, self.settings.checks.startup_spread_ms);
        orders::stream_in_flight(database, &mut |row| found.add(&row)).await?;
        Ok(found)
    }

    async fn parts(&self, fresh: Fresh<'_>) -> Result<Parts, RuntimeError> {
        let orphans = inbox::orphan_order_nos(&fresh.database.read).await?;
        let rules: BTreeMap<String, Arc<Rules>> = fresh
            .channels
            .iter()
            .map(|(name, channel)| {
                let account = Some(channel.account());
                let rules = self
                    .settings
                    .rules_for(name, channel.capabilities(), account);
                (name.clone(), Arc::new(rules))
            })
            .collect();
        let key_life = rules
            .values()
            .map(|rules| {
                rules
                    .capabilities
                    .key_life_ms
                    .unwrap_or(RESTORE_KEY_LIFE_MS)
            })
            .max();
        let restored_at = self
            .settings
            .restored_at()
            .map_err(RuntimeError::Restored)?;
        let notifier = fresh.notifier;
        Ok(Parts {
            database: fresh.database.clone(),
            journal: fresh.journal.clone(),
            channels: Arc::clone(fresh.channels),
            rules,
            clock: Arc::clone(&self.clock),
            epoch: fresh.epoch,
            public_url: self
                .settings
                .server
                .public_url
                .trim_end_matches('/')
                .to_owned(),
            callbacks_deadline: millis(self.settings.callbacks_deadline_ms),
            startup_spread_ms: self.settings.checks.startup_spread_ms,
            in_flight_max: self.settings.server.in_flight_max,
            orphans: orphans.into_iter().collect(),
            ask_first_until: restored_at.map(|at| at.plus(key_life.unwrap_or(RESTORE_KEY_LIFE_MS))),
            on_alert: Box::new(move || {
                if let Some(notifier) = notifier.get() {
                    notifier.do_send(Wake);
                }
            }),
            metrics: fresh.metrics.clone(),
        })
    }
}

/// Parts that were just opened.
struct Fresh<'a> {
    database: &'a Database,
    journal: &'a Journal,
    channels: &'a Arc<Channels>,
    metrics: &'a Metrics,
    epoch: i64,
    notifier: Arc<OnceLock<Addr<Notifier>>>,
}

/// Fresh metrics, told of each batch of the journal.
fn metrics_of(journal: &Journal, started_at: UnixMillis) -> Metrics {
    let metrics = Metrics::new(started_at);
    let batches = metrics.clone();
    journal.observe(move |writes, waited_ms| batches.journal_batch(writes, millis(waited_ms)));
    metrics
}

fn millis(millis: i64) -> Duration {
    Duration::from_millis(u64::try_from(millis).unwrap_or_default())
}
