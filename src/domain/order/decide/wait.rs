//! `PENDING` goes on, or closes.

use super::super::NextAction;
use super::super::status::Reason;
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
            }
        }
    }
}

pub(super) fn fill_action(draft: &mut Draft<'_>, action: Option<NextAction>) {
    draft.note();
    draft.next.reason = None;
    if action.is_some() {
        draft.next.next_action = action;
    }
}
