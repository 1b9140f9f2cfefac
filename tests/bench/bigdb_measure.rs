//! Starts and rounds on the two databases, and what is printed of them.

use super::Plan;
use super::bigdb_rows::url;
use super::load::{Pace, Seen, orders};
use super::ready::{peak_memory_mib, wait_until_ready};
use super::roles::{Role, free_port, start_sandbox, start_server};
use super::table::{median, median_seen};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// The two databases, each in a folder of its own.
pub struct Both {
    pub many: PathBuf,
    pub none: PathBuf,
    pub accounts: u64,
}

const STARTS: usize = 3;
const READY_WITHIN: Duration = Duration::from_secs(5);
const RATIO_MIN: f64 = 0.9;
const CALLERS: usize = 64;

/// A server that is ready, and the sandbox that it charges through.
struct Running {
    port: u16,
    server: Role,
    _sandbox: Role,
    _ledger: tempfile::TempDir,
    took: Duration,
}

fn start(file: &Path) -> Running {
    let ledger = tempfile::tempdir_in("target").expect("a folder on the disk");
    let (sandbox_port, port) = (free_port(), free_port());
    let sandbox = start_sandbox(ledger.path(), sandbox_port);
    let folder = file.parent().expect("a database is in a folder");
    let started = Instant::now();
    let server = start_server(folder, &url(file), sandbox_port, port, "grouped");
    wait_until_ready(port);
    Running {
        port,
        server,
        _sandbox: sandbox,
        _ledger: ledger,
        took: started.elapsed(),
    }
}

/// Takes the file out of the machine's cache, as after a boot.
fn forget(file: &Path) {
    let done = Command::new("dd")
        .arg(format!("of={}", file.display()))
        .args([
            "oflag=nocache",
            "conv=notrunc,fdatasync",
            "count=0",
            "status=none",
        ])
        .status();
    assert!(done.expect("dd(1) runs").success(), "the cache is dropped");
}

/// Whether each start was soon enough.
pub fn start_ups(both: &Both) -> bool {
    println!("| start | cache | ready, s | peak memory, MiB |");
    println!("|---|---|---|---|");
    let mut soon = true;
    for (name, file) in [("many", &both.many), ("none", &both.none)] {
        for cold in [true, false] {
            let (mut took, mut memory) = (Vec::new(), Vec::new());
            for _ in 0..STARTS {
                if cold {
                    forget(file);
                }
                let running = start(file);
                soon &= running.took < READY_WITHIN;
                took.push(running.took.as_secs_f64());
                memory.push(peak_memory_mib(running.server.pid()) as f64);
            }
            println!(
                "| {name} | {} | {:.2} | {:.0} |",
                if cold { "cold" } else { "warm" },
                median(took),
                median(memory)
            );
        }
    }
    soon
}

/// Whether the rates are as near as they shall be.
pub fn throughput(runtime: &tokio::runtime::Runtime, both: &Both, plan: &Plan) -> bool {
    let phases = ["while the sweep works", "after it"];
    // Into the machine's cache, as far as there is room: what a server that runs for long finds there.
    let mut file = std::fs::File::open(&both.many).expect("the file is there");
    std::io::copy(&mut file, &mut std::io::sink()).expect("it is read");
    let mut seen = [Vec::new(), Vec::new()];
    for round in 0..plan.rounds {
        // Each begins every other round: what the machine does meanwhile meets both.
        let first_many = round % 2 == 0;
        let mut many = Vec::new();
        if first_many {
            many = runtime.block_on(one(&both.many, both.accounts, plan));
        }
        let none = runtime.block_on(one(&both.none, both.accounts, plan));
        if !first_many {
            many = runtime.block_on(one(&both.many, both.accounts, plan));
        }
        for (phase, pair) in many.into_iter().zip(none).enumerate() {
            let (many, none) = &pair;
            eprintln!(
                "round {round}, {}: {:.0}/s and {:.0}/s",
                phases[phase], many.per_second, none.per_second
            );
            seen[phase].push(pair);
        }
    }
    println!(
        "| orders to PAID at {CALLERS} connections | many, /s | p99 ms | none, /s | p99 ms | many / none |"
    );
    println!("|---|---|---|---|---|---|");
    let mut ratios = Vec::new();
    for (phase, pairs) in phases.iter().zip(&seen) {
        let (many, none): (Vec<Seen>, Vec<Seen>) = pairs.iter().cloned().unzip();
        let ratio = median(
            pairs
                .iter()
                .map(|(many, none)| many.per_second / none.per_second)
                .collect(),
        );
        let (many, none) = (median_seen(&many), median_seen(&none));
        assert_eq!(many.others + none.others, 0, "every order is paid");
        println!(
            "| {phase} | {:.0} | {:.1} | {:.0} | {:.1} | {ratio:.2} |",
            many.per_second, many.p99_ms, none.per_second, none.p99_ms
        );
        ratios.push(ratio);
    }
    ratios.last().is_some_and(|ratio| *ratio >= RATIO_MIN)
}

/// The same server in the seconds in which the sweep works, and in those after it.
async fn one(file: &Path, accounts: u64, plan: &Plan) -> Vec<Seen> {
    let running = start(file);
    let mut seen = Vec::new();
    for measured in [plan.sweeping, plan.measured] {
        let pace = Pace {
            callers: CALLERS,
            warm_up: Duration::from_secs(1),
            measured,
            per_second: None,
            accounts,
        };
        seen.push(orders(running.port, pace).await);
    }
    seen
}
