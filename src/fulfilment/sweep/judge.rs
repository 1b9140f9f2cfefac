//! What does not add up about one order: pure.

use crate::domain::UnixMillis;
use crate::domain::order::{Entitlement, EntitlementStatus};
use crate::store::sweep::look::{EntryOnRecord, FulfilmentOnRecord, OnRecord, OrderOnRecord};
use std::collections::BTreeSet;

/// One kind of entitlement of one order that does not add up.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    pub wrong: Wrong,
    pub kind: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Wrong {
    /// Paid for longer than the grace, and not granted.
    PaidNotFulfilled(Outbox),
    /// Granted, and its order is not paid, withheld, or not there at all.
    FulfilledNotPaid,
    /// More was granted than the order entitles to, or to another account too.
    DuplicateEntitlement,
}

/// How far the outbox has come with a grant that is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outbox {
    /// A worker has it, and has had it for longer than the grace.
    Late,
    /// It was given up: it is queued again.
    GivenUp,
    /// It is not in there, or was taken for done: it is queued again.
    Missed,
}

/// What is wrong with these, seen at `now`; a grant may take `grace_ms`.
#[must_use]
pub fn judge(seen: &OnRecord, now: UnixMillis, grace_ms: i64) -> Vec<Finding> {
    let mut findings = Vec::new();
    if let Some(order) = &seen.order {
        findings.extend(not_fulfilled(
            seen,
            order,
            now.plus(grace_ms.saturating_neg()),
        ));
    }
    findings.extend(not_paid(seen));
    findings.extend(granted_too_much(seen));
    findings
}

/// Paid since before `before`, and not granted.
fn not_fulfilled(seen: &OnRecord, order: &OrderOnRecord, before: UnixMillis) -> Vec<Finding> {
    let due = order.status.is_paid()
        && !order.withheld
        && order.paid_at.is_some_and(|paid_at| paid_at < before);
    let pending = order
        .entitlements
        .iter()
        .filter(|it| due && it.status == EntitlementStatus::Pending);
    pending
        .filter_map(|entitlement| {
            let mut rows = seen.fulfilments.iter();
            let row = rows.find(|row| row.kind == entitlement.kind);
            Some(Finding {
                wrong: Wrong::PaidNotFulfilled(outbox(row, before)?),
                kind: entitlement.kind.clone(),
            })
        })
        .collect()
}

fn outbox(row: Option<&FulfilmentOnRecord>, before: UnixMillis) -> Option<Outbox> {
    let Some(row) = row else {
        return Some(Outbox::Missed);
    };
    match row.status.as_str() {
        "DONE" => Some(Outbox::Missed),
        "FAILED" => Some(Outbox::GivenUp),
        _pending => (row.created_at < before).then_some(Outbox::Late),
    }
}

fn not_paid(seen: &OnRecord) -> Vec<Finding> {
    let paid = |order: &OrderOnRecord| order.status.is_paid() && !order.withheld;
    if seen.order.as_ref().is_some_and(paid) {
        return Vec::new();
    }
    let kinds: BTreeSet<&String> = grants(seen).map(|entry| &entry.kind).collect();
    let findings = kinds.into_iter().map(|kind| Finding {
        wrong: Wrong::FulfilledNotPaid,
        kind: kind.clone(),
    });
    findings.collect()
}

fn granted_too_much(seen: &OnRecord) -> Vec<Finding> {
    let Some(order) = &seen.order else {
        return Vec::new();
    };
    let kinds: BTreeSet<&String> = grants(seen).map(|entry| &entry.kind).collect();
    let findings = kinds.into_iter().filter(|kind| {
        let entitlement = order.entitlements.iter().find(|it| it.kind == **kind);
        let written = seen.entries.iter().filter(|entry| entry.kind == **kind);
        // Another account's grant counts too: it is the same money.
        let written: i128 = written.map(|entry| i128::from(entry.quantity)).sum();
        written > entitlement.map_or(0, entitled)
    });
    let findings = findings.map(|kind| Finding {
        wrong: Wrong::DuplicateEntitlement,
        kind: kind.clone(),
    });
    findings.collect()
}

/// What is left of an entitlement after refunds.
fn entitled(entitlement: &Entitlement) -> i128 {
    i128::from(entitlement.quantity).saturating_sub(i128::from(entitlement.revoked))
}

fn grants(seen: &OnRecord) -> impl Iterator<Item = &EntryOnRecord> {
    seen.entries.iter().filter(|entry| entry.is_grant)
}
