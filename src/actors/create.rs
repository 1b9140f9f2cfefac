//! The birth of an order in its actor: one write, or the order that is there already.

use super::gateway::{GatewayError, NewOrder};
use super::idempotency::{payload_digest, unwritten};
use super::turn::Turn;
use crate::clock::new_id;
use crate::domain::order::decide::{Context, create};
use crate::domain::order::{Decision, Fingerprint, Order};
use crate::domain::{EventId, OrderId, UnixMillis};
use crate::store::journal::{DailyLimit, IdempotencyRecord};
use crate::store::{Committed, Conflict, JournalError, Urgency, Write, inbox};
use std::collections::{BTreeMap, HashSet};

/// The route of an `Idempotency-Key`'s scope.
const ROUTE: &str = "POST /v1/orders";
const DAY_MS: i64 = 86_400_000;

impl Turn {
    pub(super) async fn create(&mut self, new: NewOrder) -> Result<Order, GatewayError> {
        let record = idempotency_of(&new);
        if let Some(record) = &record {
            self.shared.refuse_reuse(record).await?;
        }
        if self.order.is_some() {
            return self.same_order(&new, record).await;
        }
        let fingerprint = match self.shared.channel(&new.channel) {
            Some(channel) => channel.account(),
            None => return Err(GatewayError::NoSuchChannel),
        };
        let (channel, order_no) = (new.channel.clone(), new.order_no.clone());
        self.shared
            .admit_call(&channel, order_no.as_str())
            .map_err(|retry_after| GatewayError::ChannelDown { retry_after })?;
        let (born, order) = self.be_born(new, fingerprint, record).await;
        if !born {
            self.shared.withdraw_call(&channel, order_no.as_str());
        }
        order
    }

    /// Whether the order was created now; and what its caller is told.
    async fn be_born(
        &mut self,
        new: NewOrder,
        fingerprint: Fingerprint,
        record: Option<IdempotencyRecord>,
    ) -> (bool, Result<Order, GatewayError>) {
        let ask_first = self.shared.must_ask_first(new.order_no.as_str());
        let channel_ref = match self.name_told_before(&new).await {
            Ok(name) => name,
            Err(error) => return (false, Err(error)),
        };
        let notify_url = self.shared.notify_url(&new.channel);
        let at = self.shared.now().wall;
        let template = Order {
            channel_ref,
            ..template(&new, fingerprint, notify_url, ask_first, at)
        };
        let decision = {
            let context = Context {
                now: self.shared.now(),
                rules: self.shared.rules(&new.channel),
                open_submits: &[],
                open_refunds: &[],
                new_refund_id: "",
                successor: None,
            };
            create(&template, &new.by, &context)
        };
        let write = self.birth(&decision, record.clone());
        let commit = self.shared.parts.journal.commit(write, Urgency::Refusable);
        let committed = commit.await;
        if committed == Ok(Committed::Done) {
            self.shared.parts.metrics.order_created();
            self.seen = Some(HashSet::new());
            return (true, Ok(self.committed(decision)));
        }
        (false, self.not_born(&new, record, committed).await)
    }

    /// How the channel calls the charge of this number, if it has told of it before there was an order here: then it is
    /// asked by that name, however long ago that was.
    async fn name_told_before(&self, new: &NewOrder) -> Result<Option<String>, GatewayError> {
        if !self.shared.is_orphan(new.order_no.as_str()) {
            return Ok(None);
        }
        let read = &self.shared.parts.database.read;
        let name = inbox::orphan_reference(read, &new.channel, new.order_no.as_str()).await;
        // Nothing is written yet.
        name.map_err(|error| GatewayError::Busy(error.to_string()))
    }

    /// What stands against the order: a rule, or one of its number that is there already.
    async fn not_born(
        &mut self,
        new: &NewOrder,
        record: Option<IdempotencyRecord>,
        committed: Result<Committed, JournalError>,
    ) -> Result<Order, GatewayError> {
        match committed {
            Ok(Committed::DailyLimit) => Err(GatewayError::DailyLimit),
            Ok(Committed::ReplacedOrderOpen) => Err(GatewayError::ReplacedOrderOpen),
            Ok(Committed::Conflict(Conflict::IdempotencyKey)) => {
                Err(GatewayError::IdempotencyKeyReuse)
            }
            Ok(
                Committed::Done
                | Committed::OrderExists
                | Committed::Stale
                | Committed::Conflict(
                    Conflict::TradeNo
                    | Conflict::Callback
                    | Conflict::LedgerSource
                    | Conflict::RefundCap,
                ),
            ) => {
                self.load().await?;
                self.same_order(new, record).await
            }
            Err(error) => Err(unwritten(&error)),
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
            resolved_alerts: Vec::new(),
            refunds: Vec::new(),
            postings: Vec::new(),
            fulfilments: Vec::new(),
            deliveries: Vec::new(),
            audit: None,
            daily_limit: self.daily_limit(&decision.next),
            subscription_period_ms: self.shared.parts.subscription_period_ms,
            callback: None,
            idempotency,
            unless_replaced: false,
            at: decision.next.created_at,
        }
    }

    /// What else the account may order on the UTC day of this order.
    fn daily_limit(&self, order: &Order) -> Option<DailyLimit> {
        order.account.as_ref()?;
        let amount = self.shared.parts.account_daily.get(&order.money.currency)?;
        let at = order.created_at.0;
        Some(DailyLimit {
            amount: *amount,
            since: UnixMillis(at.saturating_sub(at.rem_euclid(DAY_MS))),
        })
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
            self.shared.remember_key(&record).await?;
        }
        Ok(order)
    }
}

/// What the `Idempotency-Key` of this request is to stand for.
fn idempotency_of(new: &NewOrder) -> Option<IdempotencyRecord> {
    let (owner, key) = new.idempotency.as_ref()?;
    Some(IdempotencyRecord {
        owner: owner.clone(),
        route: ROUTE.to_owned(),
        key: key.clone(),
        payload_digest: digest_of(new),
        order_no: new.order_no.clone(),
    })
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
fn digest_of(new: &NewOrder) -> String {
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
    payload_digest(&serde_json::to_vec(&payload).unwrap_or_default())
}
