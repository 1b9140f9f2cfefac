//! Refunds whose answer is lost, late, or taken back.

use crate::scene::Scene;
use crate::script::check;

fn refunded(story: &str) -> Scene {
    check(&format!(
        "submit
         reply 1 paid T1           -> PAID + order.paid
         merchant refunds r1 500   -> REFUNDING + r1 PROCESSING + refund r1
         {story}"
    ))
}

#[test]
fn a_refund_that_never_arrived_is_sent_again_under_the_same_number() {
    let scene = refunded(
        "refund reply r1 unknown   -> REFUNDING + r1 UNKNOWN
         refund query r1 not found -> REFUNDING                  // within the grace
         tick 1 m                  -> REFUNDING + query refund r1
         refund query r1 not found -> REFUNDING + r1 PROCESSING + refund r1
         refund reply r1 unknown   -> REFUNDING + r1 UNKNOWN
         tick 1 m                  -> REFUNDING + query refund r1
         refund query r1 not found -> REFUNDING + r1 MANUAL + alert refund_manual
         refund query r1 not found -> REFUNDING
         refund review r1 RETRY by ann -> REFUNDING + r1 UNKNOWN + query refund r1 + resolves refund_manual
         refund query r1 not found -> REFUNDING + r1 PROCESSING + refund r1
         refund reply r1 succeeded -> PARTIALLY_REFUNDED + r1 SUCCEEDED + refund.succeeded",
    );
    assert_eq!(scene.sent, ["r1", "r1", "r1"]);
}

#[test]
fn not_found_proves_nothing_while_the_send_is_open() {
    let scene = refunded(
        "tick 36 s                 -> REFUNDING + r1 UNKNOWN
         tick 1 m                  -> REFUNDING + query refund r1
         refund query r1 not found -> REFUNDING
         refund reply r1 succeeded -> PARTIALLY_REFUNDED + r1 SUCCEEDED + refund.succeeded",
    );
    assert_eq!(scene.sent, ["r1"]);
}

#[test]
fn where_a_number_may_pay_twice_not_found_must_be_said_twice() {
    check(
        "given two charges per key
         submit
         reply 1 paid T1
         merchant refunds r1 500
         refund reply r1 unknown
         tick 1 m                  -> REFUNDING + query refund r1
         refund query r1 not found -> REFUNDING
         tick 30 s                 -> REFUNDING + query refund r1
         refund query r1 unknown   -> REFUNDING                  // another finding: it begins anew
         tick 5 m                  -> REFUNDING + query refund r1
         refund query r1 not found -> REFUNDING
         tick 30 s                 -> REFUNDING + query refund r1
         refund query r1 not found -> REFUNDING + r1 PROCESSING + refund r1",
    );
}

#[test]
fn a_number_that_the_channel_has_forgotten_is_not_sent_again() {
    let scene = check(
        "given key life 10 m
         submit
         reply 1 paid T1
         merchant refunds r1 500
         refund reply r1 unknown
         tick 21 m                 -> REFUNDING + query refund r1 + query refund r1 + query refund r1
         refund query r1 not found -> REFUNDING + r1 MANUAL + alert refund_manual",
    );
    assert_eq!(scene.sent, ["r1"]);
}

#[test]
fn a_refund_that_nobody_explains_goes_to_a_person() {
    refunded(
        "refund reply r1 throttled -> REFUNDING + r1 UNKNOWN
         tick 22 m                 -> REFUNDING + query refund r1 + query refund r1 + query refund r1 + r1 MANUAL + alert refund_manual
         refund told r1 succeeded  -> PARTIALLY_REFUNDED + r1 SUCCEEDED + refund.succeeded + resolves refund_manual",
    );
}

#[test]
fn a_restart_in_the_middle_of_a_send_asks_and_does_not_send() {
    let scene = refunded(
        "down 10 s                 -> REFUNDING + r1 UNKNOWN + query refund r1
         refund query r1 not found -> REFUNDING                  // the grace counts from start-up
         tick 1 m                  -> REFUNDING + query refund r1
         refund query r1 pending   -> REFUNDING + r1 PROCESSING
         down 10 s                 -> REFUNDING + nothing
         tick 30 s                 -> REFUNDING + query refund r1
         down 1 h                  -> REFUNDING + query refund r1
         refund query r1 succeeded -> PARTIALLY_REFUNDED + r1 SUCCEEDED + refund.succeeded",
    );
    assert_eq!(scene.sent, ["r1"]);
}

#[test]
fn one_timer_looks_after_all_refunds_that_are_due() {
    let scene = refunded(
        "merchant refunds r2 400   -> REFUNDING + r2 PROCESSING + refund r2
         refund reply r1 unknown   -> REFUNDING + r1 UNKNOWN
         refund reply r2 unknown   -> REFUNDING + r2 UNKNOWN
         tick 1 m                  -> REFUNDING + query refund r1 + query refund r2
         down 6 m                  -> REFUNDING + query refund r1 + query refund r2",
    );
    let checks = scene.order.event_seq;
    // Created, submit, reply; two requests and two replies; two checks and two at start-up.
    assert_eq!(checks, 11);
}

#[test]
fn a_card_refund_may_take_ten_days() {
    refunded(
        "refund reply r1 pending   -> REFUNDING
         tick 90 s                 -> REFUNDING + query refund r1 + query refund r1
         refund query r1 unknown   -> REFUNDING                  // it is under way, whatever a query says
         tick 239 h
         tick 1 h                  -> REFUNDING + r1 MANUAL + alert refund_manual
         refund query r1 succeeded -> PARTIALLY_REFUNDED + r1 SUCCEEDED + refund.succeeded + resolves refund_manual",
    );
}

#[test]
fn a_refund_that_fails_after_it_had_succeeded_is_reversed() {
    let scene = check(
        "given 1000 credits
         submit
         reply 1 paid T1           -> PAID + order.paid + queue credits
         grant credits             -> PAID + gets 1000 credits + done credits + entitlement.granted
         merchant refunds r1 500   -> REFUNDING + r1 PROCESSING + refund r1
         refund reply r1 succeeded -> PARTIALLY_REFUNDED + r1 SUCCEEDED + loses 250 credits + entitlement.revoked + refund.succeeded
         refund told r1 failed     -> PAID + r1 FAILED + alert refund_failed + gets 250 credits + refund.failed
         refund told r1 failed     -> PAID + dup
         refund told r1 succeeded  -> PAID + alert refund_conflict + query refund r1
         refund query r1 succeeded -> PARTIALLY_REFUNDED + r1 SUCCEEDED + loses 250 credits + entitlement.revoked + refund.succeeded
         refund told r1 failed     -> PAID + r1 FAILED + alert refund_failed + gets 250 credits + refund.failed",
    );
    assert_eq!(scene.ledger.balance("credits"), 1000);
    assert_eq!(scene.order.amount_refunded, 0);
}

#[test]
fn a_refused_refund_waits_for_the_merchant_s_balance_and_goes_out_again() {
    let scene = refunded(
        "refund reply r1 balance       -> REFUNDING + r1 MANUAL + alert refund_manual
         tick 2 m
         refund review r1 RETRY by ann -> REFUNDING + r1 UNKNOWN + query refund r1 + resolves refund_manual
         refund query r1 not found     -> REFUNDING + r1 PROCESSING + refund r1
         refund reply r1 balance       -> REFUNDING + r1 MANUAL + alert refund_manual
         refund query r1 failed        -> REFUNDING
         refund review r1 FAILED by ann -> PAID + r1 FAILED + refund.failed + resolves refund_manual",
    );
    let manual = scene
        .told
        .iter()
        .filter(|key| key.starts_with("refund_manual"));
    assert_eq!(manual.count(), 2);
}
