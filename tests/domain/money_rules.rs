//! The rules of money that goes back, and of what the payer gets for money: held against every decision.

use crate::rules::Step;
use oncepay::domain::order::{
    Announcement, Effect, EntitlementStatus, Input, Order, OrderStatus, Refund, RefundStatus,
};
use oncepay::domain::schedule::OnRefund;
use std::collections::BTreeMap;

pub(crate) fn examine_money(step: &Step<'_>) {
    no_more_goes_back_than_came(step);
    a_refund_keeps_its_number_and_its_money(step);
    a_send_passes_every_gate(step);
    the_order_follows_its_own_refunds(step);
    a_refund_that_waits_has_a_timer(step);
    what_is_revoked_follows_what_is_refunded(step);
    nothing_is_granted_that_is_withheld(step);
    a_person_is_told_of_a_stuck_refund(step);
    each_refund_is_told_once(step);
}

fn by_trade(order: &Order) -> BTreeMap<&str, i64> {
    let mut sums = BTreeMap::new();
    let counted = order.refunds.iter();
    for refund in counted.filter(|refund| refund.status != RefundStatus::Failed) {
        *sums.entry(refund.trade_no.as_str()).or_default() += refund.money.amount;
    }
    sums
}

fn no_more_goes_back_than_came(step: &Step<'_>) {
    let next = &step.decision.next;
    for (trade_no, sum) in by_trade(next) {
        let paid = next.payment(trade_no).unwrap();
        assert!(
            sum <= paid.money.amount,
            "{sum} of {} by {:?}",
            paid.money,
            step.input
        );
    }
    for refund in &next.refunds {
        assert!(refund.money.amount > 0);
        let paid = next.payment(&refund.trade_no).unwrap();
        assert_eq!(refund.money.currency, paid.money.currency);
    }
}

fn a_refund_keeps_its_number_and_its_money(step: &Step<'_>) {
    let next = &step.decision.next;
    for was in &step.before.refunds {
        let is = next.refund(&was.refund_no).unwrap();
        let fixed = |refund: &Refund| (refund.refund_id.clone(), refund.money, refund.source);
        assert_eq!(fixed(was), fixed(is));
        let moved = was.status != is.status;
        assert!(!moved || is.version == was.version + 1, "{was:?} {is:?}");
    }
    let mut numbers: Vec<&str> = next.refunds.iter().map(|one| &*one.refund_no).collect();
    numbers.sort_unstable();
    numbers.dedup();
    assert_eq!(numbers.len(), next.refunds.len());
    let changed = next
        .refunds
        .iter()
        .filter(|is| step.before.refund(&is.refund_no) != Some(*is));
    assert!(changed.eq(step.decision.refunds.iter()));
}

fn a_send_passes_every_gate(step: &Step<'_>) {
    let (context, next) = (step.context, &step.decision.next);
    for effect in &step.decision.effects {
        let Effect::Refund { refund_no } = effect else {
            continue;
        };
        assert!(!context.open_refunds.contains(refund_no), "one is open");
        assert!(context.rules.capabilities.refunds);
        let is = next.refund(refund_no).unwrap();
        assert_eq!(is.status, RefundStatus::Processing);
        let Some(was) = step.before.refund(refund_no) else {
            continue;
        };
        assert_eq!(was.status, RefundStatus::Unknown, "sent again");
        assert!(was.send_count < context.rules.max_submits);
        let ended = was.last_ended.or(was.last_sent);
        let grace = context.rules.not_found_grace_ms;
        assert!(ended.is_none_or(|ended| context.now.elapsed_since(&ended) >= grace));
        let life = context.rules.capabilities.key_life_ms.unwrap_or(i64::MAX);
        let sent = was.first_sent_at.unwrap_or(context.now.wall);
        assert!(context.now.wall.since(sent) < life, "the number is dead");
    }
}

fn the_order_follows_its_own_refunds(step: &Step<'_>) {
    let next = &step.decision.next;
    let Some(own) = next.own_payment().filter(|_| next.status.is_paid()) else {
        return;
    };
    let of_own = next
        .refunds
        .iter()
        .filter(|refund| refund.trade_no == own.trade_no);
    let (mut open, mut sum) = (false, 0);
    for refund in of_own {
        open |= refund.status.is_open();
        if refund.status == RefundStatus::Succeeded {
            sum += refund.money.amount;
        }
    }
    let expected = match sum {
        _ if open => OrderStatus::Refunding,
        0 => OrderStatus::Paid,
        sum if sum < own.money.amount => OrderStatus::PartiallyRefunded,
        _all => OrderStatus::Refunded,
    };
    assert_eq!((next.status, next.amount_refunded), (expected, sum));
}

fn a_refund_that_waits_has_a_timer(step: &Step<'_>) {
    let now = step.context.now.wall;
    for refund in &step.decision.next.refunds {
        let waits = matches!(
            refund.status,
            RefundStatus::Processing | RefundStatus::Unknown
        );
        assert_eq!(refund.next_check_at.is_some(), waits, "{refund:?}");
        if *step.input == Input::Due {
            assert!(refund.next_check_at.is_none_or(|at| at > now), "it refires");
        }
    }
}

fn what_is_revoked_follows_what_is_refunded(step: &Step<'_>) {
    let next = &step.decision.next;
    if step.context.rules.on_refund == OnRefund::Keep {
        return;
    }
    let Some(paid) = next.own_payment().map(|own| own.money.amount) else {
        return;
    };
    for kept in next.entitlements.iter().filter(|kept| kept.granted) {
        let taken = i128::from(kept.quantity) * i128::from(next.amount_refunded);
        let taken = taken / i128::from(paid);
        assert_eq!(i128::from(kept.revoked), taken, "{kept:?}");
        let left = kept.quantity - kept.revoked;
        assert!(kept.held <= left, "{kept:?}");
        let gone = kept.status == EntitlementStatus::Revoked;
        assert_eq!(gone, left == 0, "{kept:?}");
        if !gone {
            let frozen = kept.status == EntitlementStatus::Frozen;
            assert_eq!(frozen, kept.held > 0, "{kept:?}");
        }
    }
}

fn nothing_is_granted_that_is_withheld(step: &Step<'_>) {
    let next = &step.decision.next;
    if !next.withheld {
        return;
    }
    assert!(next.entitlements.iter().all(|kept| !kept.granted));
    assert!(step.decision.postings.is_empty());
    let told = &step.decision.announcements;
    assert!(!told.contains(&Announcement::OrderPaid));
}

fn a_person_is_told_of_a_stuck_refund(step: &Step<'_>) {
    let alerts = &step.decision.alerts;
    let manual = |order: &Order, number: &str| {
        order
            .refund(number)
            .is_some_and(|one| one.status == RefundStatus::Manual)
    };
    for is in &step.decision.next.refunds {
        let number = &is.refund_no;
        let was = manual(step.before, number);
        let now = is.status == RefundStatus::Manual;
        let subject = format!("{}/refund/{number}", step.before.order_id);
        let fresh: Vec<String> = alerts
            .iter()
            .filter(|alert| alert.subject == subject && alert.kind.as_str() == "refund_manual")
            .map(|alert| alert.key())
            .collect();
        assert_eq!(fresh.len(), usize::from(now && !was), "{is:?}");
        assert!(fresh.iter().all(|key| !step.told.contains(key)));
        if was && !now {
            let ended = &step.decision.resolved_alerts;
            assert_eq!(ended.len(), 1);
            assert!(step.told.contains(&ended[0]), "{ended:?} was never raised");
        }
    }
}

fn each_refund_is_told_once(step: &Step<'_>) {
    let count = |wanted: &Announcement| {
        let told = step.decision.announcements.iter();
        told.filter(|told| *told == wanted).count()
    };
    for is in &step.decision.next.refunds {
        let refund_no = is.refund_no.clone();
        let was = step.before.refund(&refund_no).map(|was| was.status);
        let entered = |status| usize::from(is.status == status && was != Some(status));
        let succeeded = Announcement::RefundSucceeded {
            refund_no: refund_no.clone(),
        };
        let failed = Announcement::RefundFailed { refund_no };
        assert_eq!(count(&succeeded), entered(RefundStatus::Succeeded));
        assert_eq!(count(&failed), entered(RefundStatus::Failed));
    }
}
