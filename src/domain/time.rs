//! Moments as the decisions see them: a wall clock for promises, a monotonic one for graces.

use serde::{Deserialize, Serialize};

/// Milliseconds since 1970-01-01T00:00:00Z.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, Default,
)]
#[serde(transparent)]
pub struct UnixMillis(pub i64);

impl UnixMillis {
    /// This moment moved by `millis`, which may be negative; saturates at the ends of time.
    #[must_use]
    pub const fn plus(self, millis: i64) -> Self {
        Self(self.0.saturating_add(millis))
    }

    /// Milliseconds from `earlier` to this moment.
    #[must_use]
    pub const fn since(self, earlier: Self) -> i64 {
        self.0.saturating_sub(earlier.0)
    }
}

/// A moment that is kept in a row and may be read by a later run of the runtime.
///
/// `mono_ms` counts from the start of the run with this `epoch`; in another run it means nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Stamp {
    pub at: UnixMillis,
    pub mono_ms: i64,
    pub epoch: i64,
}

/// The present, as handed to a decision.
///
/// `mono_ms` is milliseconds since this run started, so that 0 is the start-up itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Now {
    pub wall: UnixMillis,
    pub mono_ms: i64,
    pub epoch: i64,
}

impl Now {
    /// This moment in the form that is kept in rows.
    #[must_use]
    pub const fn stamp(&self) -> Stamp {
        Stamp {
            at: self.wall,
            mono_ms: self.mono_ms,
            epoch: self.epoch,
        }
    }

    /// Milliseconds on the monotonic clock since `stamp`; a stamp of an earlier run counts from start-up,
    /// since nobody measured the time between.
    #[must_use]
    pub const fn elapsed_since(&self, stamp: &Stamp) -> i64 {
        if stamp.epoch == self.epoch {
            self.mono_ms.saturating_sub(stamp.mono_ms)
        } else {
            self.mono_ms
        }
    }
}
