//! The birth of an order in its actor: one write, or the order that is there already.

use super::gateway::{GatewayError, NewOrder};
use super::turn::{Turn, unread};
use crate::clock::new_id;
use crate::domain::order::decide::{Context, create};
use crate::domain::order::{Decision, Fingerprint, Order};
use crate::domain::{EventId, OrderId, UnixMillis};
use crate::store::journal::IdempotencyRecord;
use crate::store::{Committed, Conflict, JournalError, Urgency, Write, orders};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, HashSet};

/// The route of an `Idempotency-Key`'s scope.
const ROUTE: &str = "POST /v1/orders";

impl Turn {
    pub(super) async fn create(&mut self, new: NewOrder) -> Result<Order, GatewayError> {
        let record = new
            .idempotency
            .as_ref()
            .map(|(owner, key)| IdempotencyRecord {
                owner: owner.clone(),
                route: ROUTE.to_owned(),
                key: key.clone(),
                payload_digest: payload_digest(&new),
                order_no: new.order_no.clone(),
            });
        if let Some(record) = &record {
            self.refuse_reuse(record).await?;
        }
        if self.order.is_some() {
            return self.same_order(&new, record).await;
        }
        let fingerprint = match self.shared.channel(&new.channel) {
            Some(channel) => channel.account(),
            None => return Err(GatewayError::NoSuchChannel),
        };
        let ask_first = self.shared.must_ask_first(new.order_no.as_str());
        let notify_url = self.shared.notify_url(&new.channel);
        let template = template(
            &new,
            fingerprint,
            notify_url,
            ask_first,
            self.shared.now().wall,
        );
        let decision = {
            let context = Context {
                now: self.shared.now(),
                rules: self.shared.rules(&new.channel),
                open_submits: &[],
                successor: None,
            };
            create(&template, &new.by, &context)
        };
        let write = self.birth(&decision, record.clone());
        match self
            .shared
            .parts
            .journal
            .commit(write, Urgency::Refusable)
            .await
        {
            Ok(Committed::Done) => {
                self.shared.parts.metrics.order_created();
                self.seen = Some(HashSet::new());
                Ok(self.committed(decision))
            }
            Ok(Committed::ReplacedOrderOpen) => Err(GatewayError::ReplacedOrderOpen),
            Ok(Committed::Conflict(Conflict::IdempotencyKey)) => {
                Err(GatewayError::IdempotencyKeyReuse)
            }
            Ok(
                Committed::OrderExists
                | Committed::Stale
                | Committed::Conflict(Conflict::TradeNo | Conflict::Callback),
            ) => {
                self.load().await?;
                self.same_order(&new, record).await
            }
            Err(error) => Err(not_created(&error)),
        }
    }

    /// The one write of a birth: the order, its history and its `Idempotency-Key`.
    fn birth(&self, decision: &Decision, idempotency: Option<IdempotencyRecord>) -> Write {
        Write {
            decision_id: EventId(new_id("evt")),
            expected_version: None,
            order: decision.next.clone(),
            wake_at: self.wake_at(&decision.next),
            events: decision.events.clone(),
            payments: Vec::new(),
            alerts: Vec::new(),
            resolves_alerts: false,
            callback: None,
            idempotency,
            unless_replaced: false,
            at: decision.next.created_at,
        }
    }

    /// The order exists: the same payload is the same order, another one is refused.
    async fn same_order(
        &mut self,
        new: &NewOrder,
        record: Option<IdempotencyRecord>,
    ) -> Result<Order, GatewayError> {
        let order = self.order.clone().ok_or(GatewayError::NoSuchOrder)?;
        if !same_payload(&order, new) {
            return Err(GatewayError::OrderConflict);
        }
        if let Some(record) = record {
            self.remember_key(&record).await?;
        }
        Ok(order)
    }

    async fn refuse_reuse(&self, record: &IdempotencyRecord) -> Result<(), GatewayError> {
        let read = &self.shared.parts.database.read;
        let known = orders::idempotency(read, &record.owner, &record.route, &record.key).await;
        match known.map_err(unread)? {
            Some((digest, _)) if digest != record.payload_digest => {
                Err(GatewayError::IdempotencyKeyReuse)
            }
            Some(_) | None => Ok(()),
        }
    }

    /// A key that comes with an order that exists stands for that order from now on.
    async fn remember_key(&self, record: &IdempotencyRecord) -> Result<(), GatewayError> {
        let backend = self.shared.parts.database.backend();
        let at = self.shared.now().wall;
        let statement = orders::remember_idempotency(backend, record, at);
        self.shared
            .parts
            .journal
            .run(vec![statement])
            .await
            .map_err(|error| not_created(&error))?;
        self.refuse_reuse(record).await
    }
}

/// Whether it is certain that nothing was written: a journal that has ended may have ended after the commit.
fn not_created(error: &JournalError) -> GatewayError {
    match error {
        JournalError::Full | JournalError::Unavailable(_) | JournalError::Refused(_) => {
            GatewayError::Busy(error.to_string())
        }
        JournalError::EpochLost | JournalError::Stopped => GatewayError::Unclear(error.to_string()),
    }
}

fn template(
    new: &NewOrder,
    fingerprint: Fingerprint,
    notify_url: String,
    ask_first: bool,
    at: UnixMillis,
) -> Order {
    let order_id = OrderId(new_id("ord"));
    Order {
        method: new.method.clone(),
        subject: new.subject.clone(),
        account: new.account.clone(),
        entitlements: new.entitlements.clone(),
        metadata: new.metadata.clone(),
        return_url: new.return_url.clone(),
        notify_url,
        payer: new.payer.clone(),
        replaces: new.replaces.clone(),
        expires_at: at.plus(new.expires_in_s.saturating_mul(1000)),
        ask_first,
        ..Order::unborn(order_id, new.order_no.clone(), fingerprint, new.money, at)
    }
}

/// Channel, method, amount, currency, account, entitlements and what it replaces make the payload.
pub(super) fn same_payload(order: &Order, new: &NewOrder) -> bool {
    let wanted: BTreeMap<_, _> = new
        .entitlements
        .iter()
        .map(|entitled| (&entitled.kind, entitled.quantity))
        .collect();
    let has: BTreeMap<_, _> = order
        .entitlements
        .iter()
        .map(|entitled| (&entitled.kind, entitled.quantity))
        .collect();
    order.fingerprint.channel == new.channel
        && order.method == new.method
        && order.money == new.money
        && order.account == new.account
        && wanted == has
        && order.replaces == new.replaces
}

/// `sha256:<hex>` of the payload and its order number: what an `Idempotency-Key` stands for.
fn payload_digest(new: &NewOrder) -> String {
    let mut entitlements: Vec<_> = new
        .entitlements
        .iter()
        .map(|entitled| (entitled.kind.as_str(), entitled.quantity))
        .collect();
    entitlements.sort_unstable();
    let payload = (
        (new.order_no.as_str(), &new.channel, &new.method, new.money),
        (
            &new.account,
            entitlements,
            new.replaces.as_ref().map(|no| no.as_str()),
        ),
    );
    let text = serde_json::to_vec(&payload).unwrap_or_default();
    format!("sha256:{}", hex::encode(Sha256::digest(text)))
}
