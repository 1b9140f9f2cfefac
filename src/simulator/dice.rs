//! Chance: every roll is a function of the seed, the order, the kind of mishap and how often that was rolled for.
//!
//! So taking one order, or one mishap, out of a story leaves all others as they were.

use super::mishap::Mishap;
use super::story::Story;
use std::collections::BTreeSet;

/// The chances of the machine itself belong to no order.
pub(super) const MACHINE: u32 = u32::MAX;
const CHANCES: u64 = 10_000;
/// A machine that fails more often than so many times a day does little else.
const CRASHES_A_DAY: u64 = 6;
const THOUSAND: u64 = 1_000;

/// One roll: the `nth` one (from 1) for this mishap of this order. The machine's order is `u32::MAX`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Choice {
    pub order: u32,
    pub mishap: Mishap,
    pub nth: u16,
}

/// A random number that came of a roll, and more of them if need be.
#[derive(Debug, Clone, Copy)]
pub(super) struct Chance(u64);

impl Chance {
    /// From 0 to one less than `end`.
    pub(super) fn below(&mut self, end: i64) -> i64 {
        self.0 = mix(self.0);
        let end = u64::try_from(end).unwrap_or(1).max(1);
        i64::try_from(self.0 % end).unwrap_or(0)
    }

    /// From `least` to one less than `end`.
    pub(super) fn between(&mut self, least: i64, end: i64) -> i64 {
        least.saturating_add(self.below(end.saturating_sub(least)))
    }
}

#[derive(Debug)]
pub(super) struct Dice {
    seed: u64,
    /// Nothing but these goes wrong.
    only: Option<BTreeSet<Choice>>,
    /// The share of crashes, in thousandths, that do happen: each order would bring some, and all suffer from each.
    crashes: u64,
    happened: Vec<u64>,
    /// What has gone wrong, where that is wanted.
    record: Option<Vec<Choice>>,
}

impl Dice {
    pub(super) fn new(story: &Story, records: bool) -> Self {
        let wanted = u64::from(story.hours).saturating_mul(CRASHES_A_DAY * THOUSAND) / 24;
        let brought = u64::try_from(story.orders.iter().count()).unwrap_or(u64::MAX) / 5;
        Self {
            seed: story.seed,
            only: story.only.clone(),
            crashes: (wanted / brought.max(1)).clamp(1, THOUSAND),
            happened: vec![0; Mishap::COUNT],
            record: records.then(Vec::new),
        }
    }

    /// What an order is by birth: the `salt`-th of its traits.
    pub(super) fn trait_of(&self, order: u32, salt: u64) -> Chance {
        Chance(mix(mix(self.seed ^ u64::from(order).rotate_left(32)) ^ salt))
    }

    /// Whether it happens, and if so a number to shape it by. `temper` multiplies its odds.
    pub(super) fn roll(&mut self, choice: Choice, temper: u64) -> Option<Chance> {
        let place = u64::from(choice.order).rotate_left(32)
            ^ u64::from(choice.mishap.number()).rotate_left(16)
            ^ u64::from(choice.nth);
        let rolled = mix(mix(self.seed ^ 0x9e37_79b9_7f4a_7c15).wrapping_add(place));
        let happens = match &self.only {
            None => rolled % (CHANCES * THOUSAND) < self.odds(choice.mishap, temper),
            Some(only) => only.contains(&choice),
        };
        happens.then(|| self.note(choice, rolled))
    }

    /// In 10,000,000 chances.
    const fn odds(&self, mishap: Mishap, temper: u64) -> u64 {
        let share = if mishap.is_crash() {
            self.crashes
        } else {
            THOUSAND
        };
        mishap.odds().saturating_mul(temper).saturating_mul(share) / 4
    }

    /// As [`Self::roll`], for what the story itself has planned.
    pub(super) fn planned(&mut self, choice: Choice) -> Option<Chance> {
        let planned = self.only.as_ref().is_none_or(|only| only.contains(&choice));
        let rolled = mix(self.seed ^ u64::from(choice.mishap.number()) ^ mix(choice.nth.into()));
        planned.then(|| self.note(choice, rolled))
    }

    fn note(&mut self, choice: Choice, rolled: u64) -> Chance {
        if let Some(count) = self.happened.get_mut(usize::from(choice.mishap.number())) {
            *count = count.saturating_add(1);
        }
        if let Some(record) = &mut self.record {
            record.push(choice);
        }
        Chance(rolled)
    }

    /// How often each mishap has happened.
    pub(super) fn happened(&self) -> impl Iterator<Item = (Mishap, u64)> {
        let counts = self.happened.iter().copied();
        Mishap::ALL.iter().copied().zip(counts)
    }

    pub(super) fn record(&mut self) -> Vec<Choice> {
        self.record.take().unwrap_or_default()
    }
}

/// The finalizer of splitmix64: every bit of the outcome hangs on every bit that goes in.
const fn mix(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}
