//! Money: a whole number of minor units and a currency. Nothing here ever rounds.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Every currency whose minor unit has another number of places than two; metals and the like have none.
const OTHER_PLACES: [(&str, u32); 3] = [
    (
        "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XAG XAU XBA XBB XBC XBD XDR XOF XPD XPF XPT XSU \
         XTS XUA XXX",
        0,
    ),
    ("BHD IQD JOD KWD LYD OMR TND", 3),
    ("CLF UYW", 4),
];

/// Three upper-case letters of ISO 4217; the edge checks that the code exists.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Currency([u8; 3]);

impl Currency {
    /// The currency with this code, if it has the form of one.
    #[must_use]
    pub fn parse(code: &str) -> Option<Self> {
        let bytes: [u8; 3] = code.as_bytes().try_into().ok()?;
        bytes
            .iter()
            .all(u8::is_ascii_uppercase)
            .then_some(Self(bytes))
    }

    /// The code, such as `CNY`.
    #[must_use]
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or_default()
    }

    /// How many places its minor unit has: 2 for CNY, 0 for JPY.
    #[must_use]
    pub fn places(&self) -> u32 {
        let named = OTHER_PLACES
            .iter()
            .find(|(codes, _)| codes.split(' ').any(|code| code == self.as_str()));
        named.map_or(2, |(_, places)| *places)
    }
}

impl fmt::Debug for Currency {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

impl fmt::Display for Currency {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.as_str())
    }
}

impl Serialize for Currency {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for Currency {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let code = String::deserialize(deserializer)?;
        Self::parse(&code)
            .ok_or_else(|| serde::de::Error::custom(format!("`{code}` is not a currency code")))
    }
}

/// An amount in minor units (fen, cents; yen for JPY) of one currency.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Money {
    pub amount: i64,
    pub currency: Currency,
}

impl Money {
    #[must_use]
    pub const fn new(amount: i64, currency: Currency) -> Self {
        Self { amount, currency }
    }
}

/// For people: `19.99 CNY`, by the currency's own number of places; written with whole numbers alone.
impl fmt::Display for Money {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let places = self.currency.places();
        let unit = 10_u64.checked_pow(places).unwrap_or(1);
        let sign = if self.amount < 0 { "-" } else { "" };
        let amount = self.amount.unsigned_abs();
        let (whole, rest) = (amount / unit, amount % unit);
        match usize::try_from(places) {
            Ok(width) if width > 0 => {
                write!(formatter, "{sign}{whole}.{rest:0width$} {}", self.currency)
            }
            Ok(_) | Err(_) => write!(formatter, "{sign}{whole} {}", self.currency),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_amount_is_written_with_the_places_of_its_currency() {
        let shown = |amount, code| Money::new(amount, Currency::parse(code).unwrap()).to_string();
        assert_eq!(shown(1999, "CNY"), "19.99 CNY");
        assert_eq!(shown(5, "USD"), "0.05 USD");
        assert_eq!(shown(-5, "USD"), "-0.05 USD");
        assert_eq!(shown(80, "JPY"), "80 JPY");
        assert_eq!(shown(1234, "KWD"), "1.234 KWD");
    }
}
