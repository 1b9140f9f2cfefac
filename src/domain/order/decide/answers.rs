//! What the channel's answers do: held against the order, and handed on by where they came from.

use super::super::input::Source;
use super::super::statement::{Answer, Finding, Word};
use super::super::status::Reason;
use super::Column;
use super::closes::close_reply;
use super::draft::Draft;
use super::money::{count_callback, gone, paid, paid_mismatch, some_gone};
use super::notices::{callback, hinted};
use super::queries::query_reply;
use super::replies::{newest_reply, older_reply};

pub(super) fn answered(draft: &mut Draft<'_>, source: &Source, answer: &Answer) {
    count_callback(draft, source);
    if matches!(source, Source::Callback { repeat: true, .. }) {
        return;
    }
    if let (Answer::Hint(hint), Source::Callback { .. }) = (answer, source) {
        return hinted(draft, hint);
    }
    let finding = answer.against(draft.before);
    if let Source::Reply { submit } = source {
        end_submit(draft, *submit, &finding);
    }
    let nothing_sent = draft.column == Column::Unpaid && matches!(source, Source::Reply { .. });
    if !nothing_sent {
        remember_trouble(draft, &finding);
    }
    if finding != Finding::Word(Word::NotFound) {
        draft.next.not_found_since = None;
    }
    if let Answer::Charge(statement) = answer
        && let Some(reference) = statement.reference_for(draft.before)
    {
        let known = draft.before.channel_ref.as_deref();
        if matches!(source, Source::Callback { .. }) && known.is_some_and(|it| it != reference) {
            // Another charge under our number, as two systems with one account make. Its payment is one of this order;
            // that it waits, or has ended, is no word about the order's own charge.
            if !is_of_payment(&finding) {
                return draft.note();
            }
        } else {
            draft.next.channel_ref = Some(reference.to_owned());
        }
    }
    if *source == Source::Query {
        stop_asking(draft, answer);
    }
    match finding {
        Finding::Paid(proof) => paid(draft, source, &proof),
        Finding::PaidAndRefunded(proof) => gone(draft, source, &proof),
        Finding::PaidAndSomeRefunded(proof) => some_gone(draft, source, &proof),
        Finding::PaidMismatch { proof, reason } => paid_mismatch(draft, source, &proof, reason),
        Finding::PendingMismatch { reason } => pending_mismatch(draft, reason),
        Finding::Unexplained => unexplained(draft, source),
        Finding::Word(word) => match source {
            Source::Reply { .. } if nothing_sent => {}
            Source::Reply { submit } if *submit == draft.before.submit_count() => {
                newest_reply(draft, word);
            }
            Source::Reply { .. } => older_reply(draft, &word),
            Source::Query => query_reply(draft, word),
            Source::Callback { .. } => callback(draft, word),
            Source::Close => close_reply(draft, word),
        },
    }
}

const fn is_of_payment(finding: &Finding) -> bool {
    match finding {
        Finding::Paid(_)
        | Finding::PaidAndRefunded(_)
        | Finding::PaidAndSomeRefunded(_)
        | Finding::PaidMismatch { .. } => true,
        Finding::PendingMismatch { .. } | Finding::Unexplained | Finding::Word(_) => false,
    }
}

/// In `MANUAL` the channel is asked until it has answered.
fn stop_asking(draft: &mut Draft<'_>, answer: &Answer) {
    let manual = matches!(draft.column, Column::ManualOpen | Column::ManualHeld);
    let silent = matches!(
        answer,
        Answer::Unknown(_) | Answer::Throttled { .. } | Answer::NotSent { .. }
    );
    if manual && !silent {
        draft.next.ask_due = false;
        draft.next.next_check_at = None;
    }
}

/// The call of a submit has ended; a definite no resolves it: it did not charge and will not.
fn end_submit(draft: &mut Draft<'_>, n: u32, finding: &Finding) {
    let without_effect = matches!(
        finding,
        Finding::Word(Word::Declined | Word::Closed | Word::Throttled | Word::NotSent)
    );
    if let Some(submit) = draft.end_submit(n) {
        submit.resolved |= without_effect;
    }
}

fn remember_trouble(draft: &mut Draft<'_>, finding: &Finding) {
    let trouble = matches!(
        finding,
        Finding::Unexplained
            | Finding::Word(
                Word::Unknown(_)
                    | Word::Throttled
                    | Word::NotSent
                    | Word::AskAtOnce
                    | Word::Declined
            )
    );
    if trouble {
        draft.next.last_error = Some(draft.event.detail.summary.clone());
    }
}

/// Something payable for a wrong amount is out there.
fn pending_mismatch(draft: &mut Draft<'_>, reason: Reason) {
    match draft.column {
        Column::Unpaid | Column::Processing | Column::Pending | Column::Unknown => {
            draft.manual(reason, None);
        }
        Column::ManualOpen | Column::ManualHeld | Column::Paid | Column::Ended => draft.note(),
    }
}

/// An authenticated status that is not in the channel's list is never guessed at.
fn unexplained(draft: &mut Draft<'_>, source: &Source) {
    match draft.column {
        Column::Unpaid | Column::Processing | Column::Pending | Column::Unknown => {
            draft.manual(Reason::UnexplainedStatus, None);
        }
        Column::ManualOpen | Column::ManualHeld | Column::Ended => draft.note(),
        Column::Paid => draft.contradiction(*source == Source::Query),
    }
}

/// A definite no ends the order, with the reason of whoever wanted it closed.
pub(super) fn end(draft: &mut Draft<'_>, word: &Word) {
    if *word == Word::Closed {
        draft.shut_as_wanted();
    } else {
        draft.fail(Reason::Declined);
    }
}

/// Why an answer that does not settle anything leaves the order in doubt.
pub(super) const fn doubt(word: &Word) -> Reason {
    match word {
        Word::Unknown(reason) => *reason,
        Word::Throttled | Word::NotSent => Reason::ChannelUnavailable,
        Word::NotFound => Reason::NotFound,
        Word::Processing => Reason::ChannelProcessing,
        Word::AskAtOnce
        | Word::CannotClose
        | Word::Pending { .. }
        | Word::Declined
        | Word::Closed => Reason::UnreadableReply,
    }
}
