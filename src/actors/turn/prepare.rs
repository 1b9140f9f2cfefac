//! What goes into a decision and into its write.

use super::{Turn, audit, unread};
use crate::actors::gateway::GatewayError;
use crate::actors::messages::NoticeId;
use crate::actors::redact::redact;
use crate::clock::new_id;
use crate::domain::order::decide::Context;
use crate::domain::order::{Decision, Input, Order, OrderStatus, decide, granted_at_once};
use crate::domain::{EventId, UnixMillis};
use crate::moment::rfc3339;
use crate::store::journal::{CallbackRecord, NewDelivery};
use crate::store::{Write, orders};

/// When what a decision queues is granted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Grants {
    /// In the same write, where nobody outside has a part in it.
    AtOnce,
    /// After it, by a worker: what hinders a grant must not hinder the payment.
    Later,
}

impl Turn {
    /// The decision, and whether it grants something that it would only queue by itself.
    pub(super) fn decide(
        &self,
        before: &Order,
        input: &Input,
        successor: Option<OrderStatus>,
        grants: Grants,
    ) -> Result<(Decision, bool), GatewayError> {
        let mut open_submits = self.shared.calls.submits(self.order_no.as_str());
        // The call that this reply ends is registered until the reply is committed.
        let replied = input.replied_submit();
        open_submits.retain(|open| Some(*open) != replied);
        let mut open_refunds = self.shared.calls.refunds(self.order_no.as_str());
        let refunded = input.replied_refund();
        open_refunds.retain(|open| Some(open.as_str()) != refunded);
        let context = Context {
            now: self.shared.now(),
            rules: self.shared.rules(&before.fingerprint.channel),
            open_submits: &open_submits,
            open_refunds: &open_refunds,
            new_refund_id: &new_id("ref"),
            successor,
        };
        let mut decision = decide(before, input, &context)?;
        let postings = decision.postings.len();
        if grants == Grants::AtOnce {
            let outside = &self.shared.parts.granted_outside;
            let here = |kind: &str| !outside.contains(kind);
            let again = |order: &Order, input: &Input| decide(order, input, &context);
            decision = granted_at_once(before, decision, here, again);
        }
        redact(&mut decision);
        let granted = decision.postings.len() > postings;
        Ok((decision, granted))
    }

    /// The newest order that replaces this one, where that matters.
    pub(super) async fn successor(
        &self,
        before: &Order,
        input: &Input,
    ) -> Result<Option<OrderStatus>, GatewayError> {
        if !input.reads_successor(before) {
            return Ok(None);
        }
        let read = &self.shared.parts.database.read;
        orders::open_successor(read, &before.order_no)
            .await
            .map_err(unread)
    }

    pub(super) fn record_of(&self, before: &Order, notice: &NoticeId) -> CallbackRecord {
        // With the order's number, so that a channel that gives two orders' notices one id loses neither.
        let key = format!("{}@{}", notice.key, before.order_no);
        let id = (key.clone(), notice.status.clone());
        CallbackRecord {
            channel: before.fingerprint.channel.clone(),
            key,
            status: notice.status.clone(),
            repeat: self.seen.as_ref().is_some_and(|seen| seen.contains(&id)),
            digest: notice.digest.clone(),
        }
    }

    pub(super) fn write_of(
        &self,
        before: &Order,
        input: &Input,
        decision: &Decision,
        callback: Option<CallbackRecord>,
    ) -> Write {
        let next = &decision.next;
        Write {
            decision_id: EventId(new_id("evt")),
            expected_version: Some(before.version),
            order: next.clone(),
            wake_at: self.wake_at(next),
            events: decision.events.clone(),
            payments: decision.payments.clone(),
            alerts: decision.alerts.clone(),
            resolves_alerts: decision.resolves_alerts,
            resolved_alerts: decision.resolved_alerts.clone(),
            refunds: decision.refunds.clone(),
            postings: decision.postings.clone(),
            fulfilments: decision.fulfilments.clone(),
            deliveries: self.deliveries(decision),
            audit: audit::record(decision, input),
            daily_limit: None,
            subscription_period_ms: self.shared.parts.subscription_period_ms,
            callback,
            idempotency: None,
            unless_replaced: decision.yields_to_successor(before),
            at: self.shared.now().wall,
        }
    }

    /// What the merchant is told, as it is committed.
    fn deliveries(&self, decision: &Decision) -> Vec<NewDelivery> {
        let Some(data) = &self.shared.parts.webhook_data else {
            return Vec::new();
        };
        let order = &decision.next;
        let told = decision.announcements.iter().map(|announcement| {
            let body = serde_json::json!({
                "type": announcement.kind(),
                "timestamp": rfc3339(self.shared.now().wall),
                "data": data(order, announcement),
            });
            NewDelivery {
                webhook_id: announcement.webhook_id(&order.order_no),
                kind: announcement.kind(),
                body: body.to_string(),
            }
        });
        told.collect()
    }

    pub(in crate::actors) fn wake_at(&self, order: &Order) -> Option<UnixMillis> {
        let rules = self.shared.rules(&order.fingerprint.channel);
        order.wake_at(rules.submit_timeout_ms)
    }
}
