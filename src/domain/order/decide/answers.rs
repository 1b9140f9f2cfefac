//! What the channel's answers do: one function for each source, one arm for each finding.

use super::super::NextAction;
use super::super::input::Source;
use super::super::statement::{Answer, Finding};
use super::super::status::{CloseBy, Reason};
use super::draft::Draft;
use super::gate::{NotCharged, climb, earlier_unresolved, first, gate, not_charged, sure};
use super::money::{count_callback, gone, paid, paid_mismatch};
use super::{Column, timers};

pub(super) fn answered(draft: &mut Draft<'_>, source: &Source, answer: &Answer) {
    count_callback(draft, source);
    if matches!(source, Source::Callback { repeat: true, .. }) {
        return;
    }
    let finding = answer.against(draft.before);
    if let Source::Reply { submit } = source {
        end_submit(draft, *submit, &finding);
    }
    remember_trouble(draft, &finding);
    if finding != Finding::NotFound {
        draft.next.not_found_since = None;
    }
    match finding {
        Finding::Paid(proof) => paid(draft, source, &proof),
        Finding::PaidAndRefunded(proof) => gone(draft, source, &proof),
        Finding::PaidMismatch { proof, reason } => paid_mismatch(draft, source, &proof, reason),
        Finding::PendingMismatch { reason } => pending_mismatch(draft, reason),
        Finding::Unexplained => unexplained(draft),
        Finding::Pending { .. }
        | Finding::Processing
        | Finding::Declined
        | Finding::Closed
        | Finding::NotFound
        | Finding::AskAtOnce
        | Finding::CannotClose
        | Finding::Throttled
        | Finding::NotSent
        | Finding::Unknown(_) => match source {
            Source::Reply { submit } if *submit == draft.before.submit_count() => {
                newest_reply(draft, finding);
            }
            Source::Reply { .. } => older_reply(draft, &finding),
            Source::Query => query_reply(draft, finding),
            Source::Callback { .. } => callback(draft, finding),
            Source::Close => close_reply(draft, finding),
        },
    }
}

/// The call of a submit has ended; a definite no resolves it: it did not charge and will not.
fn end_submit(draft: &mut Draft<'_>, n: u32, finding: &Finding) {
    let stamp = draft.context.now.stamp();
    let Some(submit) = draft.next.submits.iter_mut().find(|submit| submit.n == n) else {
        return;
    };
    submit.ended = submit.ended.or(Some(stamp));
    let without_effect = matches!(
        finding,
        Finding::Declined | Finding::Closed | Finding::Throttled | Finding::NotSent
    );
    submit.resolved |= without_effect;
}

fn remember_trouble(draft: &mut Draft<'_>, finding: &Finding) {
    let trouble = matches!(
        finding,
        Finding::Unknown(_)
            | Finding::Throttled
            | Finding::NotSent
            | Finding::AskAtOnce
            | Finding::Declined
            | Finding::Unexplained
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
fn unexplained(draft: &mut Draft<'_>) {
    match draft.column {
        Column::Unpaid | Column::Processing | Column::Pending | Column::Unknown => {
            draft.manual(Reason::UnexplainedStatus, None);
        }
        Column::ManualOpen | Column::ManualHeld | Column::Ended => draft.note(),
        Column::Paid => draft.contradiction(false),
    }
}

/// The reply of the newest submit.
fn newest_reply(draft: &mut Draft<'_>, finding: Finding) {
    match finding {
        Finding::Pending { next_action } => match draft.column {
            Column::Processing | Column::Unknown => draft.pend(next_action),
            Column::Pending => fill_action(draft, next_action),
            Column::Unpaid
            | Column::ManualOpen
            | Column::ManualHeld
            | Column::Paid
            | Column::Ended => draft.note(),
        },
        Finding::Processing => reply_processing(draft),
        Finding::Declined | Finding::Closed => match draft.column {
            Column::Processing | Column::Unknown => decided_no(draft, &finding),
            Column::Pending => draft.ask(),
            Column::Unpaid | Column::ManualOpen | Column::ManualHeld | Column::Ended => {
                draft.note()
            }
            Column::Paid => draft.contradiction(false),
        },
        Finding::AskAtOnce => {
            if draft.column == Column::Processing {
                draft.unknown(Reason::UnreadableReply);
                draft.ask();
            } else {
                draft.note();
            }
        }
        // A submit that is answered "not found" or "cannot close" is an answer to another question.
        Finding::NotFound | Finding::CannotClose => reply_unknown(draft, Reason::UnreadableReply),
        Finding::Throttled | Finding::NotSent => reply_unknown(draft, Reason::ChannelUnavailable),
        Finding::Unknown(reason) => reply_unknown(draft, reason),
        Finding::Paid(_)
        | Finding::PaidAndRefunded(_)
        | Finding::PaidMismatch { .. }
        | Finding::PendingMismatch { .. }
        | Finding::Unexplained => {}
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
fn decided_no(draft: &mut Draft<'_>, finding: &Finding) {
    if earlier_unresolved(draft) {
        draft.unknown(Reason::Declined);
        draft.ask();
    } else {
        end(draft, finding);
    }
}

fn end(draft: &mut Draft<'_>, finding: &Finding) {
    if *finding == Finding::Closed {
        draft.shut_as_wanted();
    } else {
        draft.fail(Reason::Declined);
    }
}

/// The reply of a submit that is not the newest: an event, and at most a reason to ask.
fn older_reply(draft: &mut Draft<'_>, finding: &Finding) {
    let definite = matches!(finding, Finding::Declined | Finding::Closed);
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

fn query_reply(draft: &mut Draft<'_>, finding: Finding) {
    match draft.column {
        Column::Unpaid => query_unpaid(draft, finding),
        Column::Processing => draft.note(),
        Column::Pending => match finding {
            Finding::Declined | Finding::Closed => surely_no(draft, &finding),
            Finding::Pending { next_action } => wait(draft, Waiting::Payer(next_action)),
            Finding::Processing => wait(draft, Waiting::Channel),
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
        other => draft.unknown(doubt(&other)),
    }
}

fn query_unknown(draft: &mut Draft<'_>, finding: Finding) {
    match finding {
        Finding::NotFound => gate(draft),
        Finding::Pending { next_action } => draft.pend(next_action),
        Finding::Processing => climb(draft, Reason::ChannelProcessing),
        Finding::Declined | Finding::Closed => surely_no(draft, &finding),
        other => climb(draft, doubt(&other)),
    }
}

/// Why an answer that does not settle anything leaves the order in doubt.
const fn doubt(finding: &Finding) -> Reason {
    match finding {
        Finding::Unknown(reason) => *reason,
        Finding::Throttled | Finding::NotSent => Reason::ChannelUnavailable,
        Finding::NotFound => Reason::NotFound,
        Finding::Processing => Reason::ChannelProcessing,
        Finding::AskAtOnce
        | Finding::CannotClose
        | Finding::Pending { .. }
        | Finding::Declined
        | Finding::Closed
        | Finding::Paid(_)
        | Finding::PaidAndRefunded(_)
        | Finding::PaidMismatch { .. }
        | Finding::PendingMismatch { .. }
        | Finding::Unexplained => Reason::UnreadableReply,
    }
}

/// `sure`: a query's definite no is final only if nothing else may have charged.
fn surely_no(draft: &mut Draft<'_>, finding: &Finding) {
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
fn after_review_close(draft: &mut Draft<'_>, finding: &Finding) {
    draft.note();
    if draft.before.close_by != Some(CloseBy::Review) {
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

/// A notice that names no submit.
fn callback(draft: &mut Draft<'_>, finding: Finding) {
    match finding {
        Finding::Pending { next_action } => match draft.column {
            Column::Unpaid => draft.ask(),
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
            Column::Unpaid => draft.ask(),
            Column::Pending => wait(draft, Waiting::Channel),
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
            Column::Unpaid => draft.ask(),
            Column::Pending | Column::Unknown => hint(draft, &finding),
            Column::Paid => draft.contradiction(false),
            Column::Processing | Column::ManualOpen | Column::ManualHeld | Column::Ended => {
                draft.note();
            }
        },
        Finding::AskAtOnce if draft.column == Column::Unknown => draft.ask(),
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

fn close_reply(draft: &mut Draft<'_>, finding: Finding) {
    match draft.column {
        Column::Unpaid | Column::Processing => draft.note(),
        Column::Pending => match finding {
            Finding::Closed => draft.shut_as_wanted(),
            Finding::AskAtOnce | Finding::CannotClose => draft.ask(),
            Finding::NotFound => wait(draft, Waiting::Closing),
            Finding::Declined => surely_no(draft, &finding),
            Finding::Pending { .. }
            | Finding::Processing
            | Finding::Throttled
            | Finding::NotSent
            | Finding::Unknown(_)
            | Finding::Paid(_)
            | Finding::PaidAndRefunded(_)
            | Finding::PaidMismatch { .. }
            | Finding::PendingMismatch { .. }
            | Finding::Unexplained => draft.note(),
        },
        Column::Unknown => match finding {
            Finding::Closed | Finding::Declined => surely_no(draft, &finding),
            Finding::AskAtOnce | Finding::CannotClose => draft.ask(),
            Finding::NotFound => match not_charged(draft) {
                NotCharged::Certain => draft.shut_as_wanted(),
                NotCharged::CallOpen | NotCharged::GraceLeft(_) | NotCharged::SecondQueryIn(_) => {
                    climb(draft, Reason::NotFound);
                }
            },
            other => climb(draft, doubt(&other)),
        },
        Column::ManualOpen | Column::ManualHeld => match finding {
            Finding::AskAtOnce | Finding::CannotClose if draft.column == Column::ManualOpen => {
                draft.ask();
            }
            other => after_review_close(draft, &other),
        },
        Column::Paid => match finding {
            Finding::Closed => draft.contradiction(false),
            Finding::AskAtOnce
            | Finding::CannotClose
            | Finding::NotFound
            | Finding::Declined
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
        },
        Column::Ended => match finding {
            Finding::AskAtOnce | Finding::CannotClose => draft.ask(),
            Finding::Closed
            | Finding::NotFound
            | Finding::Declined
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
        },
    }
}

/// Whom a `PENDING` order waits for, as the channel says.
enum Waiting {
    Payer(Option<NextAction>),
    Channel,
    NotFound,
    /// The channel was told to close it and knows no such charge: only its own expiry can tell.
    Closing,
}

/// `wait`: `PENDING` goes on; a closing order is closed once the channel's own expiry has passed by a margin, or
/// else by asking the channel to.
fn wait(draft: &mut Draft<'_>, waiting: Waiting) {
    let (context, rules) = (draft.context, draft.context.rules);
    draft.note();
    if let Waiting::Payer(action) = &waiting {
        fill_action(draft, action.clone());
    }
    if matches!(waiting, Waiting::Channel) {
        draft.next.next_action = None;
        draft.next.reason = Some(Reason::ChannelProcessing);
    }
    if !context.is_closing(draft.before) {
        return;
    }
    let now = context.now.wall;
    match waiting {
        Waiting::Channel => {
            let settles_by = draft
                .before
                .first_submit_at()
                .map(|first| first.plus(rules.capabilities.settles_within_ms));
            if settles_by.is_some_and(|by| now < by) {
                draft.next.expiry_count = draft.next.expiry_count.saturating_sub(1);
            }
        }
        Waiting::Payer(_) | Waiting::NotFound | Waiting::Closing => {
            let over = draft.before.expires_at.plus(rules.expiry_margin_ms);
            if rules.capabilities.own_expiry && now >= over {
                draft.shut_as_wanted();
            } else if rules.capabilities.closes && !matches!(waiting, Waiting::Closing) {
                draft.close_at_channel();
            }
        }
    }
}

fn fill_action(draft: &mut Draft<'_>, action: Option<NextAction>) {
    draft.note();
    if action.is_some() {
        draft.next.next_action = action;
        draft.next.reason = None;
    }
}
