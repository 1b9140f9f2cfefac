//! What WeChat Pay's answers about a charge mean. Code by code, in [`refused`].

use super::codes::{self, Meaning, Trade};
use super::gateway::Said;
use super::wire::{Content, JsapiBody, NativeBody, Refusal, TransactionBody, content, refusal};
use crate::channels::ChargeCall;
use crate::channels::client::Silence;
use crate::channels::words::printable;
use crate::domain::order::{Answer, ChargeStatus, NextAction, Statement};

/// Which call was answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Call {
    Submit,
    Query,
    Close,
}

/// The merchant and its app, as answers must name them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Account<'a> {
    pub(super) mchid: &'a str,
    pub(super) appid: &'a str,
}

/// `native`: the address of the QR code.
pub(super) fn native(call: &ChargeCall, said: &Said) -> Answer {
    submitted(call, said, |body: NativeBody| {
        let is_address = !body.code_url.is_empty() && !body.code_url.chars().any(char::is_control);
        is_address.then(|| NextAction {
            kind: "qr_code".to_owned(),
            value: body.code_url,
        })
    })
}

/// `jsapi`: `app_params` makes what the payer's WeChat pays with of a `prepay_id`.
pub(super) fn jsapi(
    call: &ChargeCall,
    said: &Said,
    app_params: impl FnOnce(&str) -> Option<String>,
) -> Answer {
    submitted(call, said, |body: JsapiBody| {
        let is_word = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        let is_id = !body.prepay_id.is_empty() && body.prepay_id.bytes().all(is_word);
        let value = app_params(&body.prepay_id).filter(|_| is_id)?;
        Some(NextAction {
            kind: "app_params".to_owned(),
            value,
        })
    })
}

/// A submit's reply names no charge: it is about the number that was sent, and says nothing of money.
fn submitted<'a, T: serde::Deserialize<'a>>(
    call: &ChargeCall,
    said: &'a Said,
    action: impl FnOnce(T) -> Option<NextAction>,
) -> Answer {
    match content(said, call.payer.as_deref()) {
        Content::Body(body) => match action(body) {
            Some(action) => {
                let next_action = Some(action);
                let status = ChargeStatus::Pending { next_action };
                about(call, status, "accepted".to_owned())
            }
            None => unreadable(said),
        },
        Content::Refusal(refusal) => refused(Call::Submit, call, refusal),
        Content::Unreadable => unreadable(said),
    }
}

pub(super) fn queried(call: &ChargeCall, said: &Said, account: Account<'_>) -> Answer {
    match content::<TransactionBody>(said, call.payer.as_deref()) {
        Content::Body(transaction) => Answer::Charge(statement(&transaction, account)),
        Content::Refusal(refusal) => refused(Call::Query, call, refusal),
        Content::Unreadable => unreadable(said),
    }
}

/// Closed is 204 without a body; all else is a code.
pub(super) fn closed(call: &ChargeCall, said: &Said) -> Answer {
    if said.status == 204 && said.body.is_empty() {
        return about(call, ChargeStatus::Closed, "closed".to_owned());
    }
    match refusal(said, call.payer.as_deref()) {
        Some(refusal) => refused(Call::Close, call, refusal),
        None => unreadable(said),
    }
}

/// A transaction as it stands. Who asked compares the number, the merchant, the currency and the amount.
pub(super) fn statement(transaction: &TransactionBody, account: Account<'_>) -> Statement {
    let state = &transaction.trade_state;
    let status = match codes::trade(state) {
        Some(Trade::Paid) => ChargeStatus::Paid,
        Some(Trade::GivenBack) => ChargeStatus::PaidAndSomeRefunded,
        Some(Trade::Payable) => ChargeStatus::Pending { next_action: None },
        Some(Trade::Declined) => ChargeStatus::Declined,
        Some(Trade::Closed) => ChargeStatus::Closed,
        None => ChargeStatus::Unexplained(printable(state)),
    };
    // Another app of the same merchant is another account, which its number alone would not tell.
    let merchant = if transaction.appid == account.appid {
        transaction.mchid.clone()
    } else {
        format!("{} app {}", transaction.mchid, transaction.appid)
    };
    Statement {
        status,
        order_no: transaction.out_trade_no.clone(),
        idempotency_key: None,
        merchant: Some(printable(&merchant)),
        money: transaction.money(),
        trade_no: transaction.trade_no(),
        reference: None,
        summary: format!("trade_state {}", printable(state)),
    }
}

/// The table of codes, for each call.
fn refused(kind: Call, call: &ChargeCall, refusal: Refusal) -> Answer {
    let Refusal { meaning, summary } = refusal;
    let Some(meaning) = meaning else {
        return Silence::unreadable(summary).into();
    };
    match (kind, meaning) {
        (_, Meaning::Unknown) => Silence::unavailable(summary).into(),
        (_, Meaning::Throttled) => Answer::Throttled { summary },
        (_, Meaning::NotExecuted) => Answer::NotSent { summary },
        (_, Meaning::AlreadyPaid) => Answer::AlreadyPaid,
        (_, Meaning::Closed) => about(call, ChargeStatus::Closed, summary),
        (Call::Query | Call::Close, Meaning::NoOrder) => Answer::NotFound,
        (Call::Submit | Call::Query, Meaning::PayerActs) => {
            about(call, ChargeStatus::Pending { next_action: None }, summary)
        }
        (Call::Submit, Meaning::OtherParameters) => Answer::KeyConflict,
        (Call::Submit, Meaning::Refused | Meaning::InvalidRequest) => {
            about(call, ChargeStatus::Declined, summary)
        }
        (Call::Close, Meaning::PayerActs | Meaning::Refused | Meaning::InvalidRequest) => {
            Answer::CannotClose
        }
        // Answers to other questions.
        (Call::Submit, Meaning::NoOrder)
        | (Call::Query, Meaning::Refused | Meaning::InvalidRequest)
        | (Call::Query | Call::Close, Meaning::OtherParameters)
        | (
            Call::Submit | Call::Query | Call::Close,
            Meaning::NoRefund
            | Meaning::BalanceTooLow
            | Meaning::AnotherWay
            | Meaning::NoBill
            | Meaning::BillNotReady,
        ) => Silence::unreadable(summary).into(),
    }
}

/// About the order that was asked about, where the answer itself names none.
fn about(call: &ChargeCall, status: ChargeStatus, summary: String) -> Answer {
    Answer::Charge(Statement {
        status,
        order_no: call.order_no.clone(),
        idempotency_key: None,
        merchant: None,
        money: None,
        trade_no: None,
        reference: None,
        summary,
    })
}

fn unreadable(said: &Said) -> Answer {
    Silence::unreadable(format!(
        "HTTP {}, not a reply of the interface",
        said.status
    ))
    .into()
}
