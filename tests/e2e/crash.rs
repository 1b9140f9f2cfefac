//! `kill -9` at the worst moments: one charge, and the right status after the next start.

use crate::support::{Processor, Proxy, ScratchDatabase, Shop, Stage, Wire, eventually, order};
use sea_orm::{ConnectionTrait, DatabaseConnection};

#[tokio::test(flavor = "multi_thread")]
async fn killed_between_commit_and_call_the_order_is_asked_about_and_submitted_again() {
    let processor = Processor::start().await;
    let proxy = Proxy::before(&processor).await;
    let stage = Stage::with_patience().through(&proxy);
    let mut shop = Shop::open(&processor, stage).await;
    proxy.set(Wire::HoldsRequests);

    let created = shop.create_async(&order("c-1", "VIP #no-callback")).await;
    let order_id = created.text("order_id").to_owned();
    proxy.holds_a_submit(false).await;
    shop.crash();
    proxy.has_lost_a_submit().await;
    assert!(processor.charge("c-1").await.is_none(), "nothing arrived");
    proxy.set(Wire::Open);
    shop.start_again().await;

    let paid = shop.becomes(&order_id, "PAID").await;
    assert_eq!(paid["submit_count"], 2);
    assert_eq!(processor.charged_once("c-1").await.submits, 1);
    let calls: Vec<_> = proxy.seen();
    assert!(calls[0].is_submit() && calls[1].is_query(), "{calls:?}");
    let submits = proxy.submits();
    assert_eq!(submits.len(), 2);
    assert_eq!(
        submits[0].body, submits[1].body,
        "the same key, the same body"
    );
    tells_of_the_interruption(&shop, &order_id).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_between_call_and_reply_the_charge_is_found_and_not_made_again() {
    let processor = Processor::start().await;
    let proxy = Proxy::before(&processor).await;
    let stage = Stage::with_patience().through(&proxy);
    let mut shop = Shop::open(&processor, stage).await;
    proxy.set(Wire::HoldsReplies);
    let body = order("c-2", "VIP #no-callback");

    let created = shop.create_async(&body).await;
    proxy.holds_a_submit(true).await;
    shop.crash();
    proxy.set(Wire::Open);
    shop.start_again().await;

    // The shopper is nervous and taps again while the order is being looked up.
    let again = shop.create(&body).await;
    assert_eq!(again.text("order_id"), created.text("order_id"));
    let paid = shop.becomes(created.text("order_id"), "PAID").await;
    assert_eq!(paid["submit_count"], 1);
    let charge = processor.charged_once("c-2").await;
    assert_eq!((charge.submits, charge.queries), (1, 1));
    assert_eq!(paid["channel_trade_no"], charge.trade_no);
    tells_of_the_interruption(&shop, created.text("order_id")).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_between_reply_and_commit_the_result_is_asked_for() {
    let processor = Processor::start().await;
    let proxy = Proxy::before(&processor).await;
    let stage = Stage::with_patience().through(&proxy);
    let mut shop = Shop::open(&processor, stage).await;
    proxy.set(Wire::HoldsReplies);

    let created = shop.create_async(&order("c-3", "VIP #no-callback")).await;
    let order_id = created.text("order_id");
    proxy.holds_a_submit(true).await;
    let lock = lock_for_writers(&shop.database).await;
    proxy.set(Wire::Open);
    has_its_reply(&shop).await;
    shop.crash();
    ends_what_it_had_sent(&shop.database, &lock).await;
    unlock(lock).await;
    let kept = format!("SELECT COUNT(*) FROM order_events WHERE order_id = '{order_id}'");
    assert_eq!(shop.database.number(&kept).await, 2, "created and submit");
    shop.start_again().await;

    let paid = shop.becomes(order_id, "PAID").await;
    assert_eq!(paid["submit_count"], 1);
    assert_eq!(processor.charged_once("c-3").await.submits, 1);
    tells_of_the_interruption(&shop, order_id).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_that_arrives_long_after_the_crash_charges_nobody_twice() {
    let processor = Processor::start().await;
    let proxy = Proxy::before(&processor).await;
    let stage = Stage::with_patience().through(&proxy);
    let mut shop = Shop::open(&processor, stage).await;
    proxy.set(Wire::DelaysRequests);

    let created = shop.create_async(&order("c-4", "VIP")).await;
    proxy.holds_a_submit(false).await;
    shop.crash_and_start_again().await;
    eventually(
        "the channel knows nothing, so it is submitted again",
        || async {
            let submits = proxy.submits().len();
            (submits == 2)
                .then_some(())
                .ok_or_else(|| submits.to_string())
        },
    )
    .await;
    proxy.set(Wire::Open);

    shop.becomes(created.text("order_id"), "PAID").await;
    eventually("both requests have arrived", || async {
        let charge = processor.charged_once("c-4").await;
        (charge.submits == 2)
            .then_some(())
            .ok_or_else(|| format!("{charge:?}"))
    })
    .await;
    processor.charged_once("c-4").await;
}

/// The first thing after the crash: the submit nobody watches is unknown, and asked about.
async fn tells_of_the_interruption(shop: &Shop, order_id: &str) {
    let events = shop.events(order_id).await;
    let recovered = &events[2];
    assert_eq!(recovered["kind"], "recovered", "{events:?}");
    assert_eq!(recovered["by"], "startup");
    assert_eq!(recovered["from"], "PROCESSING");
    assert_eq!(recovered["to"], "UNKNOWN");
}

/// The reply has come to the process; it waits for the database.
async fn has_its_reply(shop: &Shop) {
    eventually("the reply has come", || async {
        let metrics = shop.client.get(shop.url("/metrics")).send().await;
        let text = metrics.expect("metrics").text().await.expect("text");
        let calls = text
            .lines()
            .find(|line| line.contains("channel_call") && line.contains("submit"));
        calls.map(drop).ok_or(text.clone())
    })
    .await;
}

async fn lock_for_writers(database: &ScratchDatabase) -> DatabaseConnection {
    let connection = database.connect().await;
    let lock = if database.is_sqlite() {
        "BEGIN IMMEDIATE"
    } else {
        "BEGIN; LOCK TABLE orders IN EXCLUSIVE MODE"
    };
    let locked = connection.execute_unprepared(lock).await;
    locked.expect("the test takes the lock");
    connection
}

/// A statement that waits in the database server does not die with its sender, so it dies here.
async fn ends_what_it_had_sent(database: &ScratchDatabase, lock: &DatabaseConnection) {
    if database.is_sqlite() {
        return;
    }
    let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
               WHERE datname = current_database() AND pid <> pg_backend_pid()";
    let ended = lock.execute_unprepared(end).await;
    ended.expect("the test ends the other connections");
}

async fn unlock(connection: DatabaseConnection) {
    let unlocked = connection.execute_unprepared("ROLLBACK").await;
    unlocked.expect("the test gives the lock back");
    connection.close().await.expect("it closes");
}
