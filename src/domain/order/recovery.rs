//! What a start-up finds: calls that were lost with the process, and when rows are looked at.

use super::{Order, OrderStatus, Refund};
use crate::domain::UnixMillis;

impl Order {
    /// A call of it was out when its actor, or the process, ended: a submit, or the send of a refund, that nobody
    /// watches any more.
    #[must_use]
    pub fn is_interrupted(&self, submit_open: bool, open_refunds: &[String]) -> bool {
        let submitting = matches!(self.status, OrderStatus::Unpaid | OrderStatus::Processing);
        let lost = |refund: &Refund| {
            refund.waits_for_its_send() && !open_refunds.contains(&refund.refund_no)
        };
        (submitting && !submit_open) || self.refunds.iter().any(lost)
    }
}

/// When a row that wakes at `wake_at` is looked at by a run that starts at `now`; `None`: at once, with all others
/// that are due.
#[must_use]
pub fn due_at_start(
    status: OrderStatus,
    wake_at: UnixMillis,
    now: UnixMillis,
) -> Option<UnixMillis> {
    // A call that was out when the process ended is interrupted, whenever its time-out would have come: the submit
    // of an order, or the send of a refund. An order that waits in these two has no call that could be lost.
    let waits = matches!(status, OrderStatus::Pending | OrderStatus::Unknown);
    (waits && wake_at > now).then_some(wake_at)
}
