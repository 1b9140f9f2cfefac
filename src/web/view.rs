//! An order as the API shows it.

use super::language::Language;
use super::messages::message;
use super::state::Shared;
use crate::domain::order::{Order, OrderStatus, Proposal};
use crate::moment::rfc3339;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;
use utoipa::ToSchema;

/// An order.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = Order)]
pub(crate) struct OrderView {
    #[schema(pattern = "^ord_[0-9a-f]{32}$")]
    pub(crate) order_id: String,
    #[schema(pattern = "^[A-Za-z0-9_-]{1,64}$")]
    pub(crate) order_no: String,
    /// The key under which the channel is asked to charge, in every submit and query.
    pub(crate) idempotency_key: String,
    /// Real money, not a channel's test mode.
    pub(crate) live: bool,
    pub(crate) channel: String,
    pub(crate) method: String,
    /// Minor units.
    #[schema(minimum = 1)]
    pub(crate) amount: i64,
    /// Minor units.
    #[schema(minimum = 0)]
    pub(crate) amount_refunded: i64,
    #[schema(value_type = super::words::CurrencyWord)]
    pub(crate) currency: String,
    pub(crate) subject: String,
    #[schema(value_type = super::words::OrderStatusWord)]
    pub(crate) status: &'static str,
    #[schema(value_type = Option<super::words::ReasonWord>, required = true)]
    pub(crate) reason: Option<&'static str>,
    /// For people, in the language of the request.
    pub(crate) message: String,
    #[schema(required = true)]
    pub(crate) channel_trade_no: Option<String>,
    /// What the payer must do; only while the order is `PENDING`.
    #[schema(required = true)]
    pub(crate) next_action: Option<NextActionView>,
    #[schema(minimum = 0)]
    pub(crate) submit_count: u32,
    #[schema(minimum = 0)]
    pub(crate) check_count: u32,
    #[schema(minimum = 0)]
    pub(crate) callback_count: u32,
    #[schema(required = true, format = DateTime)]
    pub(crate) next_check_at: Option<String>,
    #[schema(required = true)]
    pub(crate) last_error: Option<String>,
    #[schema(format = DateTime)]
    pub(crate) expires_at: String,
    #[schema(required = true)]
    pub(crate) account: Option<String>,
    pub(crate) entitlements: Vec<EntitlementView>,
    pub(crate) metadata: BTreeMap<String, String>,
    pub(crate) pay_url: String,
    /// Moves with every change that decisions read.
    #[schema(minimum = 1)]
    pub(crate) version: i64,
    #[schema(format = DateTime)]
    pub(crate) created_at: String,
    #[schema(format = DateTime)]
    pub(crate) updated_at: String,
    #[schema(required = true, format = DateTime)]
    pub(crate) paid_at: Option<String>,
    /// A decision that waits for a second person; in the answer that proposes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, nullable = false)]
    pub(crate) review: Option<ReviewView>,
}

/// What the payer must do.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = NextAction)]
pub(crate) struct NextActionView {
    #[schema(value_type = super::words::NextActionWord)]
    pub(crate) kind: String,
    pub(crate) value: String,
}

/// What the payer gets.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = Entitlement)]
pub(crate) struct EntitlementView {
    pub(crate) kind: String,
    #[schema(minimum = 1)]
    pub(crate) quantity: i64,
    #[schema(value_type = super::words::EntitlementStatusWord)]
    pub(crate) status: &'static str,
}

/// A decision that waits for a second person.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = ProposedReview)]
pub(crate) struct ReviewView {
    #[schema(value_type = super::words::ProposalWord)]
    pub(crate) status: &'static str,
    /// The operator's key name.
    pub(crate) by: String,
    #[schema(value_type = super::words::DecisionWord)]
    pub(crate) decision: &'static str,
    #[schema(format = DateTime)]
    pub(crate) expires_at: String,
}

impl OrderView {
    /// The order in the language of a request. `deadline_passed`: the wait for its result ran out.
    pub(crate) fn of(
        order: &Order,
        shared: &Shared,
        language: Language,
        deadline_passed: bool,
    ) -> Self {
        let public_url = shared.public("");
        Self::told(
            order,
            &public_url,
            message(order, deadline_passed, language),
        )
    }

    /// The order with this text for people. `public_url` has no slash at its end.
    fn told(order: &Order, public_url: &str, message: String) -> Self {
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
            message,
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
            pay_url: format!("{public_url}/pay/{}", order.order_id),
            version: order.version,
            created_at: rfc3339(order.created_at),
            updated_at: rfc3339(order.updated_at),
            paid_at: order.paid_at.map(rfc3339),
            review: None,
        }
    }

    /// The order with the decision that waits for a second person.
    #[must_use]
    pub(crate) fn proposing(mut self, proposal: &Proposal) -> Self {
        self.review = Some(ReviewView {
            status: "PROPOSED",
            by: proposal.by.clone(),
            decision: proposal.decision.as_str(),
            expires_at: rfc3339(proposal.expires_at()),
        });
        self
    }
}

/// The order as the API shows it in English, with a decision that waits for a second person.
pub(crate) fn document(order: &Order, public_url: &str) -> Value {
    let text = message(order, false, Language::English);
    let view = OrderView::told(order, public_url.trim_end_matches('/'), text);
    let view = match &order.proposal {
        Some(proposal) if order.status == OrderStatus::Manual => view.proposing(proposal),
        Some(_) | None => view,
    };
    serde_json::to_value(view).unwrap_or_default()
}

fn entitlements(order: &Order) -> Vec<EntitlementView> {
    let view = |entitlement: &crate::domain::order::Entitlement| EntitlementView {
        kind: entitlement.kind.clone(),
        quantity: entitlement.quantity,
        status: entitlement.status.as_str(),
    };
    order.entitlements.iter().map(view).collect()
}
