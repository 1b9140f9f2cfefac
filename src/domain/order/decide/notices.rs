//! Notices: they name no submit.

use super::super::statement::Word;
use super::super::status::Reason;
use super::Column;
use super::draft::Draft;
use super::gate::ask_first;
use super::replies::decided_no;
use super::wait::{Waiting, wait};

/// A notice that names no submit.
pub(super) fn callback(draft: &mut Draft<'_>, word: Word) {
    match word {
        Word::Pending { next_action } => match draft.column {
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
        Word::Processing => match draft.column {
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
        Word::Declined | Word::Closed => match draft.column {
            Column::Unpaid => ask_first(draft),
            Column::Pending | Column::Unknown => hint(draft, &word),
            Column::Paid => draft.contradiction(false),
            Column::Processing | Column::ManualOpen | Column::ManualHeld | Column::Ended => {
                draft.note();
            }
        },
        Word::AskAtOnce => says_paid(draft),
        Word::NotFound | Word::CannotClose | Word::Throttled | Word::NotSent | Word::Unknown(_) => {
            draft.note()
        }
    }
}

/// A notice that says *paid* and proves nothing: the channel is asked, and its answer decides.
fn says_paid(draft: &mut Draft<'_>) {
    match draft.column {
        Column::Unpaid => ask_first(draft),
        Column::Pending | Column::Unknown | Column::ManualOpen | Column::ManualHeld => {
            ask_until_answered(draft);
        }
        // Nothing asks about an order that has ended, and the channel may never tell it again: a person knows, whatever
        // becomes of the answer.
        Column::Ended => {
            draft.manual(Reason::LateSuccess, None);
            ask_until_answered(draft);
        }
        // It may be another payment, or of another amount, than the one on record.
        Column::Paid => draft.ask(),
        Column::Processing => draft.note(),
    }
}

/// Asks now, and once more if the answer is lost, with the process or on its way: the channel may never tell it again.
fn ask_until_answered(draft: &mut Draft<'_>) {
    draft.ask();
    let (context, order) = (draft.context, draft.before);
    let column = Column::of(&draft.next);
    if !context.same_account(order) || (column == Column::Pending && context.is_closing(order)) {
        return;
    }
    let lost_at = context.after(context.rules.query_timeout_ms.saturating_mul(2));
    let stands = draft.next.next_check_at.filter(|at| *at < lost_at);
    draft.next.next_check_at = Some(stands.unwrap_or(lost_at));
    // A payer is waited for by checks alone.
    draft.next.ask_due = column != Column::Pending;
}

/// `hint`: a notice's *no* counts only when there is one submit that it can be about, and no call is open.
fn hint(draft: &mut Draft<'_>, word: &Word) {
    if draft.before.submit_count() == 1 && draft.context.open_submits.is_empty() {
        decided_no(draft, word);
    } else {
        draft.ask();
    }
}
