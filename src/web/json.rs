//! JSON objects as they arrived: every value in its raw text, so that `1999.0` is not mistaken for `1999`, and
//! every key that came twice.

use super::language::Text;
use super::problem::Problem;
use super::problem_kind::Kind;
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

/// More fields than any form asks for, so that a form with more is refused whatever they are. Each key is compared
/// with those before it: a body of nothing but keys must not cost the square of its size.
const FIELDS_MAX: usize = 256;

/// The fields of one object in the order in which they came.
#[derive(Debug, Default)]
pub(crate) struct Object<'a> {
    pub(crate) fields: Vec<(String, &'a RawValue)>,
    /// Keys that came more than once.
    pub(crate) repeated: Vec<String>,
}

impl<'a> Object<'a> {
    /// The object that a body holds.
    pub(crate) fn of_body(body: &'a [u8]) -> Result<Self, Problem> {
        let text = std::str::from_utf8(body).map_err(|error| malformed(&error))?;
        serde_json::from_str(text).map_err(|error| malformed(&error))
    }

    /// The object that a value is, if it is one.
    pub(crate) fn of(raw: &'a RawValue) -> Option<Self> {
        serde_json::from_str(raw.get()).ok()
    }
}

impl<'de> Deserialize<'de> for Object<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields;
        impl<'de> Visitor<'de> for Fields {
            type Value = Object<'de>;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
                let mut object = Object::default();
                while object.fields.len() < FIELDS_MAX
                    && let Some((key, value)) = map.next_entry::<String, &'de RawValue>()?
                {
                    if object.fields.iter().any(|(known, _)| *known == key) {
                        if !object.repeated.contains(&key) {
                            object.repeated.push(key);
                        }
                    } else {
                        object.fields.push((key, value));
                    }
                }
                while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Ok(object)
            }
        }
        deserializer.deserialize_map(Fields)
    }
}

fn malformed(error: &dyn std::error::Error) -> Problem {
    Problem::new(Kind::MalformedJson).detailed(Text::owned(
        format!("Send one JSON object in UTF-8: {error}."),
        format!("请发送一个 UTF-8 编码的 JSON 对象：{error}。"),
    ))
}

/// The whole number that this text is written as: digits alone, no sign but a minus, no leading zero.
pub(crate) fn whole_number(raw: &str) -> Option<i64> {
    let digits = raw.strip_prefix('-').unwrap_or(raw);
    let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    if !plain || raw == "-0" {
        return None;
    }
    raw.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_digits_are_a_whole_number() {
        assert_eq!(whole_number("1999"), Some(1999));
        assert_eq!(whole_number("-5"), Some(-5));
        assert_eq!(whole_number("9223372036854775807"), Some(i64::MAX));
        for refused in [
            "1999.0",
            "1e2",
            "1E2",
            "-0",
            "\"1999\"",
            "9223372036854775808",
            "true",
            "null",
            "",
            "-",
        ] {
            assert_eq!(whole_number(refused), None, "{refused}");
        }
    }

    #[test]
    fn a_key_that_came_twice_is_noticed() {
        let object = Object::of_body(br#"{"a": 1, "b": [1, 2], "\u0061": 2}"#).unwrap();
        assert_eq!(object.repeated, ["a"]);
        assert_eq!(object.fields.len(), 2);
    }

    #[test]
    fn of_a_flood_of_fields_only_the_first_are_kept() {
        let fields: Vec<_> = (0..10_000).map(|n| format!("\"k{n}\": {n}")).collect();
        let body = format!("{{{}}}", fields.join(","));
        let object = Object::of_body(body.as_bytes()).unwrap();
        assert_eq!(object.fields.len(), FIELDS_MAX);
        let again = "\"a\": 1,".repeat(10_000);
        let object = Object::of_body(format!("{{{again} \"b\": 2}}").as_bytes()).map(drop);
        assert!(object.is_ok());
    }

    #[test]
    fn what_is_not_one_object_in_utf8_is_malformed() {
        for body in [
            &b"[]"[..],
            b"1",
            b"",
            b"{",
            b"{} {}",
            b"{\"a\": \xff}",
            b"null",
            b"{\"a\":1e}",
        ] {
            let problem = Object::of_body(body).unwrap_err();
            assert_eq!(problem.kind, Kind::MalformedJson, "{body:?}");
        }
    }
}
