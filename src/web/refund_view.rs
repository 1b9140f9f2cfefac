//! A refund as the API shows it.

use crate::domain::order::refund::RefundReviewProposal;
use crate::domain::order::{Order, Refund, RefundProposal, RefundStatus};
use crate::moment::rfc3339;
use serde::Serialize;
use utoipa::ToSchema;

/// A refund.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = Refund)]
pub(crate) struct RefundView {
    #[schema(pattern = "^ref_[0-9a-f]{32}$")]
    pub(crate) refund_id: String,
    /// The merchant's number, unique in its order; or one that oncepay or the channel made.
    pub(crate) refund_no: String,
    #[schema(pattern = "^ord_[0-9a-f]{32}$")]
    pub(crate) order_id: String,
    /// Minor units.
    #[schema(minimum = 1)]
    pub(crate) amount: i64,
    #[schema(value_type = super::words::CurrencyWord)]
    pub(crate) currency: String,
    #[schema(value_type = super::words::RefundStatusWord)]
    pub(crate) status: &'static str,
    /// The channel's own number of the refund, once it has told one.
    #[schema(required = true)]
    pub(crate) channel_refund_no: Option<String>,
    /// The trade that is given back.
    pub(crate) channel_trade_no: String,
    /// The newest trouble with it, in words; `unsupported: …` where the channel makes no refunds.
    #[schema(required = true)]
    pub(crate) last_error: Option<String>,
    /// Moves with every change that decisions read.
    #[schema(minimum = 1)]
    pub(crate) version: i64,
    #[schema(format = DateTime)]
    pub(crate) created_at: String,
    #[schema(format = DateTime)]
    pub(crate) updated_at: String,
    /// A decision that waits for a second person; in the answer that proposes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, nullable = false)]
    pub(crate) review: Option<RefundReviewView>,
}

/// A refund that an operator asked for and that waits for a second person: there is no refund yet.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = ProposedRefund)]
pub(crate) struct ProposedRefundView {
    pub(crate) refund_no: String,
    #[schema(pattern = "^ord_[0-9a-f]{32}$")]
    pub(crate) order_id: String,
    /// Minor units.
    #[schema(minimum = 1)]
    pub(crate) amount: i64,
    #[schema(value_type = super::words::CurrencyWord)]
    pub(crate) currency: String,
    /// The trade that would be given back.
    #[schema(required = true)]
    pub(crate) channel_trade_no: Option<String>,
    pub(crate) review: RefundProposalView,
}

/// What a request for a refund is answered with.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = RefundOrProposal)]
#[serde(untagged)]
pub(crate) enum RefundOrProposalView {
    Refund(RefundView),
    Proposed(ProposedRefundView),
}

/// A refund that waits for a second person.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = ProposalOfRefund)]
pub(crate) struct RefundProposalView {
    #[schema(value_type = super::words::ProposalWord)]
    pub(crate) status: &'static str,
    /// The operator's key name.
    pub(crate) by: String,
    #[schema(value_type = super::words::RefundWord)]
    pub(crate) decision: &'static str,
    #[schema(format = DateTime)]
    pub(crate) expires_at: String,
}

/// A decision about a refund that waits for a second person.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = ProposedRefundReview)]
pub(crate) struct RefundReviewView {
    #[schema(value_type = super::words::ProposalWord)]
    pub(crate) status: &'static str,
    /// The operator's key name.
    pub(crate) by: String,
    #[schema(value_type = super::words::RefundDecisionWord)]
    pub(crate) decision: &'static str,
    #[schema(format = DateTime)]
    pub(crate) expires_at: String,
}

impl RefundView {
    pub(crate) fn of(order: &Order, refund: &Refund) -> Self {
        Self {
            refund_id: refund.refund_id.clone(),
            refund_no: refund.refund_no.clone(),
            order_id: order.order_id.0.clone(),
            amount: refund.money.amount,
            currency: refund.money.currency.as_str().to_owned(),
            status: refund.status.as_str(),
            channel_refund_no: refund.channel_refund_no.clone(),
            channel_trade_no: refund.trade_no.clone(),
            last_error: refund.last_error.clone(),
            version: refund.version,
            created_at: rfc3339(refund.created_at),
            updated_at: rfc3339(refund.updated_at),
            review: None,
        }
    }

    /// The refund with the decision that waits for a second person, if one does.
    pub(crate) fn with_proposal(order: &Order, refund: &Refund) -> Self {
        let standing = refund
            .proposal
            .as_ref()
            .filter(|_| refund.status == RefundStatus::Manual);
        Self {
            review: standing.map(review_view),
            ..Self::of(order, refund)
        }
    }
}

impl ProposedRefundView {
    pub(crate) fn of(order: &Order, proposal: &RefundProposal) -> Self {
        let named = proposal.trade_no.as_deref().or(order.channel_trade_no());
        let paid = named.and_then(|trade_no| order.payment(trade_no));
        let currency = paid.map_or(order.money.currency, |payment| payment.money.currency);
        Self {
            refund_no: proposal.refund_no.clone(),
            order_id: order.order_id.0.clone(),
            amount: proposal.amount,
            currency: currency.as_str().to_owned(),
            channel_trade_no: named.map(str::to_owned),
            review: RefundProposalView {
                status: "PROPOSED",
                by: proposal.by.clone(),
                decision: "REFUND",
                expires_at: rfc3339(proposal.expires_at()),
            },
        }
    }
}

fn review_view(proposal: &RefundReviewProposal) -> RefundReviewView {
    RefundReviewView {
        status: "PROPOSED",
        by: proposal.by.clone(),
        decision: proposal.decision.as_str(),
        expires_at: rfc3339(proposal.expires_at()),
    }
}
