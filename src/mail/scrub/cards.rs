//! Runs of digits: card numbers (13–19 digits that pass Luhn, also with single spaces or dashes) and telephones.

use std::ops::Range;

/// A group of digits without a separator inside.
struct Group {
    range: Range<usize>,
    digits: Vec<u32>,
}

/// What to mask, and with what.
pub(super) fn find(text: &str) -> Vec<(Range<usize>, String)> {
    runs(text)
        .iter()
        .flat_map(|run| in_run(text, run))
        .collect()
}

/// Runs of groups that single spaces or dashes hold together. A group that touches a letter is part of a name.
fn runs(text: &str) -> Vec<Vec<Group>> {
    let mut runs: Vec<Vec<Group>> = Vec::new();
    let mut end_of_last = None;
    for group in groups(text) {
        let joined = end_of_last
            .and_then(|end: usize| text.get(end..group.range.start))
            .is_some_and(|gap| gap == " " || gap == "-");
        end_of_last = Some(group.range.end);
        match runs.last_mut() {
            Some(run) if joined => run.push(group),
            Some(_) | None => runs.push(vec![group]),
        }
    }
    runs
}

fn groups(text: &str) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let mut word: Option<(usize, bool, Vec<u32>)> = None;
    let ended = text.char_indices().chain([(text.len(), ' ')]);
    for (at, letter) in ended {
        let in_word = letter.is_ascii_alphanumeric() || letter == '_';
        if in_word {
            let (_, plain, digits) = word.get_or_insert_with(|| (at, true, Vec::new()));
            match letter.to_digit(10) {
                Some(digit) => digits.push(digit),
                None => *plain = false,
            }
        } else if let Some((start, plain, digits)) = word.take()
            && plain
        {
            groups.push(Group {
                range: start..at,
                digits,
            });
        }
    }
    groups
}

/// From each group on, the longest stretch of whole groups that is a card or a telephone.
fn in_run(text: &str, run: &[Group]) -> Vec<(Range<usize>, String)> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(rest) = run.get(from..).filter(|rest| !rest.is_empty()) {
        let hit = (1..=rest.len()).rev().find_map(|count| {
            let stretch = rest.get(..count)?;
            Some((count, masked(text, stretch)?))
        });
        match hit {
            Some((count, finding)) => {
                found.push(finding);
                from = from.saturating_add(count);
            }
            None => from = from.saturating_add(1),
        }
    }
    found
}

fn masked(text: &str, stretch: &[Group]) -> Option<(Range<usize>, String)> {
    let digits: Vec<u32> = stretch
        .iter()
        .flat_map(|group| group.digits.iter().copied())
        .collect();
    let start = stretch.first()?.range.start;
    let range = start..stretch.last()?.range.end;
    if (13..=19).contains(&digits.len()) && luhn(&digits) {
        return Some((range, "[card number]".to_owned()));
    }
    let plus = text
        .get(..start)
        .is_some_and(|before| before.ends_with('+'));
    let abroad = plus && (8..=15).contains(&digits.len());
    let mobile = digits.len() == 11 && matches!(digits.as_slice(), [1, 3..=9, ..]);
    (abroad || mobile).then(|| (range, telephone(&digits)))
}

/// The first three and the last four digits stay, so that a person can be recognised by who knows them.
fn telephone(digits: &[u32]) -> String {
    let shown = |digits: &[u32]| -> String {
        digits
            .iter()
            .filter_map(|digit| char::from_digit(*digit, 10))
            .collect()
    };
    let tail = digits.len().saturating_sub(4);
    format!(
        "{}****{}",
        shown(digits.get(..3).unwrap_or_default()),
        shown(digits.get(tail..).unwrap_or_default())
    )
}

fn luhn(digits: &[u32]) -> bool {
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(place, digit)| match (place % 2, *digit) {
            (0, digit) => digit,
            (_, digit) if digit > 4 => digit * 2 - 9,
            (_, digit) => digit * 2,
        })
        .sum();
    sum.is_multiple_of(10)
}
