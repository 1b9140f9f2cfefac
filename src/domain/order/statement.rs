//! What a channel may say about an order.

use super::status::Reason;
use super::{NextAction, Order};
use crate::domain::Money;

/// What came of a call, or what a notice said.
///
/// Only a [`Statement`] is authenticated. Everything that is not, or is not in the channel's list, is *unknown*.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// An authenticated statement about the charge of this order.
    Charge(Statement),
    /// Authenticated: the channel has no charge under this key.
    NotFound,
    /// The channel says that the order is paid already and gives no proof.
    AlreadyPaid,
    /// A notice that proves nothing: the channel is asked.
    Hint(Hint),
    /// The key was used with another body.
    KeyConflict,
    /// A close that the channel refuses to make.
    CannotClose,
    /// Listed, and without effect: the channel asks us to slow down.
    Throttled {
        summary: String,
    },
    /// The request never left, or was turned away before anything was done, for all of the merchant's orders alike (a key
    /// that the channel does not take): no effect.
    NotSent {
        summary: String,
    },
    Unknown(UnknownAnswer),
}

/// What a notice says that proves nothing, and how it calls the charge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hint {
    pub says: Hinted,
    /// The channel's own name of the charge that the notice is about.
    pub reference: String,
}

/// The word of a notice that proves nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hinted {
    Paid,
    /// The charge is over, and was not paid.
    Over,
}

/// A call without an answer that counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownAnswer {
    /// `submit_timeout`, `channel_unavailable` or `unreadable_reply`.
    pub reason: Reason,
    /// For people: what happened, redacted.
    pub summary: String,
}

/// An authenticated statement of the channel about one charge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    pub status: ChargeStatus,
    pub order_no: String,
    /// Where the channel returns it.
    pub idempotency_key: Option<String>,
    /// The merchant's id at the channel, where the channel returns it.
    pub merchant: Option<String>,
    /// Absent only where a channel's negative answers carry no money.
    pub money: Option<Money>,
    pub trade_no: Option<String>,
    /// The channel's own name of the charge, where it gives one before money moves.
    pub reference: Option<String>,
    /// The channel's own code or words for people, redacted.
    pub summary: String,
}

/// The status in an authenticated statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChargeStatus {
    Paid,
    /// Paid, and given back in full.
    PaidAndRefunded,
    /// Paid, and some of it given back, or all: the channel does not say how much.
    PaidAndSomeRefunded,
    /// The payer must act.
    Pending {
        next_action: Option<NextAction>,
    },
    Processing,
    /// Any definite, listed no.
    Declined,
    Closed,
    /// A status that is not in the channel's list.
    Unexplained(String),
}

/// A statement that money moved: which trade, how much.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proof {
    pub trade_no: String,
    pub money: Money,
}

impl Proof {
    /// Bytes of a trade number that can be kept.
    pub const TRADE_NO_MAX: usize = 255;

    /// Whether this names a trade: not empty, not endless, nothing that a row cannot hold.
    #[must_use]
    pub fn is_trade_no(text: &str) -> bool {
        (1..=Self::TRADE_NO_MAX).contains(&text.len()) && !text.chars().any(char::is_control)
    }
}

/// An answer held against the order: what a decision can go by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Finding {
    Paid(Proof),
    PaidAndRefunded(Proof),
    /// Paid, and an unknown sum of it given back.
    PaidAndSomeRefunded(Proof),
    /// A *paid* that differs from the order.
    PaidMismatch {
        proof: Proof,
        reason: Reason,
    },
    /// A *pending* that differs from the order.
    PendingMismatch {
        reason: Reason,
    },
    /// A status that is not in the channel's list.
    Unexplained,
    /// Anything else: what it does depends on where it came from.
    Word(Word),
}

/// What a channel says that is neither money nor a mismatch: its meaning depends on what it answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Word {
    Pending {
        next_action: Option<NextAction>,
    },
    Processing,
    Declined,
    Closed,
    NotFound,
    /// "Already paid" without proof, or a key conflict: worth asking at once.
    AskAtOnce,
    CannotClose,
    Throttled,
    NotSent,
    Unknown(Reason),
}

impl Answer {
    /// For people and for `detail.summary`: what the channel said.
    #[must_use]
    pub fn summary(&self) -> &str {
        match self {
            Self::Charge(statement) => &statement.summary,
            Self::NotFound => "not found",
            Self::AlreadyPaid => "already paid, without proof",
            Self::Hint(hint) => match hint.says {
                Hinted::Paid => "says paid, without proof",
                Hinted::Over => "says that it is over, without proof",
            },
            Self::KeyConflict => "idempotency key conflict",
            Self::CannotClose => "the channel cannot close it",
            Self::Throttled { summary } | Self::NotSent { summary } => summary,
            Self::Unknown(unknown) => &unknown.summary,
        }
    }

    /// The channel's number for the charge, where the answer names it.
    #[must_use]
    pub fn trade_no(&self) -> Option<&str> {
        match self {
            Self::Charge(statement) => statement.trade_no.as_deref(),
            Self::NotFound
            | Self::AlreadyPaid
            | Self::Hint(_)
            | Self::KeyConflict
            | Self::CannotClose
            | Self::Throttled { .. }
            | Self::NotSent { .. }
            | Self::Unknown(_) => None,
        }
    }

    /// The channel's own name of the charge, where the answer tells it.
    #[must_use]
    pub fn reference(&self) -> Option<&str> {
        match self {
            Self::Charge(statement) => statement.reference.as_deref(),
            Self::Hint(hint) => Some(&hint.reference),
            Self::NotFound
            | Self::AlreadyPaid
            | Self::KeyConflict
            | Self::CannotClose
            | Self::Throttled { .. }
            | Self::NotSent { .. }
            | Self::Unknown(_) => None,
        }
    }

    /// Holds the answer against the order: order number, key, merchant, currency, then amount.
    #[must_use]
    pub fn against(&self, order: &Order) -> Finding {
        match self {
            Self::Charge(statement) => statement.against(order),
            Self::NotFound => Finding::Word(Word::NotFound),
            Self::AlreadyPaid | Self::KeyConflict => Finding::Word(Word::AskAtOnce),
            Self::Hint(hint) => Finding::Word(match hint.says {
                Hinted::Paid => Word::AskAtOnce,
                Hinted::Over => Word::Unknown(Reason::UnreadableReply),
            }),
            Self::CannotClose => Finding::Word(Word::CannotClose),
            Self::Throttled { .. } => Finding::Word(Word::Throttled),
            Self::NotSent { .. } => Finding::Word(Word::NotSent),
            Self::Unknown(unknown) => Finding::Word(Word::Unknown(unknown.reason)),
        }
    }
}

impl Statement {
    /// The channel's own name of the charge, if this is about the order's charge and no other.
    #[must_use]
    pub fn reference_for(&self, order: &Order) -> Option<&str> {
        let ours = self.order_no == order.order_no.as_str() && self.mismatch(order).is_none();
        let reference = self.reference.as_deref().filter(|_| ours)?;
        Proof::is_trade_no(reference).then_some(reference)
    }

    fn against(&self, order: &Order) -> Finding {
        if self.order_no != order.order_no.as_str() {
            return Finding::Word(Word::Unknown(Reason::UnreadableReply));
        }
        let mismatch = self.mismatch(order);
        match &self.status {
            ChargeStatus::Paid => self.money_moved(mismatch, Finding::Paid),
            ChargeStatus::PaidAndRefunded => self.money_moved(mismatch, Finding::PaidAndRefunded),
            ChargeStatus::PaidAndSomeRefunded => {
                self.money_moved(mismatch, Finding::PaidAndSomeRefunded)
            }
            ChargeStatus::Pending { next_action } => match mismatch {
                Some(reason) => Finding::PendingMismatch { reason },
                None => Finding::Word(Word::Pending {
                    next_action: next_action.clone(),
                }),
            },
            // A *no* or a *not yet* about another key or merchant is no word about this order.
            ChargeStatus::Processing | ChargeStatus::Declined | ChargeStatus::Closed
                if matches!(
                    mismatch,
                    Some(Reason::KeyMismatch | Reason::MerchantMismatch)
                ) =>
            {
                Finding::Word(Word::Unknown(Reason::UnreadableReply))
            }
            ChargeStatus::Processing => Finding::Word(Word::Processing),
            ChargeStatus::Declined => Finding::Word(Word::Declined),
            ChargeStatus::Closed => Finding::Word(Word::Closed),
            ChargeStatus::Unexplained(_) => Finding::Unexplained,
        }
    }

    /// *Paid* without a trade number or an amount proves nothing.
    fn money_moved(&self, mismatch: Option<Reason>, found: fn(Proof) -> Finding) -> Finding {
        let trade_no = self
            .trade_no
            .as_ref()
            .filter(|text| Proof::is_trade_no(text));
        let (Some(trade_no), Some(money)) = (trade_no, self.money) else {
            return Finding::Word(Word::Unknown(Reason::UnreadableReply));
        };
        let proof = Proof {
            trade_no: trade_no.clone(),
            money,
        };
        match mismatch {
            Some(reason) => Finding::PaidMismatch { proof, reason },
            None => found(proof),
        }
    }

    fn mismatch(&self, order: &Order) -> Option<Reason> {
        let other_key = self
            .idempotency_key
            .as_ref()
            .is_some_and(|key| *key != order.idempotency_key);
        let other_merchant = self
            .merchant
            .as_ref()
            .is_some_and(|id| *id != order.fingerprint.merchant);
        let money = self.money.unwrap_or(order.money);
        if other_key {
            Some(Reason::KeyMismatch)
        } else if other_merchant {
            Some(Reason::MerchantMismatch)
        } else if money.currency != order.money.currency {
            Some(Reason::CurrencyMismatch)
        } else if money.amount != order.money.amount {
            Some(Reason::AmountMismatch)
        } else {
            None
        }
    }
}
