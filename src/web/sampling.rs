//! Bounded logging: so many lines a second about one thing, and a count of those that were left out.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// Lines about one thing in one second. Enough to see what is wrong; a flood of 100,000 stays a few kilobytes.
const LINES_A_SECOND: u32 = 10;

/// Decides which of many lines are logged.
#[derive(Debug, Default)]
pub(crate) struct Sampler {
    windows: Mutex<BTreeMap<&'static str, Window>>,
}

#[derive(Debug, Default, Clone, Copy)]
struct Window {
    second: i64,
    lines: u32,
    suppressed: u64,
}

impl Sampler {
    /// Whether a line about this may be logged now, and then how many were left out since the last one.
    pub(crate) fn admit(&self, about: &'static str, mono_ms: i64) -> Option<u64> {
        let second = mono_ms.div_euclid(1000);
        let mut windows = self.windows.lock().unwrap_or_else(PoisonError::into_inner);
        let window = windows.entry(about).or_default();
        if window.second != second {
            window.second = second;
            window.lines = 0;
        }
        if window.lines >= LINES_A_SECOND {
            window.suppressed = window.suppressed.saturating_add(1);
            return None;
        }
        window.lines = window.lines.saturating_add(1);
        Some(std::mem::take(&mut window.suppressed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_leaves_ten_lines_a_second_and_a_count() {
        let sampler = Sampler::default();
        let rule = "signature";
        let admitted = (0..100_000).filter(|_| sampler.admit(rule, 500).is_some());
        assert_eq!(admitted.count(), 10);
        assert_eq!(sampler.admit("timestamp", 500), Some(0));
        assert_eq!(sampler.admit(rule, 1_500), Some(99_990));
        assert_eq!(sampler.admit(rule, 1_500), Some(0));
    }
}
