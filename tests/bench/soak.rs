//! The real server under a steady load for a long time: memory, open files, latency and the log of the database stay as
//! they are, nothing is left behind, and the three ledgers are equal at the end.
//!
//! `cargo bench --bench soak -- --minutes 60`; `-- --short` takes about a minute. `-- --rate N` is orders a second. Server,
//! sandbox, merchant's receiver and callers are on this machine, each in a process of its own but for the last two. The
//! first third of the time the server is restarted again and again, by SIGTERM and by `kill -9` in turn; then it runs
//! without a restart. What must hold is printed with its measure, and the exit code says whether all of it did.

#![expect(
    clippy::print_stdout,
    clippy::as_conversions,
    clippy::float_arithmetic,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    unreachable_pub,
    reason = "a benchmark computes with measurements, prints them, and stops at whatever is not as it should be"
)]

mod soak_books;
mod soak_load;
mod soak_merchant;
mod soak_samples;
mod soak_verdict;
#[path = "../support/mod.rs"]
mod support;

use soak_books::Books;
use soak_load::{Callers, Tally};
use soak_merchant::Merchant;
use soak_samples::{Sample, sample};
use soak_verdict::{Bounds, Restarted};
use std::sync::Arc;
use std::time::{Duration, Instant};
use support::{Processor, Shop, Stage};

/// How long each part takes.
struct Plan {
    /// Between two restarts, and how many such stretches there are.
    stretch: Duration,
    stretches: usize,
    /// Without a restart.
    long: Duration,
    window: Duration,
    /// Orders a second.
    rate: u32,
    bounds: Bounds,
}

impl Plan {
    fn of_arguments() -> Self {
        let rate = argument("--rate").unwrap_or(100);
        if std::env::args().any(|argument| argument == "--short") {
            return Self {
                stretch: Duration::from_secs(4),
                stretches: 4,
                long: Duration::from_secs(20),
                window: Duration::from_secs(1),
                rate,
                bounds: Bounds::OF_A_MINUTE,
            };
        }
        let whole = Duration::from_secs(60 * u64::from(argument("--minutes").unwrap_or(60)));
        let restarts = whole / 3;
        Self {
            stretch: restarts / 12,
            stretches: 12,
            long: whole - restarts,
            window: (whole / 240).max(Duration::from_secs(1)),
            rate,
            bounds: Bounds::OF_AN_HOUR,
        }
    }
}

fn argument(name: &str) -> Option<u32> {
    let mut given = std::env::args().skip_while(|argument| argument != name);
    given.nth(1).map(|text| text.parse().expect("a number"))
}

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("a runtime");
    if !runtime.block_on(soak(&Plan::of_arguments())) {
        std::process::exit(1);
    }
}

/// Times are short, so that many ladders are climbed; the last steps wait for a machine that is busy.
fn stage(merchant: &Merchant) -> Stage {
    Stage {
        schedule: r#"["500ms", "1500ms", "3s", "10s", "20s"]"#,
        limits: "requests_per_key = \"off\"".to_owned(),
        more: merchant.configuration(),
        ..Stage::default()
    }
}

async fn soak(plan: &Plan) -> bool {
    let merchant = Merchant::open();
    let processor = Processor::start().await;
    let mut shop = Shop::open(&processor, stage(&merchant)).await;
    let tally = Arc::new(Tally::default());
    let callers = Callers::begin(&shop, &tally, plan.rate);
    let begun = Instant::now();
    let mut restarted = Restarted::default();
    for n in 0..plan.stretches {
        let samples = stretch(&shop, &tally, (plan.stretch, plan.window), begun).await;
        restarted.add(n, samples.last().cloned());
        restart(&mut shop, &tally, is_killed(n)).await;
    }
    let long = stretch(&shop, &tally, (plan.long, plan.window), begun).await;
    callers.end().await;
    println!(
        "{} orders, {} refunds, {} debits in {:.0} s; {} requests were asked again while the server was away; {} restarts",
        tally.orders(),
        tally.refunds(),
        tally.debits(),
        begun.elapsed().as_secs_f64(),
        tally.asked_again(),
        plan.stretches
    );
    soak_samples::print(&long);
    let mut findings = soak_verdict::of_samples(&restarted, &long, plan.bounds);
    let books = Books::close(&mut shop, &processor, &merchant).await;
    findings.extend(books.findings(&tally));
    soak_verdict::print(&findings)
}

/// Whether stretch `n` ends by `kill -9`; the others end in order.
pub const fn is_killed(n: usize) -> bool {
    n.is_multiple_of(2)
}

/// Looks at the end of each window.
async fn stretch(
    shop: &Shop,
    tally: &Tally,
    (length, window): (Duration, Duration),
    begun: Instant,
) -> Vec<Sample> {
    let ends = Instant::now() + length;
    let mut samples = Vec::new();
    while Instant::now() < ends {
        tokio::time::sleep(window).await;
        samples.push(sample(shop, tally, begun).await);
        soak_load::redeliver(shop).await;
    }
    samples
}

/// What is answered while the server goes and comes is no measure of how it runs.
async fn restart(shop: &mut Shop, tally: &Tally, kill: bool) {
    tally.measure(false);
    if kill {
        shop.crash();
    } else {
        assert!(shop.stop().success(), "it stops as it was asked to");
    }
    shop.start_again().await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    tally.measure(true);
}
