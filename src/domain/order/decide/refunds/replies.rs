//! What the channel says of a refund, cell by cell.

use super::super::super::decision::AlertKind;
use super::super::super::refund::{Refund, RefundAnswer, RefundCallKind, RefundStatus};
use super::super::draft::Draft;
use super::book::left;
use super::checks::not_found;
use super::heard::{Heard, Way, held_against};
use super::sends::ask;

/// The answer to one of our calls.
pub(in super::super) fn replied(
    draft: &mut Draft<'_>,
    call: RefundCallKind,
    refund_no: &str,
    answer: &RefundAnswer,
) {
    let Some(refund) = draft.before.refund(refund_no) else {
        return draft.note();
    };
    let waits = matches!(
        refund.status,
        RefundStatus::Processing | RefundStatus::Unknown
    );
    if call == RefundCallKind::Send && waits {
        let ended = draft.context.now.stamp();
        draft.change_refund(refund_no, |refund| refund.last_ended = Some(ended));
    }
    hear(draft, refund, answer, Way::Call(call));
}

/// What this answer does to this refund.
pub(super) fn hear(draft: &mut Draft<'_>, refund: &Refund, answer: &RefundAnswer, way: Way) {
    draft.name_refund(refund);
    let heard = held_against(refund, answer, way);
    // In MANUAL nothing of it moves but by what settles it: its version names the entry.
    if refund.status != RefundStatus::Manual || matches!(heard, Heard::Succeeded) {
        remember(draft, refund, answer, &heard);
    }
    match heard {
        Heard::Succeeded => succeeded(draft, refund, way),
        Heard::Pending => pending(draft, refund, way),
        Heard::Failed => failed(draft, refund, way),
        Heard::Repeatable => repeatable(draft, refund, answer),
        Heard::Otherwise => otherwise(draft, refund, answer),
        Heard::Unknown => {
            draft.note();
            let unanswered = refund.status == RefundStatus::Processing && !refund.accepted;
            if unanswered && way != Way::Notice {
                draft.refund_unknown(&refund.refund_no);
            }
        }
        Heard::NotFound => {
            draft.note();
            match refund.status {
                RefundStatus::Unknown => not_found(draft, &refund.refund_no),
                RefundStatus::Succeeded => conflict(draft, refund),
                RefundStatus::Processing | RefundStatus::Manual | RefundStatus::Failed => {}
            }
        }
    }
}

/// What the row keeps of an answer, whatever it does.
fn remember(draft: &mut Draft<'_>, refund: &Refund, answer: &RefundAnswer, heard: &Heard) {
    let trouble = match heard {
        Heard::Succeeded | Heard::Pending | Heard::NotFound => None,
        Heard::Failed | Heard::Repeatable | Heard::Otherwise | Heard::Unknown => {
            Some(answer.summary().to_owned())
        }
    };
    let theirs = match heard {
        Heard::Succeeded | Heard::Pending => answer
            .statement()
            .and_then(|said| said.channel_refund_no.clone()),
        Heard::Failed | Heard::Repeatable | Heard::Otherwise | Heard::Unknown | Heard::NotFound => {
            None
        }
    };
    let found = !matches!(heard, Heard::NotFound);
    draft.change_refund(&refund.refund_no, |kept| {
        kept.last_error = trouble.or(kept.last_error.take());
        kept.channel_refund_no = kept.channel_refund_no.take().or(theirs);
        if found {
            kept.not_found_since = None;
        }
    });
}

fn succeeded(draft: &mut Draft<'_>, refund: &Refund, way: Way) {
    match refund.status {
        RefundStatus::Processing | RefundStatus::Unknown | RefundStatus::Manual => {
            draft.note();
            draft.refund_succeeds(&refund.refund_no);
        }
        RefundStatus::Succeeded => note_unless_on_record(draft, way),
        RefundStatus::Failed => {
            draft.note();
            let left = left(draft.before, &refund.trade_no);
            let fits = left.is_some_and(|left| refund.money.amount <= left);
            if fits && way == Way::Call(RefundCallKind::Query) {
                return draft.refund_succeeds(&refund.refund_no);
            }
            conflict(draft, refund);
            if fits {
                // A refund may succeed and then fail; what is told in the wrong order, or late, is older than what is on
                // record. Only a question tells how it stands now.
                ask(draft, &refund.refund_no);
            }
        }
    }
}

fn pending(draft: &mut Draft<'_>, refund: &Refund, way: Way) {
    let known = refund.status == RefundStatus::Processing && refund.accepted;
    if known {
        return note_unless_on_record(draft, way);
    }
    draft.note();
    let waits = matches!(
        refund.status,
        RefundStatus::Processing | RefundStatus::Unknown
    );
    if waits {
        let next = draft.context.after(draft.context.rules.pending_delay_ms(1));
        draft.change_refund(&refund.refund_no, |refund| {
            refund.status = RefundStatus::Processing;
            refund.accepted = true;
            refund.check_count = 0;
            refund.next_check_at = Some(next);
        });
    }
}

fn failed(draft: &mut Draft<'_>, refund: &Refund, way: Way) {
    match refund.status {
        RefundStatus::Processing | RefundStatus::Unknown | RefundStatus::Succeeded => {
            draft.note();
            draft.refund_fails(&refund.refund_no, false);
        }
        // It is with a person, who alone may say that it failed: what it takes of the payment stays spoken for.
        RefundStatus::Manual => draft.note(),
        RefundStatus::Failed => note_unless_on_record(draft, way),
    }
}

fn repeatable(draft: &mut Draft<'_>, refund: &Refund, answer: &RefundAnswer) {
    draft.note();
    match refund.status {
        RefundStatus::Processing | RefundStatus::Unknown => {
            draft.refund_to_manual(&refund.refund_no, answer.summary());
        }
        RefundStatus::Succeeded => {
            let message = format!(
                "Refund {} of order {} had succeeded, and the channel now refuses it: {}.",
                refund.refund_no,
                draft.before.order_no,
                answer.summary()
            );
            draft.alert_of_refund(AlertKind::RefundFailed, &refund.refund_no, message);
        }
        RefundStatus::Manual | RefundStatus::Failed => {}
    }
}

fn otherwise(draft: &mut Draft<'_>, refund: &Refund, answer: &RefundAnswer) {
    draft.note();
    match refund.status {
        RefundStatus::Processing | RefundStatus::Unknown => {
            let why = format!(
                "the channel has something else under its number: {}",
                answer.summary()
            );
            draft.refund_to_manual(&refund.refund_no, &why);
        }
        RefundStatus::Manual => {}
        RefundStatus::Succeeded | RefundStatus::Failed => conflict(draft, refund),
    }
}

/// What the channel says and what our books hold do not go together.
fn conflict(draft: &mut Draft<'_>, refund: &Refund) {
    let message = format!(
        "Refund {} of order {} is {}, and the channel now says: {}.",
        refund.refund_no, draft.before.order_no, refund.status, draft.event.detail.summary
    );
    draft.alert_of_refund(AlertKind::RefundConflict, &refund.refund_no, message);
}

/// A notice of what is on record is no news; an answer to a call is a line of the history.
fn note_unless_on_record(draft: &mut Draft<'_>, way: Way) {
    match way {
        Way::Notice => {}
        Way::Call(_) => draft.note(),
    }
}
