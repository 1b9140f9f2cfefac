//! Expiry and closes: nothing is closed before the channel says so.

use crate::script::check;

#[test]
fn an_expired_order_is_closed_at_the_channel_first() {
    check(
        "submit
         reply 1 pending QR        -> PENDING
         tick 119 m
         tick 1 m                  -> PENDING + query
         query pending QR          -> PENDING + close
         close closed              -> CLOSED expired + order.closed",
    );
}

#[test]
fn an_expired_order_that_is_not_closed_yet_is_paid_by_its_notice() {
    check(
        "submit
         reply 1 pending QR
         tick 120 m
         callback paid T1          -> PAID + order.paid
         close closed              -> PAID + alert contradiction",
    );
}

#[test]
fn an_expiry_that_nobody_confirms_goes_to_a_person() {
    check(
        "submit
         reply 1 pending QR
         tick 119 m
         tick 1 m                  -> PENDING + query
         query unknown             -> PENDING
         tick 1 m                  -> PENDING + query
         query pending QR          -> PENDING + close
         close unknown             -> PENDING
         tick 5 m                  -> PENDING + query
         tick 15 m                 -> MANUAL expiry_unconfirmed + alert order_manual + order.manual
         callback paid T1          -> PAID + order.paid + resolves",
    );
}

#[test]
fn a_close_that_the_channel_refuses_waits_for_the_next_attempt() {
    check(
        "submit
         reply 1 pending QR
         merchant closes           -> PENDING + query
         query pending QR          -> PENDING + close
         close cannot              -> PENDING
         tick 1 m                  -> PENDING + query",
    );
}

#[test]
fn a_channel_that_contradicts_itself_is_not_asked_for_ever() {
    check(
        "submit
         reply 1 pending QR
         merchant closes           -> PENDING + query
         query pending QR          -> PENDING + close
         close already paid        -> PENDING + query
         query pending QR          -> PENDING + close
         close already paid        -> PENDING + query
         query pending QR          -> PENDING + close
         close already paid        -> PENDING + query
         query pending QR          -> PENDING + close
         close already paid        -> PENDING
         tick 15 m                 -> MANUAL expiry_unconfirmed + alert order_manual + order.manual",
    );
    check(
        "submit
         tick 3 s
         reply 1 unknown
         merchant closes           -> UNKNOWN submit_timeout + query
         tick 1 m                  -> UNKNOWN submit_timeout + query
         query not found           -> UNKNOWN not_found + close
         close already paid        -> UNKNOWN unreadable_reply + query
         query not found           -> UNKNOWN not_found + close
         close already paid        -> UNKNOWN unreadable_reply + query
         query not found           -> UNKNOWN not_found + close
         close already paid        -> MANUAL max_checks + alert order_manual + order.manual",
    );
}

#[test]
fn the_channel_s_own_expiry_closes_after_its_margin() {
    check(
        "given no close
         given own expiry
         submit
         reply 1 pending QR
         tick 119 m
         tick 1 m                  -> PENDING + query
         query pending QR          -> PENDING
         tick 10 m                 -> PENDING + query + query
         query not found           -> CLOSED expired + order.closed",
    );
}

#[test]
fn a_bank_debit_that_takes_days_is_asked_about_hourly_and_uses_up_no_attempt() {
    check(
        "given asynchronous
         given settles within 5 d
         submit
         reply 1 processing        -> PENDING
         tick 119 m
         tick 1 m                  -> PENDING + query
         query processing          -> PENDING channel_processing
         tick 1 h                  -> PENDING channel_processing + query
         query processing          -> PENDING channel_processing
         tick 1 h                  -> PENDING channel_processing + query
         query processing          -> PENDING channel_processing
         tick 1 h                  -> PENDING channel_processing + query
         query processing          -> PENDING channel_processing
         tick 1 h                  -> PENDING channel_processing + query
         query paid T1             -> PAID + order.paid",
    );
}

#[test]
fn a_day_of_down_time_does_not_charge_yesterday_s_payer() {
    let scene = check(
        "submit
         tick 3 s
         reply 1 unknown
         down 1 d                  -> UNKNOWN submit_timeout + query
         query not found           -> UNKNOWN not_found
         tick 5 m                  -> UNKNOWN not_found + query
         query not found           -> UNKNOWN not_found + close
         close not found           -> CLOSED expired + order.closed",
    );
    assert_eq!(scene.charges, [1]);
}

#[test]
fn nothing_expires_at_start_up_before_callbacks_had_their_grace() {
    check(
        "submit
         reply 1 pending QR
         down 1 d                  -> PENDING + query
         query pending QR          -> PENDING
         tick 2 m                  -> PENDING + query
         query pending QR          -> PENDING + close",
    );
}

#[test]
fn the_merchant_closes_an_order_that_waits_for_its_payer() {
    check(
        "submit
         reply 1 pending QR
         merchant closes           -> PENDING + query
         merchant closes           -> PENDING + nothing
         query pending QR          -> PENDING + close
         close closed              -> CLOSED closed_by_merchant + order.closed
         merchant closes           -> CLOSED closed_by_merchant + nothing",
    );
}

#[test]
fn a_close_survives_the_submit_that_it_meets_and_a_restart() {
    check(
        "submit                    -> PROCESSING + submit
         merchant closes           -> PROCESSING
         down 1 s                  -> UNKNOWN interrupted + query
         tick 1 m                  -> UNKNOWN interrupted + query
         query not found           -> UNKNOWN not_found + close
         close closed              -> CLOSED closed_by_merchant + order.closed",
    );
    check(
        "submit
         merchant closes           -> PROCESSING
         reply 1 pending QR        -> PENDING + query
         query pending QR          -> PENDING + close",
    );
}

#[test]
fn a_close_whose_first_query_is_lost_is_tried_again_soon() {
    check(
        "submit
         reply 1 pending QR
         tick 30 m
         merchant closes           -> PENDING + query
         tick 1 m                  -> PENDING + query",
    );
}

#[test]
fn an_order_without_a_close_at_its_channel_is_closed_when_nothing_was_charged() {
    check(
        "given no close
         submit
         tick 3 s
         reply 1 unknown
         merchant closes           -> UNKNOWN submit_timeout + query
         tick 1 m                  -> UNKNOWN submit_timeout + query
         query not found           -> CLOSED closed_by_merchant + order.closed",
    );
}

#[test]
fn an_order_that_never_went_out_is_closed_after_the_channel_was_asked() {
    check(
        "given ask first
         submit                    -> UNPAID + query
         merchant closes           -> UNPAID + query
         query not found           -> CLOSED closed_by_merchant + order.closed",
    );
}

#[test]
fn a_code_that_can_still_be_scanned_keeps_its_order_open_whoever_closes_it() {
    check(
        "given own expiry
         submit
         reply 1 pending QR        -> PENDING
         merchant closes           -> PENDING + query
         query not found           -> PENDING + close
         close not found           -> PENDING
         tick 59 m                 -> PENDING
         tick 1 m                  -> PENDING + query
         query not found           -> PENDING + close
         close not found           -> PENDING
         tick 60 m                 -> PENDING + query
         query not found           -> PENDING + close
         close not found           -> PENDING
         tick 10 m                 -> PENDING + query
         query not found           -> CLOSED closed_by_merchant + order.closed",
    );
    check(
        "given own expiry
         submit
         reply 1 pending QR        -> PENDING
         callback unexplained      -> MANUAL unexplained_status + alert order_manual + order.manual
         review CLOSE by ann       -> MANUAL unexplained_status + query
         query not found           -> MANUAL unexplained_status
         tick 129 m                -> MANUAL unexplained_status
         tick 1 m                  -> MANUAL unexplained_status + query
         query not found           -> CLOSED review + resolves + order.closed",
    );
}
