//! Takes card numbers, secrets and people out of free text. Typed identifiers are never scrubbed: one in ten
//! numbers of fourteen digits looks like a card.

mod cards;
mod emails;
mod numbers;
mod phones;
mod secrets;
mod units;

use std::ops::Range;

/// What to mask, and with what.
type Finding = (Range<usize>, String);

/// An identifier of so many bytes may stand for itself in running text; a shorter one could hide a part of a card.
const WHOLE_WORD_MIN: usize = 11;

/// How often a text is looked at: what a mask leaves, such as a host or the end of a telephone, may be something to mask
/// together with what stands beside it.
const ROUNDS_MAX: usize = 8;

/// The text without card numbers, telephones, mail addresses, keys and signatures. What stands inside one of the
/// identifiers `keep` is left alone. What was scrubbed once is not scrubbed further.
#[must_use]
pub fn scrub(text: &str, keep: &[&str]) -> String {
    let mut scrubbed = text.to_owned();
    for _ in 0..ROUNDS_MAX {
        match changed(&scrubbed, keep) {
            Some(further) if further != scrubbed => scrubbed = further,
            Some(_) | None => break,
        }
    }
    scrubbed
}

/// Whether the text holds nothing that would be scrubbed.
#[must_use]
pub fn is_clean(text: &str) -> bool {
    changed(text, &[]).is_none()
}

/// The scrubbed text, if it differs.
fn changed(text: &str, keep: &[&str]) -> Option<String> {
    let mut found = numbers::find(text, &[]);
    let secrets = secrets::find(text);
    // The user before a host in an address is a secret; what it looks like from the host's side is no news.
    let is_new = |email: &Range<usize>| {
        let touches = |secret: &Range<usize>| secret.start < email.end && email.start < secret.end;
        !secrets.iter().any(|(secret, _)| touches(secret))
    };
    let emails = emails::find(text).into_iter();
    found.extend(emails.filter(|(range, _)| is_new(range)));
    found.extend(secrets);
    if found.is_empty() {
        return None;
    }
    let kept = kept_ranges(text, keep);
    if !kept.is_empty() {
        // A number that is kept must not be taken for the half of a card, together with what follows it.
        found.retain(|(_, mask)| !numbers::is_mask(mask));
        let whole: Vec<_> = kept.iter().filter(|it| is_whole_word(text, it)).collect();
        found.extend(numbers::find(text, &whole));
        found.retain(|(range, _)| {
            !kept
                .iter()
                .any(|kept| kept.start <= range.start && range.end <= kept.end)
        });
    }
    found.sort_by_key(|(range, _)| (range.start, std::cmp::Reverse(range.end)));
    (!found.is_empty()).then(|| replace(text, &found))
}

/// Where the identifiers stand in the text.
fn kept_ranges(text: &str, keep: &[&str]) -> Vec<Range<usize>> {
    keep.iter()
        .filter(|identifier| !identifier.is_empty())
        .flat_map(|identifier| {
            text.match_indices(*identifier)
                .map(|(start, found)| start..start.saturating_add(found.len()))
        })
        .collect()
}

fn is_whole_word(text: &str, range: &Range<usize>) -> bool {
    let before = text
        .get(..range.start)
        .and_then(|it| it.chars().next_back());
    let after = text.get(range.end..).and_then(|it| it.chars().next());
    let ends = |letter: Option<char>| letter.is_none_or(|letter| !letter.is_ascii_alphanumeric());
    range.len() >= WHOLE_WORD_MIN && ends(before) && ends(after)
}

fn replace(text: &str, found: &[Finding]) -> String {
    let mut scrubbed = String::with_capacity(text.len());
    let mut at = 0;
    for (range, mask) in found {
        // Two findings in one place: the first has masked it; what the second adds is masked with it.
        if range.start < at {
            at = at.max(range.end);
            continue;
        }
        scrubbed.push_str(text.get(at..range.start).unwrap_or_default());
        scrubbed.push_str(mask);
        at = range.end;
    }
    scrubbed.push_str(text.get(at..).unwrap_or_default());
    scrubbed
}
