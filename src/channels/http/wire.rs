//! The bodies of the processor protocol. Amounts are integers in minor units; `1999.0` is unreadable.

use crate::channels::words::{is_name, printable};
use crate::domain::order::{ChargeStatus, NextAction, Statement};
use crate::domain::{Currency, Money};
use serde::{Deserialize, Serialize};

/// The body of a submit. A repeated submit is made of the same values, so that it has the same bytes.
#[derive(Debug, Serialize)]
pub(super) struct SubmitBody<'a> {
    pub(super) order_no: &'a str,
    pub(super) idempotency_key: &'a str,
    pub(super) amount: i64,
    pub(super) currency: Currency,
    pub(super) subject: &'a str,
    pub(super) method: &'a str,
    /// Seconds.
    pub(super) expires_in: i64,
    pub(super) notify_url: &'a str,
}

/// A charge as the processor states it, in a reply. Fields that are not listed are left alone.
#[derive(Debug, Deserialize)]
pub(super) struct ChargeBody {
    trade_no: Option<String>,
    order_no: String,
    idempotency_key: String,
    amount: i64,
    currency: Currency,
    status: String,
    reason: Option<String>,
    next_action: Option<NextActionBody>,
}

#[derive(Debug, Deserialize)]
struct NextActionBody {
    kind: String,
    value: serde_json::Value,
}

/// A refusal as the processor states it.
#[derive(Debug, Deserialize)]
pub(super) struct CodeBody {
    pub(super) code: String,
}

/// What a callback is about, before its type is known.
#[derive(Debug, Deserialize)]
pub(super) struct Envelope<'a> {
    #[serde(rename = "type")]
    pub(super) kind: String,
    #[serde(borrow)]
    pub(super) data: Option<&'a serde_json::value::RawValue>,
}

/// `charge.updated`: every field is required.
#[derive(Debug, Deserialize)]
pub(super) struct ChargeNotice {
    trade_no: String,
    order_no: String,
    idempotency_key: String,
    amount: i64,
    currency: Currency,
    status: String,
}

impl ChargeBody {
    pub(super) fn into_statement(self) -> Statement {
        let next_action = self.next_action.map(NextActionBody::into_action);
        let summary = self.reason.as_deref().map_or_else(
            || printable(&self.status),
            |reason| format!("{}: {}", printable(&self.status), printable(reason)),
        );
        Statement {
            status: charge_status(&self.status, next_action),
            order_no: self.order_no,
            idempotency_key: Some(self.idempotency_key),
            merchant: None,
            money: Some(Money::new(self.amount, self.currency)),
            // What is no number names no trade.
            trade_no: self.trade_no.filter(|trade_no| is_name(trade_no)),
            reference: None,
            summary,
        }
    }
}

impl ChargeNotice {
    pub(super) fn into_statement(self) -> Statement {
        let body = ChargeBody {
            trade_no: Some(self.trade_no),
            order_no: self.order_no,
            idempotency_key: self.idempotency_key,
            amount: self.amount,
            currency: self.currency,
            status: self.status,
            reason: None,
            next_action: None,
        };
        body.into_statement()
    }

    /// Whether every name in it can be looked up and kept.
    pub(super) fn is_whole(&self) -> bool {
        let names = [&self.trade_no, &self.order_no, &self.idempotency_key];
        names.into_iter().all(|name| is_name(name))
    }

    /// The processor's word.
    pub(super) fn status(&self) -> String {
        printable(&self.status)
    }
}

impl NextActionBody {
    fn into_action(self) -> NextAction {
        let value = match self.value {
            serde_json::Value::String(text) => text,
            other @ (serde_json::Value::Null
            | serde_json::Value::Bool(_)
            | serde_json::Value::Number(_)
            | serde_json::Value::Array(_)
            | serde_json::Value::Object(_)) => other.to_string(),
        };
        NextAction {
            kind: printable(&self.kind),
            // No database keeps a NUL in a text.
            value: value.replace('\0', ""),
        }
    }
}

/// The processor's word for a status. A word that is not in the protocol explains nothing.
fn charge_status(word: &str, next_action: Option<NextAction>) -> ChargeStatus {
    match word {
        "PAID" => ChargeStatus::Paid,
        "PENDING" => ChargeStatus::Pending { next_action },
        "PROCESSING" => ChargeStatus::Processing,
        "DECLINED" => ChargeStatus::Declined,
        "CLOSED" => ChargeStatus::Closed,
        unlisted => ChargeStatus::Unexplained(printable(unlisted)),
    }
}
