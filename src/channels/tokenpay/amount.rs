//! Amounts: decimals in whole numbers, and what a transfer is worth.

use crate::domain::{Currency, Money};

/// Places that are kept: more than any token has that the gateway knows.
const PLACES: usize = 12;
/// Digits before the point: the gateway's columns hold 15 digits in all.
const WHOLE_DIGITS_MAX: usize = 15;
/// Places that the gateway keeps of what was transferred (`TokenOrders.PayAmount`, "保留2位小数").
const TRANSFER_PLACES: usize = 2;

/// A decimal that is not negative, in units of 10^-12.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Decimal {
    units: i128,
    /// Places as they were written.
    places: usize,
}

impl Decimal {
    /// Digits, and at most one point with digits behind it; more places than are kept must be zeros.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (whole, rest) = match text.split_once('.') {
            Some((_, "")) => return None,
            Some(parts) => parts,
            None => (text, ""),
        };
        let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        if !(1..=WHOLE_DIGITS_MAX).contains(&whole.len()) || !digits(whole) || !digits(rest) {
            return None;
        }
        let kept = rest.trim_end_matches('0');
        if kept.len() > PLACES {
            return None;
        }
        let units = format!("{whole}{kept:0<PLACES$}").parse().ok()?;
        Some(Self {
            units,
            places: rest.len(),
        })
    }

    /// In minor units of this currency, if it is a whole number of them.
    pub(super) fn minor(self, currency: Currency) -> Option<i64> {
        let places = usize::try_from(currency.places()).ok()?;
        let unit = power_of_ten(PLACES.checked_sub(places)?)?;
        let exact = self.units.checked_rem(unit)? == 0;
        i64::try_from(self.units.checked_div(unit)?)
            .ok()
            .filter(|_| exact)
    }
}

fn power_of_ten(exponent: usize) -> Option<i128> {
    10_i128.checked_pow(u32::try_from(exponent).ok()?)
}

/// The amount of an order as it is sent, and signed letter by letter: `15.00`.
pub(super) fn written(money: Money) -> String {
    let shown = money.to_string();
    shown
        .split_once(' ')
        .map_or(shown.clone(), |(amount, _)| amount.to_owned())
}

/// What the gateway tells about a transfer that it took for an order's payment.
pub(super) struct Transfer {
    /// What the payer was asked to send, in the token.
    pub(super) asked: Decimal,
    /// What was sent. Older gateways do not tell it: they took the very amount and no other.
    pub(super) sent: Option<Decimal>,
    /// Taken for the payment although it was not the amount that was asked for.
    pub(super) inexact: bool,
}

/// What a transfer is worth, in minor units of an order of so many: all of it if it covers what was asked, else its
/// part of it. `None` if that cannot be said.
///
/// A gateway that moves amounts (`DynamicAddressConfig:AmountMove`) calls an order paid although less was sent, so that
/// its word alone is not enough. What was sent is told in two places, rounded: for an order whose amount was moved the
/// least that it may stand for must cover what was asked; for an exact one it is the same amount, rounded.
pub(super) fn worth(order: i64, transfer: &Transfer) -> Option<i64> {
    let Some(sent) = transfer.sent else {
        return (!transfer.inexact).then_some(order);
    };
    let rounded = sent.places <= TRANSFER_PLACES;
    let cent = power_of_ten(PLACES.checked_sub(TRANSFER_PLACES)?)?;
    let least_asked = match (rounded, transfer.inexact) {
        (true, false) => transfer
            .asked
            .units
            .checked_sub(transfer.asked.units.checked_rem(cent)?)?,
        (true, true) | (false, _) => transfer.asked.units,
    };
    let least_sent = match (rounded, transfer.inexact) {
        (true, true) => sent.units.checked_sub(cent.checked_div(2)?)?.max(0),
        (true, false) | (false, _) => sent.units,
    };
    if transfer.asked.units == 0 {
        return None;
    }
    if least_sent >= least_asked {
        return Some(order);
    }
    let part = i128::from(order).checked_mul(least_sent)?;
    let part = i64::try_from(part.checked_div(transfer.asked.units)?).ok()?;
    (1..order).contains(&part).then_some(part)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn worth_of(asked: &str, sent: Option<&str>, inexact: bool) -> Option<i64> {
        let transfer = Transfer {
            asked: Decimal::parse(asked).unwrap(),
            sent: sent.map(|sent| Decimal::parse(sent).unwrap()),
            inexact,
        };
        worth(8888, &transfer)
    }

    #[test]
    fn an_exact_transfer_is_worth_the_order_however_it_was_rounded() {
        for sent in [Some("12.35"), Some("12.34"), Some("12.3456"), None] {
            assert_eq!(worth_of("12.3456", sent, false), Some(8888), "{sent:?}");
        }
    }

    #[test]
    fn a_moved_transfer_pays_only_if_it_surely_covers_what_was_asked() {
        assert_eq!(worth_of("12.3456", Some("12.36"), true), Some(8888));
        assert_eq!(worth_of("12.3456", Some("12.3456"), true), Some(8888));
        // 12.35 may stand for 12.345.
        assert_eq!(worth_of("12.3456", Some("12.35"), true), Some(8887));
        assert_eq!(worth_of("12.3456", Some("11.3456"), true), Some(8168));
        assert_eq!(worth_of("12.3456", Some("0"), true), None);
        assert_eq!(worth_of("12.3456", None, true), None);
        assert_eq!(worth_of("0", Some("1"), true), None);
    }

    #[test]
    fn a_transfer_entered_by_hand_with_less_is_worth_less() {
        assert_eq!(worth_of("12.3456", Some("12.33"), false), Some(8876));
        assert_eq!(worth_of("12.3456", Some("12.3455"), false), Some(8887));
    }

    #[test]
    fn decimals_are_read_as_they_stand() {
        let cny = Currency::parse("CNY").unwrap();
        let minor = |text| Decimal::parse(text).and_then(|decimal| decimal.minor(cny));
        assert_eq!(minor("15"), Some(1500));
        assert_eq!(minor("15.00"), Some(1500));
        assert_eq!(minor("15.0000000000000000000"), Some(1500));
        assert_eq!(minor("0.01"), Some(1));
        assert_eq!(minor("999999999999999.99"), Some(99_999_999_999_999_999));
        for text in [
            "",
            ".5",
            "5.",
            "-1",
            "+1",
            "1e3",
            "1.005",
            "1,5",
            "1.0.0",
            "1234567890123456",
            "0x1",
        ] {
            assert_eq!(minor(text), None, "{text}");
        }
        assert_eq!(written(Money::new(1500, cny)), "15.00");
    }
}
