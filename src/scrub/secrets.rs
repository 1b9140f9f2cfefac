//! Keys, signatures and passwords: by what stands before them, or by their own look.

use super::Finding;
use std::ops::Range;

const MASK: &str = "[secret]";
/// Prefixes of our keys and of those that channels hand out.
const PREFIXES: [&str; 7] = [
    "opk_", "whsec_", "sk_live_", "sk_test_", "rk_live_", "rk_test_", "Bearer ",
];
/// What stands before a secret of at least [`NAMED_MIN`] letters. Written in lower case, found in any.
const NAMES: [&str; 10] = [
    "bearer ",
    "basic ",
    "v1,",
    "v1=",
    "password=",
    "passwd=",
    "secret=",
    "token=",
    "api_key=",
    "access_key=",
];
const NAMED_MIN: usize = 16;
/// A word of random letters is a secret from this length on: a digest of 20 bytes in hex, 30 bytes in base64. Ids,
/// 32 hex digits and their prefix, are shorter.
const RANDOM_MIN: usize = 40;
/// A digest that is named as one, and not a secret.
const DIGEST: &str = "sha256:";

pub(super) fn find(text: &str) -> Vec<Finding> {
    let mut found = private_keys(text);
    found.extend(PREFIXES.iter().flat_map(|prefix| prefixed(text, prefix)));
    found.extend(named(text));
    found.extend(users(text));
    found.extend(random_words(text));
    found
}

fn ends_it(letter: char) -> bool {
    letter.is_whitespace() || matches!(letter, '"' | '\'' | ',' | ';' | ')' | '}' | '\\' | '&')
}

/// The letters from here on that belong together.
fn word_at(text: &str, start: usize) -> &str {
    let rest = text.get(start..).unwrap_or_default();
    let length = rest.find(ends_it).unwrap_or(rest.len());
    rest.get(..length).unwrap_or_default()
}

/// A prefix alone, or one that a manual shows, is no secret.
fn prefixed<'a>(text: &'a str, prefix: &'a str) -> impl Iterator<Item = Finding> + 'a {
    text.match_indices(prefix).filter_map(move |(start, _)| {
        let secret = start.saturating_add(prefix.len());
        let word = word_at(text, secret);
        let end = secret.saturating_add(word.len());
        (!is_shown(word)).then(|| (start..end, format!("{prefix}{MASK}")))
    })
}

/// `<role>_<secret>`, `merchant_<secret>`, `merchant_`, `opk_…`: nothing stands where the secret would. What merely
/// follows a secret, such as the `<` of a tag, hides none.
fn is_shown(word: &str) -> bool {
    const ROLE_MAX: usize = 10;
    let word = PREFIXES
        .iter()
        .find_map(|prefix| word.strip_prefix(prefix))
        .unwrap_or(word);
    let is_role = |name: &str| {
        (1..=ROLE_MAX).contains(&name.len()) && name.bytes().all(|it| it.is_ascii_lowercase())
    };
    let rest = match word.split_once('_') {
        Some((role, rest)) if is_role(role) => rest,
        Some(_) | None => word,
    };
    rest.is_empty() || rest.starts_with(['<', '…'])
}

fn named(text: &str) -> Vec<Finding> {
    // Byte for byte as long as the text.
    let lower = text.to_ascii_lowercase();
    let mut found = Vec::new();
    for name in NAMES {
        for (start, _) in lower.match_indices(name) {
            let secret = start.saturating_add(name.len());
            let word = word_at(text, secret);
            if word.len() >= NAMED_MIN || (name.starts_with("passw") && !word.is_empty()) {
                let end = secret.saturating_add(word.len());
                found.push((secret..end, MASK.to_owned()));
            }
        }
    }
    found
}

/// `-----BEGIN PRIVATE KEY-----` and all that follows until its end.
fn private_keys(text: &str) -> Vec<Finding> {
    const END: &str = "PRIVATE KEY-----";
    let mut found = Vec::new();
    for (start, _) in text.match_indices("-----BEGIN ") {
        let rest = text.get(start..).unwrap_or_default();
        let head = rest.get(..rest.len().min(64)).unwrap_or(rest);
        if !head.contains(END) {
            continue;
        }
        let foot = rest.find("-----END ").and_then(|foot| {
            let end = rest.get(foot..)?.find(END)?;
            Some(foot.saturating_add(end).saturating_add(END.len()))
        });
        let end = start.saturating_add(foot.unwrap_or(rest.len()));
        found.push((start..end, "[private key]".to_owned()));
    }
    found
}

/// The user and password of an address: `smtps://user:password@host`.
fn users(text: &str) -> Vec<Finding> {
    text.match_indices("://")
        .filter_map(|(at, mark)| {
            let start = at.saturating_add(mark.len());
            let rest = text.get(start..)?;
            let ends = |it: char| it.is_whitespace() || matches!(it, '/' | '?' | '#' | '"' | '\'');
            let authority = rest.get(..rest.find(ends).unwrap_or(rest.len()))?;
            let user = authority.rfind('@')?;
            Some((start..start.saturating_add(user), MASK.to_owned()))
        })
        .collect()
}

fn random_words(text: &str) -> Vec<Finding> {
    words(text)
        .filter(|range| {
            let word = text.get(range.clone()).unwrap_or_default();
            let before = text.get(..range.start).unwrap_or_default();
            !before.ends_with(DIGEST) && (is_hex(word) || is_base64(word) || is_token(word))
        })
        .map(|range| (range, MASK.to_owned()))
        .collect()
}

/// Long words of letters that stand in hex, base64 or a token.
fn words(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let in_word = |byte: u8| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'_' | b'-' | b'.')
    };
    let mut from = 0_usize;
    text.as_bytes()
        .split(move |byte| !in_word(*byte))
        .map(move |word| {
            let start = from;
            from = start.saturating_add(word.len()).saturating_add(1);
            start..start.saturating_add(word.len())
        })
        .filter(|range| range.len() >= RANDOM_MIN)
}

fn is_hex(word: &str) -> bool {
    let has = |kind: fn(&u8) -> bool| word.as_bytes().iter().any(kind);
    word.bytes().all(|byte| byte.is_ascii_hexdigit())
        && has(u8::is_ascii_digit)
        && has(u8::is_ascii_alphabetic)
}

/// Capitals, small letters and digits that change places as often as chance has it; names and paths do not.
fn is_base64(word: &str) -> bool {
    let kind = |byte: u8| match byte {
        b'A'..=b'Z' => 0,
        b'a'..=b'z' => 1,
        b'0'..=b'9' => 2,
        _ => 3,
    };
    let kinds: Vec<u8> = word.bytes().map(kind).collect();
    let changes = kinds
        .windows(2)
        .filter(|pair| pair.first() != pair.last())
        .count();
    !word.contains('.')
        && (0..3).all(|kind| kinds.contains(&kind))
        && changes.saturating_mul(3) >= word.len()
}

/// Three parts of base64, the first of which begins an object.
fn is_token(word: &str) -> bool {
    word.starts_with("eyJ") && word.matches('.').count() == 2
}
