//! Free text is cleaned before it is written: what people type and channels say may hold card numbers, keys and
//! people, and rows live longer than logs. Typed identifiers stay as they are, and so do the merchant's own words that
//! are a part of the order (subject, metadata, payer): they are shown with it and nowhere else.

use crate::domain::order::{Decision, Refund};
use crate::scrub::scrub;

/// The typed identifiers of an order: they may look like what is cleaned away, and stay.
pub(super) struct Identifiers(Vec<String>);

impl Identifiers {
    /// Those of the order that a decision is about.
    pub(super) fn of(decision: &Decision) -> Self {
        let order = &decision.next;
        let mut keep = vec![
            order.order_id.0.clone(),
            order.order_no.0.clone(),
            order.idempotency_key.clone(),
        ];
        keep.extend(order.payments.iter().map(|kept| kept.trade_no.clone()));
        keep.extend(order.account.clone());
        keep.extend(order.replaces.as_ref().map(|other| other.0.clone()));
        for refund in &order.refunds {
            keep.push(refund.trade_no.clone());
            keep.extend([refund.refund_id.clone(), refund.refund_no.clone()]);
            keep.extend(refund.channel_refund_no.clone());
        }
        for event in &decision.events {
            keep.extend(event.detail.channel_trade_no.clone());
            keep.extend(event.detail.refund_no.clone());
        }
        Self(keep)
    }

    /// The text without what must not be kept.
    pub(super) fn cleaned(&self, text: &str) -> String {
        let keep: Vec<&str> = self.0.iter().map(String::as_str).collect();
        scrub(text, &keep)
    }

    fn clean(&self, text: &mut String) {
        *text = self.cleaned(text);
    }

    fn clean_refund(&self, refund: &mut Refund) {
        let texts = [&mut refund.reason, &mut refund.last_error];
        for text in texts.into_iter().flatten() {
            self.clean(text);
        }
    }
}

/// Cleans every free text of a decision, keeping the identifiers of its order.
pub(super) fn redact(decision: &mut Decision) {
    let known = Identifiers::of(decision);
    for event in &mut decision.events {
        known.clean(&mut event.detail.summary);
        if let Some(basis) = &mut event.detail.basis {
            known.clean(basis);
        }
    }
    for alert in &mut decision.alerts {
        known.clean(&mut alert.message);
    }
    if let Some(error) = &mut decision.next.last_error {
        known.clean(error);
    }
    // The changed ones stand twice: as what is written, and in the order as it will stand.
    let written = decision.refunds.iter_mut();
    for refund in written.chain(&mut decision.next.refunds) {
        known.clean_refund(refund);
    }
}
