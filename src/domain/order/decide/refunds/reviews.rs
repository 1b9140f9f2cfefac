//! What operators decide about a refund in `MANUAL`.

use super::super::super::refund::{
    Refund, RefundDecision, RefundReview, RefundReviewProposal, RefundStatus,
};
use super::super::super::refusal::Refusal;
use super::super::draft::Draft;
use super::sends::ask;

/// An operator decides about a refund.
pub(in super::super) fn reviewed(
    draft: &mut Draft<'_>,
    review: &RefundReview,
) -> Result<(), Refusal> {
    let Some(refund) = draft.before.refund(&review.refund_no) else {
        return Err(Refusal::NoSuchRefund);
    };
    if refund.status != RefundStatus::Manual {
        return Err(Refusal::NotReviewable);
    }
    if refund.version != review.expected_version {
        return Err(Refusal::VersionConflict);
    }
    if review.basis.trim().is_empty() {
        return Err(Refusal::BasisMissing);
    }
    let send_open = draft.context.open_refunds.contains(&review.refund_no);
    match review.decision {
        RefundDecision::Failed if send_open => return Err(Refusal::SubmitOpen),
        RefundDecision::Retry if !draft.context.same_account(draft.before) => {
            return Err(Refusal::ChannelChanged);
        }
        RefundDecision::Succeeded | RefundDecision::Failed | RefundDecision::Retry => {}
    }
    draft.name_refund(refund);
    draft.note();
    if draft.context.rules.wants_second_person(refund.money) && !confirmed(draft, refund, review)? {
        return Ok(());
    }
    match review.decision {
        RefundDecision::Succeeded => draft.refund_succeeds(&refund.refund_no),
        RefundDecision::Failed => draft.refund_fails(&refund.refund_no, true),
        RefundDecision::Retry => retry(draft, refund),
    }
    Ok(())
}

/// Whether a second person has confirmed the decision; else it stands as a proposal.
fn confirmed(
    draft: &mut Draft<'_>,
    refund: &Refund,
    review: &RefundReview,
) -> Result<bool, Refusal> {
    let now = draft.context.now.wall;
    let standing = refund.proposal.as_ref().filter(|proposal| {
        proposal.version == refund.version
            && now < proposal.expires_at()
            && proposal.decision == review.decision
    });
    match standing {
        Some(proposal) if proposal.by == review.operator => Err(Refusal::SecondPersonRequired),
        Some(_) => Ok(true),
        None => {
            draft.event.detail.summary = format!("{} proposed", review.decision);
            let proposal = RefundReviewProposal {
                decision: review.decision,
                by: review.operator.clone(),
                at: now,
                version: refund.version,
            };
            draft.change_refund(&refund.refund_no, |refund| {
                refund.proposal = Some(proposal);
            });
            Ok(false)
        }
    }
}

/// Back to `UNKNOWN`: the channel is asked first, and only what it does not know is sent again, once if need be. The
/// ladder goes on where it was.
fn retry(draft: &mut Draft<'_>, refund: &Refund) {
    let rules = draft.context.rules;
    let delay = rules
        .check_delay_ms(refund.check_count.saturating_add(1))
        .unwrap_or(rules.query_timeout_ms.saturating_mul(2));
    let next = draft.context.after(delay);
    let sends_before_one_more = rules.max_submits.saturating_sub(1);
    draft.end_refund_alert(refund);
    draft.change_refund(&refund.refund_no, |refund| {
        refund.status = RefundStatus::Unknown;
        refund.proposal = None;
        refund.not_found_since = None;
        refund.send_count = refund.send_count.min(sends_before_one_more);
        refund.next_check_at = Some(next);
    });
    ask(draft, &refund.refund_no);
}
