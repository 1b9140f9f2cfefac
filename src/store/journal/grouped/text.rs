//! The fixed texts, made from the entities' columns.

use super::super::rows::{FIXED_AT_CREATION, OVER_WITH_MANUAL};
use super::super::verdict::ended;
use super::table::{Parameter, Present, Source, names};
use entities::{alerts, callbacks, idempotency_keys, order_events, orders, payments};
use sea_orm::{EntityTrait, IdenStatic};
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

/// One text in one round trip: the write and everything in it. Only what the batch holds has a statement, since each
/// one wakes the writer once; the few texts that batches really need are made once.
pub(super) fn sqlite(present: Present) -> Arc<str> {
    static MADE: Mutex<BTreeMap<Present, Arc<str>>> = Mutex::new(BTreeMap::new());
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    Arc::clone(
        made.entry(present)
            .or_insert_with(|| sqlite_text(present).into()),
    )
}

fn sqlite_text(present: Present) -> String {
    let texts = Texts {
        source: Source::Sqlite,
        guard: "EXISTS (SELECT 1 FROM orders AS o WHERE o.order_id = x.guard_order \
                AND o.last_decision = x.guard_decision)",
        lock: "",
    };
    let orders = [
        (Parameter::Creates, texts.creates()),
        (Parameter::Updates, texts.updates()),
    ];
    let steps: Vec<_> = orders
        .into_iter()
        .chain(texts.followers())
        .filter(|(parameter, _)| present.has(*parameter))
        .map(|(_, text)| text)
        .collect();
    // One row, since each would be handed over by itself.
    format!(
        "BEGIN IMMEDIATE;\n{};\nSELECT coalesce(group_concat(x.guard_decision, ' '), '') FROM {} WHERE {};\nCOMMIT",
        steps.join(";\n"),
        texts.rows(Parameter::Decisions),
        texts.guard,
    )
}

/// One statement, which is one write: what matched is known from RETURNING.
pub(super) fn postgres() -> &'static str {
    static TEXT: LazyLock<String> = LazyLock::new(|| {
        let texts = Texts {
            source: Source::Postgres,
            guard: "EXISTS (SELECT 1 FROM done WHERE done.order_id = x.guard_order \
                    AND done.last_decision = x.guard_decision)",
            // Whoever takes the next epoch waits for this write, or this write sees that it is over.
            lock: " FOR SHARE",
        };
        let followers = (1..)
            .zip(texts.followers())
            .map(|(n, (_, text))| format!(",\nf{n} AS ({text})"));
        format!(
            "WITH created AS ({creates} RETURNING order_id, last_decision),\n\
             updated AS ({updates} RETURNING orders.order_id, orders.last_decision),\n\
             done AS (SELECT * FROM created UNION ALL SELECT * FROM updated){followers}\n\
             SELECT coalesce(string_agg(last_decision, ' '), '') FROM done",
            creates = texts.creates(),
            updates = texts.updates(),
            followers = followers.collect::<String>(),
        )
    });
    &TEXT
}

/// What the two texts do not share.
struct Texts {
    source: Source,
    /// Whether the decision of row `x` stands in its order.
    guard: &'static str,
    lock: &'static str,
}

impl Texts {
    fn epoch(&self) -> String {
        let number = Parameter::Epoch.placeholder();
        format!(
            "(SELECT epoch FROM runtime WHERE id = 1{}) = {number}",
            self.lock
        )
    }

    fn creates(&self) -> String {
        let columns = names::<orders::Entity>(&[]);
        let rows = self.rows(Parameter::Creates);
        format!(
            "INSERT INTO orders ({}) SELECT {} FROM {rows} WHERE {} AND (x.replaces IS NULL OR EXISTS \
             (SELECT 1 FROM orders AS r WHERE r.order_no = x.replaces AND r.status IN ({ended})) AND NOT EXISTS \
             (SELECT 1 FROM orders AS s WHERE s.replaces = x.replaces AND s.status NOT IN ({ended}))) \
             ON CONFLICT DO NOTHING",
            columns.join(", "),
            of_x(&columns),
            self.epoch(),
            ended = quoted(ended()),
        )
    }

    fn updates(&self) -> String {
        let fixed: Vec<_> = FIXED_AT_CREATION.iter().map(IdenStatic::as_str).collect();
        let changes: Vec<_> = names::<orders::Entity>(&fixed)
            .iter()
            .map(|name| format!("{name} = x.{name}"))
            .collect();
        let rows = self.rows(Parameter::Updates);
        format!(
            "UPDATE orders SET {} FROM {rows} WHERE orders.order_id = x.order_id \
             AND orders.version = x.expected_version AND {} AND (NOT x.unless_replaced OR NOT EXISTS \
             (SELECT 1 FROM orders AS s WHERE s.replaces = orders.order_no AND s.status NOT IN ({})))",
            changes.join(", "),
            self.epoch(),
            quoted(ended()),
        )
    }

    /// Everything that is written only for decisions that stand.
    fn followers(&self) -> Vec<(Parameter, String)> {
        let known = "NOT EXISTS (SELECT 1 FROM alert_keys AS k WHERE k.key = x.key)";
        let alerts = self.rows(Parameter::Alerts);
        vec![
            self.insert::<order_events::Entity>(Parameter::Events, ""),
            self.insert::<payments::Entity>(Parameter::Payments, ""),
            (Parameter::KeptPayments, self.own_payments()),
            self.insert::<callbacks::Entity>(Parameter::Notices, ""),
            (Parameter::RepeatedNotices, self.repeated_notices()),
            (Parameter::Resolutions, self.resolutions()),
            (
                Parameter::Alerts,
                format!(
                    "UPDATE alerts SET seen_count = alerts.seen_count + 1 FROM {alerts} \
                     WHERE alerts.key = x.key AND {}",
                    self.guard
                ),
            ),
            self.insert::<alerts::Entity>(Parameter::Alerts, &format!(" AND {known}")),
            (
                Parameter::Alerts,
                format!(
                    "INSERT INTO alert_keys (key, at) SELECT x.key, x.created_at FROM {alerts} \
                     WHERE {} ON CONFLICT DO NOTHING",
                    self.guard
                ),
            ),
            // Another payload leaves the key without a digest, which the column refuses.
            self.insert::<idempotency_keys::Entity>(
                Parameter::IdempotencyKeys,
                " ON CONFLICT (owner, route, key) DO UPDATE SET payload_digest = \
                 CASE WHEN idempotency_keys.payload_digest = excluded.payload_digest \
                 THEN excluded.payload_digest END",
            ),
        ]
    }

    fn rows(&self, parameter: Parameter) -> String {
        self.source.rows(parameter, "x")
    }

    fn insert<E: EntityTrait>(&self, parameter: Parameter, tail: &str) -> (Parameter, String) {
        let columns = names::<E>(&[]);
        let text = format!(
            "INSERT INTO {} ({}) SELECT {} FROM {} WHERE {}{tail}",
            E::default().table_name(),
            columns.join(", "),
            of_x(&columns),
            self.rows(parameter),
            self.guard,
        );
        (parameter, text)
    }

    fn own_payments(&self) -> String {
        format!(
            "UPDATE payments SET own = x.own, amount = x.amount, currency = x.currency FROM {} WHERE payments.channel = x.channel \
             AND payments.trade_no = x.trade_no AND payments.order_id = x.order_id \
             AND (payments.own <> x.own OR payments.amount <> x.amount OR payments.currency <> x.currency) \
             AND {}",
            self.rows(Parameter::KeptPayments),
            self.guard,
        )
    }

    fn repeated_notices(&self) -> String {
        format!(
            "UPDATE callbacks SET seen_count = callbacks.seen_count + 1, last_seen_at = x.last_seen_at \
             FROM {} WHERE callbacks.channel = x.channel AND callbacks.callback_key = x.callback_key \
             AND callbacks.status = x.status AND {}",
            self.rows(Parameter::RepeatedNotices),
            self.guard,
        )
    }

    /// What the write itself raises is not over.
    fn resolutions(&self) -> String {
        let rows = self.rows(Parameter::Resolutions);
        let raised = self.source.rows(Parameter::Alerts, "raised");
        format!(
            "UPDATE alerts SET status = 'resolved', resolved_at = x.at FROM {rows} \
             WHERE alerts.order_id = x.guard_order AND alerts.status <> 'resolved' \
             AND alerts.severity = 'action' AND alerts.kind IN ({}) AND NOT EXISTS \
             (SELECT 1 FROM {raised} WHERE raised.guard_decision = x.guard_decision \
             AND raised.key = alerts.key) AND {}",
            quoted(OVER_WITH_MANUAL.iter().map(|kind| kind.as_str())),
            self.guard,
        )
    }
}

fn of_x(names: &[&str]) -> String {
    let columns: Vec<_> = names.iter().map(|name| format!("x.{name}")).collect();
    columns.join(", ")
}

/// Words of ours, which hold no quote.
fn quoted(words: impl Iterator<Item = &'static str>) -> String {
    let words: Vec<_> = words.map(|word| format!("'{word}'")).collect();
    words.join(", ")
}
