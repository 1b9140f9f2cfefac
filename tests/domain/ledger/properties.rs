//! Random requests with few numbers, so that they repeat and collide; after each of them everything adds up.

use super::account::Account;
use oncepay::domain::ledger::{HoldStatus, Outcome, Request};
use proptest::collection::vec;
use proptest::prelude::*;
use std::collections::BTreeSet;

#[derive(Debug, Clone)]
enum Step {
    Ask(Request),
    Grant(String, i64),
    Tick(i64),
}

fn kind() -> impl Strategy<Value = String> {
    prop_oneof![Just("credits".to_owned()), Just("minutes".to_owned())]
}

fn step() -> impl Strategy<Value = Step> {
    let no = || (0..6_u8).prop_map(|n| format!("n{n}"));
    let quantity = || 1..80_i64;
    prop_oneof![
        4 => (no(), kind(), quantity()).prop_map(|(debit_no, kind, quantity)| {
            Step::Ask(Request::Debit { debit_no, kind, quantity, reason: None })
        }),
        4 => (no(), kind(), quantity(), 1..20_i64).prop_map(
            |(hold_no, kind, quantity, expires_in_s)| {
                Step::Ask(Request::Hold { hold_no, kind, quantity, expires_in_s })
            },
        ),
        4 => (no(), quantity()).prop_map(|(hold_no, quantity)| {
            Step::Ask(Request::Capture { hold_no, quantity })
        }),
        2 => no().prop_map(|hold_no| Step::Ask(Request::Release { hold_no })),
        2 => no().prop_map(|hold_no| Step::Ask(Request::Expire { hold_no })),
        2 => (kind(), quantity()).prop_map(|(kind, quantity)| Step::Grant(kind, quantity)),
        2 => (1..15_i64).prop_map(Step::Tick),
    ]
}

fn adds_up(account: &Account) {
    let mut sources = BTreeSet::new();
    for entry in &account.entries {
        assert!(
            sources.insert(&entry.source),
            "{} moved twice",
            entry.source
        );
        assert_ne!(entry.quantity, 0);
    }
    for (kind, balance) in &account.balances {
        let entries = account.entries.iter().filter(|entry| entry.kind == *kind);
        assert_eq!(
            balance.balance,
            entries.map(|entry| entry.quantity).sum::<i64>()
        );
        let held = account.holds.values();
        let held = held.filter(|hold| hold.kind == *kind && hold.status == HoldStatus::Held);
        assert_eq!(balance.held, held.map(|hold| hold.quantity).sum::<i64>());
        assert!(balance.available() >= -account.overdraft, "below the floor");
    }
    for hold in account.holds.values() {
        let source = format!("hold:{}", hold.hold_no);
        let taken = account.entries.iter().find(|entry| entry.source == source);
        let taken = taken.map_or(0, |entry| -entry.quantity);
        assert_eq!(hold.captured, taken);
        assert!((0..=hold.quantity).contains(&hold.captured));
        assert_eq!(hold.status == HoldStatus::Captured, hold.captured > 0);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    /// The balance is the sum of its entries, what is held the sum of the holds, and nothing is below the floor. The
    /// same request again, at once or after everything else, moves nothing.
    #[test]
    fn every_sequence_of_requests_adds_up(overdraft in 0..40_i64, steps in vec(step(), 1..80)) {
        let mut account = Account { overdraft, ..Account::default() };
        let mut answered = Vec::new();
        for step in steps {
            match step {
                Step::Grant(kind, quantity) => account.credit(&kind, quantity),
                Step::Tick(seconds) => account.tick(seconds),
                Step::Ask(request) => {
                    let before = account.clone();
                    let outcome = account.ask(&request);
                    let after = account.clone();
                    let again = account.ask(&request);
                    prop_assert_eq!(&account, &after, "a repeat moves nothing");
                    prop_assert_eq!(&outcome, &again, "a repeat is the same answer");
                    if let Ok(Outcome::Entry { source }) = &outcome {
                        let moved = before.entries != account.entries;
                        let known = before.entries.iter().any(|entry| entry.source == *source);
                        prop_assert_eq!(moved, !known);
                    }
                    answered.push((request, outcome));
                }
            }
            adds_up(&account);
        }
        let end = account.clone();
        for (request, outcome) in answered {
            if let (Request::Debit { .. } | Request::Capture { .. }, Ok(_)) = (&request, &outcome) {
                prop_assert_eq!(account.ask(&request), outcome, "a late repeat is the same answer");
            }
        }
        prop_assert_eq!(account, end, "a late repeat moves nothing");
    }

    /// Of capture, release and expiry one wins: whatever comes after it changes nothing any more.
    #[test]
    fn a_hold_ends_once(ends in vec((0..4_u8, 1..60_i64, 0..8_i64), 1..12)) {
        let mut account = Account::default();
        account.credit("credits", 50);
        let hold_no = || "h".to_owned();
        let hold = Request::Hold { hold_no: hold_no(), kind: "credits".into(), quantity: 50, expires_in_s: 10 };
        account.ask(&hold).unwrap();
        let mut ended = None;
        for (which, quantity, seconds) in ends {
            account.tick(seconds);
            let request = match which {
                0 => Request::Capture { hold_no: hold_no(), quantity },
                1 => Request::Release { hold_no: hold_no() },
                2 => Request::Expire { hold_no: hold_no() },
                _ => hold.clone(),
            };
            drop(account.ask(&request));
            let now = account.holds["h"].clone();
            if let Some(first) = &ended {
                prop_assert_eq!(first, &now);
            }
            if now.status != HoldStatus::Held {
                ended = Some(now);
            }
            adds_up(&account);
        }
    }
}
