//! The simulator finds every fault of the list, and makes each a short story.

use super::faults::{Broken, FAULTS, Fault};
use oncepay::simulator::{Real, Story, Violation, play, shortest};

const ORDERS: u32 = 200;
const HOURS: u32 = 720;
const SEEDS_MAX: u64 = 60;

/// The first seed whose story finds the fault.
fn found(fault: Fault) -> Option<(Story, Violation, u64)> {
    let mut orders = 0;
    for seed in 1..=SEEDS_MAX {
        let story = Story::new(seed, ORDERS, HOURS);
        let outcome = play(&story, &Broken(fault));
        orders += outcome.report.orders;
        if let Some(violation) = outcome.violation {
            return Some((story, violation, orders));
        }
    }
    None
}

#[test]
fn every_fault_is_found() {
    println!(
        "{:<30} {:>5} {:>7}  rule that was broken",
        "fault", "seeds", "orders"
    );
    let mut missed = Vec::new();
    for fault in FAULTS {
        match found(*fault) {
            Some((story, violation, orders)) => println!(
                "{:<30} {:>5} {orders:>7}  {}",
                format!("{fault:?}"),
                story.seed,
                violation.rule.words()
            ),
            None => missed.push(fault),
        }
    }
    assert!(
        missed.is_empty(),
        "not found in {SEEDS_MAX} seeds: {missed:?}"
    );
}

#[test]
fn a_failure_is_told_as_a_short_story_that_the_real_decisions_pass() {
    for fault in [
        Fault::TimeoutFails,
        Fault::GraceIsSkipped,
        Fault::VersionIsNotCompared,
        Fault::TimersAreForgottenAtStart,
        Fault::RefundTimeoutFails,
    ] {
        let (story, violation, _) = found(fault).expect("it is found");
        let failure = shortest(&story, &Broken(fault), &violation);
        let rolls = failure
            .story
            .only
            .as_ref()
            .map_or(usize::MAX, |only| only.len());
        assert!(
            rolls <= 12,
            "{fault:?}: {rolls} things go wrong\n{}",
            failure.as_test()
        );
        assert_eq!(failure.violation.rule, violation.rule, "{fault:?}");
        assert_eq!(
            play(&failure.story, &Broken(fault)).violation,
            Some(failure.violation.clone())
        );
        assert_eq!(play(&failure.story, &Real).violation, None, "{fault:?}");
        assert!(
            failure.as_test().contains("Story::only("),
            "{}",
            failure.as_test()
        );
    }
}
