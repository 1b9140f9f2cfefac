//! What is held against arbitrary bytes. cargo-fuzz looks for inputs that break a target; the ordinary test runs each
//! of them over its corpus, mutations of it and random inputs.
//!
//! A target panics where a rule is broken. It takes any bytes, and means the same by the same ones.

mod bytes;
mod config;
mod decide;
mod directives;
mod happenings;
mod keys;
mod ledger;
mod notices;
mod orders;
mod processor;
mod replies;
mod requests;
mod rows;
mod scrubber;
mod settings;
mod shapes;
mod signatures;
mod till;
mod values;
mod wording;

/// A target's name, which is that of its corpus, and the target.
pub(crate) type Target = (&'static str, fn(&[u8]));

pub(crate) const TARGETS: &[Target] = &[
    ("config", config::hold),
    ("decide", decide::hold),
    ("directives", directives::hold),
    ("ledger", ledger::hold),
    ("notices", notices::hold),
    ("replies", replies::hold),
    ("requests", requests::hold),
    ("rows", rows::hold),
    ("scrubber", scrubber::hold),
    ("signatures", signatures::hold),
    ("values", values::hold),
];

/// Runs the target with this name.
pub(crate) fn run(name: &str, data: &[u8]) {
    let target = TARGETS.iter().find(|(known, _)| *known == name);
    let (_, hold) = target.unwrap_or_else(|| panic!("no target is called {name}"));
    hold(data);
}
