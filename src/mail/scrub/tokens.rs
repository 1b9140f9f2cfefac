//! Words that are secrets by their prefix, and mail addresses.

use std::ops::Range;

/// Prefixes of our keys and of those that channels hand out.
const SECRET_PREFIXES: [&str; 7] = [
    "opk_", "whsec_", "sk_live_", "sk_test_", "rk_live_", "rk_test_", "Bearer ",
];

pub(super) fn find(text: &str) -> Vec<(Range<usize>, String)> {
    let mut found = secrets(text);
    found.extend(addresses(text));
    found
}

fn secrets(text: &str) -> Vec<(Range<usize>, String)> {
    let ends_it =
        |letter: char| letter.is_whitespace() || matches!(letter, '"' | '\'' | ',' | ';' | ')');
    SECRET_PREFIXES
        .iter()
        .flat_map(|prefix| text.match_indices(prefix))
        .map(|(start, prefix)| {
            let secret = start.saturating_add(prefix.len());
            let rest = text.get(secret..).unwrap_or_default();
            let length = rest.find(ends_it).unwrap_or(rest.len());
            (
                start..secret.saturating_add(length),
                format!("{prefix}[secret]"),
            )
        })
        .collect()
}

fn addresses(text: &str) -> Vec<(Range<usize>, String)> {
    text.match_indices('@')
        .filter_map(|(at, _)| address(text, at))
        .collect()
}

/// The address around this `@`: its first letter and its host stay.
fn address(text: &str, at: usize) -> Option<(Range<usize>, String)> {
    let in_name =
        |letter: char| letter.is_alphanumeric() || matches!(letter, '.' | '_' | '-' | '+' | '%');
    let in_host = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '.' | '-');
    let before = text.get(..at)?;
    let name = before.get(before.trim_end_matches(in_name).len()..)?;
    let after = text.get(at.saturating_add(1)..)?;
    let host = after.get(..after.find(|letter| !in_host(letter)).unwrap_or(after.len()))?;
    let host = host.trim_end_matches('.');
    let first = name.chars().next()?;
    let start = at.saturating_sub(name.len());
    let end = at.saturating_add(1).saturating_add(host.len());
    host.contains('.')
        .then(|| (start..end, format!("{first}***@{host}")))
}
