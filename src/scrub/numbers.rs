//! Runs of digits in a text, and which of them are cards or telephones.

use super::units::{Unit, units};
use super::{Finding, cards, phones};
use std::ops::Range;

/// The shortest number that is looked for.
const DIGITS_MIN: usize = 8;
/// The longest.
const DIGITS_MAX: usize = 19;
/// Letters that may stand between two groups of one number.
const GAP_MAX: usize = 3;

/// A group of digits without a separator inside.
#[derive(Debug)]
pub(super) struct Group {
    pub(super) range: Range<usize>,
    pub(super) digits: Vec<u32>,
    /// No letter touches it.
    pub(super) alone: bool,
    /// Its word has no other digits.
    pub(super) only: bool,
    /// What stands between it and the group before, if that is short.
    pub(super) gap: Option<String>,
    /// The letter before it.
    pub(super) after: Option<char>,
}

/// Cards and telephones outside of the ranges `kept`.
pub(super) fn find(text: &str, kept: &[&Range<usize>]) -> Vec<Finding> {
    let digits = text
        .chars()
        .filter(|it| it.is_ascii_digit() || ('\u{ff10}'..='\u{ff19}').contains(it));
    if digits.take(DIGITS_MIN).count() < DIGITS_MIN {
        return Vec::new();
    }
    let groups = groups(text, kept);
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(rest) = groups.get(from..).filter(|rest| !rest.is_empty()) {
        let hit = stretches(rest)
            .into_iter()
            .rev()
            .find_map(|stretch| Some((stretch.len(), masked(stretch)?)));
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

/// Whether this is what a number is masked with.
pub(super) fn is_mask(mask: &str) -> bool {
    mask == cards::MASK || mask.contains(phones::STARS)
}

/// The stretches of whole groups that begin here and could be one number, the shortest first.
fn stretches(rest: &[Group]) -> Vec<&[Group]> {
    let mut digits = 0_usize;
    let mut stretches = Vec::new();
    for (n, group) in rest.iter().enumerate() {
        digits = digits.saturating_add(group.digits.len());
        if digits > DIGITS_MAX || (n > 0 && group.gap.is_none()) {
            break;
        }
        stretches.extend(rest.get(..=n));
    }
    stretches
}

fn masked(stretch: &[Group]) -> Option<Finding> {
    let range = stretch.first()?.range.start..stretch.last()?.range.end;
    let digits: Vec<u32> = stretch
        .iter()
        .flat_map(|group| group.digits.iter().copied())
        .collect();
    if phones::is_phone(stretch, &digits) {
        return Some((range, phones::mask(&digits)));
    }
    cards::is_card(stretch, &digits).then(|| (range, cards::MASK.to_owned()))
}

fn groups(text: &str, kept: &[&Range<usize>]) -> Vec<Group> {
    let is_kept = |unit: &Unit| kept.iter().any(|kept| kept.contains(&unit.range.start));
    let mut units = units(text);
    for unit in units.iter_mut().filter(|unit| is_kept(unit)) {
        unit.letter = '\u{fffc}';
    }
    let mut groups: Vec<Group> = Vec::new();
    let mut between = String::new();
    let mut runs_of_word = 0_usize;
    let mut before = None;
    for unit in &units {
        if let Some(digit) = unit.letter.to_digit(10) {
            match groups.last_mut().filter(|_| between.is_empty()) {
                Some(group) if group.range.end == unit.range.start => {
                    group.digits.push(digit);
                    group.range.end = unit.range.end;
                }
                Some(_) | None => {
                    let letter = before.is_some_and(|it: char| it.is_ascii_alphabetic());
                    runs_of_word = runs_of_word.saturating_add(1);
                    let short = !groups.is_empty() && between.chars().count() <= GAP_MAX;
                    groups.push(Group {
                        range: unit.range.clone(),
                        digits: vec![digit],
                        alone: !letter,
                        only: runs_of_word == 1,
                        gap: short.then(|| between.clone()),
                        after: before,
                    });
                }
            }
            between.clear();
        } else {
            touch(&mut groups, unit, &between, runs_of_word);
            if !unit.letter.is_ascii_alphabetic() {
                runs_of_word = 0;
            }
            between.push(unit.letter);
        }
        before = Some(unit.letter);
    }
    groups
}

/// A letter right after a group makes it a part of a name; more digits in the same word, a part of an identifier.
fn touch(groups: &mut [Group], unit: &Unit, between: &str, runs_of_word: usize) {
    if let Some(group) = groups.last_mut().filter(|_| between.is_empty()) {
        group.alone &= !unit.letter.is_ascii_alphabetic();
        group.only &= runs_of_word <= 1;
    }
}
