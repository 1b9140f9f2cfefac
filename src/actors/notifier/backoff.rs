//! When a mail that was not taken is tried again.

/// A server that restarts is back in half a minute, one that is broken is mended within the hour.
const DELAYS_MS: [i64; 4] = [30_000, 120_000, 600_000, 3_600_000];

/// The delay after attempt `n` (from 1), in milliseconds: without end, at last hourly.
pub(super) fn delay_ms(n: i64) -> i64 {
    usize::try_from(n.saturating_sub(1))
        .ok()
        .and_then(|rung| DELAYS_MS.get(rung))
        .copied()
        .unwrap_or(3_600_000)
}
