//! Amounts in yuan as Alipay writes them, `88.88`, and in fen as we keep them. Only CNY is charged.

use crate::domain::{Currency, Money};

/// The only currency of these calls.
pub(super) const CURRENCY: &str = "CNY";
/// 0.01 yuan, the least that Alipay charges, in fen.
pub(super) const LEAST: i64 = 1;
/// 100,000,000 yuan, the most, in fen.
pub(super) const MOST: i64 = 10_000_000_000;

/// With two decimals.
pub(super) fn write(fen: i64) -> String {
    let sign = if fen < 0 { "-" } else { "" };
    let fen = fen.unsigned_abs();
    format!("{sign}{}.{:02}", fen / 100, fen % 100)
}

/// Digits, and at most two decimals; neither a sign nor an exponent.
pub(super) fn read(text: &str) -> Option<i64> {
    let (yuan, decimals) = text.split_once('.').unwrap_or((text, "00"));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(yuan) || !digits(decimals) || decimals.len() > 2 {
        return None;
    }
    let part: i64 = decimals.parse().ok()?;
    let part = if decimals.len() == 1 {
        part.checked_mul(10)?
    } else {
        part
    };
    let whole: i64 = yuan.parse().ok()?;
    whole.checked_mul(100)?.checked_add(part)
}

/// As [`read`], with a minus before it where money goes the other way, as in bills.
pub(super) fn read_signed(text: &str) -> Option<i64> {
    match text.strip_prefix('-') {
        Some(amount) => read(amount)?.checked_neg(),
        None => read(text),
    }
}

/// The money in such a text.
pub(super) fn money(text: &str) -> Option<Money> {
    Some(Money::new(read(text)?, Currency::parse(CURRENCY)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_go_both_ways_without_rounding() {
        for (text, fen) in [("88.88", 8888), ("0.01", 1), ("19.99", 1999), ("8.20", 820)] {
            assert_eq!((read(text), write(fen).as_str()), (Some(fen), text));
        }
        assert_eq!((read("3"), read("0.5")), (Some(300), Some(50)));
        assert_eq!(
            (read_signed("-30.00"), write(-3000).as_str()),
            (Some(-3000), "-30.00")
        );
    }

    #[test]
    fn odd_forms_are_no_amounts() {
        for odd in [
            "",
            "1.005",
            "1e2",
            "-0",
            "+1",
            ".5",
            "1.",
            "1,000.00",
            "１",
            " 1",
            "99999999999999999999",
        ] {
            assert_eq!(read(odd), None, "{odd}");
        }
    }
}
