//! The actors in a runtime of the test's own: panics, storms, messages that come twice, two runtimes on one database.

#![cfg(test)]

#[path = "../support/mod.rs"]
mod support;

mod bank;
mod clock;
mod due;
mod limits;
mod panics;
mod spread;
mod stage;
mod storm;
mod twins;
mod unknown_keys;
