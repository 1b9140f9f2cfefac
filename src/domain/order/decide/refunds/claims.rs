//! What time and start-up do to refunds. They have timers of their own, whatever the order's status is.

use super::super::super::refund::{Refund, RefundStatus};
use super::super::super::status::EventKind;
use super::super::draft::Draft;
use super::sends::ask;

/// Card refunds take ten days; after that a person asks.
const PENDING_MAX_MS: i64 = 10 * 24 * 3_600_000;

/// The order's timer has come, perhaps for some of its refunds.
pub(in super::super) fn due(draft: &mut Draft<'_>) {
    for refund in &draft.before.refunds {
        if is_due(draft, refund) {
            claim(draft, refund);
        }
    }
}

/// Start-up found the row, or its actor was rebuilt: what was sent and not answered is asked about.
pub(in super::super) fn recovered(draft: &mut Draft<'_>) {
    for refund in &draft.before.refunds {
        let number = &refund.refund_no;
        let open = draft.context.open_refunds.contains(number);
        match refund.status {
            RefundStatus::Processing if !refund.accepted && !open => {
                line(draft, refund, "found after a restart; its answer is lost");
                draft.refund_unknown(number);
                ask(draft, number);
            }
            RefundStatus::Unknown if !open => {
                line(draft, refund, "found after a restart");
                let soon = draft
                    .context
                    .after(draft.context.rules.query_timeout_ms.saturating_mul(2));
                if is_due(draft, refund) {
                    draft.change_refund(number, |refund| refund.next_check_at = Some(soon));
                }
                ask(draft, number);
            }
            RefundStatus::Processing
            | RefundStatus::Unknown
            | RefundStatus::Succeeded
            | RefundStatus::Failed
            | RefundStatus::Manual => {
                if is_due(draft, refund) {
                    claim(draft, refund);
                }
            }
        }
    }
}

fn is_due(draft: &Draft<'_>, refund: &Refund) -> bool {
    let now = draft.context.now.wall;
    refund.next_check_at.is_some_and(|at| at <= now)
}

/// Count and next time are committed before the query goes out, so that it goes out once.
fn claim(draft: &mut Draft<'_>, refund: &Refund) {
    let number = &refund.refund_no;
    match refund.status {
        RefundStatus::Processing if refund.accepted => claim_pending(draft, refund),
        RefundStatus::Processing => {
            line(draft, refund, "no answer in time");
            draft.refund_unknown(number);
        }
        RefundStatus::Unknown => claim_unknown(draft, refund),
        RefundStatus::Succeeded | RefundStatus::Failed | RefundStatus::Manual => {
            draft.change_refund(number, |refund| refund.next_check_at = None);
        }
    }
}

fn claim_pending(draft: &mut Draft<'_>, refund: &Refund) {
    let context = draft.context;
    let number = &refund.refund_no;
    line(draft, refund, "a check of the refund is due");
    let sent_at = refund.last_sent.map_or(refund.created_at, |sent| sent.at);
    if context.now.wall.since(sent_at) >= PENDING_MAX_MS {
        return draft.refund_to_manual(number, "the channel has not made it in ten days");
    }
    let count = refund.check_count.saturating_add(1);
    let delay = context.rules.pending_delay_ms(count.saturating_add(1));
    count_check(draft, number, count, delay);
}

fn claim_unknown(draft: &mut Draft<'_>, refund: &Refund) {
    let rules = draft.context.rules;
    let number = &refund.refund_no;
    line(draft, refund, "a check of the refund is due");
    if rules.ladder_used_up(refund.check_count) {
        return draft.refund_to_manual(number, "the channel does not say what became of it");
    }
    let count = refund.check_count.saturating_add(1);
    let delay = rules
        .check_delay_ms(count.saturating_add(1))
        .unwrap_or(rules.query_timeout_ms.saturating_mul(2));
    count_check(draft, number, count, delay);
}

fn count_check(draft: &mut Draft<'_>, refund_no: &str, count: u32, delay_ms: i64) {
    let next = draft.context.after(delay_ms);
    draft.change_refund(refund_no, |refund| {
        refund.check_count = count;
        refund.next_check_at = Some(next);
    });
    ask(draft, refund_no);
}

/// Each refund that is looked after has a line of its own: one timer may serve several.
fn line(draft: &mut Draft<'_>, refund: &Refund, summary: &str) {
    let line = draft.refund_line(EventKind::Query, refund, summary.to_owned());
    draft.next_line(line);
}
