//! Notices of WeChat Pay: verified over the raw body, then opened with the APIv3 key, then read.

use super::authentic::{self, Fault, Signed};
use super::charge::{self, Account};
use super::gateway::Gateway;
use super::refund;
use super::refund_no::{self, Number};
use super::sealed::Sealed;
use super::sign::{self, Stamp};
use super::wire::TransactionBody;
use crate::channels::client::Silence;
use crate::channels::signing;
use crate::channels::words::{is_name, object, printable};
use crate::channels::{Notice, RawNotice, Rejection, RejectionRule};
use crate::domain::UnixMillis;
use crate::domain::order::{Answer, RefundNews, RefundStatement};
use serde::Deserialize;
use std::sync::Arc;

const PAID: &str = "TRANSACTION.SUCCESS";
const REFUNDS: [&str; 3] = ["REFUND.SUCCESS", "REFUND.ABNORMAL", "REFUND.CLOSED"];
const RESOURCE: &str = "encrypt-resource";

#[derive(Debug, Deserialize)]
struct Envelope {
    id: String,
    event_type: String,
    resource_type: String,
    resource: Sealed,
}

/// The resource of a refund's notice. It names no app.
#[derive(Debug, Deserialize)]
struct RefundBody {
    mchid: String,
    out_trade_no: String,
    transaction_id: String,
    out_refund_no: String,
    refund_id: String,
    refund_status: String,
    amount: RefundAmount,
}

/// Fen. It names no currency: the trade's own is meant.
#[derive(Debug, Deserialize)]
struct RefundAmount {
    refund: i64,
}

/// Checks the rules in their order and reads the notice. A serial number that nobody knows is looked for meanwhile: the
/// notice comes again.
pub(super) fn verify(
    gateway: &Arc<Gateway>,
    account: Account<'_>,
    notice: &RawNotice<'_>,
    now: UnixMillis,
) -> Result<Notice, Rejection> {
    let signed = Signed {
        stamp: Stamp {
            timestamp: header(notice, sign::TIMESTAMP)?,
            nonce: header(notice, sign::NONCE)?,
        },
        serial: header(notice, sign::SERIAL)?,
        signature: header(notice, sign::SIGNATURE)?,
    };
    authentic::check(&gateway.ring, signed, notice.body, now).map_err(|fault| {
        if fault == Fault::UnknownKey {
            gateway.look_for_new_keys();
        }
        told(fault, gateway, signed, notice.body, now)
    })?;
    read(gateway, account, notice.body)
}

/// The rule that failed, for an operator.
fn told(
    fault: Fault,
    gateway: &Gateway,
    signed: Signed<'_>,
    body: &[u8],
    now: UnixMillis,
) -> Rejection {
    let serial = printable(signed.serial);
    let (rule, explanation) = match fault {
        Fault::Stale => {
            let explanation = format!(
                "{} is not Unix seconds within {} s of {}",
                sign::TIMESTAMP,
                signing::TOLERANCE_S,
                signing::timestamp(now)
            );
            (RejectionRule::Timestamp, explanation)
        }
        Fault::UnknownKey => {
            let what_follows = of_unknown_key(gateway, &serial);
            let explanation =
                format!("no key with the serial number {serial} is loaded: {what_follows}");
            (RejectionRule::UnknownKey, explanation)
        }
        Fault::Probe => {
            let explanation = "a probe of WeChat Pay, signed wrongly on purpose: refusing it is what it looks for";
            (RejectionRule::Signature, explanation.to_owned())
        }
        Fault::WrongSignature => {
            let explanation = format!(
                "{} is not a signature of this text by the key {serial}",
                sign::SIGNATURE
            );
            (RejectionRule::Signature, explanation)
        }
    };
    let text = sign::message_text(signed.stamp, body);
    Rejection {
        rule,
        explanation,
        key_id: (rule == RejectionRule::UnknownKey).then_some(serial),
        signed_text: (rule == RejectionRule::Signature)
            .then(|| String::from_utf8_lossy(&text).into_owned()),
    }
}

fn of_unknown_key(gateway: &Gateway, serial: &str) -> String {
    if serial.starts_with("PUB_KEY_ID_") {
        return "public_key_id names another key, or none".to_owned();
    }
    if gateway.downloads.is_none() {
        return "while WeChat Pay still signs with certificates, list them in platform_certs"
            .to_owned();
    }
    let coming = "no certificate of this number is here; the server downloads them anew, and the notice comes again";
    match gateway.download_trouble() {
        Some(why) => format!("{coming}; the last download failed: {why}"),
        None => coming.to_owned(),
    }
}

/// Reads a verified body. The signature was checked over the bytes, so unknown fields and odd spacing are fine; a field
/// that comes twice is not.
fn read(gateway: &Gateway, account: Account<'_>, body: &[u8]) -> Result<Notice, Rejection> {
    let envelope: Envelope = object(body).map_err(|error| unread("the body", &error))?;
    let kind = envelope.event_type.as_str();
    if kind != PAID && !REFUNDS.contains(&kind) {
        return Ok(Notice::Unrelated {
            kind: printable(kind),
        });
    }
    if envelope.resource_type != RESOURCE {
        return Err(malformed("resource_type is not encrypt-resource"));
    }
    let opened = gateway.apiv3.open(&envelope.resource);
    let opened = opened.map_err(|why| malformed(&format!("the resource cannot be read: {why}")))?;
    if !is_name(&envelope.id) {
        return Err(malformed(
            "its id is empty, too long, or holds control characters",
        ));
    }
    if kind == PAID {
        charge(envelope.id, account, &opened)
    } else {
        refunded(envelope.id, account, &opened)
    }
}

fn charge(key: String, account: Account<'_>, opened: &[u8]) -> Result<Notice, Rejection> {
    let transaction: TransactionBody =
        object(opened).map_err(|error| unread("the transaction", &error))?;
    if transaction.mchid != account.mchid {
        return Err(other_merchant("merchant", &transaction.mchid));
    }
    if transaction.appid != account.appid {
        return Err(other_merchant("app", &transaction.appid));
    }
    let whole = transaction.trade_no().is_some()
        && is_name(&transaction.out_trade_no)
        && transaction.money().is_some();
    if !whole {
        return Err(malformed("the transaction lacks a number or its amount"));
    }
    Ok(Notice::Charge {
        key,
        status: printable(&transaction.trade_state),
        order_no: transaction.out_trade_no.clone(),
        answer: Answer::Charge(charge::statement(&transaction, account)),
    })
}

fn refunded(key: String, account: Account<'_>, opened: &[u8]) -> Result<Notice, Rejection> {
    let refund: RefundBody = object(opened).map_err(|error| unread("the refund", &error))?;
    if refund.mchid != account.mchid {
        return Err(other_merchant("merchant", &refund.mchid));
    }
    let names = [
        &refund.out_trade_no,
        &refund.transaction_id,
        &refund.out_refund_no,
        &refund.refund_id,
    ];
    if refund.amount.refund < 1 || !names.into_iter().all(|name| is_name(name)) {
        return Err(malformed("the refund lacks a number or its amount"));
    }
    Ok(Notice::Refund {
        key,
        status: printable(&refund.refund_status),
        order_no: refund.out_trade_no.clone(),
        news: refund.into_news(),
    })
}

impl RefundBody {
    fn into_news(self) -> RefundNews {
        let summary = format!("refund_status {}", printable(&self.refund_status));
        let number = refund_no::read(&self.out_trade_no, &self.out_refund_no);
        let unread = number == Number::OursUnread;
        let refund_no = match number {
            Number::Ours(refund_no) => refund_no,
            Number::OursUnread | Number::Theirs => self.out_refund_no,
        };
        let statement = RefundStatement {
            refund_no: refund_no.clone(),
            amount: Some(self.amount.refund),
            trade_no: Some(self.transaction_id.clone()),
            channel_refund_no: Some(self.refund_id),
            summary,
        };
        RefundNews {
            refund_no,
            trade_no: Some(self.transaction_id),
            cumulative: false,
            ours_by_our_number: true,
            // It must not be taken for one that began there: our queries tell how it stands.
            answer: if unread {
                Silence::unreadable(statement.summary).into()
            } else {
                refund::meaning(&self.refund_status, statement)
            },
        }
    }
}

fn header<'a>(notice: &RawNotice<'a>, name: &str) -> Result<&'a str, Rejection> {
    let value = notice.headers.get(name).map(String::as_str);
    value.filter(|value| !value.is_empty()).ok_or_else(|| {
        let explanation = format!("{name} is missing");
        reject(RejectionRule::MissingHeader, explanation)
    })
}

fn other_merchant(what: &str, given: &str) -> Rejection {
    let explanation = format!("it is for another {what}: {}", printable(given));
    reject(RejectionRule::OtherMerchant, explanation)
}

/// The parser's own words could quote the payer.
fn unread(what: &str, error: &serde_json::Error) -> Rejection {
    let place = (error.line(), error.column());
    malformed(&format!(
        "{what} cannot be read, line {}, column {}",
        place.0, place.1
    ))
}

fn malformed(explanation: &str) -> Rejection {
    reject(RejectionRule::Malformed, explanation.to_owned())
}

fn reject(rule: RejectionRule, explanation: String) -> Rejection {
    Rejection {
        rule,
        explanation,
        key_id: None,
        signed_text: None,
    }
}
