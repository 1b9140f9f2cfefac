//! The sweep: what does not add up is found, queued again where it was missed, told once where it stays.

use crate::stage::{Stage, create, order, paid_by, play, to};
use entities::orders;
use oncepay::clock::SystemClock;
use oncepay::domain::UnixMillis;
use oncepay::domain::order::{
    Entitlement, EntitlementStatus, FulfilmentChange, Order, OrderStatus, Posting,
};
use oncepay::fulfilment::OutboxBell;
use oncepay::fulfilment::sweep::{Sweep, Swept};
use oncepay::store::alerts;
use oncepay::store::sweep::grants::unexplained;
use oncepay::telemetry::Metrics;
use sea_orm::{IdenStatic, Iterable};

/// A runtime's sweep; orders of the stage were paid long ago for it.
fn sweep(stage: &Stage) -> Sweep {
    Sweep::new(
        stage.database.clone(),
        stage.journal.clone(),
        SystemClock::start(),
        Metrics::new(UnixMillis(0)),
        OutboxBell::default(),
    )
}

async fn swept(stage: &Stage) -> Swept {
    sweep(stage).once().await.unwrap()
}

/// A paid order for 1000 credits, its grant in the outbox.
async fn paid(stage: &Stage, order_no: &str) -> Order {
    let mut new = order(order_no);
    new.account = Some("user-1".into());
    new.entitlements = vec![Entitlement::new("credits".into(), 1000)];
    let created = stage.done(create(new)).await;
    let mut write = paid_by(&created, &format!("T-{order_no}"));
    write.fulfilments = vec![FulfilmentChange::Queue {
        kind: "credits".into(),
    }];
    stage.done(write).await
}

fn posting(account: &str, source: String, quantity: i64) -> Posting {
    Posting {
        account: account.into(),
        kind: "credits".into(),
        quantity,
        source,
        held: None,
    }
}

/// The grant as a worker's claim makes it.
async fn granted(stage: &Stage, order: &Order, quantity: i64) -> Order {
    let mut write = to(order, order.status);
    write.order.entitlements[0].status = EntitlementStatus::Granted;
    write.order.entitlements[0].granted = true;
    let source = format!("order:{}", order.order_no);
    write.postings = vec![posting("user-1", source, quantity)];
    write.fulfilments = vec![FulfilmentChange::Done {
        kind: "credits".into(),
    }];
    stage.done(write).await
}

/// A part is given back, which takes 250 of the credits; `posted` of them in the ledger.
async fn refunded(stage: &Stage, order: &Order, posted: i64) {
    let refund = format!(
        "INSERT INTO refunds (refund_id, order_id, refund_no, channel, trade_no, amount, currency, status, source, \
         actor, version, send_count, accepted, check_count, created_at, updated_at) VALUES ('ref_{0}', '{1}', 'r-1', \
         'sandbox', 'T-{0}', 500, 'CNY', 'SUCCEEDED', 'merchant', 'api:shop', 1, 1, true, 0, 1, 1)",
        order.order_no, order.order_id
    );
    stage.execute(&refund).await;
    let mut write = to(order, OrderStatus::PartiallyRefunded);
    write.order.amount_refunded = 500;
    write.order.entitlements[0].revoked = 250;
    let source = format!("refund:{}:r-1", order.order_no);
    write.postings = vec![posting("user-1", source, -posted)];
    stage.done(write).await;
}

async fn alerts(stage: &Stage) -> Vec<(String, Option<String>)> {
    let all = alerts::list(&stage.database.read, None, None, 10)
        .await
        .unwrap();
    all.into_iter()
        .map(|alert| (alert.kind, alert.order_no))
        .collect()
}

const QUEUED: &str =
    "SELECT COUNT(*) FROM fulfilments WHERE status = 'PENDING' AND created_at > 1000000";

#[test]
fn what_was_paid_granted_and_given_back_adds_up() {
    play(|stage| async move {
        let order = paid(&stage, "A-1").await;
        let order = granted(&stage, &order, 1000).await;
        assert_eq!(swept(&stage).await, Swept::default());
        refunded(&stage, &order, 250).await;
        assert_eq!(swept(&stage).await, Swept::default());
        // Unpaid orders entitle to nothing yet.
        let mut open = self::order("A-2");
        open.account = Some("user-1".into());
        open.entitlements = vec![Entitlement::new("credits".into(), 1000)];
        stage.done(create(open)).await;
        assert_eq!(swept(&stage).await, Swept::default());
        assert_eq!(alerts(&stage).await, []);
    });
}

#[test]
fn a_grant_that_comes_after_a_restart_ends_what_ops_were_told() {
    play(|stage| async move {
        let order = paid(&stage, "A-1").await;
        let told = swept(&stage).await;
        assert_eq!(told.paid_not_fulfilled, 1);
        let standing = || alerts::list(&stage.database.read, Some("open"), None, 10);
        assert_eq!(standing().await.unwrap().len(), 1);
        granted(&stage, &order, 1000).await;
        // The one that told of it ended with its process.
        assert_eq!(swept(&stage).await, Swept::default());
        assert_eq!(standing().await.unwrap(), []);
    });
}

#[test]
fn a_grant_that_was_missed_is_queued_again_and_has_its_time_then() {
    for gone in [
        "DELETE FROM fulfilments",
        "UPDATE fulfilments SET status = 'DONE'",
    ] {
        play(|stage| async move {
            let order = paid(&stage, "A-1").await;
            stage.execute(gone).await;
            let mut sweep = sweep(&stage);
            let expected = Swept {
                paid_not_fulfilled: 1,
                queued: 1,
                ..Swept::default()
            };
            assert_eq!(sweep.once().await.unwrap(), expected, "{gone}");
            let pending = "SELECT COUNT(*) FROM fulfilments WHERE status = 'PENDING'";
            assert_eq!(stage.number(pending).await, 1, "{gone}");
            // It is in the outbox: nobody is told before it has had its time there.
            assert_eq!(alerts(&stage).await, []);
            granted(&stage, &order, 1000).await;
            assert_eq!(sweep.once().await.unwrap(), Swept::default());
        });
    }
}

#[test]
fn a_grant_that_does_not_come_is_told_once() {
    play(|stage| async move {
        let order = paid(&stage, "A-1").await;
        let mut sweep = sweep(&stage);
        let late = Swept {
            paid_not_fulfilled: 1,
            ..Swept::default()
        };
        for _ in 0..3 {
            assert_eq!(sweep.once().await.unwrap(), late);
        }
        // A worker has given it up, and the runtime was started again.
        stage
            .execute("UPDATE fulfilments SET status = 'FAILED'")
            .await;
        let given_up = Swept { queued: 1, ..late };
        assert_eq!(swept(&stage).await, given_up);
        let told = ("paid_not_fulfilled".to_owned(), Some("A-1".to_owned()));
        assert_eq!(alerts(&stage).await, [told]);
        granted(&stage, &order, 1000).await;
        assert_eq!(sweep.once().await.unwrap(), Swept::default());
        let open = "SELECT COUNT(*) FROM alerts WHERE status = 'open'";
        assert_eq!(stage.number(open).await, 0, "it has come after all");
    });
}

#[test]
fn what_is_withheld_is_never_queued() {
    play(|stage| async move {
        paid(&stage, "A-1").await;
        stage.execute("DELETE FROM fulfilments").await;
        stage.execute("UPDATE orders SET withheld = true").await;
        assert_eq!(swept(&stage).await, Swept::default());
        assert_eq!(stage.number(QUEUED).await, 0);
    });
}

#[test]
fn a_grant_without_a_payment_is_found() {
    for change in [
        "UPDATE orders SET status = 'CLOSED'",
        "UPDATE orders SET withheld = true",
        "UPDATE orders SET order_no = 'A-9'",
    ] {
        play(|stage| async move {
            let order = paid(&stage, "A-1").await;
            granted(&stage, &order, 1000).await;
            stage.execute(change).await;
            let expected = Swept {
                fulfilled_not_paid: 1,
                ..Swept::default()
            };
            assert_eq!(swept(&stage).await, expected, "{change}");
        });
    }
}

#[test]
fn more_than_the_order_entitles_to_is_found() {
    for change in [
        "UPDATE ledger_entries SET quantity = 1001",
        "UPDATE ledger_entries SET kind = 'coins'",
        "INSERT INTO ledger_entries (account, source, kind, entry_id, at, quantity, balance_after, decision_id) \
         VALUES ('user-2', 'order:A-1', 'credits', 'ent_2', 1, 1000, 1000, 'evt_1')",
    ] {
        play(|stage| async move {
            let order = paid(&stage, "A-1").await;
            granted(&stage, &order, 1000).await;
            stage.execute(change).await;
            let expected = Swept {
                duplicate_entitlement: 1,
                ..Swept::default()
            };
            assert_eq!(swept(&stage).await, expected, "{change}");
        });
    }
}

#[test]
fn a_refund_that_took_too_little_is_found() {
    play(|stage| async move {
        let order = paid(&stage, "A-1").await;
        let order = granted(&stage, &order, 1000).await;
        refunded(&stage, &order, 249).await;
        let expected = Swept {
            duplicate_entitlement: 1,
            ..Swept::default()
        };
        assert_eq!(swept(&stage).await, expected);
    });
}

#[test]
fn a_refund_that_succeeded_failed_and_succeeded_again_adds_up() {
    play(|stage| async move {
        let order = paid(&stage, "A-1").await;
        let order = granted(&stage, &order, 1000).await;
        refunded(&stage, &order, 250).await;
        stage.execute("UPDATE refunds SET version = 7").await;
        let mut order = stage.read(&order).await;
        for (source, quantity) in [("r-1:reversed", 250), ("r-1:7", -250)] {
            let mut write = to(&order, order.status);
            let source = format!("refund:{}:{source}", order.order_no);
            write.postings = vec![posting("user-1", source, quantity)];
            order = stage.done(write).await;
        }
        assert_eq!(swept(&stage).await, Swept::default());
    });
}

/// What the ledger's page hands over to a closer look.
async fn suspects(stage: &Stage) -> usize {
    let page = unexplained(&stage.database.read, UnixMillis(0)).await;
    page.unwrap().0.len()
}

#[test]
fn what_refunds_have_taken_needs_no_closer_look() {
    play(|stage| async move {
        let order = paid(&stage, "A-1").await;
        let order = granted(&stage, &order, 1000).await;
        assert_eq!(suspects(&stage).await, 0);
        refunded(&stage, &order, 250).await;
        assert_eq!(suspects(&stage).await, 0);
        stage
            .execute("UPDATE ledger_entries SET quantity = -249 WHERE quantity = -250")
            .await;
        assert_eq!(suspects(&stage).await, 1);
        // A grant of an order that is not paid stays wrong, whatever was taken of it.
        stage
            .execute("UPDATE ledger_entries SET quantity = -1000 WHERE quantity = -249")
            .await;
        stage.execute("UPDATE orders SET status = 'CLOSED'").await;
        assert_eq!(suspects(&stage).await, 1);
    });
}

#[test]
fn a_grant_that_comes_between_two_sweeps_is_looked_at_in_the_next() {
    play(|stage| async move {
        let order = paid(&stage, "A-1").await;
        granted(&stage, &order, 1000).await;
        let mut sweep = sweep(&stage);
        assert_eq!(sweep.once().await.unwrap(), Swept::default());
        stage
            .execute(
                "INSERT INTO ledger_entries (account, source, kind, entry_id, at, quantity, balance_after, decision_id) \
                 VALUES ('user-1', 'order:nobody', 'credits', 'ent_2', 9000000000000, 1, 1, 'evt_1')",
            )
            .await;
        let expected = Swept {
            fulfilled_not_paid: 1,
            ..Swept::default()
        };
        assert_eq!(sweep.once().await.unwrap(), expected);
    });
}

/// Copies the one order, and its grant in the ledger, so often that they fill several pages.
async fn copied(stage: &Stage, times: u32) {
    let numbers = format!(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {times})"
    );
    let columns: Vec<&str> = orders::Column::iter()
        .map(|column| column.as_str())
        .collect();
    let values = columns.iter().map(|column| match *column {
        "order_id" | "order_no" | "idempotency_key" => format!("o.{column} || '-' || n.i"),
        other => format!("o.{other}"),
    });
    let values: Vec<_> = values.collect();
    let copy = format!(
        "INSERT INTO orders ({}) {numbers} SELECT {} FROM orders o CROSS JOIN n",
        columns.join(", "),
        values.join(", ")
    );
    stage.execute(&copy).await;
    let columns = "account, source, kind, entry_id, at, quantity, balance_after, decision_id";
    let copy = format!(
        "INSERT INTO ledger_entries ({columns}) {numbers} SELECT account, source || '-' || n.i, kind, \
         entry_id || n.i, at, quantity, balance_after, decision_id FROM ledger_entries CROSS JOIN n"
    );
    stage.execute(&copy).await;
}

#[test]
fn the_walks_come_to_every_row() {
    play(|stage| async move {
        let order = paid(&stage, "A-1").await;
        granted(&stage, &order, 1000).await;
        copied(&stage, 24_000).await;
        // Some at one moment, and the rest each at its own.
        stage
            .execute("UPDATE ledger_entries SET at = CAST(substr(source, 11) AS bigint) WHERE source > 'order:A-1-2'")
            .await;
        assert_eq!(swept(&stage).await, Swept::default());
        stage
            .execute(
                "UPDATE orders SET entitlements = replace(entitlements, 'GRANTED', 'PENDING') \
                 WHERE order_no IN ('A-1-7', 'A-1-23999')",
            )
            .await;
        stage
            .execute("UPDATE ledger_entries SET quantity = 2000 WHERE source IN ('order:A-1-1', 'order:A-1-23998')")
            .await;
        let expected = Swept {
            paid_not_fulfilled: 2,
            duplicate_entitlement: 2,
            queued: 2,
            ..Swept::default()
        };
        assert_eq!(swept(&stage).await, expected);
        assert_eq!(stage.number(QUEUED).await, 2);
    });
}
