//! What operators decide.

use crate::script::check;

const STUCK: &str = "submit
     tick 3 s
     reply 1 unknown
     tick 21 m
     query unknown             -> MANUAL max_checks + alert order_manual + order.manual
";

fn stuck(story: &str) -> crate::scene::Scene {
    check(&format!("{STUCK}{story}"))
}

#[test]
fn a_second_manual_is_told_again() {
    let scene = stuck(
        "review RESUBMIT by ann    -> UNKNOWN review + query + resolves
         query unknown             -> MANUAL max_checks + alert order_manual + order.manual",
    );
    assert_eq!(scene.told.len(), 2);
}

#[test]
fn a_resubmit_asks_first_and_then_passes_the_gate() {
    let scene = stuck(
        "review RESUBMIT by ann    -> UNKNOWN review + query + resolves
         query not found           -> PROCESSING + submit
         reply 2 paid T2           -> PAID + order.paid",
    );
    assert_eq!(scene.charges, [1, 2]);
}

#[test]
fn a_review_may_allow_one_submit_more_than_the_rules() {
    let scene = check(
        "submit
         reply 1 unknown
         tick 1 m
         query not found
         reply 2 unknown
         tick 1 m
         query not found           -> MANUAL max_submits + alert order_manual + order.manual
         review RESUBMIT by ann    -> UNKNOWN review + query + resolves
         query not found           -> PROCESSING + submit
         reply 3 unknown           -> UNKNOWN unreadable_reply
         tick 1 m                  -> UNKNOWN unreadable_reply + query
         query not found           -> MANUAL max_submits + alert order_manual + order.manual",
    );
    assert_eq!(scene.charges, [1, 2, 3]);
}

#[test]
fn a_review_s_close_asks_the_channel_first() {
    stuck(
        "review CLOSE by ann       -> MANUAL max_checks + query
         query not found           -> CLOSED review + order.closed + resolves",
    );
    stuck(
        "review CLOSE by ann       -> MANUAL max_checks + query
         query pending QR          -> MANUAL max_checks + close
         close closed              -> CLOSED review + order.closed + resolves",
    );
    stuck(
        "review CLOSE by ann       -> MANUAL max_checks + query
         query paid T1             -> PAID + order.paid + resolves",
    );
    stuck(
        "review CLOSE by ann       -> MANUAL max_checks + query
         down 1 m                  -> MANUAL max_checks + query
         query not found           -> MANUAL max_checks
         tick 30 s                 -> MANUAL max_checks + query
         query not found           -> CLOSED review + order.closed + resolves",
    );
}

#[test]
fn a_review_s_close_that_is_refused_is_not_repeated_for_ever() {
    stuck(
        "review CLOSE by ann       -> MANUAL max_checks + query
         query pending QR          -> MANUAL max_checks + close
         close cannot              -> MANUAL max_checks",
    );
    stuck(
        "review CLOSE by ann       -> MANUAL max_checks + query
         query pending QR          -> MANUAL max_checks + close
         close already paid        -> MANUAL max_checks + query
         query pending QR          -> MANUAL max_checks",
    );
}

#[test]
fn proof_that_comes_after_a_review_s_close_is_not_denied() {
    stuck(
        "review CLOSE by ann       -> MANUAL max_checks + query
         callback paid T1 5 CNY    -> MANUAL amount_mismatch + alert payment_mismatch + resolves
         query not found           -> MANUAL amount_mismatch
         query pending QR          -> MANUAL amount_mismatch
         close closed              -> MANUAL amount_mismatch",
    );
}

#[test]
fn a_review_goes_by_what_its_operator_has_read() {
    stuck(
        "review NOT_PAID by ann stale  -> refused version-conflict
         review NOT_PAID by ann silent -> refused validation
         review PAID by ann            -> refused no-payment-on-record
         review NOT_PAID by ann        -> FAILED review + order.failed + resolves
         review NOT_PAID by ann        -> refused not-reviewable",
    );
}

#[test]
fn nobody_says_not_paid_while_a_submit_is_open() {
    check(
        "submit
         tick 3 s
         query unexplained         -> MANUAL unexplained_status + alert order_manual + order.manual
         review NOT_PAID by ann    -> refused submit-open
         reply 1 unknown           -> MANUAL unexplained_status
         review NOT_PAID by ann    -> FAILED review + order.failed + resolves",
    );
}

#[test]
fn much_money_wants_a_second_person() {
    stuck(
        "given second person
         review PAID T1 by ann     -> MANUAL max_checks
         review PAID T1 by ann     -> refused second-person-required
         review PAID T2 by bob     -> MANUAL max_checks              // another trade: another proposal
         review PAID T2 by ann     -> PAID review + order.paid + resolves",
    );
    stuck(
        "given second person
         review PAID T1 by ann     -> MANUAL max_checks
         tick 24 h
         review PAID T1 by ann     -> MANUAL max_checks              // the first is void
         merchant closes           -> MANUAL max_checks
         review PAID T1 by bob     -> MANUAL max_checks              // the order has changed since",
    );
}

#[test]
fn no_review_calls_under_another_account() {
    stuck(
        "given another account
         review RESUBMIT by ann    -> refused channel-changed
         review CLOSE by ann       -> refused channel-changed
         review NOT_PAID by ann    -> FAILED review + order.failed + resolves",
    );
}
