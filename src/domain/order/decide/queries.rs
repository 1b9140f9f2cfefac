//! The replies of queries.

use super::super::statement::Word;
use super::super::status::{CloseBy, Reason};
use super::answers::{doubt, end};
use super::draft::Draft;
use super::gate::{NotCharged, climb, first, gate, not_charged, sure};
use super::repeat::pend_or_repeat;
use super::wait::{Waiting, payable_for, wait};
use super::{Column, timers};

pub(super) fn query_reply(draft: &mut Draft<'_>, word: Word) {
    match draft.column {
        Column::Unpaid => query_unpaid(draft, word),
        Column::Processing => draft.note(),
        Column::Pending => match word {
            Word::Declined | Word::Closed => surely_no(draft, &word),
            Word::Pending { next_action } => wait(draft, Waiting::Payer(next_action)),
            Word::Processing => wait(draft, Waiting::Channel { attempt: true }),
            Word::NotFound => wait(draft, Waiting::NotFound),
            Word::AskAtOnce
            | Word::CannotClose
            | Word::Throttled
            | Word::NotSent
            | Word::Unknown(_) => draft.note(),
        },
        Column::Unknown => query_unknown(draft, word),
        Column::ManualOpen | Column::ManualHeld => after_review_close(draft, &word),
        Column::Paid => paid_or_ended_queried(draft, &word, false),
        Column::Ended => paid_or_ended_queried(draft, &word, true),
    }
}

fn query_unpaid(draft: &mut Draft<'_>, word: Word) {
    match word {
        Word::NotFound => first(draft, true),
        // A charge of another life of this order, which may have been asked for otherwise: a repeat could be refused.
        Word::Pending { next_action } => draft.pend(next_action),
        Word::Processing => draft.unknown(Reason::ChannelProcessing),
        Word::Declined | Word::Closed => end(draft, &word),
        doubtful @ (Word::AskAtOnce
        | Word::CannotClose
        | Word::Throttled
        | Word::NotSent
        | Word::Unknown(_)) => draft.unknown(doubt(&doubtful)),
    }
}

fn query_unknown(draft: &mut Draft<'_>, word: Word) {
    match word {
        Word::NotFound => gate(draft),
        Word::Pending { next_action } => pend_or_repeat(draft, next_action),
        Word::Processing => climb(draft, Reason::ChannelProcessing),
        Word::Declined | Word::Closed => surely_no(draft, &word),
        doubtful @ (Word::AskAtOnce
        | Word::CannotClose
        | Word::Throttled
        | Word::NotSent
        | Word::Unknown(_)) => climb(draft, doubt(&doubtful)),
    }
}

/// `sure`: a query's definite no is final only if nothing else may have charged.
pub(super) fn surely_no(draft: &mut Draft<'_>, word: &Word) {
    if sure(draft) {
        end(draft, word);
    } else if draft.column == Column::Unknown {
        climb(draft, Reason::Declined);
    } else {
        draft.note();
    }
}

/// A query of an order whose payment is decided: a *no* contradicts what is on record.
fn paid_or_ended_queried(draft: &mut Draft<'_>, word: &Word, ended: bool) {
    let contradicts = match word {
        Word::Pending { .. } | Word::Processing => ended,
        Word::Declined | Word::Closed | Word::NotFound => !ended,
        Word::AskAtOnce
        | Word::CannotClose
        | Word::Throttled
        | Word::NotSent
        | Word::Unknown(_) => false,
    };
    if contradicts {
        draft.contradiction(true);
    } else {
        draft.note();
    }
}

/// `†`: in `MANUAL` an answer acts only if a review asked for a close.
pub(super) fn after_review_close(draft: &mut Draft<'_>, word: &Word) {
    draft.note();
    // Proof that came after the close was asked for: nothing denies it any more.
    if draft.before.close_by != Some(CloseBy::Review) || draft.before.has_proof() {
        return;
    }
    match word {
        Word::Pending { .. } if draft.context.rules.capabilities.closes => {
            draft.close_at_channel();
        }
        Word::Declined | Word::Closed if sure(draft) => draft.shut(Reason::Review),
        Word::NotFound => match payable_for(draft) {
            Some(left) => timers::ask_once_more(draft, left),
            None if not_charged(draft) == NotCharged::Certain => draft.shut(Reason::Review),
            None => timers::await_second_not_found(draft),
        },
        Word::Pending { .. }
        | Word::Declined
        | Word::Closed
        | Word::Processing
        | Word::AskAtOnce
        | Word::CannotClose
        | Word::Throttled
        | Word::NotSent
        | Word::Unknown(_) => {}
    }
}
