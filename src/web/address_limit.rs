//! What stands before everything that strangers can ask for: a rate limit for each address.

use super::allowance::{Allowance, Allowances};
use crate::config::Rate;
use actix_web::HttpRequest;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// Addresses that are remembered at once; a flood from more shares one allowance.
const ADDRESSES_MAX: usize = 50_000;

/// One allowance for each address.
#[derive(Debug)]
pub(crate) struct AddressLimit {
    allowances: Option<Allowances<IpAddr>>,
    /// When addresses that have their whole allowance again were last forgotten, in seconds since `started`.
    swept_s: AtomicU64,
    started: Instant,
    trusted_proxies: Vec<IpAddr>,
}

impl AddressLimit {
    /// Without a rate there is no limit.
    pub(crate) fn new(rate: Option<Rate>, trusted_proxies: &[IpAddr]) -> Self {
        Self {
            allowances: rate.map(|rate| Allowances::new("address", rate)),
            swept_s: AtomicU64::new(0),
            started: Instant::now(),
            trusted_proxies: trusted_proxies.to_vec(),
        }
    }

    /// Counts one request.
    pub(crate) fn take(&self, request: &HttpRequest) -> Option<Allowance> {
        self.allowances.as_ref()?;
        let peer = request.peer_addr();
        let peer = peer.map(|address| address.ip().to_canonical());
        let peer = peer.unwrap_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED));
        let forwarded = request.headers().get_all("x-forwarded-for");
        let forwarded: Vec<&str> = forwarded.filter_map(|value| value.to_str().ok()).collect();
        self.take_of(self.address(peer, &forwarded.join(",")))
    }

    fn take_of(&self, address: IpAddr) -> Option<Allowance> {
        let allowances = self.allowances.as_ref()?;
        if self.sweep_is_due() {
            allowances.sweep();
        }
        let key = if allowances.count() >= ADDRESSES_MAX {
            IpAddr::V6(Ipv6Addr::UNSPECIFIED)
        } else {
            network(address)
        };
        Some(allowances.take(&key))
    }

    /// Once a second at most: a sweep looks at every address, and a flood must not make each request pay for one.
    fn sweep_is_due(&self) -> bool {
        let second = self.started.elapsed().as_secs();
        let swept = self.swept_s.fetch_max(second, Ordering::Relaxed);
        swept < second
    }

    /// Whose request it is: the peer, or what the nearest proxy that we do not trust was told by the ones that we do.
    fn address(&self, peer: IpAddr, forwarded_for: &str) -> IpAddr {
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

    fn door(rate: Option<&str>, trusted: &[&str]) -> AddressLimit {
        let trusted: Vec<IpAddr> = trusted.iter().map(|text| ip(text)).collect();
        AddressLimit::new(rate.map(|rate| Rate::parse(rate).unwrap()), &trusted)
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
        let door = door(Some("1/m"), &[]);
        let admits = |address| door.take_of(ip(address)).unwrap().wait.is_none();
        assert!(admits("1.1.1.1"));
        assert!(!admits("1.1.1.1"));
        assert!(admits("1.1.1.2"));
        assert!(admits("2001:db8::1"));
        assert!(!admits("2001:db8::2"));
    }
}
