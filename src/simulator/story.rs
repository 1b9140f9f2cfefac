//! A story: everything in it follows from these few numbers.

use super::dice::Choice;
use super::mishap::Mishap;
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// Which orders are in a story. Each is the same in every story of its seed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Orders {
    /// So many, from number 0 on.
    First(u32),
    These(Vec<u32>),
}

impl Orders {
    pub(super) fn iter(&self) -> Box<dyn Iterator<Item = u32> + '_> {
        match self {
            Self::First(count) => Box::new(0..*count),
            Self::These(numbers) => Box::new(numbers.iter().copied()),
        }
    }
}

/// See the module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Story {
    pub seed: u64,
    /// The orders come within so many hours; then it goes on until nothing can happen any more.
    pub hours: u32,
    pub orders: Orders,
    /// `None`: things go wrong as the seed has it; else nothing goes wrong but these.
    pub only: Option<BTreeSet<Choice>>,
}

impl Story {
    #[must_use]
    pub const fn new(seed: u64, orders: u32, hours: u32) -> Self {
        Self {
            seed,
            hours,
            orders: Orders::First(orders),
            only: None,
        }
    }

    /// These orders, and nothing goes wrong but these rolls: the order, the mishap, and which roll for it.
    #[must_use]
    pub fn only(seed: u64, hours: u32, orders: &[u32], rolls: &[(u32, Mishap, u16)]) -> Self {
        let choices = rolls.iter().map(|(order, mishap, nth)| Choice {
            order: *order,
            mishap: *mishap,
            nth: *nth,
        });
        Self {
            seed,
            hours,
            orders: Orders::These(orders.to_vec()),
            only: Some(choices.collect()),
        }
    }

    /// A test that plays it, as Rust to be pasted into a file of `tests/simulation/`; the history stands above it.
    #[must_use]
    pub fn as_test(&self, history: &[String]) -> String {
        let mut test = String::new();
        for line in history {
            writeln!(test, "// {line}").unwrap_or_default();
        }
        let orders: Vec<String> = self.orders.iter().map(|no| no.to_string()).collect();
        let name = orders.first().map_or("none", String::as_str);
        writeln!(test, "#[test]\nfn seed_{}_order_{name}() {{", self.seed).unwrap_or_default();
        writeln!(
            test,
            "    use oncepay::simulator::{{Mishap, Real, Story, play}};"
        )
        .unwrap_or_default();
        let (seed, hours, orders) = (self.seed, self.hours, orders.join(", "));
        writeln!(
            test,
            "    let story = Story::only({seed}, {hours}, &[{orders}], &["
        )
        .unwrap_or_default();
        for choice in self.only.iter().flatten() {
            let (order, mishap, nth) = (choice.order, choice.mishap.name(), choice.nth);
            writeln!(test, "        ({order}, Mishap::{mishap}, {nth}),").unwrap_or_default();
        }
        writeln!(
            test,
            "    ]);\n    assert_eq!(play(&story, &Real).violation, None);\n}}"
        )
        .unwrap_or_default();
        test
    }
}
