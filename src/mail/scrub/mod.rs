//! Takes card numbers, secrets and people out of free text. Typed identifiers are never scrubbed: one in ten
//! numbers of fourteen digits looks like a card.

mod cards;
mod tokens;

use std::ops::Range;

/// The text without card numbers, keys, mail addresses and telephone numbers. What stands inside one of the
/// identifiers `keep` is left alone.
#[must_use]
pub fn scrub(text: &str, keep: &[&str]) -> String {
    let kept = kept_ranges(text, keep);
    let mut found = cards::find(text);
    found.extend(tokens::find(text));
    found.retain(|(range, _)| {
        !kept
            .iter()
            .any(|kept| kept.start <= range.start && range.end <= kept.end)
    });
    found.sort_by_key(|(range, _)| range.start);
    replace(text, &found)
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

fn replace(text: &str, found: &[(Range<usize>, String)]) -> String {
    let mut scrubbed = String::with_capacity(text.len());
    let mut at = 0;
    for (range, mask) in found {
        // Two findings in one place: the first has masked it.
        if range.start < at {
            continue;
        }
        scrubbed.push_str(text.get(at..range.start).unwrap_or_default());
        scrubbed.push_str(mask);
        at = range.end;
    }
    scrubbed.push_str(text.get(at..).unwrap_or_default());
    scrubbed
}
