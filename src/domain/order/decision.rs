//! What a decision is made of: the order as it will stand, its history, what people must know, and what to do then.

use super::status::{Announcement, EventKind, OrderStatus, Reason};
use super::{Order, Payment};
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
            || self.resolves_alerts
    }
}

/// A call to the channel, made after the commit and never awaited by the decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    Submit { n: u32 },
    Query,
    Close,
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
    }
);

impl AlertKind {
    /// What a person should do about it.
    #[must_use]
    pub const fn suggested_action(self) -> &'static str {
        match self {
            Self::OrderManual | Self::ChannelChanged => {
                "Look the order up at the channel, then review it. Do not charge again."
            }
            Self::PaymentMismatch | Self::TradeNoConflict => {
                "Compare with the channel's account. Review with PAID to take it as it is; to give the money back, refund it at the channel."
            }
            Self::LateSuccess => {
                "Review with PAID to deliver; to give the money back, refund it at the channel."
            }
            Self::SecondPayment => "Refund the second trade at the channel, by its number.",
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
