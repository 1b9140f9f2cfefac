//! Amounts of a bill: yuan with decimals, read as whole numbers of hundred-thousandths of a yuan. Nothing is rounded.

/// Places that the finest column has: fees.
const PLACES: usize = 5;
/// A fen in hundred-thousandths of a yuan.
const FEN: i64 = 1_000;

/// An amount in hundred-thousandths of a yuan.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Fine(i64);

impl Fine {
    /// Digits, at most one point, and at most a minus before them; no more than five decimals.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (negative, digits) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (whole, decimals) = digits.split_once('.').unwrap_or((digits, "0"));
        let are_digits =
            |part: &str| !part.is_empty() && part.bytes().all(|it| it.is_ascii_digit());
        if !are_digits(whole) || !are_digits(decimals) || decimals.len() > PLACES {
            return None;
        }
        let unit: i64 = 100_000;
        let missing = u32::try_from(PLACES.checked_sub(decimals.len())?).ok()?;
        let decimals: i64 = decimals.parse().ok()?;
        let fine = whole
            .parse::<i64>()
            .ok()?
            .checked_mul(unit)?
            .checked_add(decimals.checked_mul(10_i64.checked_pow(missing)?)?)?;
        Some(Self(if negative { fine.checked_neg()? } else { fine }))
    }

    /// `None` if it is not a whole number of fen.
    pub(super) const fn fen(self) -> Option<i64> {
        if self.0 % FEN == 0 {
            Some(self.0 / FEN)
        } else {
            None
        }
    }

    pub(super) fn plus(self, other: Self) -> Option<Self> {
        self.0.checked_add(other.0).map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn yuan_are_read_without_rounding() {
        let fen = |text| Fine::parse(text).and_then(Fine::fen);
        assert_eq!(fen("19.99"), Some(1999));
        assert_eq!(fen("8.2"), Some(820));
        assert_eq!(fen("100"), Some(10_000));
        assert_eq!(fen("-0.18000"), Some(-18));
        assert_eq!(Fine::parse("0.53300").map(Fine::fen), Some(None));
        for odd in [
            "", ".", "1.", ".5", "1e2", "1,0", "+1", "--1", "1.000001", "９", " 1",
        ] {
            assert_eq!(Fine::parse(odd), None, "{odd}");
        }
        assert_eq!(Fine::parse("99999999999999999"), None);
    }
}
