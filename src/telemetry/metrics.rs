//! Counters and durations, exposed in the text format of Prometheus.

use super::labels::{
    CallLabels, CallOutcomeLabels, CallbackLabels, ChannelLabels, OutboxLabels, OutcomeLabels,
    RequestLabels, StatusLabels,
};
use crate::domain::UnixMillis;
use crate::domain::order::OrderStatus;
use crate::store::journal::JournalHealth;
use prometheus_client::encoding::prometheus_text;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;
use std::sync::Arc;
use std::time::Duration;

/// Upper bounds in seconds: from a commit in memory to a channel that answers after a minute.
const SECONDS: [f64; 14] = [
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 3.0, 10.0, 30.0, 120.0,
];
/// Writes in one batch of the journal, which takes at most 512.
const BATCH: [f64; 10] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0];

fn seconds() -> Histogram {
    Histogram::new(SECONDS)
}

type Durations<L> = Family<L, Histogram, fn() -> Histogram>;

/// What the last sweep over our own tables found.
#[derive(Clone, Default)]
pub(super) struct SweptGauges {
    pub(super) paid_not_fulfilled: Gauge,
    pub(super) fulfilled_not_paid: Gauge,
    pub(super) duplicate_entitlement: Gauge,
}

/// The metrics of one runtime. Clones share them.
#[derive(Clone)]
pub struct Metrics {
    registry: Arc<Registry>,
    pub(super) orders_created: Counter,
    pub(super) orders: Family<StatusLabels, Gauge>,
    pub(super) open_alerts: Gauge,
    pub(super) swept: SweptGauges,
    pub(super) callbacks: Family<CallbackLabels, Counter>,
    pub(super) requests: Durations<RequestLabels>,
    pub(super) journal_batch: Histogram,
    pub(super) journal_wait: Histogram,
    pub(super) journal_queued: Gauge,
    pub(super) calls: Family<CallOutcomeLabels, Counter>,
    pub(super) call_durations: Durations<CallLabels>,
    pub(super) circuits: Family<ChannelLabels, Gauge>,
    pub(super) deliveries: Family<OutcomeLabels, Counter>,
    pub(super) grants: Family<OutcomeLabels, Counter>,
    pub(super) outbox_waiting: Family<OutboxLabels, Gauge>,
    pub(super) outbox_oldest: Family<OutboxLabels, Gauge>,
}

impl std::fmt::Debug for Metrics {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Metrics").finish_non_exhaustive()
    }
}

impl Metrics {
    /// Fresh metrics of a runtime that started at `started_at`.
    #[must_use]
    pub fn new(started_at: UnixMillis) -> Self {
        let mut metrics = Self {
            registry: Arc::default(),
            orders_created: Counter::default(),
            orders: Family::default(),
            open_alerts: Gauge::default(),
            swept: SweptGauges::default(),
            callbacks: Family::default(),
            requests: Family::new_with_constructor(seconds),
            journal_batch: Histogram::new(BATCH),
            journal_wait: seconds(),
            journal_queued: Gauge::default(),
            calls: Family::default(),
            call_durations: Family::new_with_constructor(seconds),
            circuits: Family::default(),
            deliveries: Family::default(),
            grants: Family::default(),
            outbox_waiting: Family::default(),
            outbox_oldest: Family::default(),
        };
        metrics.registry = Arc::new(metrics.registered(started_at));
        metrics
    }

    /// An order was committed for the first time.
    pub fn order_created(&self) {
        self.orders_created.inc();
    }

    /// A callback was answered; `result` is one of few words.
    pub fn callback(&self, channel: &str, result: &str) {
        let labels = CallbackLabels {
            channel: channel.to_owned(),
            result: result.to_owned(),
        };
        self.callbacks.get_or_create(&labels).inc();
    }

    /// A request was answered.
    pub fn request(&self, labels: &RequestLabels, took: Duration) {
        self.requests
            .get_or_create(labels)
            .observe(took.as_secs_f64());
    }

    /// The journal has committed a batch; `waited` is what its oldest write waited.
    pub fn journal_batch(&self, writes: usize, waited: Duration) {
        let writes = u32::try_from(writes).unwrap_or(u32::MAX);
        self.journal_batch.observe(f64::from(writes));
        self.journal_wait.observe(waited.as_secs_f64());
    }

    /// A channel has answered a `submit`, a `query` or a `close`, or has not.
    pub fn channel_call(&self, labels: CallLabels, outcome: &str, took: Duration) {
        self.call_durations
            .get_or_create(&labels)
            .observe(took.as_secs_f64());
        let labels = CallOutcomeLabels {
            channel: labels.channel,
            call: labels.call,
            outcome: outcome.to_owned(),
        };
        self.calls.get_or_create(&labels).inc();
    }

    /// A channel's circuit: 0 closed, 1 open, 2 the next submit is a try.
    pub fn set_circuit(&self, channel: &str, level: i64) {
        let labels = ChannelLabels {
            channel: channel.to_owned(),
        };
        self.circuits.get_or_create(&labels).set(level);
    }

    /// An attempt to deliver a webhook has ended: `delivered`, `missed` (it is tried again), `failed` or `gone`.
    pub fn delivery(&self, outcome: &'static str) {
        self.deliveries
            .get_or_create(&OutcomeLabels { outcome })
            .inc();
    }

    /// Something was granted, or could not be: `granted` or `failed`.
    pub fn grant(&self, outcome: &'static str) {
        self.grants.get_or_create(&OutcomeLabels { outcome }).inc();
    }

    /// How many rows of the outbox wait in `queue` (`grants` or `deliveries`), and for how long the oldest has.
    pub fn set_outbox(&self, queue: &'static str, waiting: usize, oldest_s: i64) {
        let labels = OutboxLabels { queue };
        let waiting = i64::try_from(waiting).unwrap_or(i64::MAX);
        self.outbox_waiting.get_or_create(&labels).set(waiting);
        self.outbox_oldest.get_or_create(&labels).set(oldest_s);
    }

    /// How many orders stand in each status; a status that is not named has none.
    pub fn set_orders(&self, counts: &[(OrderStatus, i64)]) {
        for status in OrderStatus::ALL {
            let count = counts.iter().find(|(counted, _)| counted == status);
            let labels = StatusLabels {
                status: status.as_str(),
            };
            self.orders
                .get_or_create(&labels)
                .set(count.map_or(0, |(_, count)| *count));
        }
    }

    pub fn set_open_alerts(&self, count: usize) {
        self.open_alerts
            .set(i64::try_from(count).unwrap_or(i64::MAX));
    }

    /// What the last sweep found: kinds of entitlements of orders.
    pub fn set_swept(
        &self,
        paid_not_fulfilled: usize,
        fulfilled_not_paid: usize,
        duplicate_entitlement: usize,
    ) {
        let set = |gauge: &Gauge, count: usize| {
            gauge.set(i64::try_from(count).unwrap_or(i64::MAX));
        };
        set(&self.swept.paid_not_fulfilled, paid_not_fulfilled);
        set(&self.swept.fulfilled_not_paid, fulfilled_not_paid);
        set(&self.swept.duplicate_entitlement, duplicate_entitlement);
    }

    pub fn set_journal(&self, health: &JournalHealth) {
        self.journal_queued
            .set(i64::try_from(health.queued).unwrap_or(i64::MAX));
    }

    /// Everything in the text format of Prometheus (0.0.4).
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = String::new();
        match prometheus_text::encode(&mut text, &self.registry) {
            Ok(()) => text,
            Err(std::fmt::Error) => String::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scrape_names_every_status_and_counts_callbacks_by_result() {
        let metrics = Metrics::new(UnixMillis(1_700_000_000_000));
        metrics.set_orders(&[(OrderStatus::Paid, 3)]);
        metrics.callback("sandbox", "kept");
        metrics.callback("sandbox", "kept");
        metrics.order_created();
        let text = metrics.text();
        for line in [
            "process_start_time_seconds 1700000000",
            "oncepay_orders{status=\"PAID\"} 3",
            "oncepay_orders{status=\"MANUAL\"} 0",
            "oncepay_callbacks_total{channel=\"sandbox\",result=\"kept\"} 2",
            "oncepay_orders_created_total 1",
        ] {
            assert!(text.contains(line), "{line} is missing from\n{text}");
        }
    }
}
