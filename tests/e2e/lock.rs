//! One process for one database.

use crate::support::{
    Processor, Proxy, Running, ScratchDatabase, Shop, Stage, Wire, eventually, free_port, order,
};
use sea_orm::ConnectionTrait;
use std::time::Duration;

/// Starts `serve` on the same folder and database as the shop, at another address.
fn second_serve(shop: &Shop, port: u16, environment: &[(String, String)]) -> Running {
    let mut environment = environment.to_vec();
    let listen = format!("127.0.0.1:{port}");
    environment.push(("ONCEPAY_SERVER__LISTEN".to_owned(), listen));
    let log = shop.folder().join(format!("log-{port}"));
    Running::start(shop.folder(), &["serve"], &environment, &log)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_serve_on_the_same_database_is_refused_with_a_reason() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::default()).await;

    let mut second = second_serve(&shop, free_port(), &[]);
    assert_eq!(second.ended(Duration::from_secs(20)).code(), Some(1));
    let said = second.log();
    assert!(said.contains("another process"), "{said}");
    assert!(!said.contains("panicked"), "{said}");

    let paid = shop.create(&order("l-1", "VIP")).await;
    assert_eq!(paid.text("status"), "PAID", "the first serves on");
}

#[tokio::test(flavor = "multi_thread")]
async fn who_loses_the_lock_to_another_stops_at_once_and_the_next_finds_the_charge() {
    let processor = Processor::start().await;
    let proxy = Proxy::before(&processor).await;
    let stage = Stage::with_patience().through(&proxy);
    let mut shop = Shop::open(&processor, stage).await;
    if shop.database.is_sqlite() {
        // A lock on a file is lost with its process alone.
        return;
    }
    proxy.set(Wire::HoldsReplies);
    let created = shop.create_async(&order("l-2", "VIP #no-callback")).await;
    proxy.holds_a_submit(true).await;

    let other = shop.database.connect().await;
    let waits = async {
        let taken = other
            .execute_unprepared(&advisory("pg_advisory_lock"))
            .await;
        taken.expect("who waits for the lock gets it");
    };
    let cut = async {
        someone_waits(&shop.database).await;
        cut_the_lock(&shop.database).await;
    };
    tokio::join!(waits, cut);
    assert_eq!(shop.running.ended(Duration::from_secs(20)).code(), Some(1));
    let said = shop.running.log();
    assert!(said.contains("another runtime has taken"), "{said}");
    other.close().await.expect("it closes");
    proxy.set(Wire::Open);
    shop.start_again().await;

    shop.becomes(created.text("order_id"), "PAID").await;
    let charge = processor.charged_once("l-2").await;
    assert_eq!((charge.submits, charge.queries), (1, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lock_that_nobody_took_meanwhile_is_taken_again_and_work_goes_on() {
    let processor = Processor::start().await;
    let proxy = Proxy::before(&processor).await;
    let stage = Stage::with_patience().through(&proxy);
    let mut shop = Shop::open(&processor, stage).await;
    if shop.database.is_sqlite() {
        return;
    }
    proxy.set(Wire::HoldsReplies);
    let created = shop.create_async(&order("l-4", "VIP #no-callback")).await;
    proxy.holds_a_submit(true).await;

    for _ in 0..2 {
        cut_the_lock(&shop.database).await;
        eventually("the lock is held again", || async {
            let held = shop.database.number(HOLDERS).await;
            (held == 1).then_some(()).ok_or_else(|| shop.running.log())
        })
        .await;
    }
    let mut second = second_serve(&shop, free_port(), &[]);
    assert_eq!(second.ended(Duration::from_secs(20)).code(), Some(1));
    proxy.set(Wire::Open);

    shop.becomes(created.text("order_id"), "PAID").await;
    assert!(shop.running.is_running(), "the same process serves on");
    let charge = processor.charged_once("l-4").await;
    assert_eq!((charge.submits, charge.queries), (1, 0));
    assert_eq!(
        shop.history(created.text("order_id")).await,
        ["created", "submit", "submit_reply"]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lock_that_comes_free_again_is_not_taken_once_the_epoch_has_moved() {
    let processor = Processor::start().await;
    let mut shop = Shop::open(&processor, Stage::default()).await;
    if shop.database.is_sqlite() {
        return;
    }
    let other = shop.database.connect().await;
    // In one statement after the other, long before the shop looks again: another runtime was here, and has gone.
    let visit = "UPDATE runtime SET epoch = epoch + 1 WHERE id = 1";
    other.execute_unprepared(visit).await.expect("it is moved");
    cut_the_lock(&shop.database).await;
    assert_eq!(shop.running.ended(Duration::from_secs(20)).code(), Some(1));
    other.close().await.expect("it closes");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_serve_takes_over_while_the_first_does_not_know_yet() {
    let processor = Processor::start().await;
    let proxy = Proxy::before(&processor).await;
    let stage = Stage::with_patience().through(&proxy);
    let mut shop = Shop::open(&processor, stage).await;
    if shop.database.is_sqlite() {
        return;
    }
    proxy.set(Wire::HoldsReplies);
    let created = shop.create_async(&order("l-3", "VIP #no-callback")).await;
    proxy.holds_a_submit(true).await;

    // The first is stopped in its tracks: it will wake up as one that has lost the database without knowing.
    shop.running.signal("STOP");
    cut_the_lock(&shop.database).await;
    let port = free_port();
    let second = second_serve(&shop, port, &[proxy.environment()]);
    eventually("the second serves", || async {
        let ready = shop
            .client
            .get(format!("http://127.0.0.1:{port}/readyz"))
            .send()
            .await;
        let is_ready = ready.is_ok_and(|answer| answer.status().is_success());
        is_ready.then_some(()).ok_or_else(|| second.log())
    })
    .await;
    proxy.set(Wire::Open);
    shop.running.signal("CONT");

    assert_eq!(shop.running.ended(Duration::from_secs(20)).code(), Some(1));
    shop.port = port;
    let paid = shop.becomes(created.text("order_id"), "PAID").await;
    assert_eq!(paid["submit_count"], 1);
    let charge = processor.charged_once("l-3").await;
    assert_eq!((charge.submits, charge.queries), (1, 1));
    let history = shop.history(created.text("order_id")).await;
    assert_eq!(
        history,
        ["created", "submit", "recovered", "query_reply"],
        "the first wrote nothing more"
    );
}

const HOLDERS: &str = "SELECT count(*) FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid \
     WHERE l.locktype = 'advisory' AND l.granted AND a.datname = current_database()";

/// Calls this function of PostgreSQL with the key of our lock, as the one who holds it does.
fn advisory(function: &str) -> String {
    format!(
        "SELECT {function}(classid::bigint::int, hashtext(current_database())) FROM pg_locks \
         WHERE locktype = 'advisory' AND granted \
         AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
    )
}

async fn someone_waits(database: &ScratchDatabase) {
    let waiting = "SELECT count(*) FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid \
                   WHERE l.locktype = 'advisory' AND NOT l.granted AND a.datname = current_database()";
    eventually("another waits for the lock", || async {
        let waiting = database.number(waiting).await;
        (waiting == 1)
            .then_some(())
            .ok_or_else(|| waiting.to_string())
    })
    .await;
}

/// Ends the connection that holds the advisory lock, and waits for its end.
async fn cut_the_lock(database: &ScratchDatabase) {
    let connection = database.connect().await;
    let cut = "SELECT pg_terminate_backend(l.pid, 10000) FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid \
               WHERE l.locktype = 'advisory' AND l.granted AND a.datname = current_database()";
    let cut = connection.execute_unprepared(cut).await;
    assert_eq!(cut.expect("the query runs").rows_affected(), 1);
    connection.close().await.expect("it closes");
}
