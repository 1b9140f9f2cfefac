//! Telephones: international ones with their plus, and mobiles of China.

use super::numbers::Group;

pub(super) const STARS: &str = "****";

/// Whether the groups, whose digits these are, are one telephone number.
pub(super) fn is_phone(groups: &[Group], digits: &[u32]) -> bool {
    let fits = |gap: &str| gap.chars().all(|it| " -.()/".contains(it));
    let gaps = groups
        .iter()
        .skip(1)
        .filter_map(|group| group.gap.as_deref());
    groups.iter().all(|group| group.alone)
        && gaps.clone().all(fits)
        && (is_international(groups, digits) || is_mobile(groups, digits))
}

/// No country's code begins with a zero; `+0800` is a time zone.
fn is_international(groups: &[Group], digits: &[u32]) -> bool {
    let plus = groups.first().is_some_and(|group| group.after == Some('+'));
    plus && (8..=15).contains(&digits.len()) && digits.first() != Some(&0)
}

/// Eleven digits from 13 to 19, in one group or as they are spoken; also after 86 or 0086.
fn is_mobile(groups: &[Group], digits: &[u32]) -> bool {
    let lengths: Vec<usize> = groups.iter().map(|group| group.digits.len()).collect();
    let spoken = |lengths: &[usize]| matches!(lengths, [11] | [3, 4, 4] | [3, 8] | [7, 4]);
    match digits {
        [1, 3..=9, ..] if digits.len() == 11 => spoken(&lengths),
        [8, 6, 1, 3..=9, ..] if digits.len() == 13 => match lengths.as_slice() {
            [13] => true,
            [2, rest @ ..] => spoken(rest),
            _ => false,
        },
        [0, 0, 8, 6, 1, 3..=9, ..] if digits.len() == 15 => match lengths.as_slice() {
            [15] => true,
            [4, rest @ ..] => spoken(rest),
            _ => false,
        },
        _ => false,
    }
}

/// The first three and the last four digits stay, so that a person can be recognised by who knows them.
pub(super) fn mask(digits: &[u32]) -> String {
    let shown = |digits: &[u32]| -> String {
        digits
            .iter()
            .filter_map(|digit| char::from_digit(*digit, 10))
            .collect()
    };
    let tail = digits.len().saturating_sub(4);
    format!(
        "{}{STARS}{}",
        shown(digits.get(..3).unwrap_or_default()),
        shown(digits.get(tail..).unwrap_or_default())
    )
}
