//! `channels.NAME.rate`: calls to a channel wait their turn.

use crate::config::Rate;
use governor::clock::{Clock, DefaultClock};
use governor::{DefaultDirectRateLimiter, RateLimiter};
use std::time::Duration;
use tokio::sync::Mutex;

/// Which queue a call stands in: thousands of questions after a restart must not keep a new order waiting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Queue {
    /// Submits and refunds.
    Money,
    /// Queries and closes.
    Questions,
}

/// The turns of one channel, fair within a queue.
#[derive(Debug)]
pub(super) struct Turns {
    limiter: DefaultDirectRateLimiter,
    clock: DefaultClock,
    money: Mutex<()>,
    questions: Mutex<()>,
}

impl Turns {
    pub(super) fn new(rate: Rate) -> Self {
        Self {
            limiter: RateLimiter::direct(rate.quota()),
            clock: DefaultClock::default(),
            money: Mutex::default(),
            questions: Mutex::default(),
        }
    }

    /// Waits for a turn, at most so long; whether there was one.
    pub(super) async fn take(&self, queue: Queue, limit: Duration) -> bool {
        tokio::time::timeout(limit, self.next(queue)).await.is_ok()
    }

    async fn next(&self, queue: Queue) {
        let queue = match queue {
            Queue::Money => &self.money,
            Queue::Questions => &self.questions,
        };
        // The first in the queue waits for the limiter; the others wait for the first.
        let _first = queue.lock().await;
        while let Err(not_yet) = self.limiter.check() {
            let wait = not_yet.wait_time_from(self.clock.now());
            tokio::time::sleep(wait.max(Duration::from_millis(1))).await;
        }
    }
}
