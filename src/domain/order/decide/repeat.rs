//! Repeating a submit for what it returns, and what bounds every repeat.

use super::super::NextAction;
use super::super::status::Reason;
use super::draft::Draft;
use super::gate::climb;

/// *Pending* in answer to a query in `UNKNOWN`. When nobody was shown what to pay, since the reply that brought it was
/// lost, and a repeat returns the same object, it is submitted again under the same key: the charge is there, and stays
/// one.
pub(super) fn pend_or_repeat(draft: &mut Draft<'_>, action: Option<NextAction>) {
    let known = action.is_some() || draft.before.next_action.is_some();
    if known || !may_repeat(draft) {
        draft.pend(action);
    } else if draft.context.open_submits.is_empty() {
        draft.note();
        draft.submit_with_event();
    } else if !draft.context.rules.ladder_used_up(draft.before.check_count) {
        // The call that is open may still bring it.
        let reason = draft.before.reason.unwrap_or(Reason::SubmitTimeout);
        climb(draft, reason);
    } else {
        draft.pend(None);
    }
}

/// Whether a submit may be repeated for what it returns, to a channel that has the charge already.
fn may_repeat(draft: &Draft<'_>) -> bool {
    let (context, order) = (draft.context, draft.before);
    let capabilities = &context.rules.capabilities;
    let able = capabilities.repeats_action
        && capabilities.one_charge_per_key
        && capabilities.resubmits
        && !key_is_dead(draft);
    able && context.now.wall < order.expires_at
        && !context.is_closing(order)
        && context.same_account(order)
        && !order.has_proof()
        && !submits_used_up(draft)
}

/// Whether the channel may have forgotten the key since the first submit.
pub(super) fn key_is_dead(draft: &Draft<'_>) -> bool {
    let life = draft.context.rules.capabilities.key_life_ms;
    life.zip(draft.before.first_submit_at())
        .is_some_and(|(life, first)| draft.context.now.wall.since(first) >= life)
}

/// Whether no submit is left, with those that reviews have added.
pub(super) fn submits_used_up(draft: &Draft<'_>) -> bool {
    let extra = draft.before.extra_submits;
    draft.before.submit_count() >= draft.context.rules.max_submits.saturating_add(extra)
}
