//! How the journal is doing.

use super::types::JournalHealth;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

/// Is told of each batch: its writes, and how many milliseconds the oldest of them waited for the commit.
pub(super) type Observer = Box<dyn Fn(usize, i64) + Send + Sync>;

/// Numbers for `/readyz` and `/metrics`.
#[derive(Default)]
pub(super) struct Gauges {
    observer: OnceLock<Observer>,
    batches: AtomicU64,
    writes: AtomicU64,
    /// One more than the monotonic time at which the oldest work was queued; 0: nothing waits.
    oldest: AtomicI64,
}

impl Gauges {
    /// The first observer stays.
    pub(super) fn observe(&self, observer: Observer) {
        drop(self.observer.set(observer));
    }

    pub(super) fn written(&self, writes: usize, now_ms: i64) {
        if let Some(observer) = self.observer.get() {
            observer(writes, self.oldest_wait_ms(now_ms));
        }
        self.batches.fetch_add(1, Ordering::Relaxed);
        let writes = u64::try_from(writes).unwrap_or(u64::MAX);
        self.writes.fetch_add(writes, Ordering::Relaxed);
    }

    pub(super) fn oldest(&self, queued_at_ms: Option<i64>) {
        let oldest = queued_at_ms.map_or(0, |at| at.saturating_add(1));
        self.oldest.store(oldest, Ordering::Relaxed);
    }

    pub(super) fn health(&self, queued: usize, now_ms: i64) -> JournalHealth {
        JournalHealth {
            queued,
            oldest_wait_ms: self.oldest_wait_ms(now_ms),
            batches: self.batches.load(Ordering::Relaxed),
            writes: self.writes.load(Ordering::Relaxed),
        }
    }

    fn oldest_wait_ms(&self, now_ms: i64) -> i64 {
        let oldest = self.oldest.load(Ordering::Relaxed);
        if oldest == 0 {
            0
        } else {
            now_ms.saturating_sub(oldest.saturating_sub(1)).max(0)
        }
    }
}
