//! The simulator: months of orders in seconds, from one seed.
//!
//! The real decisions about orders, refunds, grants and accounts, and the real policy of timers and retries, play in a
//! world that is made up: a database in memory with the constraints of the real one ([`memory`]), two clocks that do not
//! keep time ([`clocks`]), a processor with books of its own ([`charge`], [`processor`], [`refunds`], [`notice`]), calls
//! that get lost ([`call`]), people ([`people`], [`operator`], [`spending`]), receivers that fail ([`outbox`]), and a
//! machine that fails ([`machine`]). [`turn`] is what an order's actor does with a message.
//!
//! Chance is a function of the seed ([`dice`]); what can go wrong stands in [`mishap`]. After every step the witness
//! ([`witness`]) holds rows, memory and the processor's books against every [`Rule`]. A story that breaks one is shortened
//! ([`shrink`]) and told as a test.

mod call;
mod case;
mod charge;
mod clocks;
mod dice;
mod event;
mod machine;
mod memory;
mod mishap;
mod notice;
mod operator;
mod outbox;
mod parts;
mod people;
mod processor;
mod profile;
mod refunds;
mod report;
mod rule;
mod run;
mod shrink;
mod spending;
mod story;
mod turn;
mod witness;
mod words;

pub use dice::Choice;
pub use memory::Constraint;
pub use mishap::Mishap;
pub use parts::{Parts, Real};
pub use report::Report;
pub use rule::{Rule, Violation};
pub use story::{Orders, Story};

use run::{Notes, Run};

/// What came of a story.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The first rule that was broken, if one was.
    pub violation: Option<Violation>,
    pub report: Report,
}

/// A story that breaks a rule, as short as it gets.
#[derive(Debug, Clone)]
pub struct Failure {
    pub story: Story,
    /// What it breaks.
    pub violation: Violation,
    /// What happens in it, line by line.
    pub history: Vec<String>,
}

impl Failure {
    /// A test that plays it, to be pasted.
    #[must_use]
    pub fn as_test(&self) -> String {
        let mut history = self.history.clone();
        history.push(self.violation.to_string());
        self.story.as_test(&history)
    }
}

/// Plays a story to its end, or to the first rule that is broken. The same story comes to the same outcome.
#[must_use]
pub fn play(story: &Story, parts: &impl Parts) -> Outcome {
    let played = Run::new(story, parts, Notes::None).play(story.hours);
    Outcome {
        violation: played.violation,
        report: played.report,
    }
}

/// The shortest story that still breaks the rule of `violation`, and what happens in it.
#[must_use]
pub fn shortest(story: &Story, parts: &impl Parts, violation: &Violation) -> Failure {
    let short = shrink::shorten(story, parts, violation);
    let told = Run::new(&short, parts, Notes::Lines).play(short.hours);
    Failure {
        violation: told.violation.unwrap_or_else(|| violation.clone()),
        history: told.lines,
        story: short,
    }
}
