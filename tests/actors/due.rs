//! A check that is due: asked once, however often its timer comes.

use crate::bank::{Bank, Does};
use crate::clock::TestClock;
use crate::stage::{Stage, no, settings};
use crate::support::ScratchDatabase;
use futures_util::future::join_all;
use oncepay::domain::order::{EventKind, OrderStatus, Reason};
use sea_orm::ConnectionTrait;
use std::time::Duration;

const HOUR_MS: i64 = 3_600_000;
const HOURS: &str = r#"["1h", "5h", "15h"]"#;

#[actix::test]
async fn the_same_due_message_a_hundred_times_is_one_query_on_the_wire() {
    let folder = tempfile::tempdir().unwrap();
    let database = ScratchDatabase::make(folder.path()).await;
    let bank = Bank::open(Does::Mumbles, Does::Hangs);
    let clock = TestClock::start();
    let stage = Stage::open(settings(folder.path(), &database.url, HOURS), &bank, &clock).await;
    stage.create("due").await;
    stage.becomes("due", OrderStatus::Unknown).await;
    let number = no("due");
    let early = stage.gateway().remind(&number).await.unwrap();
    assert_eq!((early.check_count, bank.queries("due")), (0, 0));

    clock.step(HOUR_MS);
    let again = (0..100).map(|_| stage.gateway().remind(&number));
    for order in join_all(again).await {
        assert_eq!(order.unwrap().check_count, 1);
    }

    let order = stage.until("due", |order| order.check_count >= 1).await;
    assert_eq!(order.check_count, 1);
    assert_eq!(stage.count("due", EventKind::Query).await, 1);
    bank.lets_go();
    stage.becomes("due", OrderStatus::Paid).await;
    assert_eq!((bank.submits("due"), bank.queries("due")), (1, 1));
    stage.runtime.stop().await;
}

#[actix::test]
async fn checks_that_were_missed_while_it_was_down_are_asked_once_and_not_all_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let database = ScratchDatabase::make(folder.path()).await;
    let bank = Bank::open(Does::Mumbles, Does::Mumbles);
    let clock = TestClock::start();
    let stage = Stage::open(settings(folder.path(), &database.url, HOURS), &bank, &clock).await;
    stage.create("down").await;
    stage.becomes("down", OrderStatus::Unknown).await;
    stage.runtime.stop().await;

    clock.step(40 * HOUR_MS);
    let later = TestClock::start();
    later.step(40 * HOUR_MS);
    let stage = Stage::open(settings(folder.path(), &database.url, HOURS), &bank, &later).await;

    stage.until_counted("down", EventKind::QueryReply, 1).await;
    let order = stage.order("down").await;
    assert_eq!(order.status, OrderStatus::Unknown);
    assert_eq!((order.check_count, bank.queries("down")), (1, 1));
    assert_eq!(stage.count("down", EventKind::QueryReply).await, 1);

    // The ladder goes on from there.
    for checks in 2..=3 {
        later.step(20 * HOUR_MS);
        stage
            .until("down", |order| order.check_count == checks)
            .await;
    }
    let manual = stage.becomes("down", OrderStatus::Manual).await;
    assert_eq!(manual.reason, Some(Reason::MaxChecks));
    assert_eq!(bank.queries("down"), 3);
    stage.runtime.stop().await;
}

#[actix::test]
async fn a_check_that_was_due_while_the_database_could_not_be_read_is_made_after_it() {
    let folder = tempfile::tempdir().unwrap();
    let database = ScratchDatabase::make(folder.path()).await;
    let bank = Bank::open(Does::Mumbles, Does::Pays);
    let clock = TestClock::start();
    let stage = Stage::open(settings(folder.path(), &database.url, HOURS), &bank, &clock).await;
    stage.create("unread").await;
    stage.becomes("unread", OrderStatus::Unknown).await;
    stage.runtime.stop().await;
    // Started anew, so that no actor holds a copy of the row.
    let stage = Stage::open(settings(folder.path(), &database.url, HOURS), &bank, &clock).await;
    let beside = database.connect().await;
    let rename = |from: &str, to: &str| format!("ALTER TABLE {from} RENAME TO {to}");

    beside
        .execute_unprepared(&rename("orders", "orders_away"))
        .await
        .unwrap();
    clock.step(HOUR_MS);
    // Long enough for the timer to come and find nothing; nothing else of it can be seen.
    tokio::time::sleep(Duration::from_millis(2_500)).await;
    beside
        .execute_unprepared(&rename("orders_away", "orders"))
        .await
        .unwrap();
    beside.close().await.unwrap();

    let paid = stage.becomes("unread", OrderStatus::Paid).await;
    assert_eq!(paid.check_count, 1);
    assert_eq!(bank.queries("unread"), 1);
    stage.runtime.stop().await;
}

#[actix::test]
async fn an_expiry_that_the_channel_never_confirms_goes_to_a_person() {
    let folder = tempfile::tempdir().unwrap();
    let database = ScratchDatabase::make(folder.path()).await;
    let bank = Bank::open(Does::Waits, Does::Mumbles);
    let clock = TestClock::start();
    let mut settings = settings(folder.path(), &database.url, HOURS);
    settings.checks.expiry_attempts = 3;
    let stage = Stage::open(settings, &bank, &clock).await;
    stage.create("stale").await;
    stage.becomes("stale", OrderStatus::Pending).await;

    for attempts in 1..=3 {
        clock.step(300 * HOUR_MS);
        stage
            .until("stale", |order| order.expiry_count == attempts)
            .await;
    }
    clock.step(300 * HOUR_MS);

    let manual = stage.becomes("stale", OrderStatus::Manual).await;
    assert_eq!(manual.reason, Some(Reason::ExpiryUnconfirmed));
    assert_eq!(bank.submits("stale"), 1);
    let alerts = stage.alerts().await;
    assert_eq!(alerts.len(), 1, "{alerts:#?}");
    stage.runtime.stop().await;
}
