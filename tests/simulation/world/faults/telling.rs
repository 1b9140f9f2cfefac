//! Decisions that keep people, or the next decision, in the dark.

use super::Fault;
use oncepay::domain::order::{AlertKind, Decision, Order, OrderStatus};

/// What is broken about the real decision.
pub(super) fn spoil(fault: Fault, order: &Order, decision: &mut Decision) {
    match fault {
        Fault::ManualWithoutAnAlert if decision.next.status == OrderStatus::Manual => {
            decision.alerts.clear();
        }
        Fault::AlertIsOverTooEarly if order.status == OrderStatus::Manual => {
            decision.resolves_alerts = true;
        }
        Fault::SlowSuccessIsNotTold => {
            decision
                .alerts
                .retain(|alert| alert.kind != AlertKind::SlowSuccess);
        }
        Fault::StatusWithoutAnEvent => decision.events.clear(),
        Fault::VersionStandsStill => decision.next.version = order.version,
        Fault::NextCheckIsForgotten if decision.next.status == OrderStatus::Unknown => {
            decision.next.next_check_at = None;
        }
        _ => {}
    }
}
