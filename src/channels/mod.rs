//! Channels: the outside parties that move the money, each behind one trait.

pub mod alipay;
mod beijing;
pub mod bill;
mod client;
pub mod http;
pub mod opening;
pub mod pay_per_use;
pub mod rsa;
pub mod signing;
pub mod stripe;
pub mod tokenpay;
pub mod wechat;
mod words;

use crate::domain::order::{
    Answer, DisputePhase, Fingerprint, Order, Refund, RefundAnswer, RefundNews,
};
use crate::domain::schedule::Capabilities;
use crate::domain::{Money, UnixMillis};
use bill::{BillCall, BillFault, BillTotals, EachLine};
use pay_per_use::PaysPerUse;
use std::collections::BTreeMap;
use std::future::Future;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;

/// A call in flight.
pub type Call<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// The channels of a runtime by their names in the configuration.
pub type Channels = BTreeMap<String, Arc<dyn Channel>>;

/// An outside party that moves money.
///
/// Every answer is classed by what is authenticated alone. What is not, is [`Answer::Unknown`]; a request that
/// never left is [`Answer::NotSent`]. An implementation never retries a submit by itself, and never waits
/// longer than the call's `timeout`.
pub trait Channel: Send + Sync + 'static {
    /// Its name in the configuration.
    fn name(&self) -> &str;
    /// The account that its calls are made under.
    fn account(&self) -> Fingerprint;
    fn capabilities(&self) -> Capabilities;
    /// The method of an order that names none.
    fn default_method(&self) -> &str;
    /// Whether the channel can carry such an order; a refusal names the field of the request.
    fn admits(&self, order: &Admission<'_>) -> Result<(), FieldRefusal>;
    /// The call that may charge.
    fn submit<'a>(&'a self, call: &'a ChargeCall) -> Call<'a, Answer>;
    /// Asks for the truth.
    fn query<'a>(&'a self, call: &'a ChargeCall) -> Call<'a, Answer>;
    /// Closes an unpaid order at the channel.
    fn close<'a>(&'a self, call: &'a ChargeCall) -> Call<'a, Answer>;
    /// Whether this call is answered here, without asking the channel: then its answer does not say whether the channel
    /// is up.
    fn answers_here(&self, kind: CallKind, call: &ChargeCall) -> bool {
        let _always_asked = (kind, call);
        false
    }
    /// Gives money back. Sent again under the same number, it must be the same refund.
    fn refund<'a>(&'a self, call: &'a RefundCall) -> Call<'a, RefundAnswer> {
        Box::pin(std::future::ready(no_refunds(call)))
    }
    /// Asks what became of a refund.
    fn query_refund<'a>(&'a self, call: &'a RefundCall) -> Call<'a, RefundAnswer> {
        Box::pin(std::future::ready(no_refunds(call)))
    }
    /// The number of the order that this trade was charged for, as the trade itself bears it; `None` if it bears none, or
    /// there is no such trade. Asked where a notice names a trade alone ([`Notice::OfTrade`]) that is not on record.
    ///
    /// # Errors
    /// The channel's words, or what was heard instead of an answer.
    fn number_of_trade<'a>(
        &'a self,
        trade_no: &'a str,
        timeout: std::time::Duration,
    ) -> Call<'a, Result<Option<String>, String>> {
        let _never_asked = (trade_no, timeout);
        Box::pin(std::future::ready(Ok(None)))
    }
    /// Fetches the bill of a day into a file, as it comes.
    fn fetch_bill<'a>(&'a self, call: BillCall<'a>) -> Call<'a, Result<(), BillFault>> {
        let _no_bills = call;
        Box::pin(std::future::ready(Err(no_bills())))
    }
    /// Reads a bill's file line by line, in little memory however long it is. It counts only if it is whole: what was
    /// told before an error is void.
    fn read_bill(&self, file: &Path, each: EachLine<'_>) -> Result<BillTotals, BillFault> {
        let _no_bills = (file, each);
        Err(no_bills())
    }
    /// Its part in pay per use, if it has one.
    fn pay_per_use(&self) -> Option<&dyn PaysPerUse> {
        None
    }
    /// Verifies a notice over the raw bytes that arrived.
    fn verify(&self, notice: &RawNotice<'_>, now: UnixMillis) -> Result<Notice, Rejection>;
    /// The channel's own words for "received" and "send it again".
    fn acknowledgement(&self, received: Acknowledge) -> AcknowledgementBody;
}

/// Which call about a charge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallKind {
    Submit,
    Query,
    Close,
}

/// What a channel looks at before an order is created.
#[derive(Debug, Clone, Copy)]
pub struct Admission<'a> {
    pub order_no: &'a str,
    pub method: &'a str,
    pub money: Money,
    pub subject: &'a str,
    pub expires_in_s: i64,
    /// Who pays, as the channel knows them.
    pub payer: Option<&'a str>,
}

/// A field of the create request that the channel cannot carry, and why.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{field} {message}")]
pub struct FieldRefusal {
    pub field: &'static str,
    pub message: String,
}

/// Everything a call about one charge needs; a repeated submit is made of the same values.
#[derive(Debug, Clone)]
pub struct ChargeCall {
    pub order_no: String,
    pub idempotency_key: String,
    pub method: String,
    pub money: Money,
    pub subject: String,
    /// Lifetime as it was at creation, in seconds.
    pub expires_in_s: i64,
    /// The public address of this channel's callbacks.
    pub notify_url: String,
    pub return_url: Option<String>,
    pub payer: Option<String>,
    /// The channel's own name of the charge, once an answer has given it.
    pub channel_ref: Option<String>,
    /// The trade that paid the order, or the first one on record.
    pub trade_no: Option<String>,
    pub created_at: UnixMillis,
    /// `None` before the first submit.
    pub first_submit_at: Option<UnixMillis>,
    pub timeout: std::time::Duration,
}

impl ChargeCall {
    /// The call about this order.
    #[must_use]
    pub fn about(order: &Order, timeout: std::time::Duration) -> Self {
        Self {
            order_no: order.order_no.0.clone(),
            idempotency_key: order.idempotency_key.clone(),
            method: order.method.clone(),
            money: order.money,
            subject: order.subject.clone(),
            expires_in_s: order.expires_in_s(),
            notify_url: order.notify_url.clone(),
            return_url: order.return_url.clone(),
            payer: order.payer.clone(),
            channel_ref: order.channel_ref.clone(),
            trade_no: order.channel_trade_no().map(str::to_owned),
            created_at: order.created_at,
            first_submit_at: order.first_submit_at(),
            timeout,
        }
    }
}

fn no_bills() -> BillFault {
    BillFault::NoSuchBill("this channel makes no bills".to_owned())
}

fn no_refunds(_: &RefundCall) -> RefundAnswer {
    RefundAnswer::NotSent {
        summary: "this channel makes no refunds".to_owned(),
    }
}

/// Everything a call about one refund needs; a repeated send is made of the same values.
#[derive(Debug, Clone)]
pub struct RefundCall {
    pub order_no: String,
    /// The charge's key.
    pub idempotency_key: String,
    pub method: String,
    /// What the order was to pay.
    pub charged: Money,
    pub refund_no: String,
    pub trade_no: String,
    /// What the trade paid.
    pub paid: Money,
    pub money: Money,
    pub reason: Option<String>,
    /// The channel's own name of the charge, and of the refund, where answers have given them.
    pub channel_ref: Option<String>,
    pub channel_refund_no: Option<String>,
    pub created_at: UnixMillis,
    pub first_sent_at: Option<UnixMillis>,
    /// The public address of this channel's callbacks.
    pub notify_url: String,
    pub timeout: std::time::Duration,
}

impl RefundCall {
    /// The call about this refund of this order.
    #[must_use]
    pub fn about(order: &Order, refund: &Refund, timeout: std::time::Duration) -> Self {
        let paid = order.payment(&refund.trade_no);
        Self {
            order_no: order.order_no.0.clone(),
            idempotency_key: order.idempotency_key.clone(),
            method: order.method.clone(),
            charged: order.money,
            refund_no: refund.refund_no.clone(),
            trade_no: refund.trade_no.clone(),
            paid: paid.map_or(refund.money, |payment| payment.money),
            money: refund.money,
            reason: refund.reason.clone(),
            channel_ref: order.channel_ref.clone(),
            channel_refund_no: refund.channel_refund_no.clone(),
            created_at: refund.created_at,
            first_sent_at: refund.first_sent_at,
            notify_url: order.notify_url.clone(),
            timeout,
        }
    }
}

/// A request to a callback address, as it arrived.
#[derive(Debug, Clone, Copy)]
pub struct RawNotice<'a> {
    /// Lower-case names.
    pub headers: &'a BTreeMap<String, String>,
    pub query: &'a str,
    pub body: &'a [u8],
}

/// A verified notice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notice {
    /// About a charge. `key` and `status` together are what makes a notice the same.
    Charge {
        key: String,
        status: String,
        order_no: String,
        answer: Answer,
    },
    /// About a refund, ours or one that began at the channel.
    Refund {
        key: String,
        status: String,
        order_no: String,
        news: RefundNews,
    },
    /// The payer disputes a payment.
    Dispute {
        key: String,
        order_no: String,
        reference: String,
        phase: DisputePhase,
        summary: String,
    },
    /// The payer's bank has not taken a refund that was done here. Nothing changes for the order; a person is told.
    RefundBounced(RefundBounce),
    /// Names the trade that it is about and not the order: the number of the order in `about` is empty until it is looked
    /// up, on record or at the channel.
    OfTrade { trade_no: String, about: Box<Self> },
    /// Of a type that concerns no order of ours: acknowledged and counted.
    Unrelated { kind: String },
}

impl Notice {
    /// The same, about this order.
    #[must_use]
    pub fn about(self, number: String) -> Self {
        match self {
            Self::Charge {
                key,
                status,
                order_no: _,
                answer,
            } => Self::Charge {
                key,
                status,
                order_no: number,
                answer,
            },
            Self::Refund {
                key,
                status,
                order_no: _,
                news,
            } => Self::Refund {
                key,
                status,
                order_no: number,
                news,
            },
            Self::Dispute {
                key,
                order_no: _,
                reference,
                phase,
                summary,
            } => Self::Dispute {
                key,
                order_no: number,
                reference,
                phase,
                summary,
            },
            Self::RefundBounced(bounce) => Self::RefundBounced(RefundBounce {
                order_no: number,
                ..bounce
            }),
            Self::OfTrade { about, .. } => about.about(number),
            Self::Unrelated { kind } => Self::Unrelated { kind },
        }
    }
}

/// A refund that was done, and that the payer's bank has not taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefundBounce {
    pub order_no: String,
    pub trade_no: String,
    pub refund_no: String,
    /// For people: what becomes of the money.
    pub summary: String,
}

/// Why a notice was rejected: the first rule that failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rejection {
    pub rule: RejectionRule,
    /// For an operator, one line, without secrets.
    pub explanation: String,
    /// The key that the notice names, where the rule is that none of that name is loaded.
    pub key_id: Option<String>,
    /// The text that was checked, without secrets, where the rule is about a signature.
    pub signed_text: Option<String>,
}

/// The rules of verification, in the order in which they are checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum RejectionRule {
    MissingHeader,
    Timestamp,
    UnknownKey,
    Signature,
    OtherMerchant,
    OtherMode,
    /// Verified, of our type, and a field is missing or unreadable.
    Malformed,
}

impl RejectionRule {
    /// A short name for logs and metrics.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::MissingHeader => "missing_header",
            Self::Timestamp => "timestamp",
            Self::UnknownKey => "unknown_key",
            Self::Signature => "signature",
            Self::OtherMerchant => "other_merchant",
            Self::OtherMode => "other_mode",
            Self::Malformed => "malformed",
        }
    }
}

/// What a notice is answered with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Acknowledge {
    Received,
    SendAgain,
}

/// The body of an answer to a notice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AcknowledgementBody {
    pub content_type: &'static str,
    pub body: String,
}
