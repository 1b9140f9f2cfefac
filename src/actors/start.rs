//! Starting the actors of a runtime on a thread of their own.

use super::gateway::Gateway;
use super::shared::{Parts, Shared};
use super::supervisor::Supervisor;
use super::timers::Timers;
use crate::domain::UnixMillis;
use crate::domain::order::recovery::due_at_start;
use crate::store::orders::InFlight;
use actix::{Actor, Addr, Arbiter};
use std::hash::{DefaultHasher, Hash, Hasher};

/// The in-flight rows that start-up found, as compact timers: actors come when their timer does.
#[derive(Debug)]
pub struct Found {
    timers: Timers,
    now: UnixMillis,
    spread_ms: u64,
}

impl Found {
    /// What is due already is spread over `spread_ms` from `now`, so that a restart is no storm at the channels.
    #[must_use]
    pub fn new(now: UnixMillis, spread_ms: i64) -> Self {
        let spread_ms = u64::try_from(spread_ms).unwrap_or(0).max(1);
        Self {
            timers: Timers::default(),
            now,
            spread_ms,
        }
    }

    /// One row that wants to be looked at.
    pub fn add(&mut self, row: &InFlight) {
        let spread = self.now.plus(self.share_of(&row.order_no));
        let due = due_at_start(row.status, row.wake_at, self.now).unwrap_or(spread);
        self.timers.found(&row.order_no, due);
    }

    /// How many rows were found.
    #[must_use]
    pub fn count(&self) -> usize {
        self.timers.len()
    }

    fn share_of(&self, order_no: &str) -> i64 {
        let mut hasher = DefaultHasher::new();
        order_no.hash(&mut hasher);
        let share = hasher.finish().checked_rem(self.spread_ms).unwrap_or(0);
        i64::try_from(share).unwrap_or(0)
    }
}

/// Starts the supervisor on `arbiter` and hands out the gateway to it.
pub fn start(parts: Parts, found: Found, arbiter: &Arbiter) -> Gateway {
    let shared = Shared::new(parts);
    let for_actors = shared.clone();
    arbiter.spawn(super::accounts::watch(shared.clone()));
    let supervisor: Addr<Supervisor> = Supervisor::start_in_arbiter(&arbiter.handle(), move |_| {
        Supervisor::new(for_actors, found.timers)
    });
    Gateway { shared, supervisor }
}
