//! Disputes, and what a bill says: news that pay nothing.

use super::super::decision::{AlertKind, Severity};
use super::super::input::Source;
use super::super::posting::FulfilmentChange;
use super::super::status::{DisputePhase, EntitlementStatus};
use super::Column;
use super::draft::Draft;
use super::grants::{order_source, standing};
use super::money::{ask_of_charge, count_callback};
use super::revocations::held_of;

/// The payer disputes the payment at the channel.
pub(super) fn dispute(
    draft: &mut Draft<'_>,
    source: &Source,
    reference: &str,
    phase: DisputePhase,
) {
    count_callback(draft, source);
    if matches!(source, Source::Callback { repeat: true, .. }) {
        return;
    }
    let said = match phase {
        DisputePhase::Opened | DisputePhase::Won | DisputePhase::Lost => String::new(),
        DisputePhase::Ended => format!(" as \"{}\"", draft.event.detail.summary),
    };
    let message = format!(
        "Dispute {reference} of order {}: {phase}{said}.",
        draft.before.order_no
    );
    let episode = format!("{reference}:{phase}");
    draft.alert(AlertKind::Dispute, Severity::Action, &episode, message);
    match draft.column {
        Column::Unpaid | Column::Pending | Column::Unknown | Column::ManualOpen | Column::Ended => {
            ask_of_charge(draft);
        }
        Column::Processing | Column::ManualHeld => draft.note(),
        Column::Paid => {
            draft.note();
            freeze(draft, reference, phase);
        }
    }
}

/// What was granted is held back, and what waits goes on waiting, until every dispute is won. What is lost stays frozen:
/// where the channel gives the money back by a refund, that takes the grant; where it takes it by the dispute itself, no
/// refund ever tells. An end that is in no list is for a person, and moves nothing.
fn freeze(draft: &mut Draft<'_>, reference: &str, phase: DisputePhase) {
    let source = order_source(draft.before);
    for before in draft.next.entitlements.clone() {
        let mut next = before.clone();
        match phase {
            DisputePhase::Won => next.frozen_by.retain(|kept| kept != reference),
            DisputePhase::Opened | DisputePhase::Lost => {
                if !next.frozen_by.iter().any(|kept| kept == reference) {
                    next.frozen_by.push(reference.to_owned());
                }
            }
            DisputePhase::Ended => {}
        }
        if next.frozen_by == before.frozen_by {
            continue;
        }
        if before.granted {
            next.held = held_of(draft, &next);
            next.status = standing(&next);
            draft.post(&before, 0, next.held, &source);
        } else {
            next.status = waiting(draft, before.status, next.frozen_by.is_empty());
            if next.status == EntitlementStatus::Pending {
                draft.fulfilments.push(FulfilmentChange::Queue {
                    kind: next.kind.clone(),
                });
            }
        }
        draft.replace_entitlement(next);
    }
}

/// Where an entitlement stands that was not granted.
fn waiting(draft: &Draft<'_>, before: EntitlementStatus, free: bool) -> EntitlementStatus {
    match before {
        EntitlementStatus::Pending | EntitlementStatus::Frozen if draft.before.withheld => before,
        EntitlementStatus::Pending | EntitlementStatus::Frozen if free => {
            EntitlementStatus::Pending
        }
        EntitlementStatus::Pending | EntitlementStatus::Frozen => EntitlementStatus::Frozen,
        EntitlementStatus::Granted | EntitlementStatus::Revoked => before,
    }
}

/// A bill is not authenticated: it asks, and never pays.
pub(super) fn bill_line(draft: &mut Draft<'_>) {
    match draft.column {
        Column::Unpaid | Column::Pending | Column::Unknown | Column::ManualOpen | Column::Ended => {
            ask_of_charge(draft);
        }
        Column::Processing | Column::ManualHeld | Column::Paid => draft.note(),
    }
}
