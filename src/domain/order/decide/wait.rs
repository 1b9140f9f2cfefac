//! `PENDING` goes on, or closes.

use super::super::NextAction;
use super::super::status::{OrderStatus, Reason};
use super::draft::Draft;

/// Whom a `PENDING` order waits for, as the channel says.
pub(super) enum Waiting {
    Payer(Option<NextAction>),
    /// `attempt`: this answers a query, and the query was an attempt to close it.
    Channel {
        attempt: bool,
    },
    NotFound,
    /// The channel was told to close it and knows no such charge: only its own expiry can tell.
    Closing,
}

/// `wait`: `PENDING` goes on; a closing order is closed once the channel's own expiry has passed by a margin, or
/// else by asking the channel to.
pub(super) fn wait(draft: &mut Draft<'_>, waiting: Waiting) {
    let (context, rules) = (draft.context, draft.context.rules);
    draft.note();
    if let Waiting::Payer(action) = &waiting {
        fill_action(draft, action.clone());
    }
    if matches!(waiting, Waiting::Channel { .. }) {
        draft.next.next_action = None;
        draft.next.reason = Some(Reason::ChannelProcessing);
    }
    if !context.is_closing(draft.before) {
        return;
    }
    let now = context.now.wall;
    match waiting {
        Waiting::Channel { attempt } => {
            let settles_by = draft
                .before
                .first_submit_at()
                .map(|first| first.plus(rules.capabilities.settles_within_ms));
            if attempt && settles_by.is_some_and(|by| now < by) {
                draft.next.expiry_count = draft.next.expiry_count.saturating_sub(1);
                // It may take days, and a notice tells sooner.
                draft.next.next_check_at = Some(context.after(rules.expiry_delay_ms(u32::MAX)));
            }
        }
        Waiting::Payer(_) | Waiting::NotFound | Waiting::Closing => {
            let over = draft.before.expires_at.plus(rules.expiry_margin_ms);
            if rules.capabilities.own_expiry && now >= over {
                draft.shut_as_wanted();
            } else if rules.capabilities.closes && !matches!(waiting, Waiting::Closing) {
                draft.close_at_channel();
            } else if payable_for(draft).is_some() && !matches!(waiting, Waiting::Payer(_)) {
                // Nothing can be certain before: that uses no attempt up.
                draft.next.expiry_count = draft.next.expiry_count.saturating_sub(1);
                let hourly = context.after(rules.expiry_delay_ms(u32::MAX));
                draft.next.next_check_at = Some(hourly.min(over));
            }
        }
    }
}

/// How long the payer may still pay what was shown, if only the channel's own expiry can end that: a code that nobody
/// has scanned yet is *not found*, and can be scanned.
pub(super) fn payable_for(draft: &Draft<'_>) -> Option<i64> {
    let (context, rules) = (draft.context, draft.context.rules);
    let over = draft.before.expires_at.plus(rules.expiry_margin_ms);
    let left = over.since(context.now.wall);
    let order = draft.before;
    // MANUAL keeps no action, nor does what a review brought out of it.
    let shown = order.next_action.is_some()
        || order.status == OrderStatus::Manual
        || order.extra_submits > 0;
    (rules.capabilities.own_expiry && shown && left > 0).then_some(left)
}

pub(super) fn fill_action(draft: &mut Draft<'_>, action: Option<NextAction>) {
    draft.note();
    draft.next.reason = None;
    if action.is_some() {
        draft.next.next_action = action;
    }
}
