//! Whether a refund that the channel does not know is sent again.

use super::super::super::status::EventKind;
use super::super::draft::Draft;
use super::super::gate::{NotCharged, not_done};
use super::sends::send;

/// The channel was asked and has no refund under this number.
pub(super) fn not_found(draft: &mut Draft<'_>, refund_no: &str) {
    let rules = draft.context.rules;
    let Some(refund) = draft.before.refund(refund_no) else {
        return;
    };
    match never_arrived(draft, refund_no) {
        NotCharged::Certain => again(draft, refund_no),
        NotCharged::CallOpen => {}
        NotCharged::GraceLeft(left) => {
            if rules.ladder_used_up(refund.check_count) {
                look_again_in(draft, refund_no, left);
            }
        }
        NotCharged::SecondQueryIn(left) => {
            let since = refund
                .not_found_since
                .unwrap_or_else(|| draft.context.now.stamp());
            draft.change_refund(refund_no, |refund| refund.not_found_since = Some(since));
            look_again_in(draft, refund_no, left);
        }
    }
}

/// NC of the refund's sends.
fn never_arrived(draft: &Draft<'_>, refund_no: &str) -> NotCharged {
    let open = draft.context.open_refunds.iter().any(|no| no == refund_no);
    let Some(refund) = draft.before.refund(refund_no).filter(|_| !open) else {
        return NotCharged::CallOpen;
    };
    let calls = std::iter::once((refund.last_sent, refund.last_ended));
    not_done(draft, calls, refund.not_found_since.as_ref())
}

/// At the end of a grace it is asked once more; the rung that this takes is given back.
fn look_again_in(draft: &mut Draft<'_>, refund_no: &str, millis: i64) {
    let next = draft.context.after(millis);
    draft.change_refund(refund_no, |refund| {
        refund.check_count = refund.check_count.saturating_sub(1);
        refund.next_check_at = Some(next);
    });
}

/// It never arrived: the same number goes out again, while the channel remembers it and sends are left.
fn again(draft: &mut Draft<'_>, refund_no: &str) {
    let (now, rules) = (draft.context.now.wall, draft.context.rules);
    let Some(refund) = draft.before.refund(refund_no) else {
        return;
    };
    let key_is_dead = rules.capabilities.key_life_ms.is_some_and(|life| {
        refund
            .first_sent_at
            .is_some_and(|first| now.since(first) >= life)
    });
    if key_is_dead {
        draft.refund_to_manual(
            refund_no,
            "the channel does not know it, and its number is too old to be sent again",
        );
    } else if refund.send_count >= rules.max_submits {
        draft.refund_to_manual(
            refund_no,
            "the channel does not know it, and no send is left",
        );
    } else {
        let summary = format!("refund {refund_no} goes out again");
        let line = draft.refund_line(EventKind::Refund, refund, summary);
        draft.next_line(line);
        send(draft, refund_no);
    }
}
