//! The bodies of WeChat Pay's interfaces. Amounts are whole fen; what is not listed is left alone, the payer above all.

use super::codes::{self, Meaning};
use super::gateway::Said;
use crate::channels::words::{is_name, object, printable};
use crate::domain::{Currency, Money};
use serde::{Deserialize, Serialize};

/// The body of `native` and `jsapi`. A repeated submit is made of the same values, so that it has the same bytes, and
/// WeChat Pay answers with the same charge.
#[derive(Debug, Serialize)]
pub(super) struct SubmitBody<'a> {
    pub(super) appid: &'a str,
    pub(super) mchid: &'a str,
    pub(super) description: &'a str,
    pub(super) out_trade_no: &'a str,
    /// RFC 3339, Beijing time.
    pub(super) time_expire: String,
    pub(super) notify_url: &'a str,
    pub(super) amount: AmountBody,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) payer: Option<PayerBody<'a>>,
}

#[derive(Debug, Serialize)]
pub(super) struct AmountBody {
    /// Fen.
    pub(super) total: i64,
    pub(super) currency: Currency,
}

#[derive(Debug, Serialize)]
pub(super) struct PayerBody<'a> {
    pub(super) openid: &'a str,
}

#[derive(Debug, Serialize)]
pub(super) struct CloseBody<'a> {
    pub(super) mchid: &'a str,
}

/// What a payer's WeChat pays with, in the order of the documentation.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct AppParams<'a> {
    pub(super) app_id: &'a str,
    pub(super) time_stamp: &'a str,
    pub(super) nonce_str: &'a str,
    pub(super) package: &'a str,
    pub(super) sign_type: &'static str,
    pub(super) pay_sign: &'a str,
}

#[derive(Debug, Deserialize)]
pub(super) struct NativeBody {
    pub(super) code_url: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct JsapiBody {
    pub(super) prepay_id: String,
}

/// A transaction, in the reply of a query and in a notice.
#[derive(Debug, Deserialize)]
pub(super) struct TransactionBody {
    pub(super) mchid: String,
    pub(super) appid: String,
    pub(super) out_trade_no: String,
    pub(super) transaction_id: Option<String>,
    pub(super) trade_state: String,
    pub(super) amount: Option<TotalBody>,
}

/// Both may be missing of a charge that nobody has paid.
#[derive(Debug, Deserialize)]
pub(super) struct TotalBody {
    total: Option<i64>,
    currency: Option<Currency>,
}

impl TotalBody {
    pub(super) fn money(&self) -> Option<Money> {
        Some(Money::new(self.total?, self.currency?))
    }
}

impl TransactionBody {
    /// What is no number names no trade.
    pub(super) fn trade_no(&self) -> Option<String> {
        self.transaction_id.clone().filter(|number| is_name(number))
    }

    pub(super) fn money(&self) -> Option<Money> {
        self.amount.as_ref().and_then(TotalBody::money)
    }
}

/// An error. It may come with any HTTP status, also with 200 and 202.
#[derive(Debug, Deserialize)]
struct ErrorBody {
    code: String,
    message: Option<String>,
}

/// A code, and what may be repeated of it.
#[derive(Debug)]
pub(super) struct Refusal {
    /// `None` if it is not listed.
    pub(super) meaning: Option<Meaning>,
    pub(super) summary: String,
}

/// What an authenticated reply holds; the code is looked for first.
#[derive(Debug)]
pub(super) enum Content<T> {
    Body(T),
    Refusal(Refusal),
    Unreadable,
}

/// Reads a reply. `payer` is a name that must not be repeated.
pub(super) fn content<'a, T: Deserialize<'a>>(said: &'a Said, payer: Option<&str>) -> Content<T> {
    if let Some(refusal) = refusal(said, payer) {
        return Content::Refusal(refusal);
    }
    match object(&said.body) {
        Ok(body) if (200..=299).contains(&said.status) => Content::Body(body),
        Ok(_) | Err(_) => Content::Unreadable,
    }
}

/// The code in a reply, if it holds one.
pub(super) fn refusal(said: &Said, payer: Option<&str>) -> Option<Refusal> {
    let error: ErrorBody = object(&said.body).ok()?;
    let message = error.message.unwrap_or_default();
    let message = match payer.filter(|payer| !payer.is_empty()) {
        Some(payer) => message.replace(payer, "…"),
        None => message,
    };
    let code = printable(&error.code);
    let summary = format!("HTTP {}, code {code}: {}", said.status, printable(&message));
    Some(Refusal {
        meaning: codes::meaning(&error.code),
        summary: summary.trim_end_matches([' ', ':']).to_owned(),
    })
}
