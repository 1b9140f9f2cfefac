//! Mail addresses, also as they stand in a query string.

use super::Finding;

pub(super) fn find(text: &str) -> Vec<Finding> {
    ["@", "%40"]
        .into_iter()
        .flat_map(|sign| text.match_indices(sign))
        .filter_map(|(at, sign)| address(text, at, sign))
        .collect()
}

/// The address around this sign: its first letter and its host stay.
fn address(text: &str, at: usize, sign: &str) -> Option<Finding> {
    let in_name =
        |letter: char| letter.is_alphanumeric() || matches!(letter, '.' | '_' | '-' | '+' | '%');
    let in_host = |letter: char| letter.is_alphanumeric() || matches!(letter, '.' | '-');
    let before = text.get(..at)?;
    let name = before.get(before.trim_end_matches(in_name).len()..)?;
    let after = text.get(at.saturating_add(sign.len())..)?;
    let host = after.get(..after.find(|letter| !in_host(letter)).unwrap_or(after.len()))?;
    let host = host.trim_end_matches('.');
    let first = name.chars().next()?;
    let start = at.saturating_sub(name.len());
    let end = at.saturating_add(sign.len()).saturating_add(host.len());
    host.contains('.')
        .then(|| (start..end, format!("{first}***{sign}{host}")))
}
