//! What is seen of the server at the end of each window.

use crate::soak_load::Tally;
use crate::support::{Shop, VIEWER};
use std::time::{Duration, Instant};

#[derive(Debug, Clone)]
pub struct Sample {
    pub at_s: f64,
    pub resident_mib: f64,
    pub open_files: f64,
    pub orders: usize,
    pub p50_ms: f64,
    pub p99_ms: f64,
    /// The database's log; nothing on PostgreSQL.
    pub wal_mib: f64,
    /// Rows of the outbox that wait, and for how long the oldest has.
    pub waiting: f64,
    pub oldest_s: f64,
    /// Decisions before the journal.
    pub queued: f64,
}

pub async fn sample(shop: &Shop, tally: &Tally, begun: Instant) -> Sample {
    let mut took = tally.taken();
    took.sort_unstable();
    let metrics = shop.ask("GET", "/metrics", VIEWER, None).await.body;
    let metrics = metrics.as_str().unwrap_or_default();
    let pid = shop.running.pid();
    Sample {
        at_s: begun.elapsed().as_secs_f64(),
        resident_mib: resident_mib(pid),
        open_files: std::fs::read_dir(format!("/proc/{pid}/fd"))
            .expect("the process is there")
            .count() as f64,
        orders: took.len(),
        p50_ms: quantile_ms(&took, 0.5),
        p99_ms: quantile_ms(&took, 0.99),
        wal_mib: wal_mib(shop),
        waiting: sum(metrics, "oncepay_outbox_waiting"),
        oldest_s: sum(metrics, "oncepay_outbox_oldest"),
        queued: sum(metrics, "oncepay_journal_queued"),
    }
}

fn resident_mib(pid: u32) -> f64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).expect("it runs");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib = line.and_then(|line| line.split_whitespace().next());
    let kib: f64 = kib.and_then(|kib| kib.parse().ok()).expect("a number");
    kib / 1024.0
}

fn wal_mib(shop: &Shop) -> f64 {
    if !shop.database.is_sqlite() {
        return 0.0;
    }
    let mut name = shop.database.file().as_os_str().to_owned();
    name.push("-wal");
    std::fs::metadata(name).map_or(0.0, |file| file.len() as f64 / 1_048_576.0)
}

/// The sum over all labels of a gauge.
fn sum(metrics: &str, name: &str) -> f64 {
    let lines = metrics.lines().filter(|line| line.starts_with(name));
    let values = lines.filter_map(|line| line.rsplit(' ').next()?.parse::<f64>().ok());
    values.sum()
}

fn quantile_ms(sorted: &[Duration], quantile: f64) -> f64 {
    if sorted.is_empty() {
        return f64::NAN;
    }
    let place = ((sorted.len() - 1) as f64 * quantile).round() as usize;
    sorted[place].as_secs_f64() * 1000.0
}

/// A dozen lines of the long stretch.
pub fn print(samples: &[Sample]) {
    println!(
        "| s | orders | resident MiB | open files | p50 ms | p99 ms | log MiB | outbox | journal |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for sample in samples.iter().step_by((samples.len() / 12).max(1)) {
        println!(
            "| {:.0} | {} | {:.1} | {:.0} | {:.1} | {:.1} | {:.1} | {:.0} | {:.0} |",
            sample.at_s,
            sample.orders,
            sample.resident_mib,
            sample.open_files,
            sample.p50_ms,
            sample.p99_ms,
            sample.wal_mib,
            sample.waiting,
            sample.queued
        );
    }
}
