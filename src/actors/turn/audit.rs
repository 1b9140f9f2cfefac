//! What people decide goes into the audit log, in the write that does it.

use crate::actors::redact::Identifiers;
use crate::domain::order::{Decision, Input, RefundSource};
use crate::store::journal::AuditRecord;
use serde_json::{Value, json};

/// What the audit log keeps of this input: who did what to which order. `None` if no person is behind it, or if it
/// was done before.
pub(super) fn record(decision: &Decision, input: &Input) -> Option<AuditRecord> {
    if decision.events.is_empty() {
        return None;
    }
    let order = &decision.next;
    let known = Identifiers::of(decision);
    let entry = match input {
        Input::Review(review) => AuditRecord {
            actor: format!("operator:{}", review.operator),
            action: "review",
            subject: order.order_no.0.clone(),
            detail: text(&json!({
                "decision": review.decision.as_str(),
                "basis": known.cleaned(&review.basis),
                "channel_trade_no": review.channel_trade_no,
                "version": review.expected_version,
                "proposed": order.proposal.is_some(),
                "status": order.status.as_str(),
            })),
        },
        Input::RefundRequested(request) => AuditRecord {
            actor: match request.source {
                RefundSource::Merchant => format!("api:{}", request.key_name),
                RefundSource::Operator
                | RefundSource::Review
                | RefundSource::Policy
                | RefundSource::Channel => format!("operator:{}", request.key_name),
            },
            action: "refund",
            subject: format!("{}/{}", order.order_no, request.refund_no),
            detail: text(&json!({
                "amount": request.amount,
                "reason": request.reason.as_deref().map(|reason| known.cleaned(reason)),
                "channel_trade_no": request.trade_no,
                "proposed": order.refund(&request.refund_no).is_none(),
            })),
        },
        Input::RefundReview(review) => {
            let refund = order.refund(&review.refund_no);
            AuditRecord {
                actor: format!("operator:{}", review.operator),
                action: "refund_review",
                subject: format!("{}/{}", order.order_no, review.refund_no),
                detail: text(&json!({
                    "decision": review.decision.as_str(),
                    "basis": known.cleaned(&review.basis),
                    "version": review.expected_version,
                    "proposed": refund.is_some_and(|refund| refund.proposal.is_some()),
                    "status": refund.map(|refund| refund.status.as_str()),
                })),
            }
        }
        Input::Answer { .. }
        | Input::TradeTaken { .. }
        | Input::SubmitTimedOut { .. }
        | Input::Due
        | Input::UiDeadlinePassed
        | Input::Recovered
        | Input::ActorFailed { .. }
        | Input::CloseRequested { .. }
        | Input::QueryRequested { .. }
        | Input::RefundReply { .. }
        | Input::RefundTold { .. }
        | Input::Fulfil { .. }
        | Input::Dispute { .. }
        | Input::BillLine { .. } => return None,
    };
    Some(entry)
}

fn text(detail: &Value) -> String {
    detail.to_string()
}
