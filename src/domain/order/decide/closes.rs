//! The replies of closes.

use super::super::statement::Word;
use super::super::status::Reason;
use super::Column;
use super::answers::doubt;
use super::draft::Draft;
use super::gate::{NotCharged, climb, climb_not_found, not_charged};
use super::queries::{after_review_close, surely_no};
use super::wait::{Waiting, payable_for, wait};

pub(super) fn close_reply(draft: &mut Draft<'_>, word: Word) {
    match draft.column {
        Column::Unpaid | Column::Processing => draft.note(),
        Column::Pending => close_pending(draft, &word),
        Column::Unknown => close_unknown(draft, &word),
        Column::ManualOpen if word == Word::AskAtOnce => {
            // The close is refuted: the query that follows must not lead to it again.
            draft.next.close_requested_at = None;
            draft.next.close_by = None;
            draft.ask();
        }
        Column::ManualOpen | Column::ManualHeld => after_review_close(draft, &word),
        Column::Paid if word == Word::Closed => draft.contradiction(false),
        Column::Ended if matches!(word, Word::AskAtOnce | Word::CannotClose) => {
            draft.ask();
        }
        Column::Paid | Column::Ended => draft.note(),
    }
}

fn close_pending(draft: &mut Draft<'_>, word: &Word) {
    match word {
        Word::Closed => draft.shut_as_wanted(),
        Word::AskAtOnce => ask_for_an_attempt(draft),
        Word::NotFound => wait(draft, Waiting::Closing),
        Word::Declined => surely_no(draft, word),
        // The channel refuses to close it now; asking at once would only lead to the same close again.
        Word::CannotClose
        | Word::Pending { .. }
        | Word::Processing
        | Word::Throttled
        | Word::NotSent
        | Word::Unknown(_) => draft.note(),
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

fn close_unknown(draft: &mut Draft<'_>, word: &Word) {
    match word {
        Word::Closed | Word::Declined => surely_no(draft, word),
        Word::AskAtOnce => ask_for_a_rung(draft),
        Word::NotFound => match not_charged(draft) {
            NotCharged::Certain => match payable_for(draft) {
                Some(left) => climb_not_found(draft, NotCharged::GraceLeft(left)),
                None => draft.shut_as_wanted(),
            },
            lacks @ (NotCharged::CallOpen
            | NotCharged::GraceLeft(_)
            | NotCharged::SecondQueryIn(_)) => climb_not_found(draft, lacks),
        },
        Word::CannotClose
        | Word::Pending { .. }
        | Word::Processing
        | Word::Throttled
        | Word::NotSent
        | Word::Unknown(_) => climb(draft, doubt(word)),
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
