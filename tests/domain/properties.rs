//! Random sequences of everything that may happen, under random rules and clocks. Every decision in them is held
//! against the rules of [`crate::rules`]; a failing sequence shrinks to a story that `check` can play.

use crate::inputs::input;
use crate::scene::Scene;
use crate::script::play;
use oncepay::domain::order::{OrderStatus, Reason, Submit};
use oncepay::domain::{Stamp, UnixMillis};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

/// What may be given before an order is born.
const GIVEN: &[&str] = &[
    "given ask first",
    "given no close",
    "given no resubmit",
    "given two charges per key",
    "given own expiry",
    "given asynchronous",
    "given settles within 1 d",
    "given key life 10 m",
    "given fulfil",
    "given second person",
    "given 1000 credits",
    "given 3 seats",
    "given hold",
    "given keep",
    "given late money goes back",
    "given no refunds",
    "given repeats show what to pay",
];

/// What the channel says, by whatever way.
const SAID: &[&str] = &[
    "paid T1",
    "paid T2",
    "refunded T1",
    "some-back T1",
    "paid T1 5 CNY",
    "paid T3 merchant M2",
    "pending QR",
    "pending",
    "pending QR 5 CNY",
    "processing",
    "declined",
    "closed",
    "closed key other",
    "unexplained",
    "not found",
    "already paid",
    "hint paid P1",
    "hint paid P2",
    "hint over P1",
    "key conflict",
    "cannot",
    "throttled",
    "not sent",
    "unknown",
    "timeout",
];

/// What keeps an order in flight: long sequences of it reach the far ends of ladders.
const DULL: &[&str] = &[
    "query not found",
    "query unknown",
    "query pending QR",
    "query pending",
    "query processing",
    "query declined",
    "close cannot",
    "close not found",
    "reply 1 unknown",
    "reply 2 unknown",
    "reply 2 declined",
    "reply 3 throttled",
    "tick 3 s",
    "tick 30 s",
    "tick 1 m",
    "tick 5 m",
    "tick 15 m",
    "tick 1 h",
    "down 1 m",
    "review RESUBMIT by ann",
];

const OTHERS: &[&str] = &[
    "tick 1 d",
    "wall 1 h",
    "down 1 s",
    "down 1 d",
    "timer",
    "timed out 1",
    "timed out 2",
    "deadline",
    "recovered",
    "actor failed",
    "merchant closes",
    "merchant asks",
    "review PAID by bob",
    "review PAID T4 by ann",
    "review NOT_PAID by ann",
    "review NOT_PAID by bob stale",
    "review RESUBMIT by bob",
    "review CLOSE by ann",
    "review CLOSE by bob",
    "review REFUND by ann",
    "review REFUND by bob",
    "dispute D1 opened",
    "dispute D1 won",
    "dispute D2 lost",
    "dispute D2 ended",
    "grant credits",
    "grant seats",
    "bill",
    "taken T7",
    "given another account",
    "given the account",
    "given successor PENDING",
];

/// What happens to the money of an order that is paid.
const BACK: &[&str] = &[
    "merchant refunds r1 500",
    "merchant refunds r2 1499",
    "merchant refunds r3 1999",
    "merchant refunds r4 7 of T2",
    "operator ann refunds r5 1200",
    "operator bob refunds r5 1200",
    "refund told R1 succeeded 300 in all",
    "refund told R1 succeeded 700 in all",
    "refund told R2 succeeded 1999 in all",
    "refund told R3 succeeded 400",
    "refund told R3 failed",
    "refund told R5 balance",
    "refund told R4 succeeded of T2",
    "refund told external-T1 failed",
    "callback refunded T1",
    "callback refunded T2",
    "callback paid T1",
    "callback paid T2",
    "dispute D1 opened",
    "dispute D1 won",
    "dispute D1 lost",
    "grant credits",
    "grant seats",
    "tick 1 m",
    "tick 15 m",
    "tick 12 d",
    "down 1 s",
    "down 1 h",
    "timer",
    "recovered",
    "given another account",
    "given the account",
];

const REFUNDS: &[&str] = &["r1", "r2", "r3", "r5", "late-T1", "review-T1", "R1"];

/// What the channel and people say of a refund.
const SAID_OF_REFUNDS: &[&str] = &[
    "reply succeeded",
    "reply pending",
    "reply failed",
    "reply unknown",
    "reply balance",
    "query succeeded",
    "query pending",
    "query failed",
    "query not found",
    "query not found",
    "query conflict",
    "told succeeded",
    "told failed",
    "told succeeded 3",
    "review SUCCEEDED by ann",
    "review FAILED by bob",
    "review RETRY by ann",
];

fn money_line() -> impl Strategy<Value = String> {
    let of_refunds = (select(REFUNDS), select(SAID_OF_REFUNDS)).prop_map(|(refund_no, said)| {
        let (way, said) = said.split_once(' ').unwrap();
        format!("refund {way} {refund_no} {said}")
    });
    prop_oneof![
        2 => select(BACK).prop_map(str::to_owned),
        2 => of_refunds,
    ]
}

const WAYS: &[&str] = &[
    "reply 1", "reply 2", "reply 3", "reply 9", "query", "query", "close", "callback", "repeat",
];

fn line() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => select(DULL).prop_map(str::to_owned),
        2 => (select(WAYS), select(SAID)).prop_map(|(way, said)| format!("{way} {said}")),
        2 => select(OTHERS).prop_map(str::to_owned),
        1 => money_line(),
    ]
}

/// Mostly dull, so that an order stays in flight for long.
fn dull_line() -> impl Strategy<Value = String> {
    prop_oneof![
        12 => select(DULL).prop_map(str::to_owned),
        1 => line(),
    ]
}

fn given() -> impl Strategy<Value = Vec<&'static str>> {
    proptest::sample::subsequence(GIVEN, 0..=GIVEN.len())
}

fn play_all(given: &[&str], lines: &[String]) -> Scene {
    let mut scene = Scene::new();
    for line in given {
        play(&mut scene, line);
    }
    play(&mut scene, "submit");
    for line in lines {
        play(&mut scene, line);
    }
    scene
}

/// How many sequences are tried; `PROPTEST_CASES` asks for more of them.
fn cases(usual: u32) -> u32 {
    let asked = std::env::var("PROPTEST_CASES").ok();
    asked.and_then(|cases| cases.parse().ok()).unwrap_or(usual)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(256), max_shrink_iters: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_sequence_breaks_a_rule(given in given(), lines in vec(line(), 1..30)) {
        play_all(&given, &lines);
    }

    #[test]
    fn no_long_doubt_breaks_a_rule(given in given(), lines in vec(dull_line(), 10..60)) {
        let scene = play_all(&given, &lines);
        let numbers: Vec<u32> = (1..).take(scene.charges.len()).collect();
        prop_assert_eq!(&scene.charges, &numbers);
    }

    /// Money comes, is given back and comes back, in any order, with restarts between.
    #[test]
    fn no_way_of_the_money_breaks_a_rule(given in given(), lines in vec(money_line(), 1..40)) {
        let mut paid = vec!["reply 1 paid T1".to_owned()];
        paid.extend(lines);
        play_all(&given, &paid);
    }

    /// Left alone by everybody, a refund ends or goes to a person.
    #[test]
    fn a_refund_that_nobody_answers_reaches_a_person(given in given(), lines in vec(money_line(), 1..12)) {
        let mut paid = vec!["reply 1 paid T1".to_owned()];
        paid.extend(lines);
        let mut scene = play_all(&given, &paid);
        for _ in 0..13 {
            play(&mut scene, "tick 1 d");
        }
        let waits = scene.order.refunds.iter().any(|refund| refund.next_check_at.is_some());
        prop_assert!(!waits, "{:?}", scene.order);
    }

    /// Left alone by everybody, an order ends or goes to a person: nothing is in flight for ever.
    #[test]
    fn an_order_that_nobody_answers_reaches_a_person(given in given(), lines in vec(dull_line(), 0..12)) {
        let mut scene = play_all(&given, &lines);
        for _ in 0..8 {
            if scene.order.status != OrderStatus::Unpaid && scene.order.status.is_in_flight() {
                play(&mut scene, "tick 1 d");
            }
        }
        // A first submit that waits for an answer of the channel is asked about for as long as there is none.
        let waits = scene.order.status == OrderStatus::Unpaid && scene.order.next_check_at.is_some();
        prop_assert!(waits || !scene.order.status.is_in_flight(), "{:?}", scene.order);
    }
}

/// A row as no decision would leave it.
fn odd_row() -> impl Strategy<Value = Scene> {
    let moment = || {
        prop_oneof![
            Just(i64::MIN),
            Just(i64::MAX),
            Just(0),
            -9_000_000_i64..9_000_000
        ]
    };
    let count = || prop_oneof![Just(u32::MAX), 0_u32..5];
    let standing = (
        select(OrderStatus::ALL),
        proptest::option::of(select(Reason::ALL)),
    );
    let moments = (moment(), moment(), proptest::option::of(moment()), moment());
    let counts = (count(), count(), count(), any::<[bool; 4]>());
    (standing, moments, counts).prop_map(|((status, reason), moments, counts)| {
        let mut scene = Scene::new();
        let order = &mut scene.order;
        (order.status, order.reason) = (status, reason);
        order.created_at = UnixMillis(moments.0);
        order.expires_at = UnixMillis(moments.1);
        order.next_check_at = moments.2.map(UnixMillis);
        let started = Stamp {
            at: UnixMillis(moments.3),
            mono_ms: moments.3,
            epoch: 1,
        };
        if counts.3[0] {
            order.submits.push(Submit {
                n: counts.0,
                started,
                ended: counts.3[1].then_some(started),
                resolved: counts.3[2],
            });
            order.not_found_since = counts.3[3].then_some(started);
        }
        order.check_count = counts.1;
        order.expiry_count = counts.2;
        order.ask_first = counts.3[1];
        order.ask_due = counts.3[2];
        scene.now.wall = UnixMillis(moments.3);
        scene.now.mono_ms = moments.0;
        scene
    })
}

impl std::fmt::Debug for Scene {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{:?} at {:?}", self.order, self.now)
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(1_000), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_decision_is_made_about_every_row_and_input(scene in odd_row(), line in line()) {
        let words: Vec<&str> = line.split_whitespace().collect();
        if !matches!(words[0], "tick" | "wall" | "down" | "given") {
            scene.decide_twice(&input(&scene, &words));
        }
    }
}
