//! Money that comes late, twice, wrong, or goes back.

use crate::script::check;

#[test]
fn a_payment_that_arrives_after_close_is_kept_and_raises_one_alert() {
    let scene = check(
        "submit
         reply 1 pending QR
         merchant closes
         query pending QR
         close closed              -> CLOSED closed_by_merchant + order.closed
         callback paid T1          -> MANUAL late_success + alert late_success + order.manual
         callback paid T1          -> MANUAL late_success + dup
         repeat paid T1            -> MANUAL late_success + dup
         query paid T1             -> MANUAL late_success
         review NOT_PAID by ann    -> refused evidence-of-payment
         review PAID by ann        -> PAID review + order.paid + resolves",
    );
    assert_eq!(scene.told.len(), 1);
}

#[test]
fn a_late_payment_is_fulfilled_where_the_channel_s_policy_says_so() {
    check(
        "given fulfil
         submit
         reply 1 declined          -> FAILED declined + order.failed
         callback paid T1          -> PAID + order.paid + alert late_success",
    );
    check(
        "given fulfil
         submit
         reply 1 declined          -> FAILED declined + order.failed
         given successor PENDING
         callback paid T1          -> MANUAL late_success + alert late_success + order.manual
         review PAID by ann        -> refused replaced-order-open",
    );
}

#[test]
fn a_payer_who_pays_twice_is_fulfilled_once() {
    let scene = check(
        "submit
         reply 1 pending QR
         callback paid T1          -> PAID + order.paid
         callback paid T2          -> PAID + alert second_payment
         callback paid T2          -> PAID + dup
         query paid T2             -> PAID",
    );
    let own: Vec<bool> = scene.order.payments.iter().map(|kept| kept.own).collect();
    assert_eq!(own, [true, false]);
}

#[test]
fn five_cents_do_not_pay_an_order() {
    check(
        "submit
         callback paid T1 5 CNY    -> MANUAL amount_mismatch + alert payment_mismatch + order.manual
         callback paid T1 5 CNY    -> MANUAL amount_mismatch + dup
         callback paid T2          -> MANUAL amount_mismatch + alert second_payment
         review RESUBMIT by ann    -> refused evidence-of-payment
         review CLOSE by ann       -> refused evidence-of-payment",
    );
    check(
        "submit
         reply 1 paid T1           -> PAID + order.paid
         callback paid T2 5 CNY    -> PAID + alert payment_mismatch
         callback paid T2 5 CNY    -> PAID + dup",
    );
}

#[test]
fn a_mismatch_in_manual_is_a_new_condition() {
    check(
        "submit
         reply 1 unexplained       -> MANUAL unexplained_status + alert order_manual + order.manual
         callback paid T1 5 CNY    -> MANUAL amount_mismatch + alert payment_mismatch + resolves
         callback paid T2          -> MANUAL amount_mismatch + alert second_payment",
    );
}

#[test]
fn a_trade_of_another_order_pays_nothing_and_denies_nothing() {
    check(
        "submit
         taken T7                  -> MANUAL trade_no_conflict + alert trade_no_conflict + order.manual
         review NOT_PAID by ann    -> refused evidence-of-payment
         taken T7                  -> MANUAL trade_no_conflict",
    );
}

#[test]
fn money_that_went_back_already_grants_nothing() {
    let scene = check(
        "submit
         reply 1 refunded T1       -> REFUNDED + alert external_refund + external-T1 SUCCEEDED + refund.succeeded
         callback paid T1          -> REFUNDED + dup
         callback refunded T1      -> REFUNDED + dup",
    );
    assert!(scene.order.withheld && scene.order.amount_refunded == 1999);
}

#[test]
fn a_notice_of_a_refund_that_comes_again_is_counted_and_is_no_news() {
    let scene = check(
        "submit
         reply 1 paid T1           -> PAID + order.paid
         refund told R1 succeeded 500   -> PARTIALLY_REFUNDED + R1 SUCCEEDED + alert external_refund + refund.succeeded
         refund repeat R1 succeeded 500 -> PARTIALLY_REFUNDED + dup
         refund told R1 succeeded 500   -> PARTIALLY_REFUNDED + dup",
    );
    assert_eq!((scene.order.callback_count, scene.told.len()), (3, 1));
}

#[test]
fn a_pending_for_a_wrong_amount_that_comes_back_after_a_review_is_told_again() {
    let scene = check(
        "submit
         reply 1 pending QR 5 CNY  -> MANUAL amount_mismatch + alert payment_mismatch + order.manual
         review RESUBMIT by ann    -> UNKNOWN review + query + resolves
         query pending QR 5 CNY    -> MANUAL amount_mismatch + alert payment_mismatch + order.manual",
    );
    assert_eq!(scene.told.len(), 2);
}

#[test]
fn a_paid_without_a_trade_number_proves_nothing() {
    check(
        "submit
         reply 1 paid              -> UNKNOWN unreadable_reply",
    );
}

#[test]
fn news_of_an_order_that_never_went_out_is_asked_about_before_it_does() {
    check(
        "given ask first
         submit                    -> UNPAID + query
         callback declined         -> UNPAID + query
         query not found           -> PROCESSING + submit",
    );
}
