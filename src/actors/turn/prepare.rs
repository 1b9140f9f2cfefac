//! What goes into a decision and into its write.

use super::{Turn, unread};
use crate::actors::gateway::GatewayError;
use crate::actors::messages::NoticeId;
use crate::actors::redact::redact;
use crate::clock::new_id;
use crate::domain::order::decide::Context;
use crate::domain::order::input::Source;
use crate::domain::order::{Decision, Input, Order, OrderStatus, decide};
use crate::domain::{EventId, UnixMillis};
use crate::store::journal::CallbackRecord;
use crate::store::{Write, orders};

impl Turn {
    pub(super) fn decide(
        &self,
        before: &Order,
        input: &Input,
        successor: Option<OrderStatus>,
    ) -> Result<Decision, GatewayError> {
        let mut open_submits = self.shared.calls.submits(self.order_no.as_str());
        // The call that this reply ends is registered until the reply is committed.
        let replied = replied_submit(input);
        open_submits.retain(|open| Some(*open) != replied);
        let context = Context {
            now: self.shared.now(),
            rules: self.shared.rules(&before.fingerprint.channel),
            open_submits: &open_submits,
            successor,
        };
        let mut decision = decide(before, input, &context)?;
        redact(&mut decision);
        Ok(decision)
    }

    /// An order that replaces this one matters when money comes after the end, and when a review says paid.
    pub(super) async fn successor(
        &self,
        before: &Order,
        input: &Input,
    ) -> Result<Option<OrderStatus>, GatewayError> {
        let matters = before.status.is_ended() || matches!(input, Input::Review(_));
        if !matters {
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
        decision: &Decision,
        callback: Option<CallbackRecord>,
    ) -> Write {
        let next = &decision.next;
        let becomes_paid = next.status == OrderStatus::Paid;
        let from_end = before.status.is_ended() || before.status == OrderStatus::Manual;
        Write {
            decision_id: EventId(new_id("evt")),
            expected_version: Some(before.version),
            order: next.clone(),
            wake_at: self.wake_at(next),
            events: decision.events.clone(),
            payments: decision.payments.clone(),
            alerts: decision.alerts.clone(),
            resolves_alerts: decision.resolves_alerts,
            callback,
            idempotency: None,
            unless_replaced: becomes_paid && from_end,
            at: self.shared.now().wall,
        }
    }

    pub(in crate::actors) fn wake_at(&self, order: &Order) -> Option<UnixMillis> {
        let rules = self.shared.rules(&order.fingerprint.channel);
        order.wake_at(rules.submit_timeout_ms)
    }
}

/// The submit that this input is the reply of.
pub(super) const fn replied_submit(input: &Input) -> Option<u32> {
    let Input::Answer {
        source: Source::Reply { submit },
        ..
    } = input
    else {
        return None;
    };
    Some(*submit)
}

pub(super) fn mark_repeat(input: &mut Input, notice: Option<&CallbackRecord>) {
    if let (
        Input::Answer {
            source: Source::Callback { repeat, .. },
            ..
        }
        | Input::ExternalRefund {
            source: Source::Callback { repeat, .. },
            ..
        },
        Some(record),
    ) = (input, notice)
    {
        *repeat = record.repeat;
    }
}

/// The database refused to keep this proof, since another order owns its trade: that is what happened, then.
pub(super) fn trade_taken(input: Input, order: &Order) -> Option<Input> {
    use crate::domain::order::statement::Finding;
    let Input::Answer { source, answer } = input else {
        return None;
    };
    match answer.against(order) {
        Finding::Paid(proof)
        | Finding::PaidAndRefunded(proof)
        | Finding::PaidMismatch { proof, .. } => Some(Input::TradeTaken { source, proof }),
        Finding::PendingMismatch { .. } | Finding::Unexplained | Finding::Word(_) => None,
    }
}
