//! Single values of the gateway's JSON, as the texts that it signs and that amounts are read from.

use super::sign::Fields;
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use std::fmt;

/// A string as it reads once it is decoded, or a number's digits as they stand: `15.00` stays `15.00`. A `null` is empty,
/// and what holds other values is none.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Text(pub(super) String);

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = <&RawValue>::deserialize(deserializer)?.get();
        match raw.as_bytes().first() {
            Some(b'"') => serde_json::from_str(raw)
                .map(Self)
                .map_err(D::Error::custom),
            Some(b'{' | b'[') => Err(D::Error::custom("a field holds more than one value")),
            Some(b'n') | None => Ok(Self::default()),
            Some(_) => Ok(Self(raw.to_owned())),
        }
    }
}

/// Every field of an object of single values. A name that comes twice is refused: it would leave open which was signed.
pub(super) fn fields(body: &[u8]) -> Result<Fields, serde_json::Error> {
    let Flat(fields) = serde_json::from_slice(body)?;
    Ok(fields)
}

struct Flat(Fields);

impl<'de> Deserialize<'de> for Flat {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(FlatVisitor)
    }
}

struct FlatVisitor;

impl<'de> Visitor<'de> for FlatVisitor {
    type Value = Flat;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object of single values")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Flat, A::Error> {
        let mut fields = Fields::new();
        while let Some((name, Text(value))) = map.next_entry::<String, Text>()? {
            if fields.insert(name, value).is_some() {
                return Err(A::Error::custom("a field comes twice"));
            }
        }
        Ok(Flat(fields))
    }
}
