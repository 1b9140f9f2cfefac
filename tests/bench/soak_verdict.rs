//! What must hold of the samples, each with its measure and its bound.

use crate::soak_samples::Sample;

/// Ratios of the last part of windows to the first.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    resident: f64,
    open_files: f64,
    p50: f64,
    p99: f64,
}

impl Bounds {
    pub const OF_AN_HOUR: Self = Self {
        resident: 1.1,
        open_files: 1.1,
        p50: 1.3,
        p99: 2.0,
    };
    /// In a minute caches are still being filled, and one hiccup of the machine is a tenth of a third.
    pub const OF_A_MINUTE: Self = Self {
        resident: 1.6,
        open_files: 1.5,
        p50: 3.0,
        p99: 10.0,
    };
}

/// It is folded in at 40, and begun anew at 48 at the latest, but for long reads.
const WAL_MIB_MAX: f64 = 64.0;
/// Nothing waits longer in the outbox than its ladder for one that was not taken at once.
const OLDEST_S_MAX: f64 = 60.0;

/// One line of the verdict.
pub struct Finding {
    pub what: String,
    pub measure: String,
    pub bound: String,
    pub holds: bool,
}

impl Finding {
    pub fn count(what: &str, counted: u64) -> Self {
        Self {
            what: what.to_owned(),
            measure: counted.to_string(),
            bound: "0".to_owned(),
            holds: counted == 0,
        }
    }

    fn at_most(what: &str, measure: String, value: f64, bound: f64) -> Self {
        Self {
            what: what.to_owned(),
            measure,
            bound: format!("≤ {bound:.1}"),
            holds: value <= bound,
        }
    }
}

type Field = fn(&Sample) -> f64;

/// One sample of each process that a restart has begun. What a kill leaves open is done at once by the next process, which
/// needs more memory then: like is compared with like.
#[derive(Debug, Default)]
pub struct Restarted {
    after_stops: Vec<Sample>,
    after_kills: Vec<Sample>,
}

impl Restarted {
    /// The last sample of stretch `n`. The first one began with an empty database, and is no measure.
    pub fn add(&mut self, n: usize, sample: Option<Sample>) {
        let Some(before) = n.checked_sub(1) else {
            return;
        };
        let like = if crate::is_killed(before) {
            &mut self.after_kills
        } else {
            &mut self.after_stops
        };
        like.extend(sample);
    }

    fn all(&self) -> impl Iterator<Item = &Sample> {
        self.after_stops.iter().chain(&self.after_kills)
    }
}

pub fn of_samples(restarted: &Restarted, long: &[Sample], bounds: Bounds) -> Vec<Finding> {
    // The first fifth warms up.
    let warm = &long[long.len() / 5..];
    let resident: Field = |sample| sample.resident_mib;
    let mut findings = vec![
        ends(
            2,
            "memory after stops",
            &restarted.after_stops,
            resident,
            bounds.resident,
        ),
        ends(
            2,
            "memory after kills",
            &restarted.after_kills,
            resident,
            bounds.resident,
        ),
        ends(
            3,
            "memory without a restart",
            warm,
            resident,
            bounds.resident,
        ),
        grown(warm, bounds.resident - 1.0),
        ends(3, "open files", warm, |s| s.open_files, bounds.open_files),
        ends(3, "p50 of an order", warm, |s| s.p50_ms, bounds.p50),
        ends(3, "p99 of an order", warm, |s| s.p99_ms, bounds.p99),
    ];
    for (what, field, bound) in [
        (
            "the database's log, MiB at most",
            (|s| s.wal_mib) as Field,
            WAL_MIB_MAX,
        ),
        (
            "oldest in the outbox, s at most",
            |s| s.oldest_s,
            OLDEST_S_MAX,
        ),
    ] {
        let most = restarted.all().chain(long).map(field).fold(0.0, f64::max);
        findings.push(Finding::at_most(what, format!("{most:.1}"), most, bound));
    }
    findings
}

/// The last of so many parts of the samples, held against the first.
fn ends(parts: usize, what: &str, samples: &[Sample], field: Field, bound: f64) -> Finding {
    let part = (samples.len() / parts).max(1);
    let first = median(samples.iter().take(part).map(field));
    let last = median(samples.iter().rev().take(part).map(field));
    let ratio = last / first;
    let measure = format!("{first:.1} → {last:.1}, {ratio:.2}");
    Finding::at_most(
        &format!("{what}, last / first of {parts} parts"),
        measure,
        ratio,
        bound,
    )
}

/// What the median of all slopes between two windows makes of the whole stretch.
fn grown(samples: &[Sample], bound: f64) -> Finding {
    let mut slopes = Vec::new();
    for (n, first) in samples.iter().enumerate() {
        for second in &samples[n + 1..] {
            let apart = second.at_s - first.at_s;
            slopes.push((second.resident_mib - first.resident_mib) / apart);
        }
    }
    let whole = samples.last().map_or(0.0, |last| last.at_s) - samples[0].at_s;
    let level = median(samples.iter().map(|sample| sample.resident_mib));
    let grown = median(slopes.into_iter()) * whole / level;
    let measure = format!("{grown:+.3} of {level:.1} MiB");
    Finding::at_most("memory's slope over that stretch", measure, grown, bound)
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.filter(|value| value.is_finite()).collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// Whether all of it holds.
pub fn print(findings: &[Finding]) -> bool {
    println!("| what | measured | bound | holds |");
    println!("|---|---|---|---|");
    for finding in findings {
        println!(
            "| {} | {} | {} | {} |",
            finding.what,
            finding.measure,
            finding.bound,
            if finding.holds { "yes" } else { "NO" }
        );
    }
    findings.iter().all(|finding| finding.holds)
}
