//! What the payer gets, and what a refund takes of it.

use crate::script::check;

#[test]
fn a_grant_is_made_once_however_often_it_is_claimed() {
    let scene = check(
        "given 1000 credits
         given 3 seats
         submit
         reply 1 paid T1           -> PAID + order.paid + queue credits + queue seats
         grant credits             -> PAID + gets 1000 credits + done credits + entitlement.granted
         grant credits             -> PAID + done credits + mark
         down 1 s                  -> PAID + nothing
         grant credits             -> PAID + done credits + mark
         grant seats               -> PAID + gets 3 seats + done seats + entitlement.granted",
    );
    assert_eq!(scene.ledger.balance("credits"), 1000);
}

#[test]
fn what_nobody_outside_has_a_part_in_is_granted_in_the_write_that_pays() {
    let scene = check(
        "given grants at once except seats
         given 1000 credits
         given 3 seats
         submit
         reply 1 paid T1           -> PAID + order.paid + queue credits + queue seats + gets 1000 credits \
                                      + done credits + entitlement.granted
         grant credits             -> PAID + done credits + mark
         grant seats               -> PAID + gets 3 seats + done seats + entitlement.granted
         merchant refunds r1 1999
         refund reply r1 succeeded -> REFUNDED + r1 SUCCEEDED + loses 1000 credits + loses 3 seats \
                                      + entitlement.revoked + entitlement.revoked + refund.succeeded",
    );
    assert_eq!(scene.ledger.balance("credits"), 0);
}

#[test]
fn nothing_is_granted_before_the_order_is_paid() {
    check(
        "given 1000 credits
         submit
         grant credits             -> PROCESSING + nothing",
    );
}

#[test]
fn a_refund_that_overtakes_the_grant_leaves_nothing_to_grant() {
    let scene = check(
        "given 1000 credits
         submit
         reply 1 paid T1           -> PAID + order.paid + queue credits
         merchant refunds r1 1999  -> REFUNDING + r1 PROCESSING + refund r1
         refund reply r1 succeeded -> REFUNDED + r1 SUCCEEDED + refund.succeeded
         grant credits             -> REFUNDED + done credits
         grant credits             -> REFUNDED + done credits + mark
         refund told r1 failed     -> PAID + r1 FAILED + alert refund_failed + refund.failed + queue credits
         grant credits             -> PAID + gets 1000 credits + done credits + entitlement.granted",
    );
    assert_eq!(scene.ledger.balance("credits"), 1000);
}

#[test]
fn a_grant_reads_again_what_was_refunded_by_then() {
    let scene = check(
        "given 1000 credits
         submit
         reply 1 paid T1
         merchant refunds r1 500
         refund reply r1 succeeded
         merchant refunds r2 499
         refund reply r2 succeeded -> PARTIALLY_REFUNDED + r2 SUCCEEDED + refund.succeeded
         grant credits             -> PARTIALLY_REFUNDED + gets 501 credits + done credits + entitlement.granted
         merchant refunds r3 1000
         refund reply r3 succeeded -> REFUNDED + r3 SUCCEEDED + loses 501 credits + entitlement.revoked + refund.succeeded",
    );
    assert_eq!(scene.ledger.balance("credits"), 0);
}

#[test]
fn by_policy_what_a_refund_will_take_is_held_until_it_is_decided() {
    check(
        "given hold
         given 1000 credits
         submit
         reply 1 paid T1
         grant credits
         merchant refunds r1 500   -> REFUNDING + r1 PROCESSING + refund r1 + holds 250 credits
         merchant refunds r2 500   -> REFUNDING + r2 PROCESSING + refund r2 + holds 500 credits
         refund reply r1 failed    -> REFUNDING + r1 FAILED + holds 250 credits + refund.failed
         refund reply r2 balance   -> REFUNDING + r2 MANUAL + alert refund_manual
         refund review r2 SUCCEEDED by ann -> PARTIALLY_REFUNDED + r2 SUCCEEDED + loses 250 credits + holds 0 credits + entitlement.revoked + refund.succeeded + resolves refund_manual",
    );
    let scene = check(
        "given hold
         given 1000 credits
         submit
         reply 1 paid T1
         merchant refunds r1 500   -> REFUNDING + r1 PROCESSING + refund r1
         grant credits             -> REFUNDING + gets 1000 credits + holds 250 credits + done credits + entitlement.granted",
    );
    assert_eq!(scene.ledger.held("credits"), 250);
}

#[test]
fn by_policy_the_payer_keeps_what_was_granted() {
    let scene = check(
        "given keep
         given 1000 credits
         submit
         reply 1 paid T1
         grant credits
         merchant refunds r1 1999  -> REFUNDING + r1 PROCESSING + refund r1
         refund reply r1 succeeded -> REFUNDED + r1 SUCCEEDED + refund.succeeded
         refund told r1 failed     -> PAID + r1 FAILED + alert refund_failed + refund.failed",
    );
    assert_eq!(scene.ledger.balance("credits"), 1000);
}

#[test]
fn a_kept_grant_does_not_grow_when_a_refund_that_took_nothing_fails() {
    let scene = check(
        "given keep
         given 1999 credits
         submit
         reply 1 paid T1
         merchant refunds r1 600
         refund reply r1 succeeded
         grant credits             -> PARTIALLY_REFUNDED + gets 1399 credits + done credits + entitlement.granted
         merchant refunds r2 800
         refund reply r2 succeeded -> PARTIALLY_REFUNDED + r2 SUCCEEDED + refund.succeeded
         refund told r2 failed     -> PARTIALLY_REFUNDED + r2 FAILED + alert refund_failed + refund.failed
         refund told r1 failed     -> PAID + r1 FAILED + alert refund_failed + gets 600 credits + refund.failed",
    );
    assert_eq!(scene.ledger.balance("credits"), 1999);
}

#[test]
fn huge_amounts_are_reckoned_without_overflow() {
    let scene = check(&format!(
        "given price {max}
         given {max} credits
         submit
         reply 1 paid T1 {max} CNY
         grant credits
         merchant refunds r1 {}
         refund reply r1 succeeded -> PARTIALLY_REFUNDED + r1 SUCCEEDED + loses {} credits + entitlement.revoked + refund.succeeded",
        i64::MAX - 1,
        i64::MAX - 1,
        max = i64::MAX,
    ));
    assert_eq!(scene.ledger.balance("credits"), 1);
}

#[test]
fn what_is_granted_outside_too_stays_queued_until_both_sides_agree() {
    let scene = check(
        "given 1000 credits
         submit
         reply 1 paid T1
         merchant refunds r1 500
         refund reply r1 succeeded
         grant credits outside 1000 -> PARTIALLY_REFUNDED + gets 750 credits + entitlement.granted
         grant credits outside 1000 -> PARTIALLY_REFUNDED + nothing
         grant credits outside 750  -> PARTIALLY_REFUNDED + done credits + mark
         merchant refunds r2 1499
         refund reply r2 succeeded  -> REFUNDED + r2 SUCCEEDED + loses 750 credits + entitlement.revoked + refund.succeeded + queue credits
         grant credits outside 750  -> REFUNDED + nothing
         grant credits outside 0    -> REFUNDED + done credits + mark",
    );
    assert_eq!(scene.ledger.balance("credits"), 0);
}

#[test]
fn what_was_told_outside_before_all_was_refunded_is_told_again() {
    check(
        "given 1000 credits
         submit
         reply 1 paid T1
         merchant refunds r1 1999
         refund reply r1 succeeded
         grant credits outside 1000 -> REFUNDED
         grant credits outside 0    -> REFUNDED + done credits + mark",
    );
}
