//! What time and start-up do: claims, deadlines, recovery.

use super::super::decision::{AlertKind, Severity};
use super::super::status::{CloseBy, EventKind, OrderStatus, Reason};
use super::Column;
use super::draft::Draft;
use super::gate::{NotCharged, first, not_charged};

/// `submit_timeout` has passed: we do not know; the call itself goes on.
pub(super) fn submit_timed_out(draft: &mut Draft<'_>, submit: u32) {
    if draft.column == Column::Processing && submit == draft.before.submit_count() {
        draft.event.kind = EventKind::SubmitTimeout;
        draft.event.detail.summary = "no reply in time; the call goes on".to_owned();
        draft.event.detail.submit = Some(submit);
        draft.unknown(Reason::SubmitTimeout);
        draft.next.last_error = Some("the channel did not reply in time".to_owned());
    }
}

/// The order's timer has come.
pub(super) fn due(draft: &mut Draft<'_>) {
    match draft.column {
        Column::Unpaid => {
            if is_due(draft) {
                first(draft, false);
            }
        }
        Column::Pending => claim_pending(draft),
        Column::Unknown => claim_unknown(draft, false),
        Column::ManualOpen | Column::ManualHeld => claim_once_more(draft),
        Column::Processing => submit_due(draft),
        Column::Paid | Column::Ended => {}
    }
}

/// The one timer of an order in `PROCESSING` is the end of `submit_timeout`.
fn submit_due(draft: &mut Draft<'_>) {
    let timeout_ms = draft.context.rules.submit_timeout_ms;
    let waits = draft
        .before
        .payment_wake_at(timeout_ms)
        .is_some_and(|at| draft.context.now.wall < at);
    if !waits {
        submit_timed_out(draft, draft.before.submit_count());
    }
}

/// A timer that comes early, or twice, is nothing.
fn is_due(draft: &Draft<'_>) -> bool {
    draft
        .before
        .next_check_at
        .is_none_or(|at| draft.context.now.wall >= at)
}

/// The claim of a check: count and next time are committed before the query goes out, so that it goes out once.
fn claim_unknown(draft: &mut Draft<'_>, at_startup: bool) {
    let (context, rules) = (draft.context, draft.context.rules);
    if !is_due(draft) {
        return;
    }
    let answer_lost_at = context.after(rules.query_timeout_ms.saturating_mul(2));
    if draft.before.ask_due {
        draft.next.ask_due = false;
        draft.next.next_check_at = Some(answer_lost_at);
        return draft.ask();
    }
    if rules.ladder_used_up(draft.before.check_count) {
        if at_startup {
            draft.next.next_check_at = Some(answer_lost_at);
            return draft.ask();
        }
        return draft.manual(Reason::MaxChecks, None);
    }
    let count = draft.before.check_count.saturating_add(1);
    draft.next.check_count = count;
    draft.next.next_check_at = Some(
        rules
            .check_delay_ms(count.saturating_add(1))
            .map_or(answer_lost_at, |delay| context.after(delay)),
    );
    draft.ask();
}

fn claim_pending(draft: &mut Draft<'_>) {
    let (context, rules) = (draft.context, draft.context.rules);
    let expired = context.is_closing(draft.before);
    if !is_due(draft) {
        return;
    }
    if !expired {
        draft.next.check_count = draft.before.check_count.saturating_add(1);
        let after = draft.next.check_count.saturating_add(1);
        draft.next.next_check_at = Some(draft.next_pending_check(after));
        return draft.ask();
    }
    draft.event.kind = EventKind::Expiry;
    draft.event.detail.summary = "an attempt to close it".to_owned();
    let attempt = draft.before.expiry_count.saturating_add(1);
    if attempt > rules.expiry_attempts {
        return draft.manual(Reason::ExpiryUnconfirmed, None);
    }
    draft.next.expiry_count = attempt;
    draft.next.next_check_at = Some(context.after(rules.expiry_delay_ms(attempt)));
    draft.ask();
}

/// In `MANUAL` the only timers are the second *not found* of a close that a review asked for, and the answer that a
/// notice without proof waits for.
fn claim_once_more(draft: &mut Draft<'_>) {
    if draft.before.ask_due && is_due(draft) {
        // Until there is an answer.
        let again = draft.context.rules.expiry_delay_ms(2);
        draft.next.next_check_at = Some(draft.context.after(again));
        draft.ask();
    }
}

/// A review's close was answered *not found*, which proves nothing yet: ask once more when it can.
pub(super) fn await_second_not_found(draft: &mut Draft<'_>) {
    let left = match not_charged(draft) {
        NotCharged::Certain | NotCharged::CallOpen => return,
        NotCharged::GraceLeft(left) => left,
        NotCharged::SecondQueryIn(left) => {
            let since = draft
                .before
                .not_found_since
                .unwrap_or_else(|| draft.context.now.stamp());
            draft.next.not_found_since = Some(since);
            left
        }
    };
    ask_once_more(draft, left);
}

/// In `MANUAL`: asks again in so many milliseconds.
pub(super) fn ask_once_more(draft: &mut Draft<'_>, millis: i64) {
    draft.next.ask_due = true;
    draft.next.next_check_at = Some(draft.context.after(millis));
}

/// Its user was answered before the result was known. Not an event: what settles it later tells ops.
pub(super) fn ui_deadline_passed(draft: &mut Draft<'_>) {
    let waits = match draft.column {
        Column::Unpaid | Column::Processing | Column::Unknown => true,
        Column::Pending => draft.before.next_action.is_none(),
        Column::ManualOpen | Column::ManualHeld | Column::Paid | Column::Ended => false,
    };
    if waits && draft.before.deadline_passed_at.is_none() {
        draft.next.deadline_passed_at = Some(draft.context.now.wall);
    }
}

/// Start-up found the row, or its actor was rebuilt.
pub(super) fn recovered(draft: &mut Draft<'_>) {
    let (context, order) = (draft.context, draft.before);
    if !context.open_submits.is_empty() {
        // Its actor was rebuilt under an open call: the reply comes, and the timer stands.
        return;
    }
    match draft.column {
        Column::Unpaid => {
            let late = context.now.wall.since(order.created_at) > context.rules.ui_deadline_ms;
            if order.ask_first {
                first(draft, false);
            } else if late {
                draft.shut(Reason::Interrupted);
            } else {
                first(draft, false);
            }
        }
        Column::Processing => {
            draft.unknown(Reason::Interrupted);
            draft.ask();
        }
        Column::Pending => {
            draft.event.kind = EventKind::Query;
            claim_pending(draft);
        }
        Column::Unknown => {
            draft.event.kind = EventKind::Query;
            claim_unknown(draft, true);
        }
        Column::ManualOpen | Column::ManualHeld => {
            if order.close_by == Some(CloseBy::Review) {
                draft.ask();
            } else {
                draft.event.kind = EventKind::Query;
                claim_once_more(draft);
            }
        }
        Column::Paid | Column::Ended => {}
    }
}

/// The actor died more often than its restart budget allows: a person must look, the status is safe.
pub(super) fn actor_failed(draft: &mut Draft<'_>) {
    match draft.column {
        Column::Unpaid | Column::Processing | Column::Pending | Column::Unknown => {
            draft.manual(Reason::ActorFailed, None);
        }
        Column::ManualOpen | Column::ManualHeld => draft.note(),
        Column::Paid | Column::Ended => {
            draft.note();
            let message = format!(
                "The actor of order {} failed; the order stays {}.",
                draft.before.order_no,
                OrderStatus::as_str(draft.before.status)
            );
            let episode = format!("start:{}", draft.context.now.epoch);
            draft.alert(AlertKind::ActorFailed, Severity::Action, &episode, message);
        }
    }
}
