//! Notices: they name no submit.

use super::super::statement::Finding;
use super::super::status::Reason;
use super::Column;
use super::draft::Draft;
use super::gate::ask_first;
use super::replies::decided_no;
use super::wait::{Waiting, wait};

/// A notice that names no submit.
pub(super) fn callback(draft: &mut Draft<'_>, finding: Finding) {
    match finding {
        Finding::Pending { next_action } => match draft.column {
            Column::Unpaid => ask_first(draft),
            Column::Pending => {}
            Column::Unknown => {
                draft.pend(next_action);
                draft.ask();
            }
            Column::Processing
            | Column::ManualOpen
            | Column::ManualHeld
            | Column::Paid
            | Column::Ended => draft.note(),
        },
        Finding::Processing => match draft.column {
            Column::Unpaid => ask_first(draft),
            Column::Pending => wait(draft, Waiting::Channel { attempt: false }),
            Column::Unknown => {
                draft.note();
                draft.next.reason = Some(Reason::ChannelProcessing);
            }
            Column::Processing
            | Column::ManualOpen
            | Column::ManualHeld
            | Column::Paid
            | Column::Ended => draft.note(),
        },
        Finding::Declined | Finding::Closed => match draft.column {
            Column::Unpaid => ask_first(draft),
            Column::Pending | Column::Unknown => hint(draft, &finding),
            Column::Paid => draft.contradiction(false),
            Column::Processing | Column::ManualOpen | Column::ManualHeld | Column::Ended => {
                draft.note();
            }
        },
        Finding::AskAtOnce if draft.column == Column::Unpaid => ask_first(draft),
        Finding::AskAtOnce if matches!(draft.column, Column::Pending | Column::Unknown) => {
            draft.ask();
        }
        Finding::AskAtOnce
        | Finding::NotFound
        | Finding::CannotClose
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

/// `hint`: a notice's *no* counts only when there is one submit that it can be about, and no call is open.
fn hint(draft: &mut Draft<'_>, finding: &Finding) {
    if draft.before.submit_count() == 1 && draft.context.open_submits.is_empty() {
        decided_no(draft, finding);
    } else {
        draft.ask();
    }
}
