//! The replies of queries.

use super::super::statement::Finding;
use super::super::status::{CloseBy, Reason};
use super::answers::{doubt, end};
use super::draft::Draft;
use super::gate::{NotCharged, climb, first, gate, not_charged, sure};
use super::wait::{Waiting, wait};
use super::{Column, timers};

pub(super) fn query_reply(draft: &mut Draft<'_>, finding: Finding) {
    match draft.column {
        Column::Unpaid => query_unpaid(draft, finding),
        Column::Processing => draft.note(),
        Column::Pending => match finding {
            Finding::Declined | Finding::Closed => surely_no(draft, &finding),
            Finding::Pending { next_action } => wait(draft, Waiting::Payer(next_action)),
            Finding::Processing => wait(draft, Waiting::Channel { attempt: true }),
            Finding::NotFound => wait(draft, Waiting::NotFound),
            Finding::AskAtOnce
            | Finding::CannotClose
            | Finding::Throttled
            | Finding::NotSent
            | Finding::Unknown(_)
            | Finding::Paid(_)
            | Finding::PaidAndRefunded(_)
            | Finding::PaidMismatch { .. }
            | Finding::PendingMismatch { .. }
            | Finding::Unexplained => draft.note(),
        },
        Column::Unknown => query_unknown(draft, finding),
        Column::ManualOpen | Column::ManualHeld => after_review_close(draft, &finding),
        Column::Paid => paid_or_ended_queried(draft, &finding, false),
        Column::Ended => paid_or_ended_queried(draft, &finding, true),
    }
}

fn query_unpaid(draft: &mut Draft<'_>, finding: Finding) {
    match finding {
        Finding::NotFound => first(draft, true),
        Finding::Pending { next_action } => draft.pend(next_action),
        Finding::Processing => draft.unknown(Reason::ChannelProcessing),
        Finding::Declined | Finding::Closed => end(draft, &finding),
        doubtful @ (Finding::AskAtOnce
        | Finding::CannotClose
        | Finding::Throttled
        | Finding::NotSent
        | Finding::Unknown(_)
        | Finding::Paid(_)
        | Finding::PaidAndRefunded(_)
        | Finding::PaidMismatch { .. }
        | Finding::PendingMismatch { .. }
        | Finding::Unexplained) => draft.unknown(doubt(&doubtful)),
    }
}

fn query_unknown(draft: &mut Draft<'_>, finding: Finding) {
    match finding {
        Finding::NotFound => gate(draft),
        Finding::Pending { next_action } => draft.pend(next_action),
        Finding::Processing => climb(draft, Reason::ChannelProcessing),
        Finding::Declined | Finding::Closed => surely_no(draft, &finding),
        doubtful @ (Finding::AskAtOnce
        | Finding::CannotClose
        | Finding::Throttled
        | Finding::NotSent
        | Finding::Unknown(_)
        | Finding::Paid(_)
        | Finding::PaidAndRefunded(_)
        | Finding::PaidMismatch { .. }
        | Finding::PendingMismatch { .. }
        | Finding::Unexplained) => climb(draft, doubt(&doubtful)),
    }
}

/// `sure`: a query's definite no is final only if nothing else may have charged.
pub(super) fn surely_no(draft: &mut Draft<'_>, finding: &Finding) {
    if sure(draft) {
        end(draft, finding);
    } else if draft.column == Column::Unknown {
        climb(draft, Reason::Declined);
    } else {
        draft.note();
    }
}

/// A query of an order whose payment is decided: a *no* contradicts what is on record.
fn paid_or_ended_queried(draft: &mut Draft<'_>, finding: &Finding, ended: bool) {
    let contradicts = match finding {
        Finding::Pending { .. } | Finding::Processing => ended,
        Finding::Declined | Finding::Closed | Finding::NotFound => !ended,
        Finding::AskAtOnce
        | Finding::CannotClose
        | Finding::Throttled
        | Finding::NotSent
        | Finding::Unknown(_)
        | Finding::Paid(_)
        | Finding::PaidAndRefunded(_)
        | Finding::PaidMismatch { .. }
        | Finding::PendingMismatch { .. }
        | Finding::Unexplained => false,
    };
    if contradicts {
        draft.contradiction(true);
    } else {
        draft.note();
    }
}

/// `†`: in `MANUAL` an answer acts only if a review asked for a close.
pub(super) fn after_review_close(draft: &mut Draft<'_>, finding: &Finding) {
    draft.note();
    // Proof that came after the close was asked for: nothing denies it any more.
    if draft.before.close_by != Some(CloseBy::Review) || draft.before.has_proof() {
        return;
    }
    match finding {
        Finding::Pending { .. } if draft.context.rules.capabilities.closes => {
            draft.close_at_channel();
        }
        Finding::Declined | Finding::Closed if sure(draft) => draft.shut(Reason::Review),
        Finding::NotFound if not_charged(draft) == NotCharged::Certain => {
            draft.shut(Reason::Review);
        }
        Finding::NotFound => timers::await_second_not_found(draft),
        Finding::Pending { .. }
        | Finding::Declined
        | Finding::Closed
        | Finding::Processing
        | Finding::AskAtOnce
        | Finding::CannotClose
        | Finding::Throttled
        | Finding::NotSent
        | Finding::Unknown(_)
        | Finding::Paid(_)
        | Finding::PaidAndRefunded(_)
        | Finding::PaidMismatch { .. }
        | Finding::PendingMismatch { .. }
        | Finding::Unexplained => {}
    }
}
