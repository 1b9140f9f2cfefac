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
async fn who_loses_the_lock_stops_at_once_and_the_next_finds_the_charge() {
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

    cut_the_lock(&shop.database).await;
    assert_eq!(shop.running.ended(Duration::from_secs(20)).code(), Some(1));
    let said = shop.running.log();
    assert!(said.contains("another runtime has taken"), "{said}");
    proxy.set(Wire::Open);
    shop.start_again().await;

    shop.becomes(created.text("order_id"), "PAID").await;
    let charge = processor.charged_once("l-2").await;
    assert_eq!((charge.submits, charge.queries), (1, 1));
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

/// Ends the connection that holds the advisory lock.
async fn cut_the_lock(database: &ScratchDatabase) {
    let connection = database.connect().await;
    let cut = "SELECT pg_terminate_backend(l.pid) FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid \
               WHERE l.locktype = 'advisory' AND a.datname = current_database()";
    let cut = connection.execute_unprepared(cut).await;
    assert_eq!(cut.expect("the query runs").rows_affected(), 1);
    connection.close().await.expect("it closes");
}
