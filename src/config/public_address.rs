//! Which addresses stand on the public internet: what a name of somebody else's may lead to.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Azure's host agent answers there inside every machine of that cloud, on an address that looks public.
const AZURE_AGENT: Ipv4Addr = Ipv4Addr::new(168, 63, 129, 16);

/// Whether this address is public: not this machine, not a private network, not a cloud's metadata, not a group.
#[must_use]
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let special = match (a, b) {
        // This network; private; loopback; multicast, reserved and broadcast.
        (0 | 10 | 127 | 224.., _) => true,
        // Carriers' own networks, where a cloud keeps its metadata.
        (100, 64..=127) => true,
        // Link-local, metadata among it; private.
        (169, 254) | (172, 16..=31) | (192, 168) => true,
        // Protocol assignments; documentation; the anycast of 6to4.
        (192, 0) => matches!(c, 0 | 2),
        (192, 88) => c == 99,
        // Benchmarks; documentation.
        (198, 18 | 19) => true,
        (198, 51) => c == 100,
        (203, 0) => c == 113,
        _ => false,
    };
    !special && address != AZURE_AGENT
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let [a, b, c, d, e, f, g, h] = address.segments();
    match (a, b) {
        // An IPv4 address inside: mapped, or reached through a gateway (NAT64, 6to4).
        (0, 0) => (c, d, e, f) == (0, 0, 0, 0xffff) && is_public_v4(embedded(g, h)),
        (0x64, 0xff9b) => (c, d, e, f) == (0, 0, 0, 0) && is_public_v4(embedded(g, h)),
        (0x2002, _) => is_public_v4(embedded(b, c)),
        // Protocol assignments, Teredo among them; documentation.
        (0x2001, 0..=0x1ff | 0xdb8) | (0x3fff, 0..=0xfff) => false,
        // The rest of what is given out; loopback, link-local, private and groups lie outside.
        (0x2000..=0x3fff, _) => true,
        _ => false,
    }
}

fn embedded(high: u16, low: u16) -> Ipv4Addr {
    let [a, b] = high.to_be_bytes();
    let [c, d] = low.to_be_bytes();
    Ipv4Addr::new(a, b, c, d)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PUBLIC: &str = "1.1.1.1 8.8.8.8 100.63.255.255 100.128.0.1 172.15.0.1 172.32.0.1 192.0.1.1 192.1.0.1 \
        198.17.0.1 198.20.0.1 203.0.114.1 223.255.255.255 2606:4700::1111 2a00:1450::1 2001:4860:4860::8888 \
        ::ffff:1.1.1.1 64:ff9b::1.1.1.1 2002:101:101::1";

    const NOT: &str = "0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 100.64.0.1 100.100.100.200 127.0.0.1 127.8.9.1 \
        168.63.129.16 169.254.0.1 169.254.169.254 172.16.0.1 172.31.255.255 192.0.0.192 192.0.2.1 192.88.99.1 \
        192.168.1.1 198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.1 224.0.0.1 239.255.255.255 240.0.0.1 \
        255.255.255.255 :: ::1 ::127.0.0.1 ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:169.254.169.254 \
        ::ffff:0:127.0.0.1 64:ff9b::10.0.0.1 64:ff9b::169.254.169.254 64:ff9b:1::1.1.1.1 2002:7f00:1::1 2002:a00:1::1 \
        2002:a9fe:a9fe::1 2001::1 2001:0:4136:e378::1 2001:20::1 2001:db8::1 3fff::1 100::1 fc00::1 fd00:ec2::254 \
        fd20:ce::254 fe80::1 fec0::1 ff02::1 ff0e::1 4000::1";

    #[test]
    fn only_what_stands_on_the_public_internet_is_public() {
        for text in PUBLIC.split_whitespace() {
            assert!(is_public(text.parse().unwrap()), "{text}");
        }
        for text in NOT.split_whitespace() {
            assert!(!is_public(text.parse().unwrap()), "{text}");
        }
    }
}
