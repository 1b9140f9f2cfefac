//! We asked and do not know: checks, graces, restarts.

use crate::script::check;

#[test]
fn not_found_proves_nothing_while_the_call_is_open() {
    check(
        "submit
         tick 3 s                  -> UNKNOWN submit_timeout
         tick 1 m                  -> UNKNOWN submit_timeout + query
         query not found           -> UNKNOWN not_found
         reply 1 paid T1           -> PAID + order.paid",
    );
}

#[test]
fn not_found_proves_nothing_within_the_grace() {
    check(
        "submit
         tick 3 s
         reply 1 timeout
         merchant asks             -> UNKNOWN submit_timeout + query
         query not found           -> UNKNOWN not_found
         tick 1 m                  -> UNKNOWN not_found + query
         query not found           -> PROCESSING + submit",
    );
}

#[test]
fn a_wall_clock_that_jumps_does_not_end_the_grace() {
    check(
        "submit
         tick 3 s
         reply 1 timeout
         wall 30 m
         merchant asks             -> UNKNOWN submit_timeout + query
         query not found           -> UNKNOWN not_found",
    );
}

#[test]
fn the_last_check_within_the_grace_asks_once_more_at_its_end() {
    let scene = check(
        "submit
         tick 3 s                  -> UNKNOWN submit_timeout
         tick 6 m                  -> UNKNOWN submit_timeout + query + query
         tick 14 m                 -> UNKNOWN submit_timeout
         tick 59 s                 -> UNKNOWN submit_timeout
         reply 1 unknown           -> UNKNOWN submit_timeout
         tick 1 s                  -> UNKNOWN submit_timeout + query
         query not found           -> UNKNOWN not_found
         tick 29 s                 -> UNKNOWN not_found + query
         query not found           -> PROCESSING + submit",
    );
    assert_eq!(scene.charges, [1, 2]);
}

#[test]
fn where_a_key_may_charge_twice_not_found_must_be_said_twice() {
    check(
        "given two charges per key
         submit
         tick 3 s
         reply 1 unknown
         tick 1 m                  -> UNKNOWN submit_timeout + query
         query not found           -> UNKNOWN not_found
         tick 30 s                 -> UNKNOWN not_found + query
         query not found           -> PROCESSING + submit",
    );
}

#[test]
fn another_finding_between_two_not_found_begins_anew() {
    check(
        "given two charges per key
         submit
         tick 3 s
         reply 1 unknown
         tick 1 m                  -> UNKNOWN submit_timeout + query
         query not found           -> UNKNOWN not_found
         tick 30 s                 -> UNKNOWN not_found + query
         query processing          -> UNKNOWN channel_processing
         tick 6 s                  -> UNKNOWN channel_processing + query
         query not found           -> UNKNOWN not_found
         tick 30 s                 -> UNKNOWN not_found + query
         query not found           -> PROCESSING + submit",
    );
}

#[test]
fn a_query_s_no_is_final_only_if_nothing_else_may_have_charged() {
    check(
        "given two charges per key
         submit
         reply 1 unknown
         tick 1 m
         query not found
         tick 30 s
         query not found           -> PROCESSING + submit
         reply 2 unknown           -> UNKNOWN unreadable_reply
         tick 1 m                  -> UNKNOWN unreadable_reply + query
         query declined            -> UNKNOWN declined
         query paid T1             -> PAID + order.paid",
    );
}

#[test]
fn a_restart_in_the_middle_of_a_submit_asks_and_does_not_submit() {
    let scene = check(
        "submit                    -> PROCESSING + submit
         down 2 s                  -> UNKNOWN interrupted + query
         query not found           -> UNKNOWN not_found   // nobody watched the channel: the grace starts here
         tick 1 m                  -> UNKNOWN not_found + query
         query not found           -> PROCESSING + submit
         reply 2 paid T2           -> PAID + order.paid",
    );
    assert_eq!(scene.charges, [1, 2]);
}

#[test]
fn checks_that_came_due_while_it_was_down_run_once() {
    check(
        "submit
         tick 3 s
         reply 1 unknown
         down 38 m                 -> UNKNOWN submit_timeout + query
         recovered                 -> UNKNOWN submit_timeout + nothing
         timer                     -> UNKNOWN submit_timeout + nothing",
    );
}

#[test]
fn a_used_up_ladder_asks_once_at_start_up_before_it_goes_to_a_person() {
    check(
        "submit
         tick 3 s
         reply 1 unknown
         tick 21 m                 -> UNKNOWN submit_timeout + query + query + query
         down 1 m                  -> UNKNOWN submit_timeout + query
         tick 6 s                  -> MANUAL max_checks + alert order_manual + order.manual",
    );
}

#[test]
fn a_rebuilt_actor_leaves_an_open_call_alone() {
    check(
        "submit
         recovered                 -> PROCESSING + nothing
         tick 3 s                  -> UNKNOWN submit_timeout
         recovered                 -> UNKNOWN submit_timeout + nothing
         reply 1 paid T1           -> PAID + order.paid",
    );
}

#[test]
fn already_paid_without_proof_is_asked_about_at_once() {
    check(
        "submit
         reply 1 already paid      -> UNKNOWN unreadable_reply + query
         query paid T1             -> PAID + order.paid",
    );
    check(
        "submit
         tick 3 s
         reply 1 key conflict      -> UNKNOWN submit_timeout + query",
    );
}

#[test]
fn a_no_about_another_key_or_merchant_is_no_word_about_this_order() {
    check(
        "submit
         reply 1 declined merchant M2 -> UNKNOWN unreadable_reply
         query closed key other       -> UNKNOWN unreadable_reply
         callback declined order B-2  -> UNKNOWN unreadable_reply",
    );
}

#[test]
fn a_notice_s_no_is_a_hint_while_the_call_is_open() {
    check(
        "submit
         tick 3 s                  -> UNKNOWN submit_timeout
         callback declined         -> UNKNOWN submit_timeout + query
         reply 1 unknown           -> UNKNOWN submit_timeout
         callback declined         -> FAILED declined + order.failed",
    );
}

#[test]
fn an_asynchronous_method_waits_by_its_contract() {
    check(
        "given asynchronous
         submit
         reply 1 processing        -> PENDING
         tick 30 s                 -> PENDING + query
         query processing          -> PENDING channel_processing",
    );
}

#[test]
fn what_settles_after_its_user_was_answered_is_told_once() {
    check(
        "submit
         tick 3 s
         tick 57 s                 -> UNKNOWN submit_timeout
         deadline                  -> UNKNOWN submit_timeout + mark
         deadline                  -> UNKNOWN submit_timeout + nothing
         callback paid T1          -> PAID + order.paid + alert slow_success",
    );
    check(
        "submit
         deadline                  -> PROCESSING + mark
         reply 1 declined          -> FAILED declined + order.failed + alert slow_failure",
    );
    check(
        "submit
         reply 1 pending QR
         deadline                  -> PENDING + nothing    // its payer is waited for
         callback paid T1          -> PAID + order.paid",
    );
}

#[test]
fn a_charge_whose_code_was_lost_with_the_reply_is_submitted_again_for_its_code() {
    let scene = check(
        "given repeats show what to pay
         submit
         tick 3 s                  -> UNKNOWN submit_timeout
         tick 1 m                  -> UNKNOWN submit_timeout + query
         query pending             -> UNKNOWN submit_timeout
         reply 1 timeout           -> UNKNOWN submit_timeout
         tick 5 m                  -> UNKNOWN submit_timeout + query
         query pending             -> PROCESSING + submit
         reply 2 pending QR        -> PENDING",
    );
    assert_eq!(scene.charges, [1, 2]);
    let shown = scene.order.next_action.map(|action| action.value);
    assert_eq!(shown.as_deref(), Some("QR"));
}

#[test]
fn a_code_that_is_lost_again_and_again_is_not_asked_for_beyond_the_limit() {
    let scene = check(
        "given repeats show what to pay
         submit
         tick 3 s
         reply 1 timeout
         tick 1 m                  -> UNKNOWN submit_timeout + query
         query pending             -> PROCESSING + submit
         tick 3 s                  -> UNKNOWN submit_timeout
         reply 2 timeout
         tick 1 m                  -> UNKNOWN submit_timeout + query
         query pending             -> PENDING
         callback paid T1          -> PAID + order.paid",
    );
    assert_eq!(scene.charges, [1, 2]);
}

#[test]
fn a_charge_that_a_repeat_would_show_nothing_new_of_waits_for_its_payer() {
    for given in [
        "two charges per key",
        "no resubmit",
        "another account",
        "key life 1 m",
    ] {
        check(&format!(
            "given repeats show what to pay
             submit
             tick 3 s
             reply 1 timeout
             tick 1 m              -> UNKNOWN submit_timeout + query
             given {given}
             query pending         -> PENDING"
        ));
    }
    check(
        "submit
         tick 3 s
         reply 1 timeout
         tick 1 m                  -> UNKNOWN submit_timeout + query
         query pending             -> PENDING",
    );
}

#[test]
fn a_notice_that_proves_nothing_is_asked_about_until_it_is_answered() {
    check(
        "submit
         reply 1 pending QR        -> PENDING
         callback already paid     -> PENDING + query
         query timeout             -> PENDING
         tick 6 s                  -> PENDING + query
         query paid T1             -> PAID + order.paid",
    );
    check(
        "submit
         tick 3 s
         reply 1 timeout           -> UNKNOWN submit_timeout
         callback already paid     -> UNKNOWN submit_timeout + query
         query timeout             -> UNKNOWN submit_timeout
         tick 6 s                  -> UNKNOWN submit_timeout + query
         query paid T1             -> PAID + order.paid",
    );
}

#[test]
fn a_notice_that_proves_nothing_is_asked_about_after_a_restart() {
    check(
        "submit
         reply 1 pending QR        -> PENDING
         callback already paid     -> PENDING + query
         down 7 s                  -> PENDING + query
         query paid T1             -> PAID + order.paid",
    );
    check(
        "submit
         reply 1 declined          -> FAILED declined + order.failed
         callback already paid     -> MANUAL late_success + query + alert late_success + order.manual
         down 7 s                  -> MANUAL late_success + query
         query paid T1             -> MANUAL late_success",
    );
}

#[test]
fn a_notice_that_proves_nothing_about_a_paid_order_may_be_of_another_payment() {
    check(
        "submit
         reply 1 paid T1           -> PAID + order.paid
         callback already paid     -> PAID + query
         query paid T1             -> PAID",
    );
}
