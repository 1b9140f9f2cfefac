//! Tables grow for years. What the server reads by itself, and every list, is found by an index: on SQLite, which keeps
//! no statistics, how a statement is run depends on its words alone, so its plan is the same for ten million orders.

use crate::stage::{Stage, create, order};
use oncepay::clock::SystemClock;
use oncepay::domain::UnixMillis;
use oncepay::domain::order::OrderStatus;
use oncepay::domain::outbox::DeliveryStatus;
use oncepay::fulfilment::OutboxBell;
use oncepay::fulfilment::sweep::Sweep;
use oncepay::store::deliveries::{self, DeliveryFilter};
use oncepay::store::journal::JournalKind;
use oncepay::store::ledger;
use oncepay::store::orders::{self, OrderFilter};
use oncepay::store::{alerts, daily, figures, fulfilments, inbox, retention};
use oncepay::telemetry::Metrics;
use sea_orm::{ConnectionTrait, DatabaseConnection, Statement};
use std::sync::{Arc, Mutex};

/// Walks through these are through what stands open, or failed: few rows, however old the database is.
const SMALL: [&str; 16] = [
    "alerts_due",
    "alerts_standing",
    "balances_negative",
    "daily_mails",
    "deliveries_due",
    "deliveries_ended",
    "deliveries_failed",
    "deliveries_leased",
    "fulfilments_due",
    "fulfilments_failed",
    "fulfilments_leased",
    "holds_expiring",
    "orders_in_flight",
    "orphans",
    "payments_second",
    "runtime",
];

/// Rows that the statement itself has made: a page of grants, the entitlements of one order.
const WITHIN: [&str; 2] = ["g", "j"];

/// Every statement that was read with, as it was sent.
type Sent = Arc<Mutex<Vec<Statement>>>;

fn listening(read: &DatabaseConnection) -> (DatabaseConnection, Sent) {
    let (sent, mut read) = (Sent::default(), read.clone());
    let kept = Arc::clone(&sent);
    read.set_metric_callback(move |info| kept.lock().unwrap().push(info.statement.clone()));
    (read, sent)
}

async fn plan(read: &DatabaseConnection, statement: &Statement) -> Vec<String> {
    let mut explained = statement.clone();
    explained.sql = format!("EXPLAIN QUERY PLAN {}", statement.sql);
    let steps = read.query_all_raw(explained).await.unwrap();
    let steps = steps.iter().map(|step| step.try_get("", "detail").unwrap());
    steps.collect()
}

/// The steps of the plan that walk from end to end through something that grows with every order.
async fn walks(read: &DatabaseConnection, statement: &Statement) -> Vec<String> {
    let mut walks = plan(read, statement).await;
    let is_small = |step: &String| {
        step.split(' ')
            .any(|word| SMALL.contains(&word) || WITHIN.contains(&word))
    };
    walks.retain(|step| step.starts_with("SCAN ") && !is_small(step));
    walks
}

async fn long_walks(stage: &Stage, sent: &Sent) -> Vec<String> {
    let mut long = Vec::new();
    let sent = std::mem::take(&mut *sent.lock().unwrap());
    assert!(!sent.is_empty(), "something was read");
    for statement in &sent {
        for step in walks(&stage.database.read, statement).await {
            long.push(format!("{step}: {}", statement.sql));
        }
    }
    long
}

async fn open() -> Stage {
    Stage::open(None, JournalKind::Grouped).await
}

#[tokio::test]
async fn a_start_walks_through_no_table_that_grows() {
    let stage = open().await;
    let (read, sent) = listening(&stage.database.read);
    let mut database = stage.database.clone();
    database.read = read.clone();
    orders::accounts_in_flight(&read).await.unwrap();
    orders::stream_in_flight(&database, &mut |_| ())
        .await
        .unwrap();
    inbox::orphan_order_nos(&read).await.unwrap();
    assert_eq!(long_walks(&stage, &sent).await, Vec::<String>::new());
    let released = [
        deliveries::release(database.backend(), "run", UnixMillis(1)),
        fulfilments::release(database.backend(), "run", UnixMillis(1)),
    ];
    for statement in released {
        let walks = walks(&stage.database.read, &statement).await;
        assert_eq!(walks, Vec::<String>::new(), "{}", statement.sql);
    }
}

#[tokio::test]
async fn what_is_done_every_few_minutes_walks_through_no_table_that_grows() {
    let stage = open().await;
    let (read, sent) = listening(&stage.database.read);
    let mut database = stage.database.clone();
    database.read = read.clone();
    let now = UnixMillis(1);
    let mut sweep = Sweep::new(
        database,
        stage.journal.clone(),
        SystemClock::start(),
        Metrics::new(now),
        OutboxBell::default(),
    );
    sweep.once().await.unwrap();
    retention::deliveries_over(&read, "", now).await.unwrap();
    retention::old_orphans(&read, now).await.unwrap();
    for waiting in [
        deliveries::waiting(&read, 1000).await,
        fulfilments::waiting(&read, 1000).await,
    ] {
        waiting.unwrap();
    }
    deliveries::next_due(&read).await.unwrap();
    fulfilments::next_due(&read).await.unwrap();
    deliveries::claimed(&read, "run-1").await.unwrap();
    fulfilments::claimed(&read, "run-1").await.unwrap();
    alerts::next_due(&read).await.unwrap();
    alerts::due(&read, now, 100).await.unwrap();
    alerts::list(&read, Some("open"), None, 1000).await.unwrap();
    ledger::due_holds(&read, now, 100).await.unwrap();
    ledger::next_expiry(&read).await.unwrap();
    ledger::negative_unknown(&read, 100).await.unwrap();
    ledger::negative_alerts_over(&read, 100).await.unwrap();
    assert_eq!(long_walks(&stage, &sent).await, Vec::<String>::new());
}

#[tokio::test]
async fn the_figures_of_a_day_walk_through_that_day_alone() {
    let stage = open().await;
    let (read, sent) = listening(&stage.database.read);
    let (from, until) = (UnixMillis(0), UnixMillis(86_400_000));
    figures::paid(&read, from, until).await.unwrap();
    figures::refunded(&read, from, until).await.unwrap();
    figures::second_payments(&read, from, until).await.unwrap();
    for status in [OrderStatus::Manual, OrderStatus::Unknown] {
        figures::orders_in(&read, status).await.unwrap();
    }
    figures::refunds_in_manual(&read).await.unwrap();
    figures::failing_deliveries(&read).await.unwrap();
    figures::failing_grants(&read).await.unwrap();
    daily::due(&read, until).await.unwrap();
    assert_eq!(long_walks(&stage, &sent).await, Vec::<String>::new());
}

#[tokio::test]
async fn a_list_of_orders_begins_where_its_page_does() {
    let stage = open().await;
    let seen = stage.done(create(order("A-1"))).await;
    let (read, sent) = listening(&stage.database.read);
    let last_year = OrderFilter {
        created_from: Some(UnixMillis(1)),
        created_to: Some(UnixMillis(2)),
        limit: 50,
        ..OrderFilter::default()
    };
    let settled = OrderFilter {
        status: Some(OrderStatus::Paid),
        ..last_year.clone()
    };
    let next_page = OrderFilter {
        after: Some(seen.order_id),
        ..settled.clone()
    };
    for filter in [last_year, settled, next_page] {
        orders::list(&read, &filter).await.unwrap();
        let listed = sent.lock().unwrap().last().unwrap().clone();
        assert_eq!(long_walks(&stage, &sent).await, Vec::<String>::new());
        // It would read all that matches before it knew what comes first.
        let steps = plan(&stage.database.read, &listed).await;
        assert!(
            !steps.contains(&"USE TEMP B-TREE FOR ORDER BY".to_owned()),
            "{steps:?}"
        );
    }
}

#[tokio::test]
async fn an_order_is_found_by_what_the_channel_calls_its_charge() {
    let stage = open().await;
    let (read, sent) = listening(&stage.database.read);
    let found = orders::number_by_trade(&read, "stripe", "pi_1").await;
    assert_eq!(found.unwrap(), None);
    let asked = sent.lock().unwrap().last().unwrap().clone();
    assert_eq!(long_walks(&stage, &sent).await, Vec::<String>::new());
    let steps = plan(&stage.database.read, &asked).await;
    assert!(
        steps.iter().any(|step| step.contains("orders_reference")),
        "{steps:?}"
    );
}

#[tokio::test]
async fn the_few_webhooks_that_were_not_delivered_are_found_among_the_many_that_were() {
    let stage = open().await;
    let (read, sent) = listening(&stage.database.read);
    for status in [
        DeliveryStatus::Pending,
        DeliveryStatus::Failed,
        DeliveryStatus::Ended,
    ] {
        let filter = DeliveryFilter {
            status: Some(status),
            limit: 50,
            ..DeliveryFilter::default()
        };
        deliveries::list(&read, &filter).await.unwrap();
        assert_eq!(long_walks(&stage, &sent).await, Vec::<String>::new());
    }
}
