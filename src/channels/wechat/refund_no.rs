//! Numbers of refunds at WeChat Pay.
//!
//! There a refund's number is the merchant's own, and the same number never refunds twice, whatever the order; ours is
//! unique in its order alone. So the order's number goes before it, in a form that can be read back of a notice or of a
//! bill. Source of the form: `out_refund_no` is 1–64 of `0-9 A-Z a-z _ - | * @`.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};

const LENGTH_MAX: usize = 64;
/// Of the order's hash: 11 characters, enough that two orders of a merchant never share one.
const HASH_BYTES: usize = 8;

/// A refund's number as WeChat Pay has it.
///
/// `{order}@{refund}`; where that is too long `@{hash of the order}@{refund}`; where that is too long as well, `@@` and
/// a hash of both, which cannot be read back. No order's number has an `@`, and `.` is written `*`.
pub(super) fn theirs(order_no: &str, refund_no: &str) -> String {
    let refund = refund_no.replace('.', "*");
    let plain = format!("{order_no}@{refund}");
    if plain.len() <= LENGTH_MAX {
        return plain;
    }
    let hashed = format!("{}{refund}", hashed_prefix(order_no));
    if hashed.len() <= LENGTH_MAX {
        return hashed;
    }
    let both = Sha256::digest(format!("{order_no}@{refund}").as_bytes());
    format!("@@{}", URL_SAFE_NO_PAD.encode(both))
}

/// What a number of WeChat Pay's says to us.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Number {
    /// A refund of this order that we made.
    Ours(String),
    /// One that we made, under a number that is too long to be read back.
    OursUnread,
    /// One that we did not make.
    Theirs,
}

/// Reads a number back, of a refund of this order.
pub(super) fn read(order_no: &str, number: &str) -> Number {
    if number.starts_with("@@") {
        return Number::OursUnread;
    }
    let rest = number
        .strip_prefix(order_no)
        .and_then(|rest| rest.strip_prefix('@'))
        .or_else(|| number.strip_prefix(&hashed_prefix(order_no)));
    match rest.filter(|rest| !rest.is_empty()) {
        Some(refund) => Number::Ours(refund.replace('*', ".")),
        None => Number::Theirs,
    }
}

fn hashed_prefix(order_no: &str) -> String {
    let hash = Sha256::digest(order_no.as_bytes());
    let head: Vec<u8> = hash.iter().copied().take(HASH_BYTES).collect();
    format!("@{}@", URL_SAFE_NO_PAD.encode(head))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_number_of_two_orders_is_two_refunds_there_and_is_read_back() {
        let (one, other) = (theirs("ORDER-1", "r-1"), theirs("ORDER-2", "r-1"));
        assert_ne!(one, other);
        assert_eq!(one, "ORDER-1@r-1");
        assert_eq!(read("ORDER-1", &one), Number::Ours("r-1".to_owned()));
        assert_eq!(read("ORDER-2", &one), Number::Theirs);
        assert_eq!(read("ORDER-1", "REFUND0001"), Number::Theirs);
        assert_eq!(read("ORDER-1", "ORDER-1@"), Number::Theirs);
    }

    #[test]
    fn every_number_fits_and_only_the_longest_cannot_be_read_back() {
        let order = "O".repeat(32);
        for length in 1..=64 {
            let refund = format!("{}{}", "r.".repeat(32), "x").split_off(65 - length);
            let number = theirs(&order, &refund);
            assert!(number.len() <= 64, "{number}");
            let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"_-|*@".contains(&byte);
            assert!(number.bytes().all(is_allowed), "{number}");
            let expected = if length <= 51 {
                Number::Ours(refund)
            } else {
                Number::OursUnread
            };
            assert_eq!(read(&order, &number), expected);
        }
    }
}
