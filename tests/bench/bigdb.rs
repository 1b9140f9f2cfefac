//! The server on a database with 10,000,000 settled orders and 100,000 in flight, against the same server on an empty one.
//!
//! `cargo bench --bench bigdb` makes the database (some 17 GB on the disk, many minutes), alternates rounds of orders to
//! `PAID` at 64 connections between the two, with the file in the machine's cache, and then measures how soon a server on
//! it is ready and what memory that takes, with the cache and without. It fails below 0.9 of the empty one's rate, or when a start takes
//! five seconds. `-- --short` has 100,000 and 2,000; `-- --orders N` has N settled ones; `-- --folder F` leaves the
//! database in F, or takes the one that is there.
//!
//! The sweep over our own tables begins five seconds after a start and returns every five minutes: the rounds measure
//! the seconds in which it works and those after it by themselves.

#![expect(
    clippy::print_stdout,
    clippy::as_conversions,
    clippy::float_arithmetic,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    unreachable_pub,
    reason = "a benchmark computes with measurements, prints them, and stops at whatever is not as it should be"
)]

mod bigdb_measure;
mod bigdb_rows;
mod load;
mod ready;
mod roles;
mod table;

use bigdb_measure::{Both, start_ups, throughput};
use bigdb_rows::{Rows, fill, migrate};
use std::path::PathBuf;
use std::time::{Duration, Instant};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

pub struct Plan {
    rows: Rows,
    pub rounds: usize,
    /// How long the sweep has to end, and how long is measured after it.
    pub sweeping: Duration,
    pub measured: Duration,
    folder: Option<PathBuf>,
    /// Rounds of seconds on a small database say nothing about a bound.
    strict: bool,
}

impl Plan {
    fn of_arguments() -> Self {
        let short = std::env::args().any(|argument| argument == "--short");
        let folder = argument("--folder").map(PathBuf::from);
        let orders = argument("--orders").map(|orders| orders.parse().expect("a number"));
        let (orders_of_plan, in_flight, rounds, seconds) = if short {
            (100_000, 2_000, 1, (8, 2))
        } else {
            (10_000_000, 100_000, 5, (20, 10))
        };
        Self {
            rows: Rows {
                orders: orders.unwrap_or(orders_of_plan),
                in_flight,
            },
            rounds,
            sweeping: Duration::from_secs(seconds.0),
            measured: Duration::from_secs(seconds.1),
            folder,
            strict: !short,
        }
    }
}

fn argument(name: &str) -> Option<String> {
    std::env::args()
        .skip_while(|argument| argument != name)
        .nth(1)
}

fn main() {
    match std::env::var(roles::ROLE).as_deref() {
        Ok("server") => roles::server(),
        Ok("sandbox") => roles::sandbox(),
        _ => {
            if !measure(&Plan::of_arguments()) {
                std::process::exit(1);
            }
        }
    }
}

fn measure(plan: &Plan) -> bool {
    let scratch = tempfile::tempdir_in("target").expect("a folder on the disk");
    let folder = plan.folder.as_deref().unwrap_or_else(|| scratch.path());
    let both = Both {
        many: folder.join("many/oncepay.db"),
        none: scratch.path().join("none/oncepay.db"),
        accounts: plan.rows.accounts(),
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    if !both.many.exists() {
        let started = Instant::now();
        runtime.block_on(fill(&both.many, &plan.rows));
        let bytes = std::fs::metadata(&both.many).expect("a file").len();
        println!(
            "{} settled orders and {} in flight, {:.1} GB, written in {:.0} s",
            plan.rows.orders,
            plan.rows.in_flight,
            bytes as f64 / 1e9,
            started.elapsed().as_secs_f64()
        );
    }
    runtime.block_on(migrate(&both.none));
    // A start with a cold cache leaves it cold for the rounds: it comes last.
    let level = throughput(&runtime, &both, plan);
    let soon = start_ups(&both);
    !plan.strict || (soon && level)
}
