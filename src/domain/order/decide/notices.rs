//! Notices: they name no submit.

use super::super::decision::AlertKind;
use super::super::statement::{Hint, Hinted, Proof, Word};
use super::super::status::Reason;
use super::Column;
use super::draft::Draft;
use super::gate::ask_first;
use super::money::ask_of_charge;
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

/// A notice that proves nothing: the channel is asked, by the name that the notice has for the charge if nobody has told
/// one. What is answered is held against the order like any answer.
pub(super) fn hinted(draft: &mut Draft<'_>, hint: &Hint) {
    draft.next.not_found_since = None;
    let known = draft.before.channel_ref.as_deref();
    let is_another = known.is_some_and(|known| known != hint.reference);
    if known.is_none() && Proof::is_trade_no(&hint.reference) {
        draft.next.channel_ref = Some(hint.reference.clone());
    }
    match hint.says {
        Hinted::Paid if is_another => {
            // The order's own charge may end unpaid, and what was paid is this order's all the same.
            let in_flight = matches!(
                draft.column,
                Column::Unpaid | Column::Pending | Column::Unknown
            );
            let message = of_another_charge(draft, hint);
            if in_flight {
                draft.manual(Reason::UnexplainedStatus, None);
                for alert in &mut draft.alerts {
                    alert.message.clone_from(&message);
                }
                ask_until_answered(draft);
            } else {
                says_paid(draft);
                draft.alert_of_trade(AlertKind::SecondPayment, &hint.reference, message);
            }
        }
        Hinted::Paid => says_paid(draft),
        // What becomes of another charge of this number is no word about the order's own.
        Hinted::Over if is_another => draft.note(),
        Hinted::Over => match draft.column {
            Column::Unpaid | Column::Pending | Column::Unknown | Column::ManualOpen => {
                ask_of_charge(draft);
            }
            Column::Processing | Column::ManualHeld | Column::Paid | Column::Ended => draft.note(),
        },
    }
}

/// The order's own charge is asked about, and no answer to that will ever tell of the other one.
fn of_another_charge(draft: &Draft<'_>, hint: &Hint) -> String {
    format!(
        "The channel says that order {} is paid under its name {}, and the order's own charge is {}: look both up there.",
        draft.before.order_no,
        hint.reference,
        draft.before.channel_ref.as_deref().unwrap_or("none"),
    )
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
