//! The objects of Stripe's API, as far as they are read. Amounts are whole numbers in Stripe's units; `1999.0` is
//! unreadable. Fields that are not listed are left alone.

use super::amounts::from_stripe;
use super::codes::{self, RefundStands, Stands};
use crate::channels::client::Silence;
use crate::channels::words::{is_name, printable};
use crate::domain::Money;
use crate::domain::order::{ChargeStatus, NextAction, RefundAnswer, RefundStatement, Statement};
use serde::{Deserialize, Deserializer};

/// The metadata that bears our order number, on intents and refunds.
pub(super) const ORDER_NO: &str = "metadata[out_trade_no]";
/// The metadata that bears our refund number.
pub(super) const REFUND_NO: &str = "metadata[out_refund_no]";

/// What we wrote onto an object ourselves.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Metadata {
    pub(super) out_trade_no: Option<String>,
    pub(super) out_refund_no: Option<String>,
}

/// A payment intent.
#[derive(Debug, Deserialize)]
pub(super) struct Intent {
    pub(super) id: String,
    pub(super) status: String,
    amount: i64,
    amount_received: Option<i64>,
    currency: String,
    client_secret: Option<String>,
    #[serde(default, deserialize_with = "null_is_none")]
    pub(super) metadata: Metadata,
    last_payment_error: Option<AttemptError>,
    latest_charge: Option<LatestCharge>,
}

#[derive(Debug, Deserialize)]
struct AttemptError {
    code: Option<String>,
    decline_code: Option<String>,
}

/// Its id alone, unless it was asked for as a whole.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum LatestCharge {
    Whole { refunded: bool },
    Other(serde::de::IgnoredAny),
}

/// A refund.
#[derive(Debug, Deserialize)]
pub(super) struct Refund {
    pub(super) id: String,
    pub(super) status: String,
    amount: i64,
    currency: String,
    pub(super) payment_intent: Option<String>,
    #[serde(default, deserialize_with = "null_is_none")]
    pub(super) metadata: Metadata,
    failure_reason: Option<String>,
}

/// A page of a list, newest first.
#[derive(Debug, Deserialize)]
pub(super) struct Page<T> {
    pub(super) has_more: bool,
    pub(super) data: Vec<T>,
}

/// `{"error": {…}}`.
#[derive(Debug, Deserialize)]
pub(super) struct ErrorBody {
    pub(super) error: ErrorObject,
}

#[derive(Debug, Deserialize)]
pub(super) struct ErrorObject {
    #[serde(default, rename = "type")]
    pub(super) kind: String,
    #[serde(default)]
    pub(super) code: Option<String>,
    pub(super) decline_code: Option<String>,
    /// As it stands after the error.
    pub(super) payment_intent: Option<Intent>,
}

/// Metadata may be null.
fn null_is_none<'de, D: Deserializer<'de>>(metadata: D) -> Result<Metadata, D::Error> {
    Ok(Option::deserialize(metadata)?.unwrap_or_default())
}

/// Whether this is the id of an object of that kind, such as `pi_…`: it can stand in an address.
pub(super) fn is_id(prefix: &str, text: &str) -> bool {
    let rest = text.strip_prefix(prefix).unwrap_or_default();
    let of_id = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    is_name(text) && !rest.is_empty() && rest.bytes().all(of_id)
}

/// Whether this is the id of a payment intent.
pub(super) fn is_intent(text: &str) -> bool {
    is_id("pi_", text)
}

impl Intent {
    /// What it says about the order whose number it bears; `None` if it bears none, is not named, or its amount cannot
    /// be one of ours.
    pub(super) fn into_statement(self) -> Option<Statement> {
        let order_no = self.metadata.out_trade_no.clone()?;
        let amount = match codes::intent(&self.status) {
            Some(Stands::Succeeded) => self.amount_received,
            Some(Stands::Payable | Stands::Processing | Stands::Authorised | Stands::Canceled)
            | None => Some(self.amount),
        };
        let money = match amount {
            Some(amount) => Some(from_stripe(amount, &self.currency)?),
            // Without it, *paid* proves nothing.
            None => None,
        };
        let id = Some(self.id.clone()).filter(|id| is_intent(id))?;
        Some(Statement {
            summary: self.summary(),
            status: self.charge_status(),
            order_no,
            // Stripe does not return it.
            idempotency_key: None,
            merchant: None,
            money,
            // One intent is paid once: its name is the trade's, so that refunds, disputes and bills, which name the
            // intent, meet the payment by it.
            trade_no: Some(id.clone()),
            reference: Some(id),
        })
    }

    fn charge_status(&self) -> ChargeStatus {
        match codes::intent(&self.status) {
            Some(Stands::Payable) => ChargeStatus::Pending {
                next_action: self.client_secret.clone().map(|value| NextAction {
                    kind: "client_secret".to_owned(),
                    value: value.replace('\0', ""),
                }),
            },
            Some(Stands::Authorised) => ChargeStatus::Pending { next_action: None },
            Some(Stands::Processing) => ChargeStatus::Processing,
            Some(Stands::Succeeded) if self.is_given_back() => ChargeStatus::PaidAndRefunded,
            Some(Stands::Succeeded) => ChargeStatus::Paid,
            Some(Stands::Canceled) => ChargeStatus::Closed,
            None => ChargeStatus::Unexplained(printable(&self.status)),
        }
    }

    /// Stripe calls a charge refunded only when all of it went back.
    fn is_given_back(&self) -> bool {
        match &self.latest_charge {
            Some(LatestCharge::Whole { refunded }) => *refunded,
            Some(LatestCharge::Other(_)) | None => false,
        }
    }

    /// Stripe's codes alone: its messages may speak of the payer.
    fn summary(&self) -> String {
        let error = self.last_payment_error.as_ref();
        let code = error.and_then(|error| error.code.as_deref());
        let decline = error.and_then(|error| error.decline_code.as_deref());
        let words: Vec<&str> = [Some(self.status.as_str()), code, decline]
            .into_iter()
            .flatten()
            .collect();
        printable(&words.join(": "))
    }
}

impl Refund {
    /// Our number of it; or Stripe's, of one that somebody else made.
    pub(super) fn number(&self) -> &str {
        self.metadata.out_refund_no.as_deref().unwrap_or(&self.id)
    }

    /// What it says of itself. A status that is not in the list says nothing.
    pub(super) fn meaning(self) -> RefundAnswer {
        let unreadable = |what: &str| RefundAnswer::from(Silence::unreadable(what));
        let Some(stands) = codes::refund(&self.status) else {
            return unreadable(&format!("refund status {}", printable(&self.status)));
        };
        let Some(money) = from_stripe(self.amount, &self.currency) else {
            return unreadable("a refund of an amount that is none of ours");
        };
        let statement = self.statement(money);
        match stands {
            RefundStands::UnderWay => RefundAnswer::Pending(statement),
            RefundStands::Succeeded => RefundAnswer::Succeeded(statement),
            RefundStands::Failed => RefundAnswer::Failed(statement),
        }
    }

    fn statement(self, money: Money) -> RefundStatement {
        let summary = self.failure_reason.as_deref().map_or_else(
            || printable(&self.status),
            |reason| printable(&format!("{}: {reason}", self.status)),
        );
        RefundStatement {
            refund_no: self.number().to_owned(),
            amount: Some(money.amount),
            trade_no: self.payment_intent.filter(|id| is_name(id)),
            channel_refund_no: Some(self.id).filter(|id| is_name(id)),
            summary,
        }
    }
}
