//! Alipay's notices: a form that is verified as the bytes that came, then read.
//!
//! They carry a time that is not promised to be that of this delivery, and come again for 25 hours: their age says
//! nothing. What keeps a repetition from counting twice is their `notify_id`, which is remembered for ever.

use super::bounce;
use super::codes::{self, TradeStatus};
use super::form::{self, Fields, FormFault};
use super::keys::Keys;
use super::sign;
use super::yuan;
use crate::channels::words::{is_name, printable};
use crate::channels::{Notice, RawNotice, Rejection, RejectionRule};
use crate::domain::Money;
use crate::domain::order::{
    Answer, ChargeStatus, RefundAnswer, RefundNews, RefundStatement, Statement,
};

/// The one type that is about a trade of ours.
const OF_A_TRADE: &str = "trade_status_sync";
/// Any of these says that the notice is about a refund, whatever the status of the trade.
const OF_A_REFUND: [&str; 3] = ["gmt_refund", "refund_fee", "out_biz_no"];

/// Whose notices these are to be.
pub(super) struct Recipient<'a> {
    pub(super) app_id: &'a str,
    pub(super) seller_id: Option<&'a str>,
    pub(super) keys: &'a Keys,
}

/// Checks the rules in their order and reads the notice.
pub(super) fn verify(
    recipient: &Recipient<'_>,
    notice: &RawNotice<'_>,
) -> Result<Notice, Rejection> {
    let fields = form::decode(notice.body).map_err(not_a_form)?;
    authentic(recipient.keys, &fields)?;
    let fields = Verified(&fields);
    // Messages of the open platform are named so.
    let kind = match fields.text("notify_type")? {
        Some(kind) => kind,
        None => fields
            .text("msg_method")?
            .ok_or_else(|| missing("notify_type"))?,
    };
    is_ours(recipient, &fields, kind == OF_A_TRADE)?;
    match kind {
        OF_A_TRADE => of_a_trade(&fields),
        bounce::METHOD => bounce::read(&fields),
        other => Ok(Notice::Unrelated {
            kind: printable(other),
        }),
    }
}

fn not_a_form(fault: FormFault) -> Rejection {
    let explanation = match fault {
        FormFault::Encoding => "the body is no form: a % without two hex digits".to_owned(),
        FormFault::TooMany => "the body has more fields than any notice".to_owned(),
        FormFault::Repeated(name) => {
            let name = printable(&name);
            format!(
                "the field {name} is there twice, so that nobody knows which of them was signed"
            )
        }
    };
    reject(RejectionRule::Signature, explanation)
}

/// What `sign_type` says is of no account: an attacker could write it.
fn authentic(keys: &Keys, fields: &Fields) -> Result<(), Rejection> {
    let raw = |name: &str| fields.get(name.as_bytes()).map(Vec::as_slice);
    let text = |name: &str| raw(name).map(|value| String::from_utf8_lossy(value).into_owned());
    let sign = text(sign::SIGN).filter(|sign| !sign.is_empty());
    let Some(sign) = sign else {
        let explanation = "the field sign is missing".to_owned();
        return Err(reject(RejectionRule::MissingHeader, explanation));
    };
    let signed = sign::notice_text(fields);
    let named = text("alipay_cert_sn");
    let verified = keys
        .verifies(named.as_deref(), &signed, &sign)
        .map_err(|explanation| Rejection {
            key_id: named.as_deref().map(printable),
            ..reject(RejectionRule::UnknownKey, explanation)
        })?;
    if verified {
        return Ok(());
    }
    let explanation = match raw(sign::SIGN_TYPE) {
        Some(b"RSA2") | None => {
            "the signature is not Alipay's over these fields: another key, or the body was changed on its way"
        }
        Some(_) => "the signature is not RSA2, whatever sign_type says: only RSA2 counts",
    };
    Err(Rejection {
        signed_text: Some(String::from_utf8_lossy(&signed).into_owned()),
        ..reject(RejectionRule::Signature, explanation.to_owned())
    })
}

/// What is about a trade names whose it is. What is about none need not: an agreement has no seller.
fn is_ours(
    recipient: &Recipient<'_>,
    fields: &Verified<'_>,
    of_a_trade: bool,
) -> Result<(), Rejection> {
    let expected = [
        ("app_id", Some(recipient.app_id)),
        ("seller_id", recipient.seller_id),
    ];
    for (name, ours) in expected {
        let Some(ours) = ours else { continue };
        match fields.text(name)? {
            Some(theirs) if theirs == ours => {}
            Some(theirs) => {
                let explanation = format!("{name} is {}, and ours is {ours}", printable(theirs));
                return Err(reject(RejectionRule::OtherMerchant, explanation));
            }
            None if of_a_trade => return Err(missing(name)),
            None => {}
        }
    }
    Ok(())
}

fn of_a_trade(fields: &Verified<'_>) -> Result<Notice, Rejection> {
    let key = fields.name("notify_id")?;
    let order_no = fields.name("out_trade_no")?;
    let trade_no = fields.name("trade_no")?;
    let word = fields.needed("trade_status")?;
    let total = fields.money("total_amount")?;
    let status = codes::trade_status(word);
    let refund = match status {
        Some(TradeStatus::Paid | TradeStatus::Closed) => Refund::of(fields)?,
        Some(TradeStatus::Waiting) | None => None,
    };
    let status = match (status, &refund) {
        (Some(TradeStatus::Closed), Some(refund)) if refund.is_all_of(total) => {
            ChargeStatus::PaidAndRefunded
        }
        (_, Some(refund)) => return Ok(refund.told(key, word, &order_no, &trade_no)),
        (Some(TradeStatus::Paid), None) => ChargeStatus::Paid,
        (Some(TradeStatus::Closed), None) => ChargeStatus::Closed,
        (Some(TradeStatus::Waiting), None) => ChargeStatus::Pending { next_action: None },
        (None, None) => ChargeStatus::Unexplained(printable(word)),
    };
    Ok(Notice::Charge {
        key,
        status: printable(word),
        order_no: order_no.clone(),
        answer: Answer::Charge(Statement {
            status,
            order_no,
            idempotency_key: None,
            merchant: fields.text("app_id")?.map(str::to_owned),
            money: Some(total),
            trade_no: Some(trade_no),
            reference: None,
            summary: printable(word),
        }),
    })
}

/// What a notice says of refunds.
struct Refund {
    /// `out_biz_no`: the number that the refund was asked for with.
    number: Option<String>,
    /// `refund_fee`: all that was ever refunded of the trade.
    sum: Option<Money>,
}

impl Refund {
    /// `None`: it is about none.
    fn of(fields: &Verified<'_>) -> Result<Option<Self>, Rejection> {
        let mut any = false;
        for name in OF_A_REFUND {
            any |= fields.text(name)?.is_some();
        }
        let number = fields.text("out_biz_no")?;
        let sum = fields.text("refund_fee")?;
        let sum = sum.map(|_| fields.money("refund_fee")).transpose()?;
        Ok(any.then(|| Self {
            number: number.filter(|it| is_name(it)).map(str::to_owned),
            sum,
        }))
    }

    /// All of it, and under no number of ours: what is known is the trade alone.
    fn is_all_of(&self, total: Money) -> bool {
        self.number.is_none() && self.sum == Some(total)
    }

    fn told(&self, key: String, word: &str, order_no: &str, trade_no: &str) -> Notice {
        let number = self.number.as_deref().unwrap_or(trade_no).to_owned();
        let sum = self.sum.map(|sum| sum.amount);
        let summary = printable(&format!("{word}, refunded"));
        Notice::Refund {
            key,
            status: printable(word),
            order_no: order_no.to_owned(),
            news: RefundNews {
                refund_no: number.clone(),
                trade_no: Some(trade_no.to_owned()),
                cumulative: true,
                ours_by_our_number: true,
                answer: RefundAnswer::Succeeded(RefundStatement {
                    refund_no: number,
                    amount: sum,
                    trade_no: Some(trade_no.to_owned()),
                    channel_refund_no: None,
                    summary,
                }),
            },
        }
    }
}

/// The fields of a verified notice.
pub(super) struct Verified<'a>(&'a Fields);

impl<'a> Verified<'a> {
    /// A field as text, if it is there and not empty.
    pub(super) fn text(&self, name: &str) -> Result<Option<&'a str>, Rejection> {
        let value = self.0.get(name.as_bytes()).filter(|it| !it.is_empty());
        let text = value.map(|value| std::str::from_utf8(value)).transpose();
        text.map_err(|error| malformed(format!("{name} is not UTF-8 ({error})")))
    }

    fn needed(&self, name: &str) -> Result<&'a str, Rejection> {
        self.text(name)?.ok_or_else(|| missing(name))
    }

    /// What can be looked up and kept.
    fn name(&self, name: &str) -> Result<String, Rejection> {
        let text = self.needed(name)?;
        if is_name(text) {
            Ok(text.to_owned())
        } else {
            Err(malformed(format!(
                "{name} is too long, or holds control characters"
            )))
        }
    }

    fn money(&self, name: &str) -> Result<Money, Rejection> {
        let money = yuan::money(self.needed(name)?);
        money.ok_or_else(|| malformed(format!("{name} is no amount in yuan")))
    }
}

fn missing(name: &str) -> Rejection {
    malformed(format!("{name} is missing"))
}

pub(super) fn malformed(explanation: String) -> Rejection {
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
