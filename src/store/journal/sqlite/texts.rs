//! The statements, made from the entities' columns. Values are bound in the order of the columns.

use super::super::rows::{
    FIXED_AT_CREATION, OVER_WITH_MANUAL, REFUND_FIXED_AT_CREATION, names, quoted, replacing,
};
use super::super::verdict::ended;
use super::bind::Without;
use entities::{
    alerts, audit_log, balances, callbacks, deliveries, fulfilments, holds, idempotency_keys,
    ledger_entries, order_events, orders, payments, refunds,
};
use sea_orm::{EntityTrait, IdenStatic};

/// One text for each thing that is written.
pub(super) struct Texts {
    pub(super) epoch: String,
    pub(super) create: String,
    /// With what the order replaces, and what its account's orders of a day may add up to: two values more.
    pub(super) create_within: String,
    /// The columns of an order that may change; then its id and the version that it must have.
    pub(super) update: String,
    pub(super) update_unless_replaced: String,
    /// What both of them leave out.
    pub(super) fixed: Without,
    pub(super) event: String,
    pub(super) payment: String,
    /// `own`, amount, currency; channel, trade, order.
    pub(super) kept_payment: String,
    pub(super) refund: String,
    pub(super) queued: String,
    /// Status, moment; order number, kind.
    pub(super) granted: String,
    pub(super) delivery: String,
    pub(super) audit: String,
    pub(super) notice: String,
    /// Moment; channel, key, status.
    pub(super) repeated_notice: String,
    /// Moment; order; keys of alerts that stay, as a JSON array.
    pub(super) resolve: String,
    /// Moment; key.
    pub(super) resolve_key: String,
    /// Key; moment. Nothing changes where the key is known.
    pub(super) alert_key: String,
    pub(super) alert: String,
    /// Key.
    pub(super) alert_again: String,
    pub(super) idempotency_key: String,
    /// Account, kind.
    pub(super) balance: String,
    /// A row of `balances`, whatever it was.
    pub(super) moved: String,
    /// Account, source.
    pub(super) is_booked: String,
    pub(super) entry: String,
    /// The database numbers an entry.
    pub(super) number: Without,
    pub(super) hold: String,
}

impl Texts {
    pub(super) fn new() -> Self {
        let fixed: Vec<_> = FIXED_AT_CREATION.iter().map(IdenStatic::as_str).collect();
        let update = update(&names::<orders::Entity>(&fixed));
        Self {
            epoch: "SELECT epoch FROM runtime WHERE id = 1".to_owned(),
            create: insert::<orders::Entity>(" ON CONFLICT DO NOTHING"),
            create_within: create_within(),
            update_unless_replaced: format!("{update}{}", unless_replaced()),
            update,
            fixed: Without::of(&names::<orders::Entity>(&[]), &fixed),
            event: insert::<order_events::Entity>(""),
            payment: insert::<payments::Entity>(""),
            kept_payment:
                "UPDATE payments SET own = ?1, amount = ?2, currency = ?3 WHERE channel = ?4 \
                           AND trade_no = ?5 AND order_id = ?6 \
                           AND (own <> ?1 OR amount <> ?2 OR currency <> ?3)"
                    .to_owned(),
            refund: insert::<refunds::Entity>(&replacing::<refunds::Entity>(
                "refund_id",
                &REFUND_FIXED_AT_CREATION,
            )),
            queued: insert::<fulfilments::Entity>(&replacing::<fulfilments::Entity>(
                "order_no, kind",
                &["order_no", "kind", "order_id", "created_at"],
            )),
            granted: "UPDATE fulfilments SET status = ?1, leased_by = NULL, updated_at = ?2 \
                      WHERE order_no = ?3 AND kind = ?4"
                .to_owned(),
            // An id of its own is made by one write alone; that it is there already is no reason to lose the write.
            delivery: insert::<deliveries::Entity>(" ON CONFLICT (webhook_id) DO NOTHING"),
            audit: insert::<audit_log::Entity>(""),
            notice: insert::<callbacks::Entity>(""),
            repeated_notice: "UPDATE callbacks SET seen_count = seen_count + 1, last_seen_at = ?1 \
                              WHERE channel = ?2 AND callback_key = ?3 AND status = ?4"
                .to_owned(),
            resolve: format!(
                "UPDATE alerts SET status = 'resolved', resolved_at = ?1 WHERE order_id = ?2 \
                 AND status <> 'resolved' AND severity = 'action' AND kind IN ({}) \
                 AND key NOT IN (SELECT value FROM json_each(?3))",
                quoted(OVER_WITH_MANUAL.iter().map(|kind| kind.as_str()))
            ),
            resolve_key: "UPDATE alerts SET status = 'resolved', resolved_at = ?1 WHERE key = ?2 \
                          AND status <> 'resolved'"
                .to_owned(),
            alert_key: "INSERT INTO alert_keys (key, at) VALUES (?1, ?2) ON CONFLICT DO NOTHING"
                .to_owned(),
            alert: insert::<alerts::Entity>(""),
            alert_again: "UPDATE alerts SET seen_count = seen_count + 1 WHERE key = ?1".to_owned(),
            // Another payload leaves the key without a digest, which the column refuses.
            idempotency_key: insert::<idempotency_keys::Entity>(
                " ON CONFLICT (owner, route, key) DO UPDATE SET payload_digest = \
                 CASE WHEN idempotency_keys.payload_digest = excluded.payload_digest \
                 THEN excluded.payload_digest END",
            ),
            balance: format!(
                "SELECT {} FROM balances WHERE account = ?1 AND kind = ?2",
                names::<balances::Entity>(&[]).join(", ")
            ),
            moved: insert::<balances::Entity>(&replacing::<balances::Entity>(
                "account, kind",
                &["account", "kind"],
            )),
            is_booked: "SELECT 1 FROM ledger_entries WHERE account = ?1 AND source = ?2".to_owned(),
            entry: insert_without::<ledger_entries::Entity>(&["seq"], ""),
            number: Without::of(&names::<ledger_entries::Entity>(&[]), &["seq"]),
            hold: insert::<holds::Entity>(&replacing::<holds::Entity>(
                "account, hold_no",
                &["account", "hold_no", "kind", "created_at"],
            )),
        }
    }
}

fn insert<E: EntityTrait>(tail: &str) -> String {
    insert_without::<E>(&[], tail)
}

fn insert_without<E: EntityTrait>(without: &[&str], tail: &str) -> String {
    let columns = names::<E>(without);
    format!(
        "INSERT INTO {} ({}) VALUES ({}){tail}",
        E::default().table_name(),
        columns.join(", "),
        places(columns.len())
    )
}

/// `?1, ?2, …`, so many.
fn places(count: usize) -> String {
    let places: Vec<_> = (1..=count).map(|place| format!("?{place}")).collect();
    places.join(", ")
}

/// The place of this column among the values of its row.
fn place_of<E: EntityTrait>(column: &str) -> String {
    let place = (1..).zip(names::<E>(&[])).find(|(_, name)| *name == column);
    format!("?{}", place.map_or(0, |(place, _)| place))
}

fn create_within() -> String {
    let columns = names::<orders::Entity>(&[]);
    let own = place_of::<orders::Entity>;
    let (limit, since) = (
        columns.len().saturating_add(1),
        columns.len().saturating_add(2),
    );
    format!(
        "INSERT INTO orders ({}) SELECT {} WHERE ({replaces} IS NULL OR EXISTS \
         (SELECT 1 FROM orders AS r WHERE r.order_no = {replaces} AND r.status IN ({ended})) AND NOT EXISTS \
         (SELECT 1 FROM orders AS s WHERE s.replaces = {replaces} AND s.status NOT IN ({ended}))) \
         AND (?{limit} IS NULL OR {amount} + coalesce((SELECT sum(d.amount) FROM orders AS d \
         WHERE d.account = {account} AND d.currency = {currency} AND d.created_at >= ?{since} \
         AND d.status NOT IN ({ended})), 0) <= ?{limit}) ON CONFLICT DO NOTHING",
        columns.join(", "),
        places(columns.len()),
        replaces = own("replaces"),
        amount = own("amount"),
        account = own("account"),
        currency = own("currency"),
        ended = quoted(ended()),
    )
}

fn update(changing: &[&str]) -> String {
    let changes: Vec<_> = (1..)
        .zip(changing)
        .map(|(place, name)| format!("{name} = ?{place}"))
        .collect();
    let (id, version) = (
        changing.len().saturating_add(1),
        changing.len().saturating_add(2),
    );
    format!(
        "UPDATE orders SET {} WHERE order_id = ?{id} AND version = ?{version}",
        changes.join(", ")
    )
}

fn unless_replaced() -> String {
    format!(
        " AND NOT EXISTS (SELECT 1 FROM orders AS s WHERE s.replaces = orders.order_no \
         AND s.status NOT IN ({}))",
        quoted(ended())
    )
}
