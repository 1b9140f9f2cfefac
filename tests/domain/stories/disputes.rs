//! Disputes: what was granted is frozen until they are won.

use crate::script::check;

#[test]
fn a_dispute_freezes_what_was_granted_and_winning_it_thaws() {
    let scene = check(
        "given 1000 credits
         submit
         reply 1 paid T1
         grant credits
         dispute D1 opened         -> PAID + alert dispute + holds 1000 credits
         merchant refunds r1 500   -> REFUNDING + r1 PROCESSING + refund r1       // caps stay
         refund reply r1 succeeded -> PARTIALLY_REFUNDED + r1 SUCCEEDED + loses 250 credits + holds 750 credits + entitlement.revoked + refund.succeeded
         dispute D1 won            -> PARTIALLY_REFUNDED + alert dispute + holds 0 credits
         dispute D1 won            -> PARTIALLY_REFUNDED + alert dispute",
    );
    assert_eq!(scene.ledger.balance("credits"), 750);
    let disputes = scene.told.iter().filter(|key| key.starts_with("dispute"));
    assert_eq!(disputes.count(), 2);
}

#[test]
fn a_grant_that_waits_goes_on_waiting_until_every_dispute_is_won() {
    check(
        "given 1000 credits
         submit
         reply 1 paid T1           -> PAID + order.paid + queue credits
         dispute D1 opened         -> PAID + alert dispute
         grant credits             -> PAID + nothing
         dispute D2 opened         -> PAID + alert dispute
         dispute D1 won            -> PAID + alert dispute
         grant credits             -> PAID + nothing
         dispute D2 won            -> PAID + alert dispute + queue credits
         grant credits             -> PAID + gets 1000 credits + done credits + entitlement.granted",
    );
}

#[test]
fn what_was_told_outside_as_a_dispute_came_is_taken_there_too() {
    let scene = check(
        "given 1000 credits
         submit
         reply 1 paid T1            -> PAID + order.paid + queue credits
         dispute D1 opened          -> PAID + alert dispute
         grant credits outside 1000",
    );
    let entitlement = &scene.order.entitlements[0];
    assert!(entitlement.outside && !entitlement.granted);
}

#[test]
fn a_lost_dispute_stays_frozen_until_its_money_goes_back() {
    let scene = check(
        "given 1000 credits
         submit
         reply 1 paid T1
         grant credits
         dispute D1 lost           -> PAID + alert dispute + holds 1000 credits
         refund told C1 succeeded 1999 of T1 -> REFUNDED + C1 SUCCEEDED + alert external_refund + loses 1000 credits + holds 0 credits + entitlement.revoked + refund.succeeded",
    );
    assert_eq!(scene.ledger.held("credits"), 0);
}

#[test]
fn a_dispute_and_a_held_refund_do_not_free_one_another() {
    check(
        "given hold
         given 1000 credits
         submit
         reply 1 paid T1
         grant credits
         merchant refunds r1 1999  -> REFUNDING + r1 PROCESSING + refund r1 + holds 1000 credits
         dispute D1 opened         -> REFUNDING + alert dispute
         refund reply r1 failed    -> PAID + r1 FAILED + refund.failed
         dispute D1 won            -> PAID + alert dispute + holds 0 credits",
    );
}

#[test]
fn a_dispute_that_ends_as_nobody_knows_is_told_and_moves_nothing() {
    check(
        "given 1000 credits
         submit
         reply 1 paid T1
         grant credits
         dispute D1 opened         -> PAID + alert dispute + holds 1000 credits
         dispute D1 ended          -> PAID + alert dispute
         dispute D1 won            -> PAID + alert dispute + holds 0 credits",
    );
}
