//! The fixed texts, made from the entities' columns.

use super::super::rows::{
    FIXED_AT_CREATION, OVER_WITH_MANUAL, REFUND_FIXED_AT_CREATION, names, quoted, replacing,
};
use super::super::verdict::ended;
use super::ledger;
use super::table::{Extent, Parameter, rows, rows_as};
use entities::{
    alerts, audit_log, callbacks, deliveries, fulfilments, idempotency_keys, order_events, orders,
    payments, refunds,
};
use sea_orm::{EntityTrait, IdenStatic};
use std::sync::LazyLock;

/// One statement, which is one write: what matched is known from RETURNING.
pub(super) fn text(extent: Extent) -> &'static str {
    static USUAL: LazyLock<String> = LazyLock::new(|| of(Extent::Usual));
    static ALL: LazyLock<String> = LazyLock::new(|| of(Extent::All));
    match extent {
        Extent::Usual => &USUAL,
        Extent::All => &ALL,
    }
}

fn of(extent: Extent) -> String {
    let followers = followers().into_iter();
    let followers = followers.filter(|(parameter, _)| extent.has(*parameter));
    let followers = (1..)
        .zip(followers)
        .map(|(n, (_, text))| format!(",\nf{n} AS ({text})"));
    format!(
        "WITH created AS ({creates} RETURNING order_id, last_decision),\n\
         updated AS ({updates} RETURNING orders.order_id, orders.last_decision),\n\
         done AS (SELECT * FROM created UNION ALL SELECT * FROM updated),\n\
         went AS ({moves} RETURNING balances.account, balances.kind, balances.balance, \
         balances.valid_until, balances.last_decision),\n\
         began AS ({begins} RETURNING account, kind, balance, valid_until, last_decision),\n\
         moved AS (SELECT * FROM went UNION ALL SELECT * FROM began){followers}\n\
         SELECT coalesce(string_agg(last_decision, ' '), '') FROM \
         (SELECT last_decision FROM done UNION ALL SELECT last_decision FROM moved) AS standing",
        creates = creates(),
        updates = updates(),
        moves = ledger::moves(),
        begins = ledger::begins(),
        followers = followers.collect::<String>(),
    )
}

/// Whether the decision of row `x` stands in its order. `IS TRUE` keeps it a table that is looked into by its hash: as a
/// join it would be one of nested loops, which is what the journal's connection plans.
const GUARD: &str = "((x.guard_order, x.guard_decision) IN \
                     (SELECT order_id, last_decision FROM done)) IS TRUE";

/// Whoever takes the next epoch waits for this write, or this write sees that it is over.
pub(super) fn epoch() -> String {
    let number = Parameter::Epoch.placeholder();
    format!("(SELECT epoch FROM runtime WHERE id = 1 FOR SHARE) = {number}")
}

fn creates() -> String {
    let columns = names::<orders::Entity>(&[]);
    let rows = rows(Parameter::Creates);
    format!(
        "INSERT INTO orders ({}) SELECT {} FROM {rows} WHERE {} AND (x.replaces IS NULL OR EXISTS \
         (SELECT 1 FROM orders AS r WHERE r.order_no = x.replaces AND r.status IN ({ended})) AND NOT EXISTS \
         (SELECT 1 FROM orders AS s WHERE s.replaces = x.replaces AND s.status NOT IN ({ended}))) \
         AND (x.daily_limit IS NULL OR x.amount + coalesce((SELECT sum(d.amount) FROM orders AS d \
         WHERE d.account = x.account AND d.currency = x.currency AND d.created_at >= x.daily_since \
         AND d.status NOT IN ({ended})), 0) <= x.daily_limit) ON CONFLICT DO NOTHING",
        columns.join(", "),
        of_x(&columns),
        epoch(),
        ended = quoted(ended()),
    )
}

fn updates() -> String {
    let fixed: Vec<_> = FIXED_AT_CREATION.iter().map(IdenStatic::as_str).collect();
    let changes: Vec<_> = names::<orders::Entity>(&fixed)
        .iter()
        .map(|name| format!("{name} = x.{name}"))
        .collect();
    let rows = rows(Parameter::Updates);
    format!(
        "UPDATE orders SET {} FROM {rows} WHERE orders.order_id = x.order_id \
         AND orders.version = x.expected_version AND {} AND (NOT x.unless_replaced OR NOT EXISTS \
         (SELECT 1 FROM orders AS s WHERE s.replaces = orders.order_no AND s.status NOT IN ({})))",
        changes.join(", "),
        epoch(),
        quoted(ended()),
    )
}

/// Everything that is written only for decisions that stand, and from which rows.
fn followers() -> Vec<(Parameter, String)> {
    let mut followers = vec![
        (Parameter::Entries, ledger::entries()),
        (Parameter::Holds, ledger::holds()),
        (
            Parameter::Events,
            insert::<order_events::Entity>(Parameter::Events, ""),
        ),
        (
            Parameter::Payments,
            insert::<payments::Entity>(Parameter::Payments, ""),
        ),
        (Parameter::KeptPayments, own_payments()),
        (
            Parameter::Refunds,
            insert::<refunds::Entity>(
                Parameter::Refunds,
                &replacing::<refunds::Entity>("refund_id", &REFUND_FIXED_AT_CREATION),
            ),
        ),
        (Parameter::Queued, queued()),
        (Parameter::Granted, granted()),
        // An id of its own is made by one write alone; that it is there already is no reason to lose the write.
        (
            Parameter::Deliveries,
            insert::<deliveries::Entity>(
                Parameter::Deliveries,
                " ON CONFLICT (webhook_id) DO NOTHING",
            ),
        ),
        (
            Parameter::Audit,
            insert::<audit_log::Entity>(Parameter::Audit, ""),
        ),
        (
            Parameter::Notices,
            insert::<callbacks::Entity>(Parameter::Notices, ""),
        ),
        (Parameter::RepeatedNotices, repeated_notices()),
        (Parameter::Resolutions, resolutions()),
        (Parameter::ResolvedKeys, resolved_keys()),
        (Parameter::IdempotencyKeys, idempotency_keys()),
    ];
    followers.extend(alerts().map(|text| (Parameter::Alerts, text)));
    followers
}

/// What is known already is counted.
fn alerts() -> [String; 3] {
    let known = "NOT EXISTS (SELECT 1 FROM alert_keys AS k WHERE k.key = x.key)";
    let alerts = rows(Parameter::Alerts);
    [
        format!(
            "UPDATE alerts SET seen_count = alerts.seen_count + 1 FROM {alerts} \
             WHERE alerts.key = x.key AND {GUARD}"
        ),
        insert::<alerts::Entity>(Parameter::Alerts, &format!(" AND {known}")),
        format!(
            "INSERT INTO alert_keys (key, at) SELECT x.key, x.created_at FROM {alerts} \
             WHERE {GUARD} ON CONFLICT DO NOTHING"
        ),
    ]
}

fn queued() -> String {
    let replaced = replacing::<fulfilments::Entity>(
        "order_no, kind",
        &["order_no", "kind", "order_id", "created_at"],
    );
    insert::<fulfilments::Entity>(Parameter::Queued, &replaced)
}

/// Another payload leaves the key without a digest, which the column refuses.
fn idempotency_keys() -> String {
    insert::<idempotency_keys::Entity>(
        Parameter::IdempotencyKeys,
        " ON CONFLICT (owner, route, key) DO UPDATE SET payload_digest = \
         CASE WHEN idempotency_keys.payload_digest = excluded.payload_digest \
         THEN excluded.payload_digest END",
    )
}

fn insert<E: EntityTrait>(parameter: Parameter, tail: &str) -> String {
    let columns = names::<E>(&[]);
    format!(
        "INSERT INTO {} ({}) SELECT {} FROM {} WHERE {GUARD}{tail}",
        E::default().table_name(),
        columns.join(", "),
        of_x(&columns),
        rows(parameter),
    )
}

fn own_payments() -> String {
    format!(
        "UPDATE payments SET own = x.own, amount = x.amount, currency = x.currency FROM {} WHERE payments.channel = x.channel \
         AND payments.trade_no = x.trade_no AND payments.order_id = x.order_id \
         AND (payments.own <> x.own OR payments.amount <> x.amount OR payments.currency <> x.currency) \
         AND {GUARD}",
        rows(Parameter::KeptPayments),
    )
}

fn granted() -> String {
    format!(
        "UPDATE fulfilments SET status = x.status, leased_by = NULL, updated_at = x.updated_at FROM {} \
         WHERE fulfilments.order_no = x.order_no AND fulfilments.kind = x.kind AND {GUARD}",
        rows(Parameter::Granted),
    )
}

fn resolved_keys() -> String {
    format!(
        "UPDATE alerts SET status = 'resolved', resolved_at = x.at FROM {} \
         WHERE alerts.key = x.key AND alerts.status <> 'resolved' AND {GUARD}",
        rows(Parameter::ResolvedKeys),
    )
}

fn repeated_notices() -> String {
    format!(
        "UPDATE callbacks SET seen_count = callbacks.seen_count + 1, last_seen_at = x.last_seen_at \
         FROM {} WHERE callbacks.channel = x.channel AND callbacks.callback_key = x.callback_key \
         AND callbacks.status = x.status AND {GUARD}",
        rows(Parameter::RepeatedNotices),
    )
}

/// What the write itself raises is not over.
fn resolutions() -> String {
    let rows = rows(Parameter::Resolutions);
    let raised = rows_as(Parameter::Alerts, "raised");
    format!(
        "UPDATE alerts SET status = 'resolved', resolved_at = x.at FROM {rows} \
         WHERE alerts.order_id = x.guard_order AND alerts.status <> 'resolved' \
         AND alerts.severity = 'action' AND alerts.kind IN ({}) AND NOT EXISTS \
         (SELECT 1 FROM {raised} WHERE raised.guard_decision = x.guard_decision \
         AND raised.key = alerts.key) AND {}",
        quoted(OVER_WITH_MANUAL.iter().map(|kind| kind.as_str())),
        GUARD,
    )
}

pub(super) fn of_x(names: &[&str]) -> String {
    let columns: Vec<_> = names.iter().map(|name| format!("x.{name}")).collect();
    columns.join(", ")
}
