//! Requests to the gateway and what it writes back.
//!
//! Source: LightCountry/TokenPay, `HomeController.cs`, `Models/CreateOrderViewModel.cs`, `Models/ReturnData.cs`.

use super::amount;
use super::scalar::Text;
use super::sign::{self, Fields};
use crate::channels::ChargeCall;
use reqwest::Url;
use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// The body of `CreateOrder`. A repeated one is made of the same values.
#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
struct CreateBody<'a> {
    out_order_id: &'a str,
    order_user_key: &'a str,
    /// A number of exactly the letters that are signed.
    actual_amount: Box<RawValue>,
    currency: &'a str,
    notify_url: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    redirect_url: Option<&'a str>,
    signature: String,
}

/// The body of `CreateOrder` for this call.
///
/// The gateway keeps one address for each user key where addresses are dynamic: the payer's own if the order names a
/// payer, else one of this order alone, so that a transfer belongs to one order.
pub(super) fn create(
    call: &ChargeCall,
    token_currency: &str,
    token: &SecretString,
) -> Option<Vec<u8>> {
    let amount = amount::written(call.money);
    let user_key = call.payer.as_deref().filter(|payer| !payer.is_empty());
    let user_key = user_key.unwrap_or(&call.order_no);
    let fields = Fields::from(
        [
            ("OutOrderId", call.order_no.as_str()),
            ("OrderUserKey", user_key),
            ("ActualAmount", &amount),
            ("Currency", token_currency),
            ("NotifyUrl", &call.notify_url),
            (
                "RedirectUrl",
                call.return_url.as_deref().unwrap_or_default(),
            ),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned())),
    );
    let body = CreateBody {
        out_order_id: &call.order_no,
        order_user_key: user_key,
        signature: sign::signature(&sign::text(&fields), token),
        actual_amount: RawValue::from_string(amount).ok()?,
        currency: token_currency,
        notify_url: &call.notify_url,
        redirect_url: call.return_url.as_deref(),
    };
    serde_json::to_vec(&body).ok()
}

/// The address of `Query` about the gateway's order of this id.
pub(super) fn query(base: &str, id: &str, token: &SecretString) -> Option<Url> {
    let fields = Fields::from([("Id".to_owned(), id.to_owned())]);
    let signature = sign::signature(&sign::text(&fields), token);
    let mut url = Url::parse(&format!("{base}/Query")).ok()?;
    url.query_pairs_mut()
        .append_pair("Id", id)
        .append_pair(sign::SIGNATURE, &signature);
    Some(url)
}

/// What every reply is: HTTP 200, also if it is an error.
#[derive(Debug, Deserialize)]
pub(super) struct Envelope<'a> {
    pub(super) success: bool,
    #[serde(default)]
    pub(super) message: Option<String>,
    /// Of `CreateOrder` the address of the pay page, of `Query` the order.
    #[serde(borrow, default)]
    pub(super) data: Option<&'a RawValue>,
    /// Of `CreateOrder`: what was made, or was there already.
    #[serde(borrow, default)]
    pub(super) info: Option<&'a RawValue>,
}

/// `info` of `CreateOrder`: the order that is there now, which may be one of an earlier request.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct Made {
    pub(super) id: String,
    pub(super) out_order_id: String,
    pub(super) actual_amount: Text,
    pub(super) base_currency: String,
}

/// `data` of `Query`. It does not say the currency of its `actualAmount`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Found {
    pub(super) id: String,
    pub(super) out_order_id: String,
    pub(super) actual_amount: Text,
    pub(super) currency: String,
    pub(super) status: Text,
    pub(super) amount: Text,
    #[serde(default)]
    pub(super) pay_amount: Text,
    #[serde(default)]
    pub(super) is_dynamic_amount: Text,
    /// The transfer's number on the chain.
    #[serde(default)]
    pub(super) block_transaction_id: Option<String>,
}
