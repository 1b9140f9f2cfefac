//! Random stories of creates, notices, refunds, debits, holds and crashes through the real parts, on a database of each
//! story's own, beside a channel that keeps true books and misbehaves. In the end the books are held against each
//! other: money in is money out and what is held, and no account has moved twice for one key.
//!
//! [`world`] is another thing: the simulator, in which the machine, the clocks and the database are made up too.
//!
//! `ONCEPAY_SIMULATION_CASES=2000 cargo test --test simulation` plays more of them, `ONCEPAY_SIMULATION_SEED=7` others.

#![cfg(test)]

#[path = "../support/mod.rs"]
mod support;

mod act;
mod audit;
mod books;
mod channel;
mod clock;
mod play;
mod stage;
mod step;
mod vault;
mod world;

use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner};

/// About half a minute of an unoptimised build on two cores.
const CASES: u32 = 24;
const SHRINKS_MAX: u32 = 200;

fn number(variable: &str) -> Option<u32> {
    std::env::var(variable).ok()?.parse().ok()
}

#[test]
fn money_in_is_money_out_and_held_whatever_happens() {
    let seed = number("ONCEPAY_SIMULATION_SEED").unwrap_or(1);
    let config = Config {
        cases: number("ONCEPAY_SIMULATION_CASES").unwrap_or(CASES),
        max_shrink_iters: SHRINKS_MAX,
        failure_persistence: None,
        ..Config::default()
    };
    let mut bytes = [0; 32];
    bytes[..4].copy_from_slice(&seed.to_be_bytes());
    let random = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    let played =
        TestRunner::new_with_rng(config, random).run(&step::story(), |(policies, beats)| {
            let system = actix::System::new();
            system
                .block_on(play::play(policies, &beats))
                .map_err(TestCaseError::fail)
        });
    if let Err(failure) = played {
        panic!("seed {seed}: {failure}");
    }
}
