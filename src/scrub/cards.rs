//! Card numbers: 13–19 digits that pass Luhn, also in groups.

use super::numbers::Group;

pub(super) const MASK: &str = "[card number]";

/// Whether the groups, whose digits these are, are one card number.
pub(super) fn is_card(groups: &[Group], digits: &[u32]) -> bool {
    (13..=19).contains(&digits.len())
        && luhn(digits)
        && digits.windows(2).any(|pair| pair.first() != pair.last())
        && !is_timestamp(groups, digits)
        && gaps_fit(groups)
        && (groups.iter().all(|group| group.alone) || stands_in_a_word(groups, digits))
}

/// Milliseconds since 1970: no issuer begins numbers of thirteen digits with a one.
fn is_timestamp(groups: &[Group], digits: &[u32]) -> bool {
    let milliseconds = groups.len() == 1 && digits.len() == 13 && digits.first() == Some(&1);
    milliseconds || groups.windows(3).any(is_date)
}

/// `2026-07-26`.
fn is_date(groups: &[Group]) -> bool {
    let [year, month, day] = groups else {
        return false;
    };
    let dashed = |group: &Group| group.digits.len() == 2 && group.gap.as_deref() == Some("-");
    matches!(year.digits.as_slice(), [1, 9, _, _] | [2, 0, _, _]) && dashed(month) && dashed(day)
}

/// Single blanks or dashes; anything odder only between groups as they are embossed.
fn gaps_fit(groups: &[Group]) -> bool {
    let gaps = || {
        groups
            .iter()
            .skip(1)
            .filter_map(|group| group.gap.as_deref())
    };
    let embossed = || {
        let all_but_last = groups.iter().rev().skip(1);
        all_but_last.clone().all(|group| group.digits.len() >= 4)
    };
    gaps().all(|gap| matches!(gap, " " | "-"))
        || (gaps().all(|gap| matches!(gap, " " | "-" | "  " | " - " | "." | "+" | "/" | "_"))
            && embossed())
}

/// `PAN4111111111111111`: letters before or after, no other digits, and a number that the great issuers give.
fn stands_in_a_word(groups: &[Group], digits: &[u32]) -> bool {
    groups.iter().all(|group| group.only)
        && digits.len() >= 15
        && matches!(digits.first(), Some(3..=6))
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
