//! Time that only the test moves on.

use oncepay::clock::{Clock, SystemClock};
use oncepay::domain::UnixMillis;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

/// The time of one run. The wall is shared by all runs; the monotonic side starts anew with each.
#[derive(Clone)]
pub(crate) struct Hours {
    wall: Arc<AtomicI64>,
    started: i64,
}

impl Hours {
    pub(crate) fn start() -> Self {
        let now = SystemClock::start().wall().0;
        Self {
            wall: Arc::new(AtomicI64::new(now)),
            started: now,
        }
    }

    /// The same time, as the next run sees it.
    pub(crate) fn of_the_next_run(&self) -> Self {
        Self {
            wall: Arc::clone(&self.wall),
            started: self.wall().0,
        }
    }

    pub(crate) fn pass(&self, millis: i64) {
        self.wall.fetch_add(millis, Ordering::SeqCst);
    }
}

impl Clock for Hours {
    fn wall(&self) -> UnixMillis {
        UnixMillis(self.wall.load(Ordering::SeqCst))
    }

    fn mono_ms(&self) -> i64 {
        self.wall().0 - self.started
    }
}
