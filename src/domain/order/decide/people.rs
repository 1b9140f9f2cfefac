//! What people ask for: closes, queries, reviews.

use super::super::Proposal;
use super::super::input::Review;
use super::super::refund::RefundSource;
use super::super::refusal::Refusal;
use super::super::statement::Proof;
use super::super::status::{CloseBy, OrderStatus, Reason, ReviewDecision};
use super::Column;
use super::draft::Draft;
use super::gate::first;
use super::refunds::give_back;

/// The merchant wants the order closed. Asking again is nothing new.
pub(super) fn close_requested(draft: &mut Draft<'_>) -> Result<(), Refusal> {
    match draft.column {
        Column::Paid => return Err(Refusal::AlreadyPaid),
        Column::Ended => return Ok(()),
        Column::Unpaid
        | Column::Processing
        | Column::Pending
        | Column::Unknown
        | Column::ManualOpen
        | Column::ManualHeld => {}
    }
    let again = draft.before.close_requested_at.is_some();
    if !again {
        draft.note();
        draft.next.close_requested_at = Some(draft.context.now.wall);
        draft.next.close_by = Some(CloseBy::Merchant);
    }
    match draft.column {
        Column::Unpaid if !again => {
            if draft.before.ask_first {
                first(draft, false);
            } else {
                draft.shut(Reason::ClosedByMerchant);
            }
        }
        Column::Pending if !again => {
            // Durable: if the answer to this query is lost, the next attempt comes soon and not by the payer's schedule.
            let soon = draft.context.after(draft.context.rules.expiry_delay_ms(1));
            let stands = draft.before.next_check_at.unwrap_or(soon);
            draft.next.next_check_at = Some(stands.min(soon));
            draft.ask();
        }
        Column::Unknown if !again => draft.ask(),
        Column::Unpaid
        | Column::Processing
        | Column::Pending
        | Column::Unknown
        | Column::ManualOpen
        | Column::ManualHeld
        | Column::Paid
        | Column::Ended => {}
    }
    Ok(())
}

/// A person wants the channel asked now.
pub(super) fn query_requested(draft: &mut Draft<'_>) -> Result<(), Refusal> {
    if !draft.context.same_account(draft.before) {
        return Err(Refusal::ChannelChanged);
    }
    draft.ask();
    Ok(())
}

/// An operator decides about an order in `MANUAL`.
pub(super) fn reviewed(draft: &mut Draft<'_>, review: &Review) -> Result<(), Refusal> {
    let order = draft.before;
    if order.status != OrderStatus::Manual {
        return Err(Refusal::NotReviewable);
    }
    if order.version != review.expected_version {
        return Err(Refusal::VersionConflict);
    }
    if review.basis.trim().is_empty() {
        return Err(Refusal::BasisMissing);
    }
    let denies = match review.decision {
        ReviewDecision::NotPaid | ReviewDecision::Resubmit | ReviewDecision::Close => true,
        ReviewDecision::Paid | ReviewDecision::Refund => false,
    };
    if denies && order.has_proof() {
        return Err(Refusal::EvidenceOfPayment);
    }
    draft.event.detail.basis = Some(review.basis.clone());
    draft.event.detail.decision = Some(review.decision.to_string());
    draft
        .event
        .detail
        .channel_trade_no
        .clone_from(&review.channel_trade_no);
    check(draft, review)?;
    if wants_second_person(draft, review) && !confirmed(draft, review)? {
        return Ok(());
    }
    draft.next.proposal = None;
    carry_out(draft, review);
    Ok(())
}

/// The money at stake is the order's, or what a trade that did not match has moved.
fn wants_second_person(draft: &Draft<'_>, review: &Review) -> bool {
    let rules = draft.context.rules;
    let moved = paying_proof(draft, review).map(|proof| proof.money);
    rules.wants_second_person(draft.before.money)
        || moved.is_some_and(|money| rules.wants_second_person(money))
}

/// What each decision needs before it may be proposed or carried out.
fn check(draft: &Draft<'_>, review: &Review) -> Result<(), Refusal> {
    match review.decision {
        ReviewDecision::Paid if draft.context.successor.is_some() => {
            Err(Refusal::ReplacedOrderOpen)
        }
        ReviewDecision::Paid | ReviewDecision::Refund if paying_proof(draft, review).is_none() => {
            Err(Refusal::NoPaymentOnRecord)
        }
        ReviewDecision::NotPaid if !draft.context.open_submits.is_empty() => {
            Err(Refusal::SubmitOpen)
        }
        ReviewDecision::Resubmit | ReviewDecision::Close
            if !draft.context.same_account(draft.before) =>
        {
            Err(Refusal::ChannelChanged)
        }
        ReviewDecision::Paid
        | ReviewDecision::Refund
        | ReviewDecision::NotPaid
        | ReviewDecision::Resubmit
        | ReviewDecision::Close => Ok(()),
    }
}

/// The payment that a review `PAID` or `REFUND` goes by: the named trade, or the first that is on record. A named trade that
/// nobody proved is worth what the order is.
fn paying_proof(draft: &Draft<'_>, review: &Review) -> Option<Proof> {
    let order = draft.before;
    let kept = match &review.channel_trade_no {
        Some(trade_no) => order.payment(trade_no),
        None => order.payments.first(),
    };
    match (kept, &review.channel_trade_no) {
        (Some(kept), _) => Some(Proof {
            trade_no: kept.trade_no.clone(),
            money: kept.money,
        }),
        (None, Some(trade_no)) => Some(Proof {
            trade_no: trade_no.clone(),
            money: order.money,
        }),
        (None, None) => None,
    }
}

/// Whether a second person has confirmed the decision; else it stands as a proposal.
fn confirmed(draft: &mut Draft<'_>, review: &Review) -> Result<bool, Refusal> {
    let order = draft.before;
    let now = draft.context.now.wall;
    let standing = order.proposal.as_ref().filter(|proposal| {
        proposal.version == order.version
            && now < proposal.expires_at()
            && proposal.decision == review.decision
            && proposal.trade_no == review.channel_trade_no
    });
    match standing {
        Some(proposal) if proposal.by == review.operator => Err(Refusal::SecondPersonRequired),
        Some(_) => Ok(true),
        None => {
            draft.note();
            draft.event.detail.summary = format!("{} proposed", review.decision);
            draft.next.proposal = Some(Proposal {
                decision: review.decision,
                trade_no: review.channel_trade_no.clone(),
                by: review.operator.clone(),
                at: now,
                version: order.version,
            });
            Ok(false)
        }
    }
}

fn carry_out(draft: &mut Draft<'_>, review: &Review) {
    match review.decision {
        ReviewDecision::Paid => {
            if let Some(proof) = paying_proof(draft, review) {
                draft.pay(&proof, Some(Reason::Review));
            }
        }
        ReviewDecision::NotPaid => draft.fail(Reason::Review),
        ReviewDecision::Resubmit => resubmit(draft),
        ReviewDecision::Close => {
            draft.next.close_requested_at = Some(draft.context.now.wall);
            draft.next.close_by = Some(CloseBy::Review);
            draft.ask();
        }
        ReviewDecision::Refund => {
            if let Some(proof) = paying_proof(draft, review) {
                give_back(draft, &proof, RefundSource::Review);
            }
        }
    }
}

/// Back to `UNKNOWN`: the channel is asked first, and the gate decides; the ladder goes on where it was.
fn resubmit(draft: &mut Draft<'_>) {
    let (context, rules) = (draft.context, draft.context.rules);
    draft.enter(OrderStatus::Unknown, Some(Reason::Review));
    let allowed = rules.max_submits.saturating_add(draft.before.extra_submits);
    if draft.before.submit_count() >= allowed {
        draft.next.extra_submits = draft.before.extra_submits.saturating_add(1);
    }
    let delay = rules
        .check_delay_ms(draft.before.check_count.saturating_add(1))
        .unwrap_or(rules.query_timeout_ms.saturating_mul(2));
    draft.next.next_check_at = Some(context.after(delay));
    draft.ask();
}
