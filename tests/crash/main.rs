//! The crash lab: server, sandbox, mail server and the merchant's receiver as processes of their own, killed with
//! `kill -9` at random moments and right after commits, round after round, and then three ledgers held against each
//! other: the processor's, ours and the merchant's. Beside it, stories of everything else that befalls a process.
//!
//! `ONCEPAY_CRASH_ROUNDS=1000 cargo test --test crash rounds` plays more rounds, `ONCEPAY_CRASH_SEED=7` others. The
//! seed fixes what is asked for and when who is killed; what the machine does in between is its own.

#![cfg(test)]
#[path = "../support/mod.rs"]
mod support;

mod alarm;
mod books;
mod commit_points;
mod compare;
mod dice;
mod errand;
mod merchant;
mod people;
mod processes;
mod rounds;
mod stories;
mod till;
mod world;
