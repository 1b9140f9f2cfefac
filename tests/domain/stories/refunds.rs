//! Refunds that people ask for.

use crate::script::check;

fn paid(story: &str) -> crate::scene::Scene {
    check(&format!(
        "submit
         reply 1 paid T1           -> PAID + order.paid
         {story}"
    ))
}

#[test]
fn an_order_is_refunded_in_parts_and_never_beyond_what_was_paid() {
    let scene = paid(
        "merchant refunds r1 500   -> REFUNDING + r1 PROCESSING + refund r1
         refund reply r1 succeeded -> PARTIALLY_REFUNDED + r1 SUCCEEDED + refund.succeeded
         merchant refunds r2 1500  -> refused refund-exceeds-order
         merchant refunds r2 -5    -> refused refund-exceeds-order
         merchant refunds r2 1499  -> REFUNDING + r2 PROCESSING + refund r2
         merchant refunds r2 1499  -> REFUNDING + nothing
         merchant refunds r2 1400  -> refused refund-conflict
         refund reply r2 succeeded -> REFUNDED + r2 SUCCEEDED + refund.succeeded
         merchant refunds r3 1     -> refused refund-exceeds-order
         merchant refunds r1 500   -> REFUNDED + nothing",
    );
    assert_eq!(scene.order.amount_refunded, 1999);
    assert_eq!(scene.sent, ["r1", "r2"]);
}

#[test]
fn of_two_refunds_that_add_up_to_more_than_was_paid_one_is_refused() {
    let scene = check(
        "given price 10000
         submit
         reply 1 paid T1 10000 CNY -> PAID + order.paid
         merchant refunds r1 6000  -> REFUNDING + r1 PROCESSING + refund r1
         merchant refunds r2 6000  -> refused refund-exceeds-order
         refund reply r1 failed    -> PAID + r1 FAILED + refund.failed
         merchant refunds r2 6000  -> REFUNDING + r2 PROCESSING + refund r2
         refund told r1 succeeded  -> REFUNDING + alert refund_conflict   // the cap holds in our books
         refund reply r2 succeeded -> PARTIALLY_REFUNDED + r2 SUCCEEDED + refund.succeeded",
    );
    assert_eq!(scene.order.amount_refunded, 6000);
}

#[test]
fn a_second_trade_goes_back_by_its_number_and_the_order_stays_paid() {
    let scene = paid(
        "callback paid T2                 -> PAID + alert second_payment
         merchant refunds r1 1999 of T3   -> refused unknown-trade
         merchant refunds r1 2000 of T2   -> refused refund-exceeds-order
         merchant refunds r1 1999 of T2   -> PAID + r1 PROCESSING + refund r1
         refund reply r1 unknown          -> PAID + r1 UNKNOWN
         tick 1 m                         -> PAID + query refund r1
         refund query r1 succeeded        -> PAID + r1 SUCCEEDED + refund.succeeded + resolves payment_mismatch + resolves second_payment
         merchant refunds r2 1 of T2      -> refused refund-exceeds-order
         merchant refunds r2 1            -> REFUNDING + r2 PROCESSING + refund r2",
    );
    assert_eq!(scene.order.amount_refunded, 0);
}

#[test]
fn a_payment_that_was_kept_after_the_end_is_refundable_by_its_number() {
    check(
        "submit
         reply 1 declined
         callback paid T5 5 CNY           -> FAILED declined + alert payment_mismatch
         merchant refunds r1 5            -> refused not-refundable
         merchant refunds r1 5 of T5      -> FAILED declined + r1 PROCESSING + refund r1
         refund reply r1 unknown          -> FAILED declined + r1 UNKNOWN
         tick 1 m                         -> FAILED declined + query refund r1
         callback paid T1                 -> MANUAL late_success + alert late_success + order.manual
         merchant refunds r2 5 of T5      -> refused not-refundable
         tick 5 m                         -> MANUAL late_success + query refund r1
         down 1 m                         -> MANUAL late_success + query refund r1
         refund query r1 succeeded        -> MANUAL late_success + r1 SUCCEEDED + refund.succeeded",
    );
}

#[test]
fn an_operator_s_large_refund_wants_a_second_person() {
    paid(
        "given second person
         operator ann refunds r1 1200     -> PAID
         operator ann refunds r1 1200     -> refused second-person-required
         operator bob refunds r1 1201     -> PAID               // another amount: another proposal
         operator ann refunds r1 1201     -> REFUNDING + r1 PROCESSING + refund r1
         operator ann refunds r2 100      -> REFUNDING + r2 PROCESSING + refund r2",
    );
    paid(
        "given second person
         operator ann refunds r1 1200     -> PAID
         tick 24 h
         operator ann refunds r1 1200     -> PAID               // the first is void
         merchant refunds r2 7            -> REFUNDING + r2 PROCESSING + refund r2
         operator bob refunds r1 1200     -> REFUNDING          // the order has changed since
         operator ann refunds r1 1200     -> REFUNDING + r1 PROCESSING + refund r1",
    );
    let scene = paid(
        "given second person
         merchant refunds r1 1999         -> REFUNDING + r1 PROCESSING + refund r1",
    );
    assert!(scene.order.refund_proposal.is_none());
}

#[test]
fn a_large_refund_in_manual_is_reviewed_by_two() {
    let scene = paid(
        "given second person
         merchant refunds r1 1999
         refund reply r1 balance                  -> REFUNDING + r1 MANUAL + alert refund_manual
         refund review r1 SUCCEEDED by ann        -> REFUNDING
         refund review r1 SUCCEEDED by ann        -> refused second-person-required
         refund review r1 FAILED by bob           -> REFUNDING
         refund review r1 FAILED by ann           -> PAID + r1 FAILED + refund.failed + resolves refund_manual",
    );
    assert!(scene.order.refund("r1").unwrap().proposal.is_none());
}

#[test]
fn a_channel_that_makes_no_refunds_leaves_them_to_a_person() {
    let scene = check(
        "given no refunds
         submit
         reply 1 paid T1
         merchant refunds r1 500                  -> REFUNDING + r1 MANUAL + alert refund_manual
         refund review r1 SUCCEEDED by ann        -> PARTIALLY_REFUNDED + r1 SUCCEEDED + refund.succeeded + resolves refund_manual",
    );
    assert!(scene.sent.is_empty());
}

#[test]
fn no_refund_is_sent_or_asked_about_under_another_account() {
    paid(
        "given another account
         merchant refunds r1 500                  -> REFUNDING + r1 MANUAL + alert refund_manual
         refund review r1 RETRY by ann            -> refused channel-changed
         given the account
         refund review r1 RETRY by ann            -> REFUNDING + r1 UNKNOWN + query refund r1 + resolves refund_manual
         refund query r1 not found                -> REFUNDING + r1 PROCESSING + refund r1
         refund reply r1 pending                  -> REFUNDING
         given another account
         tick 30 s                                -> REFUNDING + r1 MANUAL + alert refund_manual",
    );
}

#[test]
fn nobody_says_failed_while_a_send_is_open() {
    paid(
        "merchant refunds r1 500
         refund query r1 conflict                 -> REFUNDING + r1 MANUAL + alert refund_manual
         refund review r1 FAILED by ann           -> refused submit-open
         refund reply r1 succeeded                -> PARTIALLY_REFUNDED + r1 SUCCEEDED + refund.succeeded + resolves refund_manual",
    );
}
