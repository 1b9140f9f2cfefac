//! The gateway's notices: MD5 over every field that arrived, then the fields.
//!
//! A notice is a hint. MD5 with a shared token behind the text is a weak proof, it has no time in it, and it can be sent
//! by whoever has seen one: so that *paid* in a notice, or *expired*, makes the gateway be asked, over the connection that
//! the configuration names, and only its answer pays an order or ends one.
//!
//! Source: LightCountry/TokenPay, `BgServices/OrderNotifyService.cs`, `Extensions/ObjectExtension.cs`, `Wiki/docs.md`.

use super::amount::Decimal;
use super::classify::is_id;
use super::codes::{self, OrderStatus};
use super::sign::{self, Fields, SIGNATURE};
use super::{Tokens, scalar};
use crate::channels::words::{is_name, printable};
use crate::channels::{Notice, RawNotice, Rejection, RejectionRule};
use crate::domain::order::{Answer, ChargeStatus, Hint, Hinted, Statement};
use crate::domain::{Currency, Money};
use secrecy::SecretString;

/// Checks the rules in their order and reads the notice.
pub(super) fn verify(
    notice: &RawNotice<'_>,
    token: &SecretString,
    tokens: &Tokens,
) -> Result<Notice, Rejection> {
    let fields = scalar::fields(notice.body).map_err(|error| {
        let explanation = printable(&format!("the body is no object of single fields: {error}"));
        reject(RejectionRule::Signature, explanation)
    })?;
    let said = fields.get(SIGNATURE).map_or("", String::as_str);
    if said.is_empty() {
        let explanation = format!("the field {SIGNATURE} is missing");
        return Err(reject(RejectionRule::Signature, explanation));
    }
    let text = sign::text(&fields);
    if !sign::verifies(&text, token, said) {
        let mut rejection = reject(
            RejectionRule::Signature,
            format!("{SIGNATURE} is not the MD5 of the fields with our api_token"),
        );
        rejection.signed_text = Some(text);
        return Err(rejection);
    }
    of_ours(&fields, tokens)?;
    read(&fields)
}

/// Several channels may stand at one gateway, with one token, each for a currency of the chain.
fn of_ours(fields: &Fields, tokens: &Tokens) -> Result<(), Rejection> {
    match fields.get("Currency") {
        Some(currency) if *currency == tokens.token => Ok(()),
        Some(other) => Err(reject(
            RejectionRule::OtherMerchant,
            printable(&format!(
                "it is about {other}, and this channel takes {}",
                tokens.token
            )),
        )),
        None => Err(missing("Currency")),
    }
}

fn read(fields: &Fields) -> Result<Notice, Rejection> {
    let field = |name: &'static str| fields.get(name).map(String::as_str).unwrap_or_default();
    let (id, order_no, word) = (field("Id"), field("OutOrderId"), field("Status"));
    if !is_id(id) {
        return Err(missing("Id"));
    }
    if !is_name(order_no) {
        return Err(missing("OutOrderId"));
    }
    if !is_name(word) {
        return Err(missing("Status"));
    }
    let status = codes::order_status(word);
    let hint = |says| {
        Answer::Hint(Hint {
            says,
            reference: id.to_owned(),
        })
    };
    let stated = |status, word: &str| -> Result<Answer, Rejection> {
        Ok(Answer::Charge(Statement {
            status,
            order_no: order_no.to_owned(),
            idempotency_key: None,
            merchant: None,
            money: Some(money(fields).ok_or_else(|| missing("ActualAmount or BaseCurrency"))?),
            trade_no: None,
            reference: Some(id.to_owned()),
            summary: word.to_owned(),
        }))
    };
    let word = status.map_or_else(|| printable(word), |status| status.as_str().to_owned());
    let answer = match status {
        Some(OrderStatus::Paid) => hint(Hinted::Paid),
        Some(OrderStatus::Expired) => hint(Hinted::Over),
        Some(OrderStatus::Pending) => stated(ChargeStatus::Pending { next_action: None }, &word)?,
        None => stated(ChargeStatus::Unexplained(word.clone()), &word)?,
    };
    Ok(Notice::Charge {
        key: id.to_owned(),
        status: word,
        order_no: order_no.to_owned(),
        answer,
    })
}

fn money(fields: &Fields) -> Option<Money> {
    let currency = Currency::parse(fields.get("BaseCurrency")?)?;
    let amount = Decimal::parse(fields.get("ActualAmount")?)?.minor(currency)?;
    Some(Money::new(amount, currency))
}

fn missing(name: &str) -> Rejection {
    let explanation = format!("the field {name} is missing or cannot be read");
    reject(RejectionRule::Malformed, explanation)
}

fn reject(rule: RejectionRule, explanation: String) -> Rejection {
    Rejection {
        rule,
        explanation,
        key_id: None,
        signed_text: None,
    }
}
