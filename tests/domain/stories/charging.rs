//! One charge, whatever the order of events.

use crate::script::check;

#[test]
fn a_submit_that_is_answered_at_once_is_paid() {
    check(
        "submit                    -> PROCESSING + submit
         reply 1 paid T1           -> PAID + order.paid
         callback paid T1          -> PAID + dup
         repeat paid T1            -> PAID + dup",
    );
}

#[test]
fn a_late_reply_of_a_timed_out_submit_still_counts() {
    check(
        "submit                    -> PROCESSING + submit
         tick 2999 ms              -> PROCESSING
         tick 1 ms                 -> UNKNOWN submit_timeout
         reply 1 paid T1           -> PAID + order.paid",
    );
}

#[test]
fn a_payment_that_nobody_learns_of_goes_to_a_person_and_its_callback_takes_it_back() {
    check(
        "submit                    -> PROCESSING + submit
         tick 3 s                  -> UNKNOWN submit_timeout
         reply 1 timeout           -> UNKNOWN submit_timeout
         tick 1 m                  -> UNKNOWN submit_timeout + query
         query timeout             -> UNKNOWN submit_timeout
         tick 5 m                  -> UNKNOWN submit_timeout + query
         query timeout             -> UNKNOWN submit_timeout
         tick 15 m                 -> UNKNOWN submit_timeout + query
         query timeout             -> MANUAL max_checks + alert order_manual + order.manual
         callback paid T1          -> PAID + order.paid + resolves",
    );
}

#[test]
fn a_callback_in_the_middle_of_the_checks_pays() {
    check(
        "submit
         tick 3 s                  -> UNKNOWN submit_timeout
         tick 1 m                  -> UNKNOWN submit_timeout + query
         callback paid T1          -> PAID + order.paid
         query not found           -> PAID + alert contradiction
         reply 1 timeout           -> PAID",
    );
}

#[test]
fn not_found_leads_to_one_more_submit_and_then_to_a_person() {
    let scene = check(
        "submit
         tick 3 s                  -> UNKNOWN submit_timeout
         reply 1 unknown           -> UNKNOWN submit_timeout
         tick 1 m                  -> UNKNOWN submit_timeout + query
         query not found           -> PROCESSING + submit
         tick 3 s                  -> UNKNOWN submit_timeout
         reply 2 unknown           -> UNKNOWN submit_timeout
         tick 1 m                  -> UNKNOWN submit_timeout + query
         query not found           -> MANUAL max_submits + alert order_manual + order.manual",
    );
    assert_eq!(scene.charges, [1, 2]);
}

#[test]
fn an_unsigned_404_of_a_proxy_is_not_a_not_found() {
    let scene = check(
        "submit
         tick 3 s                  -> UNKNOWN submit_timeout
         reply 1 unknown
         tick 1 m                  -> UNKNOWN submit_timeout + query
         query unknown             -> UNKNOWN unreadable_reply",
    );
    assert_eq!(scene.charges, [1]);
}

#[test]
fn a_late_decline_of_the_first_submit_does_not_fail_the_second() {
    check(
        "submit
         tick 3 s
         reply 1 unknown
         tick 1 m                  -> UNKNOWN submit_timeout + query
         query not found           -> PROCESSING + submit
         callback declined         -> PROCESSING
         reply 1 declined          -> PROCESSING
         reply 2 paid T2           -> PAID + order.paid",
    );
}

#[test]
fn a_decline_of_the_second_submit_does_not_hide_the_charge_of_the_first() {
    check(
        "submit
         tick 3 s
         reply 1 unknown
         tick 1 m
         query not found           -> PROCESSING + submit
         reply 2 declined          -> UNKNOWN declined + query
         query paid T1             -> PAID + order.paid",
    );
}

#[test]
fn a_decline_after_a_throttled_submit_is_final() {
    check(
        "submit
         reply 1 throttled         -> UNKNOWN channel_unavailable
         tick 1 m                  -> UNKNOWN channel_unavailable + query
         query not found           -> PROCESSING + submit
         reply 2 declined          -> FAILED declined + order.failed",
    );
}

#[test]
fn the_failure_notice_of_an_earlier_attempt_does_not_undo_paid() {
    check(
        "submit
         reply 1 throttled
         tick 1 m
         query not found           -> PROCESSING + submit
         reply 2 paid T2           -> PAID + order.paid
         callback declined         -> PAID + alert contradiction
         callback closed           -> PAID + alert contradiction
         reply 1 pending QR        -> PAID",
    );
}

#[test]
fn a_pending_reply_that_comes_after_paid_changes_nothing() {
    check(
        "submit
         callback paid T1          -> PAID + order.paid
         reply 1 pending QR        -> PAID
         tick 90 d                 -> PAID
         callback paid T1          -> PAID + dup",
    );
}

#[test]
fn a_status_that_nobody_has_heard_of_stops_and_a_later_proof_pays() {
    check(
        "submit
         reply 1 unexplained       -> MANUAL unexplained_status + alert order_manual + order.manual
         query unexplained         -> MANUAL unexplained_status
         callback paid T1          -> PAID + order.paid + resolves",
    );
}

#[test]
fn a_waiting_notice_does_not_use_up_the_paid_one() {
    check(
        "submit
         reply 1 pending QR        -> PENDING
         callback pending QR       -> PENDING + dup
         callback paid T1          -> PAID + order.paid",
    );
}

#[test]
fn no_second_submit_where_the_channel_does_not_take_one() {
    check(
        "given no resubmit
         submit
         reply 1 unknown           -> UNKNOWN unreadable_reply
         tick 1 m                  -> UNKNOWN unreadable_reply + query
         query not found           -> MANUAL resubmit_refused + alert order_manual + order.manual",
    );
}

#[test]
fn no_second_submit_after_the_channel_has_forgotten_the_key() {
    check(
        "given key life 1 m
         submit
         reply 1 unknown           -> UNKNOWN unreadable_reply
         tick 1 m                  -> UNKNOWN unreadable_reply + query
         query not found           -> MANUAL resubmit_refused + alert order_manual + order.manual",
    );
}

#[test]
fn no_call_under_another_account() {
    check(
        "submit
         reply 1 unknown           -> UNKNOWN unreadable_reply
         given another account
         merchant asks             -> refused channel-changed
         tick 1 m                  -> MANUAL channel_changed + alert channel_changed + order.manual
         callback paid T1          -> MANUAL channel_changed
         callback paid T1          -> MANUAL channel_changed + dup
         review PAID by ann        -> PAID review + order.paid + resolves",
    );
}

#[test]
fn an_order_that_the_channel_may_know_is_asked_about_first() {
    check(
        "given ask first
         submit                    -> UNPAID + query
         tick 6 s                  -> UNPAID + query      // the first answer was lost
         query paid T1             -> PAID + order.paid",
    );
    check(
        "given ask first
         submit                    -> UNPAID + query
         query not found           -> PROCESSING + submit",
    );
}

#[test]
fn a_first_submit_after_a_restart_waits_for_the_grace() {
    check(
        "given ask first
         submit                    -> UNPAID + query
         down 5 s                  -> UNPAID + query
         query not found           -> UNPAID
         tick 30 s                 -> UNPAID + query
         query not found           -> PROCESSING + submit",
    );
}
