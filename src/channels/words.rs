//! What channels write, as it may be kept and shown.

use serde::Deserialize;

/// Reads an object: a body that names its fields. (A list whose values came in the order of our fields would be taken
/// for one as well.)
pub(super) fn object<'a, T: Deserialize<'a>>(body: &'a [u8]) -> Result<T, serde_json::Error> {
    if body.trim_ascii_start().starts_with(b"{") {
        serde_json::from_slice(body)
    } else {
        Err(serde::de::Error::custom("it is no object"))
    }
}

/// A number or key as processors give them: not empty, not endless, nothing that a database would not keep.
pub(super) fn is_name(text: &str) -> bool {
    const LENGTH_MAX: usize = 255;
    (1..=LENGTH_MAX).contains(&text.len()) && !text.chars().any(char::is_control)
}

/// Words of the processor as people may read them: short, and without control characters. They are never cut in the
/// middle of a word or a number: half a card number would not be known as one.
pub(super) fn printable(words: &str) -> String {
    const LENGTH_MAX: usize = 200;
    let mut characters = words.chars().filter(|character| !character.is_control());
    let short: String = characters.by_ref().take(LENGTH_MAX).collect();
    if characters.next().is_none() {
        return short;
    }
    let of_number = |letter: char| letter.is_numeric() || letter == ' ' || letter == '-';
    let whole = short.rsplit_once(' ').map_or(&*short, |(whole, _)| whole);
    whole.trim_end_matches(of_number).to_owned()
}
