//! Stripe's amounts: whole numbers, whose unit Stripe sets for each currency by itself and not by ISO 4217.
//!
//! Source: docs.stripe.com/currencies, "Zero-decimal currencies", "Special cases" and "Three-decimal currencies".

use crate::domain::{Currency, Money};

/// How our minor units become Stripe's: times `times`, divided by `per`; and Stripe's number is a multiple of `step`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Unit {
    times: i64,
    per: i64,
    step: i64,
}

/// The same number here and there.
const SAME: Unit = Unit {
    times: 1,
    per: 1,
    step: 1,
};

/// Every currency that is not simply in hundredths on both sides; `None` is refused.
const UNITS: [(&str, Option<Unit>); 5] = [
    (
        "BIF CLP DJF GNF JPY KMF KRW PYG RWF VND VUV XAF XOF XPF",
        Some(SAME),
    ),
    // ISO 4217 has two places, Stripe none.
    (
        "MGA",
        Some(Unit {
            times: 1,
            per: 100,
            step: 1,
        }),
    ),
    // ISO 4217 has no places; Stripe takes two that must be zeros.
    (
        "ISK",
        Some(Unit {
            times: 100,
            per: 1,
            step: 100,
        }),
    ),
    // Thousandths, of which the last must be zero.
    (
        "BHD JOD KWD OMR TND",
        Some(Unit {
            times: 1,
            per: 1,
            step: 10,
        }),
    ),
    // Its documents contradict each other: a charge might be a hundred times too large.
    ("UGX", None),
];

/// Why an amount cannot be carried.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum AmountRefusal {
    #[error("{0} cannot be charged through Stripe here: its unit is not certain")]
    Currency(Currency),
    #[error("must be a multiple of {step} in {currency}, Stripe takes no smaller parts")]
    Step { step: i64, currency: Currency },
    #[error("is too large for {0}")]
    TooLarge(Currency),
}

fn unit(currency: Currency) -> Option<Unit> {
    let listed = UNITS
        .iter()
        .find(|(codes, _)| codes.split(' ').any(|code| code == currency.as_str()));
    match listed {
        Some((_, unit)) => *unit,
        None => (currency.places() == 2).then_some(SAME),
    }
}

/// Stripe's number for this money.
pub(super) fn to_stripe(money: Money) -> Result<i64, AmountRefusal> {
    let currency = money.currency;
    let unit = unit(currency).ok_or(AmountRefusal::Currency(currency))?;
    let scaled = money
        .amount
        .checked_mul(unit.times)
        .ok_or(AmountRefusal::TooLarge(currency))?;
    let theirs = scaled.checked_div(unit.per).unwrap_or_default();
    let whole = scaled.checked_rem(unit.per) == Some(0);
    if whole && theirs.checked_rem(unit.step) == Some(0) {
        return Ok(theirs);
    }
    // In our units, so that whoever asked knows what to change.
    let step = unit.step.saturating_mul(unit.per);
    Err(AmountRefusal::Step {
        step: step.checked_div(unit.times).unwrap_or(step),
        currency,
    })
}

/// The money in Stripe's words: its number and the code in lower case. `None` if it cannot be an amount of ours.
pub(super) fn from_stripe(amount: i64, code: &str) -> Option<Money> {
    let is_lower = code.bytes().all(|byte| byte.is_ascii_lowercase());
    let currency = Currency::parse(&code.to_ascii_uppercase()).filter(|_| is_lower)?;
    let unit = unit(currency)?;
    let scaled = amount.checked_mul(unit.per)?;
    let whole = scaled.checked_rem(unit.times)? == 0;
    whole.then_some(Money::new(scaled.checked_div(unit.times)?, currency))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn money(amount: i64, code: &str) -> Money {
        Money::new(amount, Currency::parse(code).unwrap())
    }

    #[test]
    fn every_currency_has_its_own_unit_and_comes_back_as_it_went() {
        for (ours, code, theirs) in [
            (1999, "USD", 1999),
            (10_000, "JPY", 10_000),
            (80, "KRW", 80),
            (12_300, "MGA", 123),
            (500, "ISK", 50_000),
            (5_120, "KWD", 5_120),
            (12_345, "HUF", 12_345),
            (80_045, "TWD", 80_045),
        ] {
            assert_eq!(to_stripe(money(ours, code)), Ok(theirs), "{code}");
            let back = from_stripe(theirs, &code.to_lowercase());
            assert_eq!(back, Some(money(ours, code)), "{code}");
        }
    }

    #[test]
    fn what_does_not_fit_is_refused_and_never_rounded() {
        for (amount, code, step) in [(5_124, "KWD", 10), (12_350, "MGA", 100)] {
            let currency = Currency::parse(code).unwrap();
            let refused = Err(AmountRefusal::Step { step, currency });
            assert_eq!(to_stripe(money(amount, code)), refused);
        }
        // Twice: what Stripe counts otherwise than we do, and what it does not count at all.
        for code in ["UGX", "IQD", "LYD", "CLF", "XAU"] {
            assert!(to_stripe(money(1000, code)).is_err(), "{code}");
            assert_eq!(from_stripe(1000, &code.to_lowercase()), None, "{code}");
        }
        assert!(to_stripe(money(i64::MAX, "ISK")).is_err());
        assert_eq!(from_stripe(50_050, "isk"), None);
        assert_eq!(from_stripe(1999, "USD"), None);
    }
}
