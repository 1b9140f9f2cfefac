//! Money that the channel gave back by itself, and payments that go back undelivered.

use crate::inputs::input;
use crate::scene::Scene;
use crate::script::{check, play};
use oncepay::domain::order::{EventKind, OrderStatus};

#[test]
fn a_sum_that_the_channel_reports_again_and_again_counts_by_its_difference() {
    let scene = check(
        "given price 1000
         given 1000 credits
         submit
         reply 1 paid T1 1000 CNY
         grant credits
         refund told R1 succeeded 300 of T1 in all  -> PARTIALLY_REFUNDED + R1 SUCCEEDED + alert external_refund + loses 300 credits + entitlement.revoked + refund.succeeded
         refund told R1 succeeded 300 of T1 in all  -> PARTIALLY_REFUNDED + dup
         refund told R1 succeeded 1000 of T1 in all -> REFUNDED + R1.2 SUCCEEDED + alert external_refund + loses 700 credits + entitlement.revoked + refund.succeeded
         refund told R2 succeeded 1000 of T1 in all -> REFUNDED + dup
         callback refunded T1 1000 CNY              -> REFUNDED + dup
         refund told R3 succeeded 1001 of T1 in all -> REFUNDED + alert refund_conflict",
    );
    let amounts: Vec<i64> = scene
        .order
        .refunds
        .iter()
        .map(|refund| refund.money.amount)
        .collect();
    assert_eq!(amounts, [300, 700]);
}

#[test]
fn a_refund_of_ours_that_is_open_is_asked_first() {
    check(
        "submit
         reply 1 paid T1
         merchant refunds r1 500
         refund reply r1 pending
         refund told R7 succeeded 300 of T1 -> REFUNDING + query refund r1 + alert external_refund
         callback refunded T1               -> REFUNDING + query refund r1 + alert external_refund
         refund told r1 succeeded 700 in all -> PARTIALLY_REFUNDED + alert external_refund + r1 SUCCEEDED + r1.2 SUCCEEDED + refund.succeeded + refund.succeeded",
    );
}

#[test]
fn where_our_refunds_are_told_by_our_numbers_another_number_is_another_refund() {
    let scene = check(
        "given price 1000
         given 1000 credits
         submit
         reply 1 paid T1 1000 CNY
         grant credits
         merchant refunds r1 500
         refund reply r1 pending
         refund told R7 succeeded 300 of T1 by number -> REFUNDING + R7 SUCCEEDED + alert external_refund + loses 300 credits + entitlement.revoked + refund.succeeded
         refund told R8 succeeded 300 of T1 by number -> REFUNDING + query refund r1 + alert refund_conflict
         merchant refunds r2 201                      -> refused refund-exceeds-order
         refund reply r1 succeeded                    -> PARTIALLY_REFUNDED + r1 SUCCEEDED + loses 500 credits + entitlement.revoked + refund.succeeded",
    );
    assert_eq!(scene.order.amount_refunded, 800);
}

#[test]
fn money_that_went_back_in_full_by_the_channel_s_doing_takes_all_back() {
    let scene = check(
        "given 1000 credits
         submit
         reply 1 paid T1
         grant credits
         merchant refunds r1 500
         refund reply r1 succeeded
         query refunded T1         -> REFUNDED + external-T1 SUCCEEDED + alert external_refund + loses 750 credits + entitlement.revoked + refund.succeeded
         query refunded T1         -> REFUNDED
         refund told external-T1 failed -> PARTIALLY_REFUNDED + external-T1 FAILED + alert refund_failed + gets 750 credits + refund.failed",
    );
    assert_eq!(scene.order.amount_refunded, 500);
}

#[test]
fn a_second_trade_that_is_back_already_is_kept_with_its_refund() {
    let scene = check(
        "submit
         reply 1 paid T1
         callback refunded T2      -> PAID + external-T2 SUCCEEDED + alert external_refund + refund.succeeded + resolves payment_mismatch + resolves second_payment
         callback refunded T2      -> PAID + dup
         merchant refunds r1 1 of T2 -> refused refund-exceeds-order",
    );
    assert_eq!(scene.order.payments.len(), 2);
}

#[test]
fn a_late_payment_goes_back_where_the_channel_s_policy_says_so() {
    let scene = check(
        "given late money goes back
         given 1000 credits
         submit
         reply 1 declined             -> FAILED declined + order.failed
         callback paid T1             -> REFUNDING + late-T1 PROCESSING + refund late-T1 + alert late_success
         callback paid T1             -> REFUNDING + dup
         grant credits                -> REFUNDING + done credits + mark
         refund reply late-T1 unknown -> REFUNDING + late-T1 UNKNOWN
         tick 1 m                     -> REFUNDING + query refund late-T1
         refund query late-T1 not found -> REFUNDING + late-T1 PROCESSING + refund late-T1
         refund reply late-T1 succeeded -> REFUNDED + late-T1 SUCCEEDED + refund.succeeded",
    );
    assert!(scene.order.withheld);
    assert_eq!(scene.sent, ["late-T1", "late-T1"]);
}

#[test]
fn a_refund_that_nobody_asked_for_never_makes_an_order_look_paid_by_itself() {
    check(
        "given late money goes back
         submit
         reply 1 declined
         callback paid T1               -> REFUNDING + late-T1 PROCESSING + refund late-T1 + alert late_success
         refund reply late-T1 failed    -> REFUNDING + late-T1 MANUAL + alert refund_manual
         refund query late-T1 failed    -> REFUNDING
         refund review late-T1 SUCCEEDED by ann -> REFUNDED + late-T1 SUCCEEDED + refund.succeeded + resolves refund_manual
         refund told late-T1 failed     -> REFUNDING + late-T1 MANUAL + alert refund_manual
         refund review late-T1 FAILED by ann -> PAID + late-T1 FAILED + refund.failed + resolves refund_manual",
    );
}

#[test]
fn a_review_gives_back_what_was_paid_in_its_own_currency() {
    let mut scene = Scene::new();
    for line in ["given 1000 credits", "submit", "callback paid T1 700 USD"] {
        play(&mut scene, line);
    }
    let review: Vec<&str> = "review REFUND by ann".split(' ').collect();
    let decision = scene.apply(&input(&scene, &review)).unwrap();
    let lines: Vec<_> = decision
        .events
        .iter()
        .map(|event| (event.kind, event.from, event.to))
        .collect();
    let (manual, paid) = (OrderStatus::Manual, OrderStatus::Paid);
    assert_eq!(
        lines,
        [
            (EventKind::Review, Some(manual), paid),
            (EventKind::Refund, Some(paid), OrderStatus::Refunding),
        ]
    );
    assert!(decision.announcements.is_empty() && decision.resolves_alerts);
    let refund = &decision.refunds[0];
    assert_eq!(refund.money.to_string(), "7.00 USD");
    assert_eq!(refund.by, "operator:ann");
    let came = play(&mut scene, "refund reply review-T1 succeeded");
    assert_eq!(
        came,
        "REFUNDED review + refund.succeeded + review-T1 SUCCEEDED"
    );
    assert!(scene.order.withheld && scene.ledger.balance("credits") == 0);
}

#[test]
fn a_review_may_give_back_a_trade_that_an_operator_names() {
    check(
        "given second person
         submit
         reply 1 unexplained
         review REFUND by ann      -> refused no-payment-on-record
         review REFUND T4 by ann   -> MANUAL unexplained_status
         review REFUND T4 by bob   -> REFUNDING review + review-T4 PROCESSING + refund review-T4 + resolves
         callback paid T4          -> REFUNDING review + dup",
    );
}

#[test]
fn a_trade_number_that_no_refund_number_can_hold_is_hashed() {
    let trade_no = "2026/11/30/0000000000000000000000000001";
    let scene = check(&format!(
        "given late money goes back
         submit
         reply 1 declined
         callback paid {trade_no}"
    ));
    let number = &scene.order.refunds[0].refund_no;
    let (prefix, digits) = number.split_at(5);
    assert_eq!(prefix, "late-");
    assert!(digits.len() == 32 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
    assert_eq!(scene.sent, [number.as_str()]);
}

#[test]
fn a_refund_of_an_order_that_was_never_paid_is_asked_about() {
    check(
        "submit
         reply 1 declined
         refund told R1 succeeded 500 of T1 -> FAILED declined + alert external_refund + query
         callback paid T5 5 CNY             -> FAILED declined + alert payment_mismatch
         refund told R2 succeeded 5 of T5   -> FAILED declined + R2 SUCCEEDED + alert external_refund + query + refund.succeeded + resolves payment_mismatch
         merchant refunds r1 5 of T5        -> refused refund-exceeds-order",
    );
}

#[test]
fn a_late_payment_goes_back_under_a_number_that_nobody_has_taken() {
    let scene = check(
        "given late money goes back
         submit
         reply 1 declined
         callback paid T2 5 CNY
         merchant refunds late-T1 5 of T2
         callback paid T1",
    );
    assert_eq!(scene.sent, ["late-T1", "late-T1.2"]);
    assert_eq!(scene.order.status, OrderStatus::Refunding);
}

/// Else more would have gone back of the trade than it paid, or money of another currency.
#[test]
fn what_went_back_of_other_money_keeps_the_trade_from_paying() {
    for (amount, currency, reason) in [
        (5_000, "CNY", "amount_mismatch"),
        (5, "USD", "currency_mismatch"),
    ] {
        for said in ["paid", "refunded"] {
            let scene = check(&format!(
                "given fulfil
                 submit
                 reply 1 declined
                 callback paid T1 {amount} {currency}   -> FAILED declined + alert payment_mismatch
                 refund told R1 succeeded {amount} of T1 -> FAILED declined + R1 SUCCEEDED + alert external_refund + query + refund.succeeded + resolves payment_mismatch
                 query {said} T1                    -> MANUAL {reason} + alert payment_mismatch + order.manual
                 query {said} T1                    -> MANUAL {reason}"
            ));
            assert!(scene.order.payments.iter().all(|kept| !kept.own));
        }
    }
}

#[test]
fn a_part_that_went_back_before_its_payment_is_known_is_told_and_its_charge_asked_about() {
    check(
        "submit
         reply 1 timeout
         refund told R1 succeeded 300 of T1 -> UNKNOWN submit_timeout + query + alert external_refund
         query paid T1                      -> PAID + order.paid",
    );
}

#[test]
fn a_refund_that_began_at_the_channel_and_got_stuck_is_told_to_a_person() {
    let scene = check(
        "given 1000 credits
         submit
         reply 1 paid T1
         grant credits
         refund told R1 balance by number             -> PAID + alert external_refund
         refund told R1 balance by number             -> PAID + alert external_refund   // the same one
         refund told R1 succeeded 500 of T1 by number -> PARTIALLY_REFUNDED + R1 SUCCEEDED + alert external_refund + loses 250 credits + entitlement.revoked + refund.succeeded",
    );
    assert_eq!(scene.told.len(), 2);
    check(
        "submit
         reply 1 pending QR
         refund told R1 balance by number             -> PENDING + query + alert external_refund
         query paid T1                                -> PAID + order.paid",
    );
}

#[test]
fn a_payment_of_which_an_unknown_sum_went_back_grants_nothing_by_itself() {
    let scene = check(
        "given 1000 credits
         submit
         reply 1 pending QR
         query some-back T1        -> MANUAL unexplained_status + alert order_manual + order.manual
         query some-back T1        -> MANUAL unexplained_status
         callback paid T1          -> MANUAL unexplained_status + dup
         query closed              -> MANUAL unexplained_status
         review NOT_PAID by ann    -> refused evidence-of-payment
         review PAID by ann        -> PAID review + order.paid + queue credits + resolves
         query some-back T1        -> PAID review
         callback some-back T1     -> PAID review + dup",
    );
    assert_eq!(scene.order.payments.len(), 1);
}

#[test]
fn whatever_a_policy_says_of_late_money_of_a_part_of_it_a_person_decides() {
    for policy in ["fulfil", "late money goes back"] {
        check(&format!(
            "given {policy}
             submit
             reply 1 declined
             query some-back T1    -> MANUAL unexplained_status + alert order_manual + order.manual
             query paid T1         -> MANUAL unexplained_status"
        ));
    }
    check(
        "submit
         actor failed              -> MANUAL actor_failed + alert order_manual + order.manual
         query some-back T1        -> MANUAL unexplained_status + alert order_manual + resolves
         callback paid T1          -> MANUAL unexplained_status + dup",
    );
}
