//! Stories of a fixed set of seeds, with the decisions that are shipped.

use oncepay::simulator::{Mishap, Real, Story, play, shortest};

const ORDERS: u32 = 150;
const HOURS: u32 = 720;
const SEEDS: u64 = 8;

fn seeds() -> u64 {
    let asked = std::env::var("ONCEPAY_WORLD_SEEDS").ok();
    asked.and_then(|seeds| seeds.parse().ok()).unwrap_or(SEEDS)
}

#[test]
fn no_story_of_the_fixed_seeds_breaks_a_rule() {
    for seed in 1..=seeds() {
        let story = Story::new(seed, ORDERS, HOURS);
        if let Some(violation) = play(&story, &Real).violation {
            let failure = shortest(&story, &Real, &violation);
            panic!("seed {seed}: {violation}\n\n{}", failure.as_test());
        }
    }
}

#[test]
fn the_same_seed_is_the_same_story() {
    let story = Story::new(11, 60, HOURS);
    let (once, again) = (play(&story, &Real), play(&story, &Real));
    assert_eq!(once.report, again.report);
    assert_eq!(once.violation, again.violation);
    assert_ne!(once.report, play(&Story::new(12, 60, HOURS), &Real).report);
}

/// What never happens in a story proves nothing.
#[test]
fn everything_that_can_go_wrong_does() {
    let mut missing = Mishap::ALL.to_vec();
    for seed in 1.. {
        let report = play(&Story::new(seed, ORDERS, HOURS), &Real).report;
        missing.retain(|mishap| report.mishaps.iter().all(|(it, _)| it != mishap));
        if missing.is_empty() {
            return;
        }
        assert!(seed < 60, "never happened: {missing:?}");
    }
}
