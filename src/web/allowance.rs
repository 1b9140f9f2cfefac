//! Allowances: how many requests one caller may send, and what an answer says of it (`RateLimit`,
//! `RateLimit-Policy`).

use super::problem::Problem;
use super::problem_kind::Kind;
use crate::config::Rate;
use actix_web::http::header::{HeaderMap, HeaderName, HeaderValue};
use actix_web::{HttpMessage, HttpRequest};
use governor::clock::{Clock, DefaultClock};
use governor::middleware::StateInformationMiddleware;
use governor::{DefaultKeyedRateLimiter, RateLimiter};
use std::fmt::Debug;
use std::hash::Hash;
use std::time::Duration;

const LIMIT: &str = "ratelimit";
const POLICY: &str = "ratelimit-policy";

/// What is left of one allowance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Allowance {
    /// Its name in the headers: `key` or `address`.
    policy: &'static str,
    rate: Rate,
    left: u32,
    /// How long until there is one more; `None`: this request was admitted.
    pub(super) wait: Option<Duration>,
}

impl Allowance {
    /// Until the whole allowance is there again, or, if nothing is left, until there is one.
    fn resets_in(&self) -> Duration {
        let used = self.rate.count.get().saturating_sub(self.left);
        let full = self.rate.interval().saturating_mul(used);
        self.wait.unwrap_or(full)
    }

    /// The two headers of an answer, in the structured fields of the IETF's draft.
    pub(super) fn tell(&self, headers: &mut HeaderMap) {
        let Self {
            policy, rate, left, ..
        } = self;
        let seconds = self.resets_in().as_millis().div_ceil(1000);
        let texts = [
            (LIMIT, format!("\"{policy}\";r={left};t={seconds}")),
            (
                POLICY,
                format!("\"{policy}\";q={};w={}", rate.count, rate.window_s),
            ),
        ];
        for (name, text) in texts {
            if let Ok(value) = HeaderValue::from_str(&text) {
                headers.insert(HeaderName::from_static(name), value);
            }
        }
    }
}

/// Notes what is left for the answer to this request; a refusal if it was one too many.
pub(super) fn spend(request: &HttpRequest, allowance: Allowance) -> Result<(), Problem> {
    request.extensions_mut().insert(allowance);
    match allowance.wait {
        Some(wait) => Err(Problem::new(Kind::RateLimited).retry_after_at_least(wait)),
        None => Ok(()),
    }
}

/// One allowance for each caller of a kind.
pub(super) struct Allowances<K: Hash + Eq + Clone> {
    policy: &'static str,
    rate: Rate,
    limiter: DefaultKeyedRateLimiter<K, StateInformationMiddleware>,
    clock: DefaultClock,
}

impl<K: Hash + Eq + Clone> Debug for Allowances<K> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Allowances")
            .field("policy", &self.policy)
            .field("rate", &self.rate)
            .finish_non_exhaustive()
    }
}

impl<K: Hash + Eq + Clone> Allowances<K> {
    pub(super) fn new(policy: &'static str, rate: Rate) -> Self {
        Self {
            policy,
            rate,
            limiter: RateLimiter::keyed(rate.quota()).with_middleware(),
            clock: DefaultClock::default(),
        }
    }

    /// Counts one request of this caller.
    pub(super) fn take(&self, caller: &K) -> Allowance {
        let (left, wait) = match self.limiter.check_key(caller) {
            Ok(state) => (state.remaining_burst_capacity(), None),
            Err(refused) => (0, Some(refused.wait_time_from(self.clock.now()))),
        };
        Allowance {
            policy: self.policy,
            rate: self.rate,
            left,
            wait,
        }
    }

    /// How many callers are remembered.
    pub(super) fn count(&self) -> usize {
        self.limiter.len()
    }

    /// Forgets those who have their whole allowance again.
    pub(super) fn sweep(&self) {
        self.limiter.retain_recent();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(allowance: Allowance) -> [String; 2] {
        let mut headers = HeaderMap::new();
        allowance.tell(&mut headers);
        [LIMIT, POLICY].map(|name| headers.get(name).unwrap().to_str().unwrap().to_owned())
    }

    #[test]
    fn an_answer_says_what_is_left_and_when_it_comes_back() {
        let allowances = Allowances::new("key", Rate::parse("2/h").unwrap());
        let policy = "\"key\";q=2;w=3600".to_owned();
        let first = told(allowances.take(&"shop"));
        assert_eq!(first, ["\"key\";r=1;t=1800".to_owned(), policy.clone()]);
        assert_eq!(told(allowances.take(&"shop"))[0], "\"key\";r=0;t=3600");
        let third = allowances.take(&"shop");
        assert!(
            third
                .wait
                .is_some_and(|wait| wait <= Duration::from_secs(1_800))
        );
        assert!(told(third)[0].starts_with("\"key\";r=0;t=1"));
        assert_eq!(allowances.take(&"till-2").wait, None);
    }
}
