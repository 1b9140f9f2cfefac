//! What a write leaves for the workers of the outbox, in rows.

use crate::clock::new_id;
use crate::domain::order::{EventKind, FulfilmentChange};
use crate::store::journal::Write;
use entities::{deliveries, fulfilments, order_events};

const DONE: &str = "DONE";

/// Grants that are to be made, and those that need no worker any more.
#[derive(Debug, Default)]
pub(in crate::store) struct FulfilmentRows {
    pub(in crate::store) queued: Vec<fulfilments::Model>,
    pub(in crate::store) done: Vec<fulfilments::Model>,
}

pub(super) fn fulfilments(write: &Write) -> FulfilmentRows {
    let mut rows = FulfilmentRows::default();
    for change in &write.fulfilments {
        match change {
            FulfilmentChange::Queue { kind } => {
                rows.queued.push(fulfilment(write, kind, "PENDING"))
            }
            FulfilmentChange::Done { kind } => {
                let same = |row: &&mut fulfilments::Model| row.kind == *kind;
                match rows.queued.iter_mut().find(same) {
                    // Queued and granted in one write: its row says that it was.
                    Some(row) => DONE.clone_into(&mut row.status),
                    None => rows.done.push(fulfilment(write, kind, DONE)),
                }
            }
        }
    }
    rows
}

fn fulfilment(write: &Write, kind: &str, status: &str) -> fulfilments::Model {
    fulfilments::Model {
        order_no: write.order.order_no.0.clone(),
        kind: kind.to_owned(),
        order_id: write.order.order_id.0.clone(),
        status: status.to_owned(),
        attempts: 0,
        due_at: write.at.0,
        leased_by: None,
        last_error: None,
        created_at: write.at.0,
        updated_at: write.at.0,
    }
}

/// A webhook without an id of its own bears that of an event of its write: the newest for the last of them. What is told
/// of a grant has an id of its own.
pub(super) fn deliveries(write: &Write, events: &[order_events::Model]) -> Vec<deliveries::Model> {
    let of_a_grant = |event: &&order_events::Model| event.kind == EventKind::Fulfilment.as_str();
    let others = events.iter().rev().filter(|event| !of_a_grant(event));
    let mut ids = others.map(|event| event.event_id.clone());
    let mut rows: Vec<_> = write
        .deliveries
        .iter()
        .rev()
        .map(|new| {
            let webhook_id = new.webhook_id.clone();
            deliveries::Model {
                delivery_id: new_id("dlv"),
                webhook_id: webhook_id
                    .or_else(|| ids.next())
                    .unwrap_or_else(|| new_id("evt")),
                kind: new.kind.to_owned(),
                order_id: write.order.order_id.0.clone(),
                order_no: write.order.order_no.0.clone(),
                body: new.body.clone(),
                status: "PENDING".to_owned(),
                attempts: 0,
                first_attempt_at: None,
                due_at: write.at.0,
                leased_by: None,
                created_at: write.at.0,
                updated_at: write.at.0,
            }
        })
        .collect();
    rows.reverse();
    rows
}
