//! What all actors of a runtime share.

use super::accounts::Accounts;
use super::calls::OpenCalls;
use super::guard::{ChannelLimits, Guard};
use crate::channels::{Channel, Channels};
use crate::clock::SharedClock;
use crate::domain::order::{Alert, Announcement, Order};
use crate::domain::schedule::{Capabilities, LateSuccess, OnRefund, Rules};
use crate::domain::{Currency, Now};
use crate::store::alerts::{self, About};
use crate::store::inbox::ORPHANS_MAX;
use crate::store::{Database, Journal};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::watch;

/// The parts that a runtime is built of.
pub struct Parts {
    pub database: Database,
    pub journal: Journal,
    pub channels: Arc<Channels>,
    /// By channel; a channel without rules here is treated as one that is not configured.
    pub rules: BTreeMap<String, Arc<Rules>>,
    pub clock: SharedClock,
    pub epoch: i64,
    /// Where this runtime is reached from outside, without a trailing slash.
    pub public_url: String,
    pub callbacks_deadline: Duration,
    pub startup_spread_ms: i64,
    /// Creates that may wait for their result at once; beyond it the door is closed.
    pub in_flight_max: usize,
    /// Order numbers that orphans bear: the channel is asked before their first submit.
    pub orphans: HashSet<String>,
    /// Until this moment first submits are preceded by a query, since the database was restored from a backup.
    pub ask_first_until: Option<crate::domain::UnixMillis>,
    /// Called after a commit that raised an alert.
    pub on_alert: Box<dyn Fn() + Send + Sync>,
    /// Called after a commit that left work in the outbox.
    pub on_outbox: Box<dyn Fn() + Send + Sync>,
    /// Kinds of entitlements that somebody outside grants as well: by a worker, after the commit. All others are granted in
    /// the write that pays.
    pub granted_outside: BTreeSet<String>,
    /// The data of a webhook about an order as committed; `None`: no webhooks are sent.
    pub webhook_data: Option<WebhookData>,
    pub subscription_period_ms: i64,
    /// By channel; a channel without limits here has none.
    pub limits: BTreeMap<String, ChannelLimits>,
    /// What the orders of one account on one day may add up to.
    pub account_daily: BTreeMap<Currency, i64>,
    /// How far below zero an account may spend, by its name; `*` is every account that is not named.
    pub overdraft: BTreeMap<String, i64>,
    pub metrics: crate::telemetry::Metrics,
}

/// Makes the data of a webhook.
pub type WebhookData = Box<dyn Fn(&Order, &Announcement) -> serde_json::Value + Send + Sync>;

pub(super) struct Shared {
    pub(super) parts: Parts,
    pub(super) calls: OpenCalls,
    pub(super) accounts: Accounts,
    pub(super) in_flight: AtomicUsize,
    pub(super) callbacks_open: AtomicUsize,
    pub(super) closing: AtomicBool,
    /// True once whoever still waits for a result is answered without one.
    leaving: watch::Sender<bool>,
    pub(super) orphans: Mutex<HashSet<String>>,
    /// Alert keys of rejected callbacks that were raised today; the database deduplicates for ever.
    raised_today: Mutex<(String, HashSet<String>)>,
    unconfigured: Arc<Rules>,
    guards: BTreeMap<String, Guard>,
}

impl Shared {
    pub(super) fn new(mut parts: Parts) -> Arc<Self> {
        let orphans = std::mem::take(&mut parts.orphans);
        let guards = parts.limits.iter();
        let guards = guards.map(|(name, limits)| (name.clone(), Guard::new(limits)));
        let guards: BTreeMap<String, Guard> = guards.collect();
        for (name, guard) in &guards {
            guard.show(&parts.metrics, name);
        }
        let unconfigured = Arc::new(rules_without_a_channel(parts.rules.values().next()));
        Arc::new(Self {
            parts,
            calls: OpenCalls::default(),
            accounts: Accounts::default(),
            in_flight: AtomicUsize::new(0),
            callbacks_open: AtomicUsize::new(0),
            closing: AtomicBool::new(false),
            leaving: watch::Sender::new(false),
            orphans: Mutex::new(orphans),
            raised_today: Mutex::default(),
            unconfigured,
            guards,
        })
    }

    pub(super) fn now(&self) -> Now {
        crate::clock::now(self.parts.clock.as_ref(), self.parts.epoch)
    }

    pub(super) fn rules(&self, channel: &str) -> &Arc<Rules> {
        self.parts.rules.get(channel).unwrap_or(&self.unconfigured)
    }

    pub(super) fn channel(&self, name: &str) -> Option<&Arc<dyn Channel>> {
        self.parts.channels.get(name)
    }

    pub(super) fn guard(&self, channel: &str) -> Option<&Guard> {
        self.guards.get(channel)
    }

    /// Where this channel's callbacks are received.
    pub(super) fn notify_url(&self, channel: &str) -> String {
        format!("{}/v1/callbacks/{channel}", self.parts.public_url)
    }

    /// The channel may know this number although we do not.
    pub(super) fn must_ask_first(&self, order_no: &str) -> bool {
        self.was_restored() || self.is_orphan(order_no)
    }

    /// The database was restored not long ago: the channels may know what we have forgotten.
    pub(super) fn was_restored(&self) -> bool {
        let until = self.parts.ask_first_until;
        until.is_some_and(|until| self.now().wall < until)
    }

    /// A notice has vouched for this number before there was an order of it.
    pub(super) fn is_orphan(&self, order_no: &str) -> bool {
        let orphans = self.orphans.lock().unwrap_or_else(PoisonError::into_inner);
        orphans.contains(order_no)
    }

    /// The channel has vouched for this number, which is unknown here: from now on it is asked before a submit of
    /// it. False if so many numbers are remembered that this one is not.
    pub(super) fn expect_orphan(&self, order_no: &str) -> bool {
        let mut orphans = self.orphans.lock().unwrap_or_else(PoisonError::into_inner);
        let full = usize::try_from(ORPHANS_MAX).is_ok_and(|max| orphans.len() >= max);
        if full {
            return orphans.contains(order_no);
        }
        orphans.insert(order_no.to_owned());
        true
    }

    /// Frees the places of numbers that nobody has vouched for any more for long.
    pub(super) fn forget_orphans(&self, order_nos: &[String]) {
        let mut orphans = self.orphans.lock().unwrap_or_else(PoisonError::into_inner);
        for order_no in order_nos {
            orphans.remove(order_no);
        }
    }

    /// Counts this alert among those of its kind and subject that were raised on this day; which of them it is. `None`
    /// if it was raised already, or so many of them were: a flood costs a few writes.
    pub(super) fn counted_today(&self, alert: &Alert, day: &str, most: usize) -> Option<usize> {
        let mut raised = self.raised_today();
        if raised.0 != day {
            *raised = (day.to_owned(), HashSet::new());
        }
        let siblings = format!("{}|{}|", alert.kind, alert.subject);
        let are_siblings = |key: &&String| key.starts_with(&siblings);
        let nth = raised
            .1
            .iter()
            .filter(are_siblings)
            .count()
            .saturating_add(1);
        (nth <= most && raised.1.insert(alert.key())).then_some(nth)
    }

    /// It could not be raised after all: the next occurrence tries again.
    pub(super) fn not_raised(&self, key: &str) {
        self.raised_today().1.remove(key);
    }

    /// Raises an alert that belongs to no order's write; whether it is written.
    pub(super) async fn raise(&self, alert: &Alert, about: &About) -> bool {
        let backend = self.parts.database.backend();
        let raise = alerts::raise(backend, alert, about, self.now().wall);
        match self.parts.journal.run(raise).await {
            Ok(_) => {
                (self.parts.on_alert)();
                true
            }
            Err(error) => {
                tracing::error!(key = alert.key(), %error, "an alert could not be raised");
                false
            }
        }
    }

    fn raised_today(&self) -> MutexGuard<'_, (String, HashSet<String>)> {
        self.raised_today
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn leave(&self) {
        self.leaving.send_replace(true);
    }

    /// What `work` brings within `limit`, unless the runtime leaves before.
    pub(super) async fn within<T>(
        &self,
        limit: Duration,
        work: impl Future<Output = T>,
    ) -> Option<T> {
        let mut leaving = self.leaving.subscribe();
        tokio::select! {
            biased;
            brought = work => Some(brought),
            // The sender lives as long as we do.
            _ = leaving.wait_for(|leaving| *leaving) => None,
            () = tokio::time::sleep(limit) => None,
        }
    }

    pub(super) fn is_closing(&self) -> bool {
        self.closing.load(Ordering::Acquire)
    }
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Shared")
            .field("epoch", &self.parts.epoch)
            .finish_non_exhaustive()
    }
}

/// Rules for orders whose channel is not configured any more: no call is ever made for them.
fn rules_without_a_channel(like: Option<&Arc<Rules>>) -> Rules {
    let capabilities = Capabilities {
        one_charge_per_key: false,
        resubmits: false,
        key_life_ms: None,
        closes: false,
        refunds: false,
        own_expiry: false,
        asynchronous: false,
        repeats_action: false,
        settles_within_ms: 0,
    };
    match like {
        Some(rules) => Rules {
            capabilities,
            fingerprint: None,
            ..rules.as_ref().clone()
        },
        None => Rules {
            capabilities,
            fingerprint: None,
            late_success: LateSuccess::Manual,
            on_refund: OnRefund::Debt,
            ui_deadline_ms: 60_000,
            submit_timeout_ms: 3_000,
            query_timeout_ms: 3_000,
            read_timeout_ms: 120_000,
            schedule_ms: vec![60_000, 300_000, 900_000],
            pending_schedule_ms: vec![30_000],
            expiry_attempts: 24,
            expiry_margin_ms: 600_000,
            startup_grace_ms: 120_000,
            not_found_grace_ms: 120_000,
            max_submits: 3,
            second_person_above: BTreeMap::new(),
        },
    }
}
