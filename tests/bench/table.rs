//! Medians of what was seen, as a table.

use super::load::Seen;

pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

pub fn median_seen(runs: &[Seen]) -> Seen {
    let of = |field: fn(&Seen) -> f64| median(runs.iter().map(field).collect());
    Seen {
        per_second: of(|seen| seen.per_second),
        p50_ms: of(|seen| seen.p50_ms),
        p99_ms: of(|seen| seen.p99_ms),
        others: runs.iter().map(|seen| seen.others).sum(),
    }
}
