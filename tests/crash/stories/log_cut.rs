//! SQLite's log (`-wal`) loses bytes: after a `kill -9`, as by a disk that lies about what it has written; and under
//! the running server, as by a hand or a tool that tidies up.

use super::{are_paid_once, begin, number, orders};
use crate::support::{Processor, Shop, Stage, eventually, order};
use futures_util::future::join_all;
use serde_json::{Value, json};
use std::fs::File;
use std::path::PathBuf;
use std::time::Duration;

fn log_of(shop: &Shop) -> PathBuf {
    let mut log = shop.database.file().as_os_str().to_owned();
    log.push("-wal");
    log.into()
}

/// Leaves so many thousandths of it, and a few bytes more: a torn page.
fn cut(log: &PathBuf, thousandths: u64) {
    let file = File::options()
        .write(true)
        .open(log)
        .expect("there is a log");
    let length = file.metadata().expect("a length").len();
    assert!(length > 32, "something stands in it");
    let left = length * thousandths / 1000;
    file.set_len((left + 7).min(length)).expect("it is cut");
}

#[tokio::test(flavor = "multi_thread")]
async fn whatever_is_left_of_the_log_after_a_crash_nothing_is_charged_or_refunded_twice() {
    for thousandths in [0, 300, 700, 950, 999] {
        let processor = Processor::start().await;
        let mut shop = Shop::open(&processor, Stage::default()).await;
        if !shop.database.is_sqlite() {
            return;
        }
        let paid = shop.paid("cut-refunded", 1000, "VIP").await;
        let mut all = orders("cut-paid", "VIP", 12);
        all.extend(orders("cut-slow", "VIP #delay=2s #no-callback", 6));
        begin(&shop, &all).await;
        let refunded = shop.refund(&paid, "r-1", 400).await;
        assert_eq!(refunded.status, 200, "{:?}", refunded.body);
        shop.crash();
        cut(&log_of(&shop), thousandths);
        shop.start_again().await;

        // The merchant knows what it has asked for, and asks again. What the disk has lost is made anew, under the same
        // numbers and keys.
        are_paid_once(&shop, &processor, &all).await;
        let again = is_refunded_again(&shop).await;
        shop.refund_becomes(&again, "r-1", "SUCCEEDED").await;
        processor.refunded_once("cut-refunded", "r-1", 400).await;
    }
}

/// The order of the refund and the refund are asked for once more, whatever is left of them.
async fn is_refunded_again(shop: &Shop) -> Value {
    let mut body = order("cut-refunded", "VIP");
    body["amount"] = json!(1000);
    let again = shop.create(&body).await;
    eventually("it is paid, and perhaps refunded", || async {
        let order = shop.get(again.text("order_id")).await;
        let is_paid = ["PAID", "REFUNDING", "PARTIALLY_REFUNDED"].iter();
        let is_paid = is_paid.copied().any(|it| order["status"] == it);
        is_paid.then_some(()).ok_or_else(|| order.to_string())
    })
    .await;
    let asked = shop.refund(&again.body, "r-1", 400).await;
    assert!([200, 202].contains(&asked.status), "{:?}", asked.body);
    again.body
}

#[tokio::test(flavor = "multi_thread")]
async fn a_log_that_is_cut_under_the_server_ends_it_and_the_next_start_recovers() {
    for thousandths in [0, 500] {
        let processor = Processor::start().await;
        let mut shop = Shop::open(&processor, Stage::default()).await;
        if !shop.database.is_sqlite() {
            return;
        }
        let all = orders("under", "VIP", 20);
        begin(&shop, &all).await;
        for body in &all {
            shop.create(body).await;
        }
        let in_flight = orders("under-slow", "VIP #delay=1s #no-callback", 6);
        begin(&shop, &in_flight).await;
        cut(&log_of(&shop), thousandths);

        let ended = shop.running.ended(Duration::from_secs(20));
        assert_eq!(ended.code(), Some(1));
        let said = shop.running.log();
        assert!(said.contains("oncepay.db-wal"), "it names the log: {said}");
        assert!(!said.contains("panicked"), "{said}");
        shop.start_again().await;

        are_paid_once(&shop, &processor, &all).await;
        are_paid_once(&shop, &processor, &in_flight).await;
        is_sound(&shop).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_log_that_is_taken_away_is_waited_for() {
    let processor = Processor::start().await;
    let mut shop = Shop::open(&processor, Stage::default()).await;
    if !shop.database.is_sqlite() {
        return;
    }
    let in_flight = orders("away-slow", "VIP #delay=1s #no-callback", 6);
    begin(&shop, &in_flight).await;
    let log = log_of(&shop);
    let aside = log.with_extension("aside");
    std::fs::rename(&log, &aside).expect("it is taken away");
    let newcomers = orders("away-new", "VIP", 4);
    let refused = join_all(newcomers.iter().map(|body| shop.create(body))).await;
    assert!(refused.iter().all(|it| it.status == 503), "{refused:?}");
    std::fs::rename(&aside, &log).expect("it is brought back");

    shop.is_ready().await;
    are_paid_once(&shop, &processor, &in_flight).await;
    are_paid_once(&shop, &processor, &newcomers).await;
    assert!(shop.running.is_running(), "the same process serves on");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_stood_in_a_log_that_was_deleted_is_asked_for_by_the_next_process() {
    let processor = Processor::start().await;
    let mut shop = Shop::open(&processor, Stage::default()).await;
    if !shop.database.is_sqlite() {
        return;
    }
    let body = order("deleted", "VIP #no-callback #every-submit-charges");
    assert_eq!(shop.create(&body).await.text("status"), "PAID");
    std::fs::remove_file(log_of(&shop)).expect("it is deleted");
    let mut mark = shop.database.file().as_os_str().to_owned();
    mark.push(".restored");
    let mark = PathBuf::from(mark);
    eventually("the mark of a restore is left", || async {
        mark.exists().then_some(()).ok_or_else(|| "none".to_owned())
    })
    .await;
    shop.crash();
    shop.start_again().await;

    // All of it stood in the log alone, so that nothing is left.
    let again = shop.create(&body).await;
    shop.becomes(again.text("order_id"), "PAID").await;
    processor.charged_once("deleted").await;
}

/// Every page of the database says what it should.
async fn is_sound(shop: &Shop) {
    let sql = "SELECT COUNT(*) FROM pragma_integrity_check WHERE integrity_check <> 'ok'";
    eventually("the database is sound", || async {
        let faults = shop.database.number(sql).await;
        (faults == 0)
            .then_some(())
            .ok_or_else(|| faults.to_string())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_its_index_the_log_is_read_anew() {
    let processor = Processor::start().await;
    let mut shop = Shop::open(&processor, Stage::default()).await;
    if !shop.database.is_sqlite() {
        return;
    }
    let all = orders("index", "VIP #delay=1s", 8);
    begin(&shop, &all).await;
    let ids = all.iter().map(async |body| {
        let order = shop.find(number(body)).await.expect("it is there");
        order["order_id"].as_str().expect("an id").to_owned()
    });
    let ids: Vec<String> = join_all(ids).await;
    shop.crash();
    let mut index = shop.database.file().as_os_str().to_owned();
    index.push("-shm");
    std::fs::remove_file(index).expect("there is an index");
    shop.start_again().await;
    for (body, id) in all.iter().zip(&ids) {
        let again = shop.create(body).await;
        assert_eq!(again.text("order_id"), id, "it was kept");
    }
    are_paid_once(&shop, &processor, &all).await;
}
