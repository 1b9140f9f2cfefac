//! Wakes the watch over accounts when something comes sooner than it would look by itself.

use crate::clock;
use crate::domain::UnixMillis;
use std::sync::atomic::{AtomicI64, Ordering};
use tokio::sync::Notify;

/// When the watch looks next, and how it is woken before.
#[derive(Debug)]
pub(super) struct Bell {
    next_look: AtomicI64,
    rung: Notify,
}

impl Default for Bell {
    fn default() -> Self {
        Self {
            next_look: AtomicI64::new(i64::MAX),
            rung: Notify::new(),
        }
    }
}

impl Bell {
    /// An account has moved: a hold of it may expire soon, or it is below zero now.
    pub(super) fn moved(&self, expires_at: Option<UnixMillis>, goes_below: bool) {
        let next_look = self.next_look.load(Ordering::Acquire);
        if goes_below || expires_at.is_some_and(|at| at.0 < next_look) {
            self.rung.notify_one();
        }
    }

    /// The watch is looking: whatever moves from now on is to wake it again.
    pub(super) fn looking(&self) {
        self.next_look.store(i64::MAX, Ordering::Release);
    }

    /// Waits until `next_look`, or until something comes sooner.
    pub(super) async fn wait(&self, now: UnixMillis, next_look: UnixMillis) {
        self.next_look.store(next_look.0, Ordering::Release);
        let wait = clock::millis(next_look.since(now));
        // In time or by the bell: both are good.
        drop(tokio::time::timeout(wait, self.rung.notified()).await);
    }
}
