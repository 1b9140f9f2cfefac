//! What stands before the verification of callbacks: a rate limit for each address.

use crate::config::Settings;
use governor::clock::{Clock, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use std::net::{IpAddr, Ipv6Addr};
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Addresses that are remembered at once; a flood from more shares one allowance.
const ADDRESSES_MAX: usize = 50_000;

/// The rate limit of callbacks.
pub(crate) struct CallbackDoor {
    limiter: Option<DefaultKeyedRateLimiter<IpAddr>>,
    clock: DefaultClock,
    /// When addresses that have their whole allowance again were last forgotten, in seconds since `started`.
    swept_s: AtomicU64,
    started: Instant,
    trusted_proxies: Vec<IpAddr>,
}

impl CallbackDoor {
    pub(crate) fn new(settings: &Settings) -> Self {
        let per_second = settings.limits.callbacks_per_address;
        let quota = per_second.and_then(NonZeroU32::new).map(Quota::per_second);
        Self {
            limiter: quota.map(RateLimiter::keyed),
            clock: DefaultClock::default(),
            swept_s: AtomicU64::new(0),
            started: Instant::now(),
            trusted_proxies: settings.server.trusted_proxies.clone(),
        }
    }

    /// Counts one request from this address; a refusal says how long to wait.
    pub(crate) fn admit(&self, address: IpAddr) -> Result<(), Duration> {
        let Some(limiter) = &self.limiter else {
            return Ok(());
        };
        if self.sweep_is_due() {
            limiter.retain_recent();
        }
        let crowded = limiter.len() >= ADDRESSES_MAX;
        let key = if crowded {
            IpAddr::V6(Ipv6Addr::UNSPECIFIED)
        } else {
            network(address)
        };
        limiter
            .check_key(&key)
            .map_err(|refused| refused.wait_time_from(self.clock.now()))
    }

    /// Once a second at most: a sweep looks at every address, and a flood must not make each request pay for one.
    fn sweep_is_due(&self) -> bool {
        let second = self.started.elapsed().as_secs();
        let swept = self.swept_s.fetch_max(second, Ordering::Relaxed);
        swept < second
    }

    /// Whose request it is: the peer, or what the nearest proxy that we do not trust was told by the ones that we do.
    pub(crate) fn address(&self, peer: IpAddr, forwarded_for: &str) -> IpAddr {
        if !self.trusted_proxies.contains(&peer) {
            return peer;
        }
        let mut nearest = peer;
        for hop in forwarded_for.rsplit(',') {
            let Ok(address) = hop.trim().parse::<IpAddr>() else {
                return nearest;
            };
            nearest = address;
            if !self.trusted_proxies.contains(&address) {
                return address;
            }
        }
        nearest
    }
}

/// What one sender has to itself: an IPv4 address, or the upper half of an IPv6 address.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(address) => IpAddr::V4(address),
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() >> 64 << 64)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn door(per_second: Option<u32>, trusted: &[&str]) -> CallbackDoor {
        CallbackDoor {
            limiter: per_second
                .and_then(NonZeroU32::new)
                .map(Quota::per_second)
                .map(RateLimiter::keyed),
            clock: DefaultClock::default(),
            swept_s: AtomicU64::new(0),
            started: Instant::now(),
            trusted_proxies: trusted.iter().map(|text| ip(text)).collect(),
        }
    }

    fn ip(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn only_a_trusted_proxy_is_believed_and_only_up_to_the_last_untrusted_hop() {
        let door = door(None, &["127.0.0.1", "10.0.0.2"]);
        let seen = |peer, forwarded| door.address(ip(peer), forwarded).to_string();
        assert_eq!(seen("9.9.9.9", "1.1.1.1"), "9.9.9.9");
        assert_eq!(seen("127.0.0.1", "1.1.1.1, 2.2.2.2"), "2.2.2.2");
        assert_eq!(seen("127.0.0.1", "1.1.1.1, 2.2.2.2, 10.0.0.2"), "2.2.2.2");
        assert_eq!(seen("127.0.0.1", "nonsense"), "127.0.0.1");
        assert_eq!(seen("127.0.0.1", ""), "127.0.0.1");
    }

    #[test]
    fn one_address_is_limited_and_another_is_not() {
        let door = door(Some(1), &[]);
        assert!(door.admit(ip("1.1.1.1")).is_ok());
        assert!(door.admit(ip("1.1.1.1")).is_err());
        assert!(door.admit(ip("1.1.1.2")).is_ok());
        assert!(door.admit(ip("2001:db8::1")).is_ok());
        assert!(door.admit(ip("2001:db8::2")).is_err());
    }
}
