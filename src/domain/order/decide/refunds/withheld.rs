//! Payments that go back undelivered: by a review, by the policy for late ones, or back already when we hear of them.

use super::super::super::decision::{AlertKind, Severity};
use super::super::super::refund::RefundSource;
use super::super::super::statement::Proof;
use super::super::super::status::{EventKind, OrderStatus, Reason};
use super::super::Column;
use super::super::draft::Draft;
use super::book::{free_number, gone_back, left, number_after};
use super::external::{Returned, keep, returned};
use super::sends::{Wanted, record, send};
use crate::domain::Money;

/// In one write, two lines: the trade paid this order, and goes back. Nothing is granted, nobody is told of a payment.
pub(in super::super) fn give_back(draft: &mut Draft<'_>, proof: &Proof, source: RefundSource) {
    let (prefix, reason) = if source == RefundSource::Review {
        ("review-", Some(Reason::Review))
    } else {
        ("late-", None)
    };
    paid_and_withheld(draft, proof, reason);
    let paid = draft.next.payment(&proof.trade_no).map(|kept| kept.money);
    let money = Money::new(
        left(&draft.next, &proof.trade_no).unwrap_or_default(),
        paid.unwrap_or(proof.money).currency,
    );
    if money.amount <= 0 {
        // All of it is back, or on its way, already.
        return draft.follow_open_refund("");
    }
    let wanted = Wanted {
        // A merchant may have taken that number for a refund of another trade.
        refund_no: free_number(&draft.next, &number_after(prefix, &proof.trade_no)),
        trade_no: proof.trade_no.clone(),
        money,
        source,
        by: draft.event.by.clone(),
        reason: None,
    };
    let refund_no = wanted.refund_no.clone();
    record(draft, wanted);
    if let Some(refund) = draft.next.refund(&refund_no).cloned() {
        let summary = format!("refund {refund_no} of {} goes out", refund.money);
        let line = draft.refund_line(EventKind::Refund, &refund, summary);
        draft.next_line(line);
    }
    send(draft, &refund_no);
}

/// *Paid*, and given back in full before we heard of it: nothing is granted, whatever the policy.
pub(in super::super) fn given_back_already(draft: &mut Draft<'_>, proof: &Proof) {
    paid_and_withheld(draft, proof, None);
    let amount = left(&draft.next, &proof.trade_no).unwrap_or_default();
    let external = Returned {
        theirs: &proof.trade_no,
        kept_as: number_after("external-", &proof.trade_no),
        trade_no: &proof.trade_no,
        amount,
        another: false,
    };
    if amount > 0 {
        keep(draft, &external);
    } else {
        draft.follow_open_refund("");
    }
    let message = format!(
        "Order {} was paid and given back in full.",
        draft.before.order_no
    );
    // Where we had said that nothing was paid, a person compares.
    let severity = if draft.column == Column::Ended {
        Severity::Action
    } else {
        Severity::Info
    };
    draft.alert(
        AlertKind::ExternalRefund,
        severity,
        &proof.trade_no,
        message,
    );
}

/// *Paid and given back in full* of a trade of an order that is paid: whatever of it is not on record.
pub(in super::super) fn trade_given_back(draft: &mut Draft<'_>, proof: &Proof) -> bool {
    let before = gone_back(draft.before, &proof.trade_no);
    let kept = draft.before.payment(&proof.trade_no).map(|kept| kept.money);
    let paid = kept.unwrap_or(proof.money);
    if before >= paid.amount {
        return false;
    }
    draft.keep_payment(proof, false);
    let external = Returned {
        theirs: &proof.trade_no,
        kept_as: number_after("external-", &proof.trade_no),
        trade_no: &proof.trade_no,
        amount: paid.amount.saturating_sub(before),
        another: false,
    };
    returned(draft, external);
    true
}

fn paid_and_withheld(draft: &mut Draft<'_>, proof: &Proof, reason: Option<Reason>) {
    draft.enter(OrderStatus::Paid, reason);
    draft.next.paid_at = Some(draft.context.now.wall);
    draft.keep_payment(proof, true);
    draft.withhold();
}
