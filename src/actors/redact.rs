//! Free text is cleaned before it is written: what people type and channels say may hold card numbers, keys and
//! people, and rows live longer than logs. Typed identifiers stay as they are.

use crate::domain::order::Decision;
use crate::mail::scrub;

/// Cleans every free text of a decision, keeping the identifiers of its order.
pub(super) fn redact(decision: &mut Decision) {
    let order = &decision.next;
    let mut keep = vec![
        order.order_id.0.clone(),
        order.order_no.0.clone(),
        order.idempotency_key.clone(),
    ];
    keep.extend(order.payments.iter().map(|kept| kept.trade_no.clone()));
    let named = decision.events.iter();
    keep.extend(named.filter_map(|event| event.detail.channel_trade_no.clone()));
    let keep: Vec<&str> = keep.iter().map(String::as_str).collect();
    for event in &mut decision.events {
        event.detail.summary = scrub(&event.detail.summary, &keep);
        if let Some(basis) = &mut event.detail.basis {
            *basis = scrub(basis, &keep);
        }
    }
    for alert in &mut decision.alerts {
        alert.message = scrub(&alert.message, &keep);
    }
    if let Some(error) = &mut decision.next.last_error {
        *error = scrub(error, &keep);
    }
}
