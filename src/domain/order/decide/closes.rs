//! The replies of closes.

use super::super::statement::Finding;
use super::super::status::Reason;
use super::Column;
use super::answers::doubt;
use super::draft::Draft;
use super::gate::{NotCharged, climb, climb_not_found, not_charged};
use super::queries::{after_review_close, surely_no};
use super::wait::{Waiting, wait};

pub(super) fn close_reply(draft: &mut Draft<'_>, finding: Finding) {
    match draft.column {
        Column::Unpaid | Column::Processing => draft.note(),
        Column::Pending => close_pending(draft, &finding),
        Column::Unknown => close_unknown(draft, &finding),
        Column::ManualOpen if finding == Finding::AskAtOnce => {
            // The close is refuted: the query that follows must not lead to it again.
            draft.next.close_requested_at = None;
            draft.next.close_by = None;
            draft.ask();
        }
        Column::ManualOpen | Column::ManualHeld => after_review_close(draft, &finding),
        Column::Paid if finding == Finding::Closed => draft.contradiction(false),
        Column::Ended if matches!(finding, Finding::AskAtOnce | Finding::CannotClose) => {
            draft.ask();
        }
        Column::Paid | Column::Ended => draft.note(),
    }
}

fn close_pending(draft: &mut Draft<'_>, finding: &Finding) {
    match finding {
        Finding::Closed => draft.shut_as_wanted(),
        Finding::AskAtOnce => ask_for_an_attempt(draft),
        Finding::NotFound => wait(draft, Waiting::Closing),
        Finding::Declined => surely_no(draft, finding),
        // The channel refuses to close it now; asking at once would only lead to the same close again.
        Finding::CannotClose
        | Finding::Pending { .. }
        | Finding::Processing
        | Finding::Throttled
        | Finding::NotSent
        | Finding::Unknown(_)
        | Finding::Paid(_)
        | Finding::PaidAndRefunded(_)
        | Finding::PaidMismatch { .. }
        | Finding::PendingMismatch { .. }
        | Finding::Unexplained => draft.note(),
    }
}

/// "Already paid" asks at once. The ask is an attempt, so that a channel that contradicts itself is not asked for ever.
fn ask_for_an_attempt(draft: &mut Draft<'_>) {
    let rules = draft.context.rules;
    let attempt = draft.before.expiry_count.saturating_add(1);
    if attempt > rules.expiry_attempts {
        return draft.note();
    }
    draft.next.expiry_count = attempt;
    draft.next.next_check_at = Some(draft.context.after(rules.expiry_delay_ms(attempt)));
    draft.ask();
}

fn close_unknown(draft: &mut Draft<'_>, finding: &Finding) {
    match finding {
        Finding::Closed | Finding::Declined => surely_no(draft, finding),
        Finding::AskAtOnce => ask_for_a_rung(draft),
        Finding::NotFound => match not_charged(draft) {
            NotCharged::Certain => draft.shut_as_wanted(),
            lacks @ (NotCharged::CallOpen
            | NotCharged::GraceLeft(_)
            | NotCharged::SecondQueryIn(_)) => climb_not_found(draft, lacks),
        },
        Finding::CannotClose
        | Finding::Pending { .. }
        | Finding::Processing
        | Finding::Throttled
        | Finding::NotSent
        | Finding::Unknown(_)
        | Finding::Paid(_)
        | Finding::PaidAndRefunded(_)
        | Finding::PaidMismatch { .. }
        | Finding::PendingMismatch { .. }
        | Finding::Unexplained => climb(draft, doubt(finding)),
    }
}

/// As in `PENDING`: the ask uses a rung of the ladder.
fn ask_for_a_rung(draft: &mut Draft<'_>) {
    climb(draft, Reason::UnreadableReply);
    if draft.next.status == draft.before.status {
        draft.next.check_count = draft.before.check_count.saturating_add(1);
        draft.ask();
    }
}
