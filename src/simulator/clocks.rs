//! Time as it is, and the two clocks of the machine, neither of which keeps it.

use crate::domain::{Now, UnixMillis};

/// When the story begins.
const START: UnixMillis = UnixMillis(1_800_000_000_000);
/// No farther than this is the wall clock ever off: half of the margin after which an expiry is believed.
const WALL_OFF_MAX_MS: i64 = 240_000;
const MILLION: i64 = 1_000_000;

/// Milliseconds since the story began.
pub(super) type Moment = i64;

pub(super) const SECOND: i64 = 1_000;
pub(super) const MINUTE: i64 = 60 * SECOND;
pub(super) const HOUR: i64 = 60 * MINUTE;
pub(super) const DAY: i64 = 24 * HOUR;

#[derive(Debug)]
pub(super) struct Clocks {
    pub(super) moment: Moment,
    wall_off_ms: i64,
    started: Moment,
    /// The monotonic clock runs too fast by so many millionths.
    drift: i64,
    pub(super) epoch: i64,
}

impl Clocks {
    pub(super) const fn new() -> Self {
        Self {
            moment: 0,
            wall_off_ms: 0,
            started: 0,
            drift: 0,
            epoch: 1,
        }
    }

    pub(super) fn now(&self) -> Now {
        let since = self.moment.saturating_sub(self.started);
        let drifted = since.saturating_mul(self.drift) / MILLION;
        Now {
            wall: self.wall(),
            mono_ms: since.saturating_add(drifted),
            epoch: self.epoch,
        }
    }

    pub(super) const fn wall(&self) -> UnixMillis {
        START.plus(self.moment.saturating_add(self.wall_off_ms))
    }

    /// When the wall clock, as it goes now, will show this; not before the present.
    pub(super) fn moment_of(&self, wall: UnixMillis) -> Moment {
        let moment = wall.since(START).saturating_sub(self.wall_off_ms);
        moment.max(self.moment)
    }

    /// Somebody sets the wall clock.
    pub(super) fn step(&mut self, millis: i64) {
        let off = self.wall_off_ms.saturating_add(millis);
        self.wall_off_ms = off.clamp(-WALL_OFF_MAX_MS, WALL_OFF_MAX_MS);
    }

    /// A process starts.
    pub(super) const fn start(&mut self, drift: i64) {
        self.epoch = self.epoch.saturating_add(1);
        self.started = self.moment;
        self.drift = drift;
    }
}
