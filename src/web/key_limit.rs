//! How often one API key may ask: `limits.requests_per_key`.

use governor::clock::{Clock, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use std::num::NonZeroU32;
use std::time::Duration;

/// One allowance for each key's name. There are as many as keys, so that none needs to be forgotten.
#[derive(Debug, Default)]
pub(super) struct KeyLimit {
    limiter: Option<DefaultKeyedRateLimiter<String>>,
    clock: DefaultClock,
}

impl KeyLimit {
    /// So many requests a second, a burst of as many; without a number there is no limit.
    pub(super) fn new(per_second: Option<u32>) -> Self {
        let quota = per_second.and_then(NonZeroU32::new).map(Quota::per_second);
        Self {
            limiter: quota.map(RateLimiter::keyed),
            clock: DefaultClock::default(),
        }
    }

    /// Counts one request under this name; a refusal says how long to wait.
    pub(super) fn admit(&self, name: &str) -> Result<(), Duration> {
        let Some(limiter) = &self.limiter else {
            return Ok(());
        };
        limiter
            .check_key(&name.to_owned())
            .map_err(|refused| refused.wait_time_from(self.clock.now()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_key_that_asks_too_often_leaves_the_others_alone() {
        let limit = KeyLimit::new(Some(1));
        assert!(limit.admit("shop").is_ok());
        assert!(limit.admit("shop").is_err());
        assert!(limit.admit("till-2").is_ok());
    }
}
