//! Putting a runtime together.

mod after;

use super::channels::open_channel;
use super::{Runtime, RuntimeError, log};
use crate::actors::notifier::{Notifier, Wake};
use crate::actors::{ChannelLimits, Found, Parts, WebhookData, start};
use crate::channels::{Channel, Channels};
use crate::clock::{SharedClock, SystemClock, millis};
use crate::config::restored::RESTORE_ASKS_MS;
use crate::config::{
    CircuitSettings, Settings, check_against_rows, check_refunds, duration, kept, private,
};
use crate::domain::UnixMillis;
use crate::domain::order::Fingerprint;
use crate::domain::schedule::Rules;
use crate::fulfilment::{Fulfiller, Fulfillers, OutboxBell, Resolve, SystemResolver};
use crate::mail::Transport;
use crate::moment::rfc3339;
use crate::store::audit::{self, AuditKey};
use crate::store::journal::JournalKind;
use crate::store::{Database, Journal, ProcessLock, inbox, orders};
use crate::telemetry::Metrics;
use crate::web;
use actix::{Addr, Arbiter};
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

/// What a runtime is made of, before it starts.
pub struct RuntimeBuilder {
    settings: Settings,
    own_channels: Vec<Arc<dyn Channel>>,
    fulfillers: Fulfillers,
    resolver: Arc<dyn Resolve>,
    clock: SharedClock,
    journal: JournalKind,
    locked: bool,
}

impl RuntimeBuilder {
    pub(super) fn new(settings: Settings) -> Self {
        Self {
            settings,
            own_channels: Vec::new(),
            fulfillers: Fulfillers::default(),
            resolver: Arc::new(SystemResolver),
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

    /// Makes grants of some kinds outside, before they are committed.
    #[must_use]
    pub fn fulfiller(mut self, fulfiller: Arc<dyn Fulfiller>) -> Self {
        self.fulfillers.add(&fulfiller);
        self
    }

    /// Another way to look up the receiver of webhooks, for tests.
    #[doc(hidden)]
    #[must_use]
    pub fn resolver(mut self, resolver: Arc<dyn Resolve>) -> Self {
        self.resolver = resolver;
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
        // A key that is refused leaves the database as it is: the version before can go on with it.
        let channels = Arc::new(self.channels()?);
        let lock = self.lock().await?;
        let database = Database::open(&self.settings.database).await?;
        let readiness = web::Readiness::default();
        readiness.set_migrated();
        self.refuse_lost_accounts(&database, &channels).await?;
        let started_at = self.clock.wall();
        let epoch = if self.locked {
            database.next_epoch(started_at).await?
        } else {
            database.epoch().await?
        };
        let audit_key = self.audit_key(&database).await?;
        let clock = Arc::clone(&self.clock);
        let journal = Journal::start(&database, epoch, self.journal, clock, audit_key);
        let metrics = metrics_of(&journal, started_at);
        let transport = Transport::open(&self.settings.alerts, &self.settings.data_dir)?;
        let found = self.find(&database, started_at).await?;
        tracing::info!(epoch, in_flight = found.count(), "the database is open");

        let arbiter = Arbiter::new();
        let outbox = OutboxBell::default();
        let fresh = Fresh {
            database: &database,
            journal: &journal,
            channels: &channels,
            metrics: &metrics,
            epoch,
            notifier: Arc::default(),
            outbox: outbox.clone(),
        };
        let gateway = start(self.parts(&fresh).await?, found, &arbiter);
        self.notify(&fresh, transport, &arbiter);
        self.keep_house(&fresh, &gateway, &arbiter);
        let (fulfilment, outside) = self.fulfil(&fresh, &gateway)?;
        let desk = self.open_desk(&fresh, &gateway, &outside).await?;
        readiness.set_rehydrated();

        let settings = Arc::new(self.settings);
        let parts = (&database, &readiness);
        let keys = attend(&arbiter, parts, &settings, &self.clock).await?;
        let state = web::State::new(web::Parts {
            gateway: gateway.clone(),
            database: database.clone(),
            journal: journal.clone(),
            clock: Arc::clone(&self.clock),
            settings: Arc::clone(&settings),
            channels,
            metrics,
            keys,
            readiness: readiness.clone(),
            outbox,
        });
        Ok(Runtime {
            gateway,
            database,
            journal,
            state,
            readiness,
            settings,
            arbiter,
            fulfilment,
            desk,
            outside,
            epoch,
            clock: self.clock,
            lock,
        })
    }

    async fn lock(&self) -> Result<Option<ProcessLock>, RuntimeError> {
        private::prepare(&self.settings);
        if !self.locked {
            return Ok(None);
        }
        Ok(Some(
            ProcessLock::take_over(&self.settings.database.url).await?,
        ))
    }

    fn channels(&self) -> Result<Channels, RuntimeError> {
        let mut channels = Channels::new();
        for (name, configured) in &self.settings.channels {
            let channel = open_channel(name, configured, &self.clock)?;
            channels.insert(name.clone(), channel);
        }
        for channel in &self.own_channels {
            channels.insert(channel.name().to_owned(), Arc::clone(channel));
        }
        for (name, channel) in &channels {
            check_refunds(&self.settings, name, channel.capabilities().refunds)?;
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

    /// New orders wait after each start: nobody shall wonder why.
    fn tell_of_restore(&self, ask_first_until: Option<UnixMillis>) {
        let now = self.clock.wall();
        if let Some(until) = ask_first_until.filter(|until| *until > now) {
            let grace_ms = self.settings.longest_grace_ms();
            tracing::warn!(
                until = rfc3339(until),
                new_orders_wait_until = rfc3339(now.plus(grace_ms)),
                "the database was restored: first submits are preceded by a query, and for {} after this start a \
                 channel's *not found* proves nothing, so new orders may wait as UNPAID so long",
                duration::show(grace_ms)
            );
        }
    }

    async fn audit_key(&self, database: &Database) -> Result<AuditKey, RuntimeError> {
        let rows = audit::head(&database.read).await?.seq;
        kept::audit_key(&self.settings.data_dir, rows).map_err(RuntimeError::AuditKey)
    }

    /// Without an endpoint there are no webhooks.
    fn webhook_data(&self) -> Option<WebhookData> {
        self.settings.fulfilment.url.as_ref()?;
        let public_url = self.settings.server.public_url.clone();
        Some(Box::new(move |order, announcement| {
            web::webhook_data(order, announcement, &public_url)
        }))
    }

    /// A channel of the merchant's own has the limits of the configured one whose place it takes, or the defaults.
    fn limits(&self, name: &str) -> (String, ChannelLimits) {
        let configured = self.settings.channels.get(name);
        let limits = ChannelLimits {
            amount_max: configured.and_then(|channel| channel.amount_max),
            rate: configured.and_then(|channel| channel.rate),
            circuit: match configured {
                Some(channel) => channel.circuit,
                None => Some(CircuitSettings::default()),
            },
        };
        (name.to_owned(), limits)
    }

    async fn parts(&self, fresh: &Fresh<'_>) -> Result<Parts, RuntimeError> {
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
        let restored_at = self
            .settings
            .restored_at()
            .map_err(RuntimeError::Restored)?;
        let ask_first_until = restored_at.map(|at| at.plus(RESTORE_ASKS_MS));
        self.tell_of_restore(ask_first_until);
        let outbox = fresh.outbox.clone();
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
            ask_first_until,
            on_alert: wakes(Arc::clone(&fresh.notifier)),
            on_outbox: Box::new(move || outbox.ring()),
            granted_outside: self.fulfillers.kinds().cloned().collect(),
            webhook_data: self.webhook_data(),
            subscription_period_ms: self.settings.ledger.subscription_period_ms,
            limits: fresh
                .channels
                .keys()
                .map(|name| self.limits(name))
                .collect(),
            account_daily: self.settings.limits.account_daily.clone(),
            overdraft: self.settings.ledger.overdraft.clone(),
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
    outbox: OutboxBell,
}

/// What wakes the notifier, once it is there.
fn wakes(notifier: Arc<OnceLock<Addr<Notifier>>>) -> Box<dyn Fn() + Send + Sync> {
    Box::new(move || {
        if let Some(notifier) = notifier.get() {
            notifier.do_send(Wake);
        }
    })
}

/// Fresh metrics, told of each batch of the journal.
fn metrics_of(journal: &Journal, started_at: UnixMillis) -> Metrics {
    let metrics = Metrics::new(started_at);
    let batches = metrics.clone();
    journal.observe(move |writes, waited_ms| batches.journal_batch(writes, millis(waited_ms)));
    metrics
}

/// Runs `work` on the arbiter's thread for as long as it lives, as a task of its runtime: what a stop drops must be
/// dropped inside it, or the database's connections cannot be given back.
/// The keys of callers, and the watch over the database's log, for as long as the runtime lives.
async fn attend(
    arbiter: &Arbiter,
    (database, readiness): (&Database, &web::Readiness),
    settings: &Arc<Settings>,
    clock: &SharedClock,
) -> Result<web::KeyRing, RuntimeError> {
    let parts = (database.clone(), readiness.clone());
    run_on(arbiter, log::watch(parts, settings.clone(), clock.clone()));
    let keys = web::KeyRing::new(&settings.keys).limited(settings.limits.requests_per_key);
    keys.refresh(database).await?;
    run_on(arbiter, keys.clone().keep_fresh(database.clone()));
    Ok(keys)
}

fn run_on(arbiter: &Arbiter, work: impl Future<Output = ()> + Send + 'static) {
    arbiter.spawn(async move { drop(tokio::spawn(work).await) });
}
