//! Before a submit: our own status, then a query, and only then.

use super::super::status::{OrderStatus, Reason};
use super::draft::Draft;
use super::repeat::{key_is_dead, submits_used_up};
use crate::domain::Stamp;

/// Whether *not found* is *not charged*, and what it lacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NotCharged {
    Certain,
    /// A submit call is open: nothing can be said.
    CallOpen,
    /// So many milliseconds of the grace are still to go.
    GraceLeft(i64),
    /// The channel may charge twice under one key: a second query so many milliseconds from now must say the same.
    SecondQueryIn(i64),
}

/// NC: *not found* is *not charged* only when all of its conditions hold.
pub(super) fn not_charged(draft: &Draft<'_>) -> NotCharged {
    if !draft.context.open_submits.is_empty() {
        return NotCharged::CallOpen;
    }
    let unresolved = draft
        .before
        .submits
        .iter()
        .filter(|submit| !submit.resolved);
    let calls = unresolved.map(|submit| (Some(submit.started), submit.ended));
    not_done(draft, calls, draft.before.not_found_since.as_ref())
}

/// The same of any calls that have ended: when each started and ended, and since when the channel knows of none.
pub(super) fn not_done(
    draft: &Draft<'_>,
    calls: impl Iterator<Item = (Option<Stamp>, Option<Stamp>)>,
    since: Option<&Stamp>,
) -> NotCharged {
    let (context, rules) = (draft.context, draft.context.rules);
    let grace = rules.not_found_grace_ms;
    // A call of an earlier run, or none at all, counts from start-up: nobody watched the channel before.
    let this_run = context.now.epoch;
    let ended_by = calls
        .filter_map(|(started, ended)| {
            let started = started.filter(|stamp| stamp.epoch == this_run);
            let at_most = started.map(|stamp| stamp.mono_ms.saturating_add(rules.read_timeout_ms));
            let ended = ended.filter(|stamp| stamp.epoch == this_run);
            at_most.max(ended.map(|stamp| stamp.mono_ms))
        })
        .max()
        .unwrap_or(0);
    let left = ended_by
        .saturating_add(grace)
        .saturating_sub(context.now.mono_ms);
    if left > 0 {
        return NotCharged::GraceLeft(left);
    }
    if rules.capabilities.one_charge_per_key {
        return NotCharged::Certain;
    }
    match since {
        None => NotCharged::SecondQueryIn(grace),
        Some(since) => match grace.saturating_sub(context.now.elapsed_since(since)) {
            left if left > 0 => NotCharged::SecondQueryIn(left),
            _ => NotCharged::Certain,
        },
    }
}

/// SURE: a query's *declined* or *closed* is final.
pub(super) fn sure(draft: &Draft<'_>) -> bool {
    draft.context.open_submits.is_empty()
        && (draft.context.rules.capabilities.one_charge_per_key || !earlier_unresolved(draft))
}

/// Whether some submit before the newest may still have charged.
pub(super) fn earlier_unresolved(draft: &Draft<'_>) -> bool {
    let newest = draft.next.submit_count();
    draft
        .next
        .submits
        .iter()
        .any(|submit| submit.n != newest && !submit.resolved)
}

/// `climb`: still `UNKNOWN`; the next check stands or is set, and after the last one a person takes over.
pub(super) fn climb(draft: &mut Draft<'_>, reason: Reason) {
    draft.note();
    draft.next.reason = Some(reason);
    draft.next.ask_due = false;
    let rules = draft.context.rules;
    let rung = draft.next.check_count.saturating_add(1);
    match rules.check_delay_ms(rung) {
        None => draft.manual(Reason::MaxChecks, None),
        Some(delay) => {
            let stands = draft
                .next
                .next_check_at
                .is_some_and(|at| at > draft.context.now.wall);
            if !stands {
                draft.next.next_check_at = Some(draft.context.after(delay));
            }
        }
    }
}

/// *Not found* while it proves nothing yet.
pub(super) fn climb_not_found(draft: &mut Draft<'_>, lacks: NotCharged) {
    let used_up = draft.context.rules.ladder_used_up(draft.next.check_count);
    match lacks {
        NotCharged::GraceLeft(left) if used_up => ask_in(draft, left),
        NotCharged::SecondQueryIn(left) => {
            let since = draft
                .before
                .not_found_since
                .unwrap_or_else(|| draft.context.now.stamp());
            draft.next.not_found_since = Some(since);
            ask_in(draft, left);
        }
        NotCharged::GraceLeft(_) | NotCharged::CallOpen | NotCharged::Certain => {
            climb(draft, Reason::NotFound);
        }
    }
}

/// Sets the timer to ask once, without a rung, at the end of a grace.
fn ask_in(draft: &mut Draft<'_>, millis: i64) {
    draft.note();
    if draft.next.status == OrderStatus::Unknown {
        draft.next.reason = Some(Reason::NotFound);
    }
    draft.next.next_check_at = Some(draft.context.after(millis));
    draft.next.ask_due = true;
}

/// `gate`: *not found* in `UNKNOWN`. At most one more submit, under the same key, or a person.
pub(super) fn gate(draft: &mut Draft<'_>) {
    let (context, rules) = (draft.context, draft.context.rules);
    let now = context.now.wall;
    let order = draft.before;
    match not_charged(draft) {
        NotCharged::Certain => {}
        lacks
        @ (NotCharged::CallOpen | NotCharged::GraceLeft(_) | NotCharged::SecondQueryIn(_)) => {
            return climb_not_found(draft, lacks);
        }
    }
    if context.is_closing(order) {
        if rules.capabilities.closes {
            keep_checking(draft);
            draft.close_at_channel();
        } else {
            draft.shut_as_wanted();
        }
    } else if now >= order.expires_at {
        // Expired, and callbacks still have their grace after a start-up: no submit, look again.
        climb_not_found(
            draft,
            NotCharged::GraceLeft(context.startup_grace_left(order)),
        );
    } else if !context.same_account(order) {
        draft.manual(Reason::ChannelChanged, None);
    } else if key_is_dead(draft) || !rules.capabilities.resubmits {
        draft.manual(Reason::ResubmitRefused, None);
    } else if submits_used_up(draft) {
        draft.manual(Reason::MaxSubmits, None);
    } else if order.has_proof() {
        draft.manual(Reason::ResubmitRefused, None);
    } else {
        draft.note();
        draft.submit_with_event();
    }
}

/// While the channel closes an order in `UNKNOWN`, its next check stands or is set, also beyond the ladder.
fn keep_checking(draft: &mut Draft<'_>) {
    draft.next.reason = Some(Reason::NotFound);
    let stands = draft
        .next
        .next_check_at
        .is_some_and(|at| at > draft.context.now.wall);
    if !stands {
        let rules = draft.context.rules;
        let rung = draft.next.check_count.saturating_add(1);
        let delay = rules
            .check_delay_ms(rung)
            .unwrap_or(rules.query_timeout_ms.saturating_mul(2));
        draft.next.next_check_at = Some(draft.context.after(delay));
    }
}

/// The channel is asked before submit 1, and again when the answer is lost.
pub(super) fn ask_first(draft: &mut Draft<'_>) {
    let lost_after = draft.context.rules.query_timeout_ms.saturating_mul(2);
    draft.next.ask_first = true;
    draft.next.ask_due = false;
    draft.next.next_check_at = Some(draft.context.after(lost_after));
    draft.ask();
}

/// `first`: submit 1 of an order that has a row already, if nothing speaks against it. `not_found`: the channel has
/// just said that it knows no such charge.
pub(super) fn first(draft: &mut Draft<'_>, not_found: bool) {
    let (context, order) = (draft.context, draft.before);
    if order.ask_first && !not_found {
        return ask_first(draft);
    }
    if order.ask_first {
        match not_charged(draft) {
            NotCharged::Certain => {}
            NotCharged::CallOpen => return draft.note(),
            NotCharged::GraceLeft(left) => return ask_in(draft, left),
            lacks @ NotCharged::SecondQueryIn(_) => return climb_not_found(draft, lacks),
        }
        let expired = context.now.wall >= order.expires_at;
        if expired && !context.is_closing(order) {
            // Nothing expires before callbacks had their grace after a start-up.
            return ask_in(draft, context.startup_grace_left(order));
        }
    }
    if order.close_requested_at.is_some() || context.now.wall >= order.expires_at {
        draft.shut_as_wanted();
    } else if !context.same_account(order) {
        draft.manual(Reason::ChannelChanged, None);
    } else if order.has_proof() {
        draft.manual(Reason::ResubmitRefused, None);
    } else if !context.open_submits.is_empty() {
        // Whatever the row says, a submit of it is out.
        ask_in(draft, context.rules.query_timeout_ms.saturating_mul(2));
    } else {
        draft.note();
        draft.submit_with_event();
    }
}
