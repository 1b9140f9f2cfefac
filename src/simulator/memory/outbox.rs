//! The outbox: grants and webhooks that wait.

use super::Row;
use crate::domain::UnixMillis;
use crate::domain::order::{Announcement, FulfilmentChange};
use crate::domain::outbox::DeliveryStatus;

#[derive(Debug)]
pub(in crate::simulator) struct QueuedGrant {
    pub(in crate::simulator) kind: String,
    pub(in crate::simulator) attempts: i64,
    pub(in crate::simulator) waits: bool,
}

#[derive(Debug)]
pub(in crate::simulator) struct Delivery {
    /// The same over repetitions.
    pub(in crate::simulator) webhook_id: String,
    pub(in crate::simulator) kind: &'static str,
    pub(in crate::simulator) attempts: i64,
    pub(in crate::simulator) first_attempt_at: Option<UnixMillis>,
    pub(in crate::simulator) status: DeliveryStatus,
}

impl Row {
    pub(super) fn change_grant(&mut self, change: FulfilmentChange) {
        let (kind, waits) = match change {
            FulfilmentChange::Queue { kind } => (kind, true),
            FulfilmentChange::Done { kind } => (kind, false),
        };
        match self.grants.iter_mut().find(|grant| grant.kind == kind) {
            Some(grant) => grant.waits = waits,
            None => self.grants.push(QueuedGrant {
                kind,
                attempts: 0,
                waits,
            }),
        }
    }

    /// The place of the new webhook.
    pub(super) fn announce(&mut self, announcement: &Announcement) -> usize {
        let place = self.deliveries.len();
        let of_its_event = || format!("{}:{}:{place}", self.order.order_no, self.order.event_seq);
        let webhook_id = announcement.webhook_id(&self.order.order_no);
        self.deliveries.push(Delivery {
            webhook_id: webhook_id.unwrap_or_else(of_its_event),
            kind: announcement.kind(),
            attempts: 0,
            first_attempt_at: None,
            status: DeliveryStatus::Pending,
        });
        place
    }
}
