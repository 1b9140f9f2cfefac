//! How the journal is doing.

use super::types::JournalHealth;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

/// Numbers for `/readyz` and `/metrics`.
#[derive(Debug, Default)]
pub(super) struct Gauges {
    batches: AtomicU64,
    writes: AtomicU64,
    /// One more than the monotonic time at which the oldest work was queued; 0: nothing waits.
    oldest: AtomicI64,
}

impl Gauges {
    pub(super) fn written(&self, writes: usize) {
        self.batches.fetch_add(1, Ordering::Relaxed);
        let writes = u64::try_from(writes).unwrap_or(u64::MAX);
        self.writes.fetch_add(writes, Ordering::Relaxed);
    }

    pub(super) fn oldest(&self, queued_at_ms: Option<i64>) {
        let oldest = queued_at_ms.map_or(0, |at| at.saturating_add(1));
        self.oldest.store(oldest, Ordering::Relaxed);
    }

    pub(super) fn health(&self, queued: usize, now_ms: i64) -> JournalHealth {
        let oldest = self.oldest.load(Ordering::Relaxed);
        JournalHealth {
            queued,
            oldest_wait_ms: if oldest == 0 {
                0
            } else {
                now_ms.saturating_sub(oldest.saturating_sub(1)).max(0)
            },
            batches: self.batches.load(Ordering::Relaxed),
            writes: self.writes.load(Ordering::Relaxed),
        }
    }
}
