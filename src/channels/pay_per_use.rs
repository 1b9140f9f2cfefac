//! Pay per use: a channel through which a program pays for one use of a resource, before it gets it.
//!
//! There is no notice of such a payment. The payer shows a proof that only the channel can judge, and the channel is told
//! that the use was delivered.

use super::Call;
use crate::domain::Money;
use std::time::Duration;

/// What a channel does that knows pay per use.
pub trait PaysPerUse: Send + Sync {
    /// Who sells, in the channel's own names. `None`: the configuration does not say.
    fn seller(&self) -> Option<Seller>;
    /// The seller's signature over this text, as the channel wants it in an offer.
    fn sign(&self, text: &str) -> Option<String>;
    /// Asks whether this proof is one of a payment to this seller.
    fn verify<'a>(&'a self, proof: &'a PaymentProof, timeout: Duration) -> Call<'a, Verification>;
    /// Tells that the trade's use was delivered. It may be told again.
    fn confirm<'a>(&'a self, trade_no: &'a str, timeout: Duration) -> Call<'a, Confirmation>;
}

/// Who sells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seller {
    pub seller_id: String,
    pub app_id: String,
}

/// What a payer shows.
#[derive(Clone, PartialEq, Eq)]
pub struct PaymentProof {
    pub trade_no: String,
    pub payment_proof: String,
    pub client_session: Option<String>,
}

/// Whoever has the proof has the use: it is shown nowhere.
impl std::fmt::Debug for PaymentProof {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("PaymentProof")
            .field("trade_no", &self.trade_no)
            .finish_non_exhaustive()
    }
}

/// What the channel says of a proof. Texts are for people and hold nothing of the payer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verification {
    /// Authenticated: it is paid, and not used up at the channel.
    Active(PaidUse),
    /// Authenticated: it is not.
    Refused { summary: String },
    /// Nothing can be said.
    Unknown { summary: String },
}

/// What was paid for, as far as the channel says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PaidUse {
    pub trade_no: String,
    /// The number of the offer.
    pub out_trade_no: Option<String>,
    pub money: Option<Money>,
    pub resource_id: Option<String>,
}

/// What the channel says to a confirmation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Confirmation {
    Confirmed,
    /// It did not take it, or nothing is known: it is told again.
    NotConfirmed {
        summary: String,
    },
}
