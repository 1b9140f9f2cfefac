//! The shortest history that still fails: fewer orders first, then fewer things that go wrong.

use super::case::root;
use super::dice::Choice;
use super::parts::Parts;
use super::rule::Violation;
use super::run::{Notes, Played, Run};
use super::story::{Orders, Story};

/// Plays that may be spent on it.
const PLAYS_MAX: u32 = 4_000;

struct Shrinker<'a, P: Parts> {
    parts: &'a P,
    violation: &'a Violation,
    plays: u32,
}

/// A story as short as it gets that breaks the same rule as `violation`, which `story` has brought.
pub(super) fn shorten(story: &Story, parts: &impl Parts, violation: &Violation) -> Story {
    let mut shrinker = Shrinker {
        parts,
        violation,
        plays: 0,
    };
    let fewer = shrinker.fewer_orders(story);
    let Some(recorded) = shrinker.record(&fewer) else {
        return fewer;
    };
    let with = |choices: &[Choice]| Story {
        only: Some(choices.iter().copied().collect()),
        ..fewer.clone()
    };
    if !shrinker.fails(&with(&recorded)) {
        return fewer;
    }
    let choices = shrinker.least(recorded, |choices| with(choices));
    with(&choices)
}

impl<P: Parts> Shrinker<'_, P> {
    fn fails(&mut self, story: &Story) -> bool {
        self.plays = self.plays.saturating_add(1);
        let played = Run::new(story, self.parts, Notes::None).play(story.hours);
        self.is_same(&played)
    }

    fn is_same(&self, played: &Played) -> bool {
        let found = played.violation.as_ref();
        found.is_some_and(|found| found.rule == self.violation.rule)
    }

    /// What went wrong in a story that fails.
    fn record(&mut self, story: &Story) -> Option<Vec<Choice>> {
        let played = Run::new(story, self.parts, Notes::Choices).play(story.hours);
        self.is_same(&played).then_some(played.choices)
    }

    /// The order that it was seen with alone, or with its neighbours, or whatever else is needed.
    fn fewer_orders(&mut self, story: &Story) -> Story {
        let of = |numbers: Vec<u32>| Story {
            orders: Orders::These(numbers),
            ..story.clone()
        };
        let seen = root(self.violation.order);
        let alone = of(vec![seen]);
        if self.fails(&alone) {
            return alone;
        }
        let all: Vec<u32> = story.orders.iter().collect();
        let near = all
            .iter()
            .copied()
            .filter(|no| no.abs_diff(seen) < 10)
            .collect();
        let near = of(near);
        let enough = if self.fails(&near) { near } else { of(all) };
        let numbers = enough.orders.iter().collect();
        of(self.least(numbers, |numbers| of(numbers.to_vec())))
    }

    /// Takes parts out, from halves down to single ones, as long as what is left fails.
    fn least<T: Copy>(&mut self, mut all: Vec<T>, story: impl Fn(&[T]) -> Story) -> Vec<T> {
        let mut size = all.len().div_ceil(2);
        while size > 0 && self.plays < PLAYS_MAX {
            let mut start = 0;
            let before = all.len();
            while start < all.len() && self.plays < PLAYS_MAX {
                let end = start.saturating_add(size).min(all.len());
                let mut fewer = all.clone();
                fewer.drain(start..end);
                if self.fails(&story(&fewer)) {
                    all = fewer;
                } else {
                    start = end;
                }
            }
            if size == 1 && all.len() == before {
                break;
            }
            size = if size == 1 { 1 } else { size.div_ceil(2) };
        }
        all
    }
}
