//! The replies of submits: of the newest, and of earlier ones.

use super::super::statement::Word;
use super::super::status::Reason;
use super::Column;
use super::answers::end;
use super::draft::Draft;
use super::gate::earlier_unresolved;
use super::wait::fill_action;

/// The reply of the newest submit.
pub(super) fn newest_reply(draft: &mut Draft<'_>, word: Word) {
    match word {
        Word::Pending { next_action } => match draft.column {
            Column::Processing | Column::Unknown => draft.pend(next_action),
            Column::Pending => fill_action(draft, next_action),
            Column::Unpaid
            | Column::ManualOpen
            | Column::ManualHeld
            | Column::Paid
            | Column::Ended => draft.note(),
        },
        Word::Processing => reply_processing(draft),
        Word::Declined | Word::Closed => match draft.column {
            Column::Processing | Column::Unknown => decided_no(draft, &word),
            Column::Pending => draft.ask(),
            Column::Unpaid | Column::ManualOpen | Column::ManualHeld | Column::Ended => {
                draft.note()
            }
            Column::Paid => draft.contradiction(false),
        },
        Word::AskAtOnce => match draft.column {
            Column::Processing => {
                draft.unknown(Reason::UnreadableReply);
                draft.ask();
            }
            Column::Pending | Column::Unknown => draft.ask(),
            Column::Unpaid
            | Column::ManualOpen
            | Column::ManualHeld
            | Column::Paid
            | Column::Ended => draft.note(),
        },
        // A submit that is answered "not found" or "cannot close" is an answer to another question.
        Word::NotFound | Word::CannotClose => reply_unknown(draft, Reason::UnreadableReply),
        Word::Throttled | Word::NotSent => reply_unknown(draft, Reason::ChannelUnavailable),
        Word::Unknown(reason) => reply_unknown(draft, reason),
    }
}

fn reply_processing(draft: &mut Draft<'_>) {
    let asynchronous = draft.context.rules.capabilities.asynchronous;
    match draft.column {
        Column::Processing | Column::Unknown if asynchronous => draft.pend(None),
        Column::Processing => draft.unknown(Reason::ChannelProcessing),
        Column::Unknown => {
            draft.note();
            draft.next.reason = Some(Reason::ChannelProcessing);
        }
        Column::Unpaid
        | Column::Pending
        | Column::ManualOpen
        | Column::ManualHeld
        | Column::Paid
        | Column::Ended => draft.note(),
    }
}

fn reply_unknown(draft: &mut Draft<'_>, reason: Reason) {
    if draft.column == Column::Processing {
        draft.unknown(reason);
    } else {
        draft.note();
    }
}

/// `dec`: a definite no to the newest submit ends the order only if no earlier one may still have charged.
pub(super) fn decided_no(draft: &mut Draft<'_>, word: &Word) {
    if earlier_unresolved(draft) {
        draft.unknown(Reason::Declined);
        draft.ask();
    } else {
        end(draft, word);
    }
}

/// The reply of a submit that is not the newest: an event, and at most a reason to ask.
pub(super) fn older_reply(draft: &mut Draft<'_>, word: &Word) {
    let definite = matches!(word, Word::Declined | Word::Closed);
    match draft.column {
        Column::Pending | Column::Unknown if definite => draft.ask(),
        Column::Unpaid
        | Column::Processing
        | Column::Pending
        | Column::Unknown
        | Column::ManualOpen
        | Column::ManualHeld
        | Column::Paid
        | Column::Ended => draft.note(),
    }
}
