//! Time and fresh ids: the only place that reads the machine's clocks.

use crate::domain::{Now, UnixMillis};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Where the runtime gets its time from. Tests bring their own.
pub trait Clock: Send + Sync + 'static {
    /// The wall clock.
    fn wall(&self) -> UnixMillis;
    /// Milliseconds since this run started, on a clock that never steps.
    fn mono_ms(&self) -> i64;
}

/// A span of so many milliseconds; none where they are less than none.
pub(crate) fn millis(millis: i64) -> Duration {
    Duration::from_millis(u64::try_from(millis).unwrap_or_default())
}

/// A clock that parts of the runtime share.
pub type SharedClock = Arc<dyn Clock>;

/// The machine's clocks.
#[derive(Debug)]
pub struct SystemClock {
    started: Instant,
}

impl SystemClock {
    /// A clock whose monotonic side starts now.
    #[must_use]
    pub fn start() -> SharedClock {
        Arc::new(Self {
            started: Instant::now(),
        })
    }
}

impl Clock for SystemClock {
    #[expect(
        clippy::disallowed_methods,
        reason = "this is the place that reads the clock"
    )]
    fn wall(&self) -> UnixMillis {
        let since_1970 = std::time::SystemTime::now()
            .duration_since(std::time::UNIX_EPOCH)
            .unwrap_or_default();
        UnixMillis(i64::try_from(since_1970.as_millis()).unwrap_or(i64::MAX))
    }

    fn mono_ms(&self) -> i64 {
        i64::try_from(self.started.elapsed().as_millis()).unwrap_or(i64::MAX)
    }
}

/// The present of this run in the form that decisions take.
#[must_use]
pub fn now(clock: &dyn Clock, epoch: i64) -> Now {
    Now {
        wall: clock.wall(),
        mono_ms: clock.mono_ms(),
        epoch,
    }
}

/// A fresh id: `prefix`, `_` and a UUIDv7 in simple form, so that ids sort by their time.
#[must_use]
#[expect(
    clippy::disallowed_methods,
    reason = "this is the place that makes ids"
)]
pub fn new_id(prefix: &str) -> String {
    format!("{prefix}_{}", uuid::Uuid::now_v7().simple())
}
