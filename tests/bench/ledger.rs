//! Grants and debits a second on a ledger with 10,000,000 entries, against the same ledger with none.
//!
//! `cargo bench --bench ledger` makes both databases (some 4 GB on the disk, a few minutes), alternates between them,
//! since a disk and its cache swing, and prints the medians of rounds and their ratios. `-- --short` has 200,000
//! entries, `-- --accounts N` has 100 N of them. A grant is an order's write with its movement, through the journal; a debit is asked of the gateway: read,
//! decided, committed. Both go to random accounts.

#![expect(
    clippy::print_stdout,
    clippy::as_conversions,
    clippy::float_arithmetic,
    clippy::expect_used,
    reason = "a benchmark computes with measurements, prints them, and stops at whatever is not as it should be"
)]

mod ledger_load;
mod ledger_rows;

use ledger_load::{Load, Work};
use ledger_rows::{Rows, fill};
use std::time::{Duration, Instant};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

struct Plan {
    rows: Rows,
    rounds: usize,
    load: Load,
}

impl Plan {
    fn of_arguments() -> Self {
        if std::env::args().any(|argument| argument == "--short") {
            Self {
                rows: Rows {
                    accounts: 2_000,
                    entries_each: 100,
                },
                rounds: 1,
                load: Load {
                    warm_up: Duration::from_millis(300),
                    measured: Duration::from_secs(1),
                },
            }
        } else {
            Self {
                rows: Rows {
                    accounts: accounts(),
                    entries_each: 100,
                },
                rounds: 5,
                load: Load {
                    warm_up: Duration::from_secs(1),
                    measured: Duration::from_secs(4),
                },
            }
        }
    }
}

fn accounts() -> u64 {
    let mut arguments = std::env::args().skip_while(|argument| argument != "--accounts");
    let given = arguments.nth(1);
    given.map_or(100_000, |given| {
        given.parse().expect("a number of accounts")
    })
}

fn main() {
    let plan = Plan::of_arguments();
    actix_web::rt::System::new().block_on(measure(&plan));
}

async fn measure(plan: &Plan) {
    let folder = tempfile::tempdir_in("target").expect("a folder on the disk");
    let many = folder.path().join("many");
    let none = folder.path().join("none");
    let started = Instant::now();
    fill(&many, &plan.rows).await;
    let empty = Rows {
        entries_each: 0,
        ..plan.rows
    };
    fill(&none, &empty).await;
    println!(
        "{} entries of {} accounts written in {:.0} s",
        plan.rows.accounts * plan.rows.entries_each,
        plan.rows.accounts,
        started.elapsed().as_secs_f64()
    );
    println!("| | callers | with many | with none | many / none |");
    println!("|---|---|---|---|---|");
    for (work, name) in [(Work::Grants, "grants"), (Work::Debits, "debits")] {
        for callers in [1, 16, 64] {
            let (mut with_many, mut with_none, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
            for _ in 0..plan.rounds {
                let none = plan.load.run(&none, &plan.rows, work, callers).await;
                let many = plan.load.run(&many, &plan.rows, work, callers).await;
                ratios.push(many / none);
                with_many.push(many);
                with_none.push(none);
            }
            println!(
                "| {name} | {callers} | {:.0} | {:.0} | {:.2} |",
                median(with_many),
                median(with_none),
                median(ratios)
            );
        }
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}
