//! A disk that is full over a crash, and one that may not be written to.

use super::{are_paid_once, begin, orders};
use crate::support::{Processor, Shop, SmallDisk, Stage};
use futures_util::future::join_all;
use std::time::Duration;

/// A shop whose database lies on a disk of its own; `None` where that cannot be made, or the database is a server's.
async fn on_a_small_disk(processor: &Processor) -> Option<(Shop, SmallDisk)> {
    let mut shop = Shop::open(processor, Stage::default()).await;
    if !shop.database.is_sqlite() {
        return None;
    }
    assert_eq!(shop.stop().code(), Some(0));
    let disk = SmallDisk::over(&shop.folder().join("data"), 96);
    if disk.is_none() {
        println!("skipped: this process may not mount a filesystem");
    }
    let disk = disk?;
    shop.start_again().await;
    Some((shop, disk))
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_on_a_full_disk_and_started_on_it_nothing_is_lost() {
    let processor = Processor::start().await;
    let Some((mut shop, disk)) = on_a_small_disk(&processor).await else {
        return;
    };
    let in_flight = orders("f-in-flight", "VIP #delay=2s #no-callback", 6);
    begin(&shop, &in_flight).await;
    disk.fill();
    let refused = orders("f-refused", "VIP", 3);
    let answers = join_all(refused.iter().map(|body| shop.create(body))).await;
    assert!(answers.iter().all(|it| it.status == 503), "{answers:?}");
    shop.crash();

    // It may start and say that it is not ready, or say why it cannot start; it may not lose or repeat anything.
    shop.start_without_waiting();
    tokio::time::sleep(Duration::from_secs(2)).await;
    if !shop.running.is_running() {
        let said = shop.running.log();
        let said = said.lines().last().unwrap_or_default();
        assert!(said.contains("full"), "it says why: {said}");
    }
    shop.crash();
    disk.free();
    shop.start_again().await;

    are_paid_once(&shop, &processor, &in_flight).await;
    are_paid_once(&shop, &processor, &refused).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_start_on_a_read_only_file_is_refused_with_its_name() {
    let processor = Processor::start().await;
    let Some((mut shop, disk)) = on_a_small_disk(&processor).await else {
        return;
    };
    let in_flight = orders("ro", "VIP #delay=2s #no-callback", 4);
    begin(&shop, &in_flight).await;
    shop.crash();
    disk.read_only(true);
    shop.start_without_waiting();
    let ended = shop.running.ended(Duration::from_secs(20));
    assert_eq!(ended.code(), Some(1));
    let said = shop.running.log();
    let last = said.lines().last().unwrap_or_default();
    assert!(last.contains("oncepay.db"), "it names the file: {last}");
    assert!(!said.contains("panicked"), "{said}");

    disk.read_only(false);
    shop.start_again().await;
    are_paid_once(&shop, &processor, &in_flight).await;
}
