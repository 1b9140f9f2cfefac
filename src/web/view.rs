//! An order as the API shows it.

use super::language::Language;
use super::messages::message;
use super::stamp::rfc3339;
use super::state::Shared;
use crate::domain::order::{Order, OrderStatus, Proposal};
use serde::Serialize;
use std::collections::BTreeMap;
use utoipa::ToSchema;

/// A proposal is void after a day.
const PROPOSAL_LIFE_MS: i64 = 24 * 3_600_000;

/// An order.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = Order)]
pub struct OrderView {
    #[schema(pattern = "^ord_[0-9a-f]{32}$")]
    pub order_id: String,
    #[schema(pattern = "^[A-Za-z0-9_-]{1,64}$")]
    pub order_no: String,
    /// The key under which the channel is asked to charge, in every submit and query.
    pub idempotency_key: String,
    /// Real money, not a channel's test mode.
    pub live: bool,
    pub channel: String,
    pub method: String,
    /// Minor units.
    #[schema(minimum = 1)]
    pub amount: i64,
    /// Minor units.
    #[schema(minimum = 0)]
    pub amount_refunded: i64,
    #[schema(pattern = "^[A-Z]{3}$")]
    pub currency: String,
    pub subject: String,
    #[schema(value_type = super::words::OrderStatusWord)]
    pub status: &'static str,
    #[schema(value_type = Option<super::words::ReasonWord>, required = true)]
    pub reason: Option<&'static str>,
    /// For people, in the language of the request.
    pub message: String,
    #[schema(required = true)]
    pub channel_trade_no: Option<String>,
    /// What the payer must do; only while the order is `PENDING`.
    #[schema(required = true)]
    pub next_action: Option<NextActionView>,
    #[schema(minimum = 0)]
    pub submit_count: u32,
    #[schema(minimum = 0)]
    pub check_count: u32,
    #[schema(minimum = 0)]
    pub callback_count: u32,
    #[schema(required = true, format = DateTime)]
    pub next_check_at: Option<String>,
    #[schema(required = true)]
    pub last_error: Option<String>,
    #[schema(format = DateTime)]
    pub expires_at: String,
    #[schema(required = true)]
    pub account: Option<String>,
    pub entitlements: Vec<EntitlementView>,
    pub metadata: BTreeMap<String, String>,
    pub pay_url: String,
    /// Moves with every change that decisions read.
    #[schema(minimum = 1)]
    pub version: i64,
    #[schema(format = DateTime)]
    pub created_at: String,
    #[schema(format = DateTime)]
    pub updated_at: String,
    #[schema(required = true, format = DateTime)]
    pub paid_at: Option<String>,
    /// A decision that waits for a second person; in the answer that proposes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, nullable = false)]
    pub review: Option<ReviewView>,
}

/// What the payer must do.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = NextAction)]
pub struct NextActionView {
    #[schema(value_type = super::words::NextActionWord)]
    pub kind: String,
    pub value: String,
}

/// What the payer gets.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = Entitlement)]
pub struct EntitlementView {
    pub kind: String,
    #[schema(minimum = 1)]
    pub quantity: i64,
    #[schema(value_type = super::words::EntitlementStatusWord)]
    pub status: &'static str,
}

/// A decision that waits for a second person.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = ProposedReview)]
pub struct ReviewView {
    #[schema(value_type = super::words::ProposalWord)]
    pub status: &'static str,
    /// The operator's key name.
    pub by: String,
    #[schema(value_type = super::words::DecisionWord)]
    pub decision: &'static str,
    #[schema(format = DateTime)]
    pub expires_at: String,
}

impl OrderView {
    /// The order in the language of a request. `deadline_passed`: the wait for its result ran out.
    pub(crate) fn of(
        order: &Order,
        shared: &Shared,
        language: Language,
        deadline_passed: bool,
    ) -> Self {
        let pending = order.status == OrderStatus::Pending;
        let next_action = order.next_action.as_ref().filter(|_| pending);
        Self {
            order_id: order.order_id.0.clone(),
            order_no: order.order_no.0.clone(),
            idempotency_key: order.idempotency_key.clone(),
            live: order.fingerprint.live,
            channel: order.fingerprint.channel.clone(),
            method: order.method.clone(),
            amount: order.money.amount,
            amount_refunded: order.amount_refunded,
            currency: order.money.currency.as_str().to_owned(),
            subject: order.subject.clone(),
            status: order.status.as_str(),
            reason: order.reason.map(|reason| reason.as_str()),
            message: message(order, deadline_passed, language),
            channel_trade_no: order.channel_trade_no().map(str::to_owned),
            next_action: next_action.map(|action| NextActionView {
                kind: action.kind.clone(),
                value: action.value.clone(),
            }),
            submit_count: order.submit_count(),
            check_count: order.check_count,
            callback_count: order.callback_count,
            next_check_at: order.next_check_at.map(rfc3339),
            last_error: order.last_error.clone(),
            expires_at: rfc3339(order.expires_at),
            account: order.account.clone(),
            entitlements: entitlements(order),
            metadata: order.metadata.clone(),
            pay_url: shared.public(&format!("/pay/{}", order.order_id)),
            version: order.version,
            created_at: rfc3339(order.created_at),
            updated_at: rfc3339(order.updated_at),
            paid_at: order.paid_at.map(rfc3339),
            review: None,
        }
    }

    /// The order with the decision that waits for a second person.
    #[must_use]
    pub fn proposing(mut self, proposal: &Proposal) -> Self {
        self.review = Some(ReviewView {
            status: "PROPOSED",
            by: proposal.by.clone(),
            decision: proposal.decision.as_str(),
            expires_at: rfc3339(proposal.at.plus(PROPOSAL_LIFE_MS)),
        });
        self
    }
}

fn entitlements(order: &Order) -> Vec<EntitlementView> {
    let view = |entitlement: &crate::domain::order::Entitlement| EntitlementView {
        kind: entitlement.kind.clone(),
        quantity: entitlement.quantity,
        status: entitlement.status.as_str(),
    };
    order.entitlements.iter().map(view).collect()
}
