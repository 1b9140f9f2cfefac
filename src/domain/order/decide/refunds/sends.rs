//! How a refund comes to be and goes out, for the first time or again under the same number.

use super::super::super::decision::Effect;
use super::super::super::refund::{Refund, RefundSource, RefundStatus};
use super::super::draft::Draft;
use crate::domain::Money;

/// Said to whoever asked, and to the person who gives the money back some other way.
const UNSUPPORTED: &str = "unsupported: the channel makes no refunds, so that the money goes back by hand; a review of \
                           this refund then says that it did";

/// A refund that is wanted and has no row yet.
pub(super) struct Wanted {
    pub(super) refund_no: String,
    pub(super) trade_no: String,
    pub(super) money: Money,
    pub(super) source: RefundSource,
    /// As in events.
    pub(super) by: String,
    pub(super) reason: Option<String>,
}

/// The row of a new refund; nothing has happened to it.
pub(super) fn record(draft: &mut Draft<'_>, wanted: Wanted) {
    let now = draft.context.now.wall;
    draft.next.refunds.push(Refund {
        refund_id: draft.context.new_refund_id.to_owned(),
        refund_no: wanted.refund_no,
        trade_no: wanted.trade_no,
        money: wanted.money,
        status: RefundStatus::Processing,
        source: wanted.source,
        by: wanted.by,
        reason: wanted.reason,
        channel_refund_no: None,
        version: 1,
        send_count: 0,
        first_sent_at: None,
        last_sent: None,
        last_ended: None,
        accepted: false,
        check_count: 0,
        next_check_at: None,
        not_found_since: None,
        proposal: None,
        last_error: None,
        created_at: now,
        updated_at: now,
    });
}

/// A new refund, and its first send.
pub(super) fn open(draft: &mut Draft<'_>, wanted: Wanted) {
    let refund_no = wanted.refund_no.clone();
    record(draft, wanted);
    send(draft, &refund_no);
}

/// Sends it: under the account that took the money, or not at all.
pub(super) fn send(draft: &mut Draft<'_>, refund_no: &str) {
    let (context, rules) = (draft.context, draft.context.rules);
    if !context.same_account(draft.before) {
        return draft.refund_to_manual(refund_no, "the channel's account has changed");
    }
    if !rules.capabilities.refunds {
        return draft.refund_to_manual(refund_no, UNSUPPORTED);
    }
    let sent = context.now.stamp();
    // Every call ends within `read_timeout`; its answer is lost if nothing has come of it somewhat later.
    let lost_after = rules
        .read_timeout_ms
        .saturating_add(rules.query_timeout_ms.saturating_mul(2));
    let answer_lost_at = context.after(lost_after);
    draft.change_refund(refund_no, |refund| {
        refund.status = RefundStatus::Processing;
        refund.send_count = refund.send_count.saturating_add(1);
        refund.first_sent_at = refund.first_sent_at.or(Some(sent.at));
        refund.last_sent = Some(sent);
        refund.last_ended = None;
        refund.accepted = false;
        refund.check_count = 0;
        refund.not_found_since = None;
        refund.next_check_at = Some(answer_lost_at);
    });
    draft.effect(Effect::Refund {
        refund_no: refund_no.to_owned(),
    });
    draft.follow_open_refund(refund_no);
}

/// Asks what became of it: under the account that it was sent from, or not at all.
pub(super) fn ask(draft: &mut Draft<'_>, refund_no: &str) {
    if draft.context.same_account(draft.before) {
        draft.effect(Effect::QueryRefund {
            refund_no: refund_no.to_owned(),
        });
        return;
    }
    let manual = draft
        .next
        .refund(refund_no)
        .is_some_and(|refund| refund.status == RefundStatus::Manual);
    if !manual {
        draft.refund_to_manual(refund_no, "the channel's account has changed");
    }
}
