//! The fuzz targets as an ordinary test: each over its whole corpus, over mutations of it, and over random inputs,
//! always the same ones. `ONCEPAY_FUZZ_TIMES=100` tries a hundred times as many. cargo-fuzz searches on from here:
//! `cargo +nightly fuzz run --fuzz-dir tests/fuzz decide`.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::wildcard_enum_match_arm,
    clippy::print_stderr,
    reason = "a broken rule is a panic"
)]

mod corpus;
#[path = "../domain/money_rules.rs"]
mod money_rules;
mod mutation;
#[path = "../domain/order_ledger.rs"]
mod order_ledger;
#[path = "../domain/rules.rs"]
mod rules;
#[path = "../domain/scene.rs"]
mod scene;
mod targets;

use corpus::corpus;
use mutation::Random;
use rstest::rstest;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Some seconds' worth for each, without optimisation.
#[rstest]
#[case("config", 800)]
#[case("decide", 2_000)]
#[case("directives", 20_000)]
#[case("ledger", 4_000)]
#[case("notices", 2_000)]
#[case("replies", 1_200)]
#[case("requests", 500)]
#[case("rows", 6_000)]
#[case("scrubber", 3_000)]
#[case("signatures", 6_000)]
#[case("values", 20_000)]
fn a_target_holds(#[case] name: &str, #[case] count: usize) {
    let seeds = corpus(name);
    assert!(!seeds.is_empty(), "{name} has no corpus");
    for (_, seed) in &seeds {
        held(name, seed);
    }
    let mut random = Random::of(name);
    for n in 0..count.saturating_mul(times()) {
        let input = if n % 2 == 0 {
            random.bytes(600)
        } else {
            random.mutated(&seeds)
        };
        held(name, &input);
    }
}

fn times() -> usize {
    let asked = std::env::var("ONCEPAY_FUZZ_TIMES").ok();
    asked.and_then(|times| times.parse().ok()).unwrap_or(1)
}

/// A broken rule is told together with a short input that breaks it, as it can be put into the corpus.
fn held(name: &str, input: &[u8]) {
    if breaks(name, input) {
        let short = shorter(name, input.to_vec());
        eprintln!("{name} does not hold for b\"{}\"", short.escape_ascii());
        targets::run(name, &short);
        panic!("{name} held the second time: what it looks at is not its input alone");
    }
}

fn breaks(name: &str, input: &[u8]) -> bool {
    catch_unwind(AssertUnwindSafe(|| targets::run(name, input))).is_err()
}

/// Leaves out whatever it breaks without, halves first, for a while.
fn shorter(name: &str, mut input: Vec<u8>) -> Vec<u8> {
    let mut piece = input.len() / 2;
    while piece > 0 {
        let mut at = 0;
        while at < input.len() {
            let mut less = input.clone();
            less.drain(at..(at + piece).min(input.len()));
            if breaks(name, &less) {
                input = less;
            } else {
                at += piece;
            }
        }
        piece /= 2;
    }
    input
}

/// Nobody has forgotten one: each target is run here and by cargo-fuzz, and has a corpus that stays small.
#[test]
fn every_target_is_run_everywhere() {
    let here = include_str!("main.rs");
    let there = include_str!("Cargo.toml");
    for (name, _) in targets::TARGETS {
        assert!(
            here.contains(&format!("#[case(\"{name}\"")),
            "{name} is not run here"
        );
        assert!(
            there.contains(&format!("name = \"{name}\"")),
            "{name} is not run by cargo-fuzz"
        );
        let seeds = corpus(name);
        let bytes: usize = seeds.iter().map(|(_, seed)| seed.len()).sum();
        assert!(bytes <= 64 << 10, "the corpus of {name} has {bytes} bytes");
    }
    let folders = corpus::names();
    let known = |folder: &String| targets::TARGETS.iter().any(|(name, _)| name == folder);
    let lost: Vec<_> = folders.iter().filter(|folder| !known(folder)).collect();
    assert!(lost.is_empty(), "corpora of no target: {lost:?}");
}
