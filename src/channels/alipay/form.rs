//! `application/x-www-form-urlencoded` as bytes: what was signed is bytes, in whatever charset, and is never converted.

use std::collections::BTreeMap;

/// The decoded fields of a form, in the order in which they are signed.
pub(super) type Fields = BTreeMap<Vec<u8>, Vec<u8>>;

/// No notice has so many fields.
const FIELDS_MAX: usize = 256;

/// Why a body is no form that could be checked.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum FormFault {
    /// A `%` without two hex digits after it.
    Encoding,
    TooMany,
    /// Which of the two was signed would be anybody's guess.
    Repeated(String),
}

/// Decodes the form, once.
pub(super) fn decode(body: &[u8]) -> Result<Fields, FormFault> {
    let mut fields = Fields::new();
    for pair in body
        .split(|byte| *byte == b'&')
        .filter(|pair| !pair.is_empty())
    {
        let mut parts = pair.splitn(2, |byte| *byte == b'=');
        let name = plain(parts.next().unwrap_or_default())?;
        let value = plain(parts.next().unwrap_or_default())?;
        if fields.len() == FIELDS_MAX {
            return Err(FormFault::TooMany);
        }
        let shown = String::from_utf8_lossy(&name).into_owned();
        if fields.insert(name, value).is_some() {
            return Err(FormFault::Repeated(shown));
        }
    }
    Ok(fields)
}

/// `+` is a space, `%2B` a plus.
fn plain(encoded: &[u8]) -> Result<Vec<u8>, FormFault> {
    let mut bytes = encoded.iter();
    let mut plain = Vec::with_capacity(encoded.len());
    while let Some(byte) = bytes.next() {
        plain.push(match byte {
            b'+' => b' ',
            b'%' => {
                let (Some(high), Some(low)) = (hex(bytes.next()), hex(bytes.next())) else {
                    return Err(FormFault::Encoding);
                };
                high << 4 | low
            }
            other => *other,
        });
    }
    Ok(plain)
}

fn hex(digit: Option<&u8>) -> Option<u8> {
    let value = char::from(*digit?).to_digit(16)?;
    u8::try_from(value).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_is_decoded_once_and_keeps_its_bytes() {
        let fields = decode(b"b=%D6%D0+1%2B1%2520&a=&c").unwrap();
        let expected: Fields = [
            (b"a".to_vec(), Vec::new()),
            (b"b".to_vec(), b"\xd6\xd0 1+1%20".to_vec()),
            (b"c".to_vec(), Vec::new()),
        ]
        .into();
        assert_eq!(fields, expected);
    }

    #[test]
    fn what_could_be_read_in_two_ways_is_not_read() {
        assert_eq!(
            decode(b"a=1&%61=2"),
            Err(FormFault::Repeated("a".to_owned()))
        );
        assert_eq!(decode(b"a=%4"), Err(FormFault::Encoding));
        assert_eq!(decode(b"a=%zz"), Err(FormFault::Encoding));
        let many: Vec<String> = (0..300).map(|n| format!("f{n}=")).collect();
        assert_eq!(decode(many.join("&").as_bytes()), Err(FormFault::TooMany));
    }
}
