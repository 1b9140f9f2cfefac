//! What a decision is made of: the order as it will stand, its history, what people must know, and what to do then.

use super::refund::RefundStatus;
use super::status::{Announcement, EventKind, OrderStatus, Reason};
use super::{FulfilmentChange, Order, Payment, Posting, Refund};
use crate::domain::words::words;
use serde::{Deserialize, Serialize};

/// The outcome of one input. Everything but `effects` is committed in one write; effects start after it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// The order as it will stand. Its `version` has moved if anything that decisions read has.
    pub next: Order,
    pub events: Vec<Event>,
    /// Payments that were not on record before.
    pub payments: Vec<Payment>,
    pub alerts: Vec<Alert>,
    /// The open alerts about this order's stay in `MANUAL` are over.
    pub resolves_alerts: bool,
    /// The keys of alerts whose condition is over: those about a refund's stay in `MANUAL`.
    pub resolved_alerts: Vec<String>,
    /// Refunds that are new or have changed, as they will stand.
    pub refunds: Vec<Refund>,
    /// What the account's ledger is moved by.
    pub postings: Vec<Posting>,
    pub fulfilments: Vec<FulfilmentChange>,
    /// What the merchant is told.
    pub announcements: Vec<Announcement>,
    pub effects: Vec<Effect>,
}

impl Decision {
    /// Whether there is anything to commit.
    #[must_use]
    pub fn writes(&self, before: &Order) -> bool {
        self.next != *before
            || !self.events.is_empty()
            || !self.payments.is_empty()
            || !self.alerts.is_empty()
            || !self.refunds.is_empty()
            || !self.postings.is_empty()
            || !self.fulfilments.is_empty()
            || self.resolves_alerts
            || !self.resolved_alerts.is_empty()
    }

    /// Whether it holds only while no order that replaces this one is open or paid: what had ended, or was with a
    /// person, becomes paid.
    #[must_use]
    pub fn yields_to_successor(&self, before: &Order) -> bool {
        let had_stopped = before.status.is_ended() || before.status == OrderStatus::Manual;
        self.next.status == OrderStatus::Paid && had_stopped
    }
}

/// A call to the channel, made after the commit and never awaited by the decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    Submit {
        n: u32,
    },
    Query,
    Close,
    /// Sends the refund with this number, for the first time or again.
    Refund {
        refund_no: String,
    },
    QueryRefund {
        refund_no: String,
    },
}

/// One line of an order's history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    pub kind: EventKind,
    /// `api:<key name>`, `operator:<name>`, `channel:<name>`, `timer`, `startup` or `reconcile`.
    pub by: String,
    pub from: Option<OrderStatus>,
    pub to: OrderStatus,
    pub detail: EventDetail,
    /// `sha256:<hex>` of the raw bytes of the message that caused it.
    pub digest: Option<String>,
}

/// What an event tells beside its kind. No card number, no secret.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct EventDetail {
    pub channel_trade_no: Option<String>,
    pub summary: String,
    pub submit_count: u32,
    pub check_count: u32,
    /// The submit that a reply answers.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub submit: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reason: Option<Reason>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub amount: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub currency: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub refund_no: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub refund_status: Option<RefundStatus>,
    /// The kind of an entitlement, and how much of it moved.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub kind: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub quantity: Option<i64>,
    /// A review's decision and its basis.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub decision: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub basis: Option<String>,
}

words!(
    /// Whether a person must act.
    Severity {
        Action = "action",
        Info = "info",
    }
);

words!(
    /// The kinds of condition that ops are told of.
    AlertKind {
        OrderManual = "order_manual",
        ChannelChanged = "channel_changed",
        PaymentMismatch = "payment_mismatch",
        TradeNoConflict = "trade_no_conflict",
        LateSuccess = "late_success",
        SecondPayment = "second_payment",
        Contradiction = "contradiction",
        SlowSuccess = "slow_success",
        SlowFailure = "slow_failure",
        ExternalRefund = "external_refund",
        Dispute = "dispute",
        ActorFailed = "actor_failed",
        OrphanCallback = "orphan_callback",
        MalformedCallback = "malformed_callback",
        UnknownKey = "unknown_key",
        ChannelDown = "channel_down",
        RefundManual = "refund_manual",
        RefundFailed = "refund_failed",
        RefundConflict = "refund_conflict",
        DeliveryFailed = "delivery_failed",
        EndpointGone = "endpoint_gone",
        PaidNotFulfilled = "paid_not_fulfilled",
        BalanceNegative = "balance_negative",
        PayPerUse = "pay_per_use",
    }
);

impl AlertKind {
    /// What a person should do about it. A note of money that came late tells what a channel's setting has done already.
    #[must_use]
    pub const fn suggested_action(self, severity: Severity) -> &'static str {
        match (self, severity) {
            (Self::LateSuccess, Severity::Info) => Self::SlowSuccess.action(),
            (kind, _) => kind.action(),
        }
    }

    const fn action(self) -> &'static str {
        match self {
            Self::OrderManual | Self::ChannelChanged => {
                "Look the order up at the channel, then review it. Do not charge again."
            }
            Self::PaymentMismatch | Self::TradeNoConflict => {
                "Compare with the channel's account. Review with PAID to take it as it is, or with REFUND to give the money back."
            }
            Self::LateSuccess => {
                "Review with PAID to deliver, or with REFUND to give the money back."
            }
            Self::SecondPayment => "Refund the second trade by its number.",
            Self::Contradiction => "Query the order; if the contradiction stays, ask the channel.",
            Self::SlowSuccess | Self::SlowFailure => "None; tell the payer if they ask.",
            Self::ExternalRefund => "Check who refunded at the channel.",
            Self::Dispute => "Send evidence before the channel's deadline.",
            Self::ActorFailed => "Read the log lines of this order; its status is safe.",
            Self::OrphanCallback => {
                "Find out whose payment it is; refund it at the channel if it is nobody's."
            }
            Self::MalformedCallback => {
                "Ask the channel what it has changed; callbacks of this form are refused."
            }
            Self::UnknownKey => "Load the channel's new key.",
            Self::ChannelDown => "Wait; queries go on and new submits are held back.",
            Self::RefundManual => {
                "Look the refund up at the channel, then review it with SUCCEEDED, FAILED or RETRY."
            }
            Self::RefundFailed | Self::RefundConflict => "Compare with the channel's account.",
            Self::DeliveryFailed => "Mend the receiver, then redeliver.",
            Self::EndpointGone => {
                "The endpoint answered that it is gone. Configure another one, then redeliver."
            }
            Self::PaidNotFulfilled => {
                "Find out what holds the grant up; it is tried again by itself."
            }
            Self::BalanceNegative => "Settle it with the payer.",
            Self::PayPerUse => {
                "Look the trade up at the channel. What was paid and not delivered is refunded there; a confirmation is sent again by itself."
            }
        }
    }
}

/// One thing that ops must know, once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alert {
    pub kind: AlertKind,
    pub severity: Severity,
    /// What it is about: an order's id, an order's id and a trade number, a channel.
    pub subject: String,
    /// Which occurrence of the condition: a new episode is a new alert.
    pub episode: String,
    /// For people: what happened.
    pub message: String,
}

impl Alert {
    /// The key that deduplicates it for ever.
    #[must_use]
    pub fn key(&self) -> String {
        format!("{}|{}|{}", self.kind, self.subject, self.episode)
    }
}
