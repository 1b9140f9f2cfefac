//! What the sandbox says about a charge or a refund: the truth, bent as the script wants.

use super::directives::Script;
use super::record::{Charge, ChargeState, Refund};
use serde::Serialize;

#[derive(Serialize)]
struct ChargeSaid<'a> {
    trade_no: &'a str,
    order_no: &'a str,
    idempotency_key: &'a str,
    amount: i64,
    currency: &'a str,
    status: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_action: Option<NextActionSaid>,
}

#[derive(Serialize)]
struct NextActionSaid {
    kind: &'static str,
    value: String,
}

#[derive(Serialize)]
struct RefundSaid<'a> {
    refund_no: &'a str,
    amount: i64,
    status: &'a str,
    channel_refund_no: &'a str,
}

#[derive(Serialize)]
struct RefundNoticeSaid<'a> {
    order_no: &'a str,
    idempotency_key: &'a str,
    trade_no: &'a str,
    refund_no: &'a str,
    amount: i64,
    status: &'a str,
}

#[derive(Serialize)]
struct NoticeSaid<T> {
    #[serde(rename = "type")]
    kind: &'static str,
    data: T,
}

#[derive(Serialize)]
struct CodeSaid<'a> {
    code: &'a str,
}

/// The reply that carries a charge.
pub(super) fn charge_reply(charge: &Charge, script: &Script) -> String {
    let mut said = charge_said(charge, &charge.trade_no, script);
    said.reason = match charge.status {
        ChargeState::Declined => Some("insufficient_funds"),
        ChargeState::Paid
        | ChargeState::Pending
        | ChargeState::Processing
        | ChargeState::Closed => None,
    };
    said.next_action = (charge.status == ChargeState::Pending).then(|| NextActionSaid {
        kind: "qr_code",
        value: format!("sandbox://pay/{}", charge.trade_no),
    });
    json(&said)
}

/// The reply to a submit that is declined by its number, whatever has landed.
pub(super) fn declined_reply(charge: &Charge) -> String {
    let mut declined = charge.clone();
    declined.status = ChargeState::Declined;
    charge_reply(&declined, &Script::default())
}

/// The body of a callback about one trade of a charge.
pub(super) fn charge_notice(charge: &Charge, trade_no: &str, script: &Script) -> String {
    json(&NoticeSaid {
        kind: "charge.updated",
        data: charge_said(charge, trade_no, script),
    })
}

/// The reply that carries a refund.
pub(super) fn refund_reply(refund: &Refund, script: &Script) -> String {
    json(&RefundSaid {
        refund_no: &refund.request.refund_no,
        amount: script.refund_faults.amount.unwrap_or(refund.request.amount),
        status: refund.status.as_str(),
        channel_refund_no: &refund.channel_refund_no,
    })
}

/// The body of a callback about a refund.
pub(super) fn refund_notice(refund: &Refund) -> String {
    json(&NoticeSaid {
        kind: "refund.updated",
        data: RefundNoticeSaid {
            order_no: &refund.order_no,
            idempotency_key: &refund.idempotency_key,
            trade_no: &refund.request.trade_no,
            refund_no: &refund.request.refund_no,
            amount: refund.request.amount,
            status: refund.status.as_str(),
        },
    })
}

/// The body of a refusal.
pub(super) fn code(code: &str) -> String {
    json(&CodeSaid { code })
}

fn charge_said<'a>(charge: &'a Charge, trade_no: &'a str, script: &'a Script) -> ChargeSaid<'a> {
    let lies = &script.lies;
    let request = &charge.request;
    let renamed = lies
        .status
        .as_deref()
        .filter(|_| charge.status != ChargeState::Paid);
    ChargeSaid {
        trade_no,
        order_no: lies.order_no.as_deref().unwrap_or(&request.order_no),
        idempotency_key: lies.key.as_deref().unwrap_or(&request.idempotency_key),
        amount: lies.amount.unwrap_or(request.amount),
        currency: lies.currency.as_deref().unwrap_or(&request.currency),
        status: renamed.unwrap_or(charge.status.as_str()),
        reason: None,
        next_action: None,
    }
}

/// Plain structs of strings and integers: this cannot fail.
fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}
