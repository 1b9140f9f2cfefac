//! An order: what the merchant wants paid, and everything that decisions about it read.

mod at_once;
pub mod decide;
pub mod decision;
pub mod input;
pub mod posting;
pub mod recovery;
pub mod refund;
pub mod refusal;
pub mod statement;
pub mod status;
mod unborn;

use super::{Money, OrderId, OrderNo, Stamp, UnixMillis};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

pub use at_once::granted_at_once;
pub use decide::{Context, decide};
pub use decision::{Alert, AlertKind, Decision, Effect, Event, EventDetail, Severity};
pub use input::{Input, Source};
pub use posting::{FulfilmentChange, Held, Posting};
pub use refund::{
    Refund, RefundAnswer, RefundDecision, RefundNews, RefundProposal, RefundRequest, RefundReview,
    RefundSource, RefundStatement, RefundStatus,
};
pub use refusal::Refusal;
pub use statement::{Answer, ChargeStatus, Hint, Hinted, Statement, UnknownAnswer};
pub use status::{
    Announcement, CloseBy, DisputePhase, EntitlementStatus, EventKind, OrderStatus, Reason,
    ReviewDecision,
};

/// The account that an order is paid through: no call is ever made under another one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fingerprint {
    /// The channel's name in the configuration.
    pub channel: String,
    /// The merchant's id at the channel.
    pub merchant: String,
    /// Real money, not the channel's test mode.
    pub live: bool,
}

/// What the payer gets: `quantity` of `kind`, written into the account's ledger once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entitlement {
    pub kind: String,
    pub quantity: i64,
    pub status: EntitlementStatus,
    /// It was ever written into the ledger.
    #[serde(default)]
    pub granted: bool,
    /// What refunds have taken of `quantity` so far, before the grant or after it.
    #[serde(default)]
    pub revoked: i64,
    /// What is held back in the ledger while a refund or a dispute is open.
    #[serde(default)]
    pub held: i64,
    /// The channel's numbers of the disputes that freeze it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub frozen_by: Vec<String>,
    /// It was granted outside too: what is taken of it is to be taken there as well.
    #[serde(default)]
    pub outside: bool,
}

impl Entitlement {
    /// One that nothing has happened to.
    #[must_use]
    pub const fn new(kind: String, quantity: i64) -> Self {
        Self {
            kind,
            quantity,
            status: EntitlementStatus::Pending,
            granted: false,
            revoked: 0,
            held: 0,
            frozen_by: Vec::new(),
            outside: false,
        }
    }
}

/// What the payer must do next.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NextAction {
    /// `qr_code`, `redirect`, `form`, `client_secret` or `app_params`.
    pub kind: String,
    pub value: String,
}

/// One submit: its number is carried by its reply.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Submit {
    pub n: u32,
    pub started: Stamp,
    /// When its call ended, whatever it brought.
    pub ended: Option<Stamp>,
    /// Its own reply said declined, closed, throttled or not sent: it did not charge and will not.
    pub resolved: bool,
}

/// Money that a channel says it has moved, kept by the channel's trade number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Payment {
    pub trade_no: String,
    pub money: Money,
    /// It paid this order; a second trade, or one that did not match, is kept but not own.
    pub own: bool,
    pub at: UnixMillis,
}

/// A review that waits for a second person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proposal {
    pub decision: ReviewDecision,
    pub trade_no: Option<String>,
    /// The operator's key name.
    pub by: String,
    pub at: UnixMillis,
    pub version: i64,
}

impl Proposal {
    /// From then on it is void: nobody has confirmed it within a day.
    #[must_use]
    pub const fn expires_at(&self) -> UnixMillis {
        self.at.plus(PROPOSAL_LIFE_MS)
    }
}

/// Nobody has confirmed a proposal within a day: it is void.
const PROPOSAL_LIFE_MS: i64 = 24 * 3_600_000;

/// One order as its row has it. Money is in minor units, moments are milliseconds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Order {
    pub order_id: OrderId,
    pub order_no: OrderNo,
    pub idempotency_key: String,
    pub fingerprint: Fingerprint,
    pub method: String,
    pub money: Money,
    pub subject: String,
    pub account: Option<String>,
    pub entitlements: Vec<Entitlement>,
    pub metadata: BTreeMap<String, String>,
    pub return_url: Option<String>,
    /// Where its channel sends callbacks to: told with the first submit, and the same in every later one.
    pub notify_url: String,
    pub payer: Option<String>,
    /// The channel's own name of the charge, where it gives one before money moves; it is asked about under that.
    pub channel_ref: Option<String>,
    /// The `order_no` of an earlier order of the same purchase.
    pub replaces: Option<OrderNo>,

    pub status: OrderStatus,
    pub reason: Option<Reason>,
    /// Moves with every field that decisions read.
    pub version: i64,
    pub created_at: UnixMillis,
    pub updated_at: UnixMillis,
    pub paid_at: Option<UnixMillis>,
    pub expires_at: UnixMillis,
    /// The user was answered 202 or 504 because `ui_deadline` had passed.
    pub deadline_passed_at: Option<UnixMillis>,
    /// A query must come before the first submit.
    pub ask_first: bool,

    pub submits: Vec<Submit>,
    /// Submits that reviews allowed beyond `max_submits`.
    pub extra_submits: u32,
    /// Rungs used since the newest submit, or since `PENDING` began.
    pub check_count: u32,
    /// The one timer.
    pub next_check_at: Option<UnixMillis>,
    /// The timer was set to ask once at the end of a grace: it uses no rung.
    pub ask_due: bool,
    /// First of two *not found* that a channel without idempotent submits needs.
    pub not_found_since: Option<Stamp>,
    pub close_requested_at: Option<UnixMillis>,
    pub close_by: Option<CloseBy>,
    /// Attempts to close it since it expired or its close was asked for.
    pub expiry_count: u32,

    pub payments: Vec<Payment>,
    /// Proof arrived under a trade number that another order owns.
    pub proof_in_conflict: bool,
    pub amount_refunded: i64,
    pub next_action: Option<NextAction>,
    /// Nothing is ever granted for it.
    pub withheld: bool,
    pub proposal: Option<Proposal>,
    /// In the order of their creation.
    pub refunds: Vec<Refund>,
    pub refund_proposal: Option<RefundProposal>,

    pub callback_count: u32,
    /// Number of the newest event of its history.
    pub event_seq: u32,
    /// The newest trouble with the channel, in words, redacted.
    pub last_error: Option<String>,
}

impl Order {
    /// The number of the newest submit; 0 before the first.
    #[must_use]
    pub fn submit_count(&self) -> u32 {
        self.submits.last().map_or(0, |submit| submit.n)
    }

    /// When the first submit started: the start of the channel's `key_life`.
    #[must_use]
    pub fn first_submit_at(&self) -> Option<UnixMillis> {
        self.submits.first().map(|submit| submit.started.at)
    }

    /// The trade number that paid this order, or else the first one that is on record.
    #[must_use]
    pub fn channel_trade_no(&self) -> Option<&str> {
        self.own_payment()
            .or(self.payments.first())
            .map(|payment| payment.trade_no.as_str())
    }

    /// The payment kept under this trade number.
    #[must_use]
    pub fn payment(&self, trade_no: &str) -> Option<&Payment> {
        self.payments
            .iter()
            .find(|payment| payment.trade_no == trade_no)
    }

    /// The payment that paid this order.
    #[must_use]
    pub fn own_payment(&self) -> Option<&Payment> {
        self.payments.iter().find(|payment| payment.own)
    }

    /// The refund with this number.
    #[must_use]
    pub fn refund(&self, refund_no: &str) -> Option<&Refund> {
        self.refunds
            .iter()
            .find(|refund| refund.refund_no == refund_no)
    }

    /// Some authenticated statement says that money moved.
    #[must_use]
    pub const fn has_proof(&self) -> bool {
        !self.payments.is_empty() || self.proof_in_conflict
    }

    /// Lifetime as it was asked for at creation, in seconds; the same in every submit.
    #[must_use]
    pub const fn expires_in_s(&self) -> i64 {
        self.expires_at.since(self.created_at) / 1000
    }

    /// When the runtime must look at the order again by itself, for its payment or for one of its refunds; kept in its
    /// row, so that a start-up finds it.
    #[must_use]
    pub fn wake_at(&self, submit_timeout_ms: i64) -> Option<UnixMillis> {
        let refunds = self.refund_wake_at();
        let payment = self.payment_wake_at(submit_timeout_ms);
        payment.into_iter().chain(refunds).min()
    }

    /// As [`Self::wake_at`], for a run that has looked at the order already: what a start-up alone repeats is done.
    #[must_use]
    pub fn timer_at(&self, submit_timeout_ms: i64) -> Option<UnixMillis> {
        if self.status != OrderStatus::Manual {
            return self.wake_at(submit_timeout_ms);
        }
        // MANUAL has no timer of its own but for what is to be asked once more.
        let payment = self.next_check_at.filter(|_| self.ask_due);
        payment.into_iter().chain(self.refund_wake_at()).min()
    }

    fn refund_wake_at(&self) -> Option<UnixMillis> {
        let refunds = self.refunds.iter();
        refunds.filter_map(|refund| refund.next_check_at).min()
    }

    /// When the runtime must look at the order's own payment again.
    #[must_use]
    pub fn payment_wake_at(&self, submit_timeout_ms: i64) -> Option<UnixMillis> {
        match self.status {
            OrderStatus::Unpaid => self.next_check_at.or(Some(self.created_at)),
            OrderStatus::Processing => self
                .submits
                .last()
                .map(|submit| submit.started.at.plus(submit_timeout_ms)),
            OrderStatus::Pending | OrderStatus::Unknown => self.next_check_at,
            // A close that a review asked for is asked once more at start-up.
            OrderStatus::Manual if self.close_by == Some(CloseBy::Review) => {
                self.next_check_at.or(self.close_requested_at)
            }
            OrderStatus::Manual if self.ask_due => self.next_check_at,
            OrderStatus::Manual
            | OrderStatus::Paid
            | OrderStatus::Failed
            | OrderStatus::Closed
            | OrderStatus::Refunding
            | OrderStatus::PartiallyRefunded
            | OrderStatus::Refunded => None,
        }
    }

    /// Whether a caller that waits for the result has one: settled, waiting for the payer, or for a person.
    #[must_use]
    pub fn answers_a_wait(&self) -> bool {
        self.status.is_settled()
            || self.status == OrderStatus::Manual
            || (self.status == OrderStatus::Pending && self.next_action.is_some())
    }
}
