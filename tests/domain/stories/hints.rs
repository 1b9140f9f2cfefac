//! Notices that prove nothing, and name the charge that they are about.

use crate::script::check;

#[test]
fn the_name_in_a_hint_is_asked_by_where_no_other_is_known() {
    let scene = check(
        "submit
         tick 3 s
         reply 1 timeout           -> UNKNOWN submit_timeout
         callback hint paid P1     -> UNKNOWN submit_timeout + query
         query paid T1             -> PAID + order.paid",
    );
    assert_eq!(scene.order.channel_ref.as_deref(), Some("P1"));
}

#[test]
fn a_hint_of_a_payment_under_another_name_is_told_to_people_once() {
    let scene = check(
        "submit
         reply 1 pending QR        -> PENDING
         callback hint paid P1     -> PENDING + query
         query pending             -> PENDING
         callback hint paid P2     -> MANUAL unexplained_status + query + alert order_manual + order.manual
         query paid T1             -> PAID + order.paid + resolves
         callback hint paid P1     -> PAID + query
         callback hint paid P2     -> PAID + query + alert second_payment",
    );
    assert_eq!(scene.order.channel_ref.as_deref(), Some("P1"));
    let told = scene.told.iter().filter(|key| key.contains("second"));
    assert_eq!(told.count(), 1, "{:?}", scene.told);
}

#[test]
fn an_end_that_is_only_hinted_at_ends_nothing() {
    check(
        "submit
         reply 1 pending QR        -> PENDING
         callback hint over P1     -> PENDING + query
         query pending             -> PENDING
         callback hint over P2     -> PENDING
         query closed              -> CLOSED closed_by_channel + order.closed
         callback hint over P1     -> CLOSED closed_by_channel",
    );
}

#[test]
fn another_charge_of_our_number_neither_takes_the_order_s_name_nor_ends_it() {
    let scene = check(
        "submit
         reply 1 pending QR named P1 -> PENDING
         callback pending named P2 -> PENDING
         callback closed named P2  -> PENDING
         callback declined named P1 -> FAILED declined + order.failed",
    );
    assert_eq!(scene.order.channel_ref.as_deref(), Some("P1"));
    check(
        "submit
         reply 1 pending QR named P1 -> PENDING
         callback paid T2 named P2 -> PAID + order.paid",
    );
}

#[test]
fn an_order_whose_payment_is_told_under_another_name_does_not_close_by_itself() {
    check(
        "submit
         reply 1 pending QR named P1 -> PENDING
         callback hint paid P2     -> MANUAL unexplained_status + query + alert order_manual + order.manual
         query closed              -> MANUAL unexplained_status",
    );
}

#[test]
fn a_person_s_order_is_asked_about_until_the_channel_answers() {
    check(
        "submit
         reply 1 unexplained       -> MANUAL unexplained_status + alert order_manual + order.manual
         callback hint paid P1     -> MANUAL unexplained_status + query
         query timeout             -> MANUAL unexplained_status
         tick 6 s                  -> MANUAL unexplained_status + query
         query timeout             -> MANUAL unexplained_status
         tick 5 m                  -> MANUAL unexplained_status + query
         query paid T1             -> PAID + order.paid + resolves",
    );
    check(
        "submit
         reply 1 unexplained       -> MANUAL unexplained_status + alert order_manual + order.manual
         callback hint paid P1     -> MANUAL unexplained_status + query
         query pending QR          -> MANUAL unexplained_status
         tick 60 m                 -> MANUAL unexplained_status",
    );
}
