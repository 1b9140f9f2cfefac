//! Small texts and numbers that people write: durations, rates, currencies, amounts of money, delays of ladders,
//! addresses. Any text is read or refused; what is read is what is shown again.

use super::bytes::Bytes;
use oncepay::config::address;
use oncepay::config::duration::{parse_ms, show};
use oncepay::config::public_address::is_public;
use oncepay::config::rate::Rate;
use oncepay::domain::outbox::{Jitter, Missed, next_grant};
use oncepay::domain::{Currency, Money, OrderNo, UnixMillis};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

const YEAR_MS: i64 = 366 * 86_400_000;

pub(crate) fn hold(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    match bytes.below(6) {
        0 => durations(&mut bytes),
        1 => rates(&mut bytes),
        2 => money(&mut bytes),
        3 => ladders(&mut bytes),
        4 => addresses(&mut bytes),
        _ => names(&mut bytes),
    }
}

fn durations(bytes: &mut Bytes<'_>) {
    let millis = bytes.whole();
    let shown = show(millis);
    if (0..=YEAR_MS).contains(&millis) {
        assert_eq!(parse_ms(&shown), Some(millis), "{shown}");
    } else {
        assert_eq!(parse_ms(&shown), None, "{shown}");
    }
    let unit = *bytes.pick(&["ms", "s", "m", "h", "d", "", "S", "ms "]);
    let text = match bytes.below(3) {
        0 => bytes.text(24),
        1 => format!("{}{unit}", bytes.whole()),
        _ => format!("{}{unit}", bytes.text(24)),
    };
    if let Some(millis) = parse_ms(&text) {
        assert!((0..=YEAR_MS).contains(&millis), "{text} is {millis}");
        assert_eq!(parse_ms(&show(millis)), Some(millis));
        assert!(
            text.starts_with(|letter: char| letter.is_ascii_digit()),
            "{text}"
        );
    }
}

fn rates(bytes: &mut Bytes<'_>) {
    let window = *bytes.pick(&["s", "m", "h", "d", ""]);
    let text = match bytes.below(2) {
        0 => bytes.text(24),
        _ => format!("{}/{window}", bytes.whole()),
    };
    if let Some(rate) = Rate::parse(&text) {
        assert!(rate.interval().as_secs() <= 3_600, "{text}");
        assert!(!rate.interval().is_zero(), "{text}");
        assert_eq!(rate.quota().burst_size(), rate.count, "{text}");
        let shown = format!("{}/{}", rate.count, &text[text.len() - 1..]);
        assert_eq!(Rate::parse(&shown), Some(rate));
    }
}

/// What is shown of an amount is the amount, whatever its currency's places.
fn money(bytes: &mut Bytes<'_>) {
    let text = bytes.text(4);
    let code = *bytes.pick(&["CNY", "JPY", "KWD", "CLF", "XXX"]);
    let amount = bytes.whole();
    for code in [text.as_str(), code] {
        let Some(currency) = Currency::parse(code) else {
            continue;
        };
        assert_eq!(currency.as_str(), code);
        let shown = Money::new(amount, currency).to_string();
        let (number, named) = shown.split_once(' ').unwrap();
        assert_eq!(named, code);
        let places = number.split_once('.').map_or(0, |(_, rest)| rest.len());
        assert_eq!(
            places,
            usize::try_from(currency.places()).unwrap(),
            "{shown}"
        );
        let digits: String = number.chars().filter(|letter| *letter != '.').collect();
        assert_eq!(
            digits.parse::<i128>().unwrap(),
            i128::from(amount),
            "{shown}"
        );
        assert_eq!(number.starts_with('-'), amount < 0, "{shown}");
    }
}

/// Whatever a receiver asks for, the next attempt is not in the past, and there is an end.
fn ladders(bytes: &mut Bytes<'_>) {
    let schedule: Vec<i64> = (0..bytes.below(5))
        .map(|_| bytes.whole().clamp(1, YEAR_MS))
        .collect();
    let random = u32::from(bytes.byte()) * 16_777_259;
    let now = UnixMillis(bytes.whole().clamp(0, 1 << 52));
    let attempts = bytes.whole().max(1);
    let first_attempt_at = UnixMillis(bytes.whole().clamp(0, now.0));
    let missed = Missed {
        attempts,
        first_attempt_at,
        now,
        retry_after_ms: bytes.flag().then(|| bytes.whole()),
    };
    let jitter = Jitter::from_random(random);
    let next = missed.next(&schedule, jitter);
    assert_eq!(next, missed.next(&schedule, jitter));
    assert!(
        next.is_none_or(|next| next > now),
        "{missed:?} by {schedule:?}: {next:?}"
    );
    let is_over = now.since(first_attempt_at) > 86_400_000;
    let used_up = attempts > i64::try_from(schedule.len()).unwrap();
    assert!(
        !is_over || !used_up || next.is_none(),
        "it never ends: {missed:?}"
    );
    let grant = next_grant(attempts, &schedule, jitter, now);
    assert!(grant.at > now, "{grant:?}");
    assert_eq!(grant.is_overdue, used_up, "{grant:?}");
}

fn addresses(bytes: &mut Bytes<'_>) {
    let mut octets = [0; 4];
    octets.fill_with(|| bytes.byte());
    let v4 = Ipv4Addr::from(octets);
    let mapped = is_public(IpAddr::V6(v4.to_ipv6_mapped()));
    assert_eq!(is_public(IpAddr::V4(v4)), mapped, "{v4} by another name");
    let mut segments = [0; 16];
    segments.fill_with(|| bytes.byte());
    let v6 = Ipv6Addr::from(segments);
    let inner = v6.is_loopback() || v6.is_multicast() || v6.is_unspecified();
    assert!(!inner || !is_public(IpAddr::V6(v6)), "{v6}");

    let text = match bytes.below(3) {
        0 => bytes.text(80),
        1 => format!("https://{}", bytes.text(80)),
        _ => format!("http://{v4}:{}/{}", bytes.byte(), bytes.text(20)),
    };
    if let Some(url) = address::web(&text) {
        let shown = url.as_str();
        assert!(address::web(shown).is_some(), "{text} is {shown}");
        assert_eq!(address::is_loopback(&text), address::is_loopback(shown));
        assert_eq!(address::literal(&text), address::literal(shown));
        let inner = address::literal(shown).is_some_and(|ip| ip.to_canonical().is_loopback());
        assert!(!inner || address::is_loopback(shown), "{shown}");
    }
}

fn names(bytes: &mut Bytes<'_>) {
    let text = bytes.text(80);
    if OrderNo::is_valid(&text) {
        assert!(address::is_key_name(&text), "{text}");
        let key = OrderNo(text.clone()).idempotency_key();
        assert_eq!(key.strip_prefix("pay:order:"), Some(text.as_str()));
    }
    if address::is_key_name(&text) {
        // It can stand in an address as it is.
        let encoded = oncepay::channels::http::sign::encode_segment(&text);
        assert_eq!(encoded.replace("%40", "@"), text);
    }
}
