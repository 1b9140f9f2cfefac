//! A start that finds thousands of checks overdue is no storm at the channel.

use crate::bank::{Bank, Does};
use crate::clock::TestClock;
use crate::stage::{Stage, settings};
use crate::support::ScratchDatabase;
use futures_util::future::join_all;
use std::sync::Arc;
use std::time::{Duration, Instant};

const MINUTE_MS: i64 = 60_000;
const ORDERS: u32 = 5_000;
const INTERVALS: u32 = 10;
/// How far a tenth of the orders may be from the tenth: four times what chance does.
const CHANCE: u32 = 100;

/// Waits until so many queries were on the wire; how many there are then.
async fn asked(bank: &Arc<Bank>, at_least: u32) -> u32 {
    let until = Instant::now() + Duration::from_secs(120);
    loop {
        let (_, asked) = bank.queries_in_all();
        if asked >= at_least {
            return asked;
        }
        assert!(Instant::now() < until, "{asked} instead of {at_least}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[actix::test]
async fn five_thousand_overdue_checks_are_spread_over_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let database = ScratchDatabase::make(folder.path()).await;
    let bank = Bank::open(Does::Mumbles, Does::Mumbles);
    let clock = TestClock::start();
    let mut settings = settings(folder.path(), &database.url, r#"["1h", "50h", "150h"]"#);
    let stage = Stage::open(settings.clone(), &bank, &clock).await;
    let numbers: Vec<String> = (0..ORDERS).map(|n| format!("late-{n}")).collect();
    for some in numbers.chunks(500) {
        join_all(some.iter().map(|number| stage.create(number))).await;
    }
    let unknown = "SELECT count(*) FROM orders WHERE status = 'UNKNOWN'";
    while database.number(unknown).await < i64::from(ORDERS) {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    stage.runtime.stop().await;
    assert_eq!(bank.queries_in_all(), (0, 0));

    // Ten hours later everything is overdue; it may take a hundred minutes.
    let later = TestClock::start();
    later.step(600 * MINUTE_MS);
    settings.checks.startup_spread_ms = 100 * MINUTE_MS;
    let stage = Stage::open(settings, &bank, &later).await;
    for interval in 1..INTERVALS {
        later.step(10 * MINUTE_MS);
        let share = ORDERS / INTERVALS * interval;
        let so_far = asked(&bank, share - CHANCE).await;
        assert!(so_far <= share + CHANCE, "{so_far} by interval {interval}");
    }
    later.step(10 * MINUTE_MS);

    assert_eq!(asked(&bank, ORDERS).await, ORDERS);
    assert_eq!(bank.queries_in_all(), (1, ORDERS), "each was asked once");
    stage.runtime.stop().await;
}
