//! The names, units and meanings under which metrics are exposed.

use super::metrics::Metrics;
use crate::domain::UnixMillis;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::registry::{Registry, Unit};

impl Metrics {
    pub(super) fn registered(&self, started_at: UnixMillis) -> Registry {
        let mut root = Registry::default();
        root.register_with_unit(
            "process_start_time",
            "When this runtime started, since 1970-01-01",
            Unit::Seconds,
            ConstGauge::new(started_at.0 / 1000),
        );
        let ours = root.sub_registry_with_prefix("oncepay");
        ours.register(
            "orders_created",
            "Orders created",
            self.orders_created.clone(),
        );
        ours.register(
            "orders",
            "Orders that stand in each status",
            self.orders.clone(),
        );
        ours.register(
            "open_alerts",
            "Alerts that nobody has acknowledged, up to 1000",
            self.open_alerts.clone(),
        );
        ours.register(
            "callbacks",
            "Callbacks by channel and result",
            self.callbacks.clone(),
        );
        ours.register_with_unit(
            "http_request_duration",
            "Time to answer a request",
            Unit::Seconds,
            self.requests.clone(),
        );
        self.register_swept(ours);
        self.register_inner_parts(ours);
        self.register_outbox(ours);
        root
    }

    fn register_outbox(&self, ours: &mut Registry) {
        ours.register(
            "deliveries",
            "Attempts to deliver a webhook by what came of them",
            self.deliveries.clone(),
        );
        ours.register(
            "grants",
            "What was granted, and attempts that failed",
            self.grants.clone(),
        );
        ours.register(
            "outbox_waiting",
            "Grants and webhooks that wait, up to 1000",
            self.outbox_waiting.clone(),
        );
        ours.register_with_unit(
            "outbox_oldest_age",
            "How long the oldest of those has waited",
            Unit::Seconds,
            self.outbox_oldest.clone(),
        );
    }

    fn register_swept(&self, ours: &mut Registry) {
        ours.register(
            "paid_not_fulfilled",
            "Entitlements of paid orders that were not granted for ten minutes, as the last sweep found them",
            self.swept.paid_not_fulfilled.clone(),
        );
        ours.register(
            "fulfilled_not_paid",
            "Grants whose orders are not paid, as the last sweep found them",
            self.swept.fulfilled_not_paid.clone(),
        );
        ours.register(
            "duplicate_entitlement",
            "Entitlements of which more was granted than their orders have, as the last sweep found them",
            self.swept.duplicate_entitlement.clone(),
        );
    }

    fn register_inner_parts(&self, ours: &mut Registry) {
        ours.register(
            "journal_batch_size",
            "Writes in one commit of the journal",
            self.journal_batch.clone(),
        );
        ours.register_with_unit(
            "journal_wait",
            "From handing a write to the journal to its commit",
            Unit::Seconds,
            self.journal_wait.clone(),
        );
        ours.register(
            "journal_queued",
            "Writes that wait for the journal",
            self.journal_queued.clone(),
        );
        ours.register(
            "channel_calls",
            "Calls to channels by the class of their answer",
            self.calls.clone(),
        );
        ours.register_with_unit(
            "channel_call_duration",
            "Time until a channel answered",
            Unit::Seconds,
            self.call_durations.clone(),
        );
        ours.register(
            "channel_circuit",
            "0: submits go out; 1: the channel does not answer and they are held back; 2: the next one is a try",
            self.circuits.clone(),
        );
    }
}
