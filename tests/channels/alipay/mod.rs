//! Alipay's channel, held against vectors of its own SDKs and a gateway like its own.

#![expect(
    clippy::wildcard_enum_match_arm,
    clippy::too_many_lines,
    clippy::string_slice,
    reason = "a story stops at whatever it does not expect, and tells case after case"
)]

mod bills;
mod charges;
mod codes;
mod long_bill;
mod notices;
mod refunds;
mod settings;
mod vectors;
mod wire;

use crate::doubles::alipay::{ALIPAY_PUBLIC, APP_ID, APP_PRIVATE, AlipayDouble, SELLER_ID};
use oncepay::channels::alipay::{self, AlipaySettings, Trust};
use oncepay::channels::opening::{Opening, SettingRefusal};
use oncepay::channels::{Channel, ChargeCall, RefundCall};
use oncepay::clock::{Clock, SharedClock};
use oncepay::domain::order::{Answer, ChargeStatus, Fingerprint, Reason, RefundAnswer, Statement};
use oncepay::domain::{Currency, Money, UnixMillis};
use std::sync::Arc;
use std::time::Duration;

/// 2026-11-30 18:00:12 in Beijing.
const NOW: UnixMillis = UnixMillis(1_796_032_812_000);

struct Frozen;

impl Clock for Frozen {
    fn wall(&self) -> UnixMillis {
        NOW
    }

    fn mono_ms(&self) -> i64 {
        0
    }
}

fn opening(base_url: &str) -> Opening {
    let clock: SharedClock = Arc::new(Frozen);
    Opening {
        account: Fingerprint {
            channel: "alipay".to_owned(),
            merchant: APP_ID.to_owned(),
            live: false,
        },
        base_url: base_url.to_owned(),
        loopback: base_url.contains("127.0.0.1"),
        amount_max: None,
        clock,
    }
}

fn configured() -> AlipaySettings {
    AlipaySettings {
        app_id: APP_ID.to_owned(),
        seller_id: Some(SELLER_ID.to_owned()),
        app_private_key: APP_PRIVATE.to_owned().into(),
        trust: Trust::PublicKey(ALIPAY_PUBLIC.to_owned()),
        product_code: None,
    }
}

fn opened(settings: AlipaySettings) -> Result<Arc<dyn Channel>, SettingRefusal> {
    alipay::open(opening("https://openapi.alipay.com/gateway.do"), settings)
}

fn channel(double: &AlipayDouble) -> Arc<dyn Channel> {
    alipay::open(opening(&double.gateway()), configured()).unwrap()
}

fn cny(amount: i64) -> Money {
    Money::new(amount, Currency::parse("CNY").unwrap())
}

fn call(order_no: &str, method: &str) -> ChargeCall {
    ChargeCall {
        order_no: order_no.to_owned(),
        idempotency_key: format!("pay:order:{order_no}"),
        method: method.to_owned(),
        money: cny(8888),
        subject: "VIP+ 月卡".to_owned(),
        expires_in_s: 7_200,
        notify_url: "https://merchant.example/v1/callbacks/alipay".to_owned(),
        return_url: Some("https://merchant.example/return?a=1&b=2".to_owned()),
        payer: None,
        channel_ref: None,
        trade_no: None,
        created_at: NOW,
        first_submit_at: None,
        timeout: Duration::from_secs(5),
    }
}

fn refund_call(order_no: &str, trade_no: &str, number: &str, amount: i64) -> RefundCall {
    RefundCall {
        order_no: order_no.to_owned(),
        idempotency_key: format!("pay:order:{order_no}"),
        method: "qr".to_owned(),
        charged: cny(8888),
        refund_no: number.to_owned(),
        trade_no: trade_no.to_owned(),
        paid: cny(8888),
        money: cny(amount),
        reason: Some("returned".to_owned()),
        channel_ref: None,
        channel_refund_no: None,
        created_at: NOW,
        first_sent_at: None,
        notify_url: "https://merchant.example/v1/callbacks/alipay".to_owned(),
        timeout: Duration::from_secs(5),
    }
}

fn said(answer: &Answer) -> &Statement {
    match answer {
        Answer::Charge(statement) => statement,
        other => panic!("not a statement: {other:?}"),
    }
}

/// The kind and value of what the payer must do.
fn action(answer: &Answer) -> (String, String) {
    match &said(answer).status {
        ChargeStatus::Pending {
            next_action: Some(action),
        } => (action.kind.clone(), action.value.clone()),
        other => panic!("nothing to do: {other:?}"),
    }
}

/// One word for what came of a call.
fn word(answer: &Answer) -> &'static str {
    match answer {
        Answer::Charge(statement) => match statement.status {
            ChargeStatus::Paid => "paid",
            ChargeStatus::PaidAndRefunded => "paid and refunded",
            ChargeStatus::PaidAndSomeRefunded => "paid and some refunded",
            ChargeStatus::Pending { .. } => "pending",
            ChargeStatus::Processing => "processing",
            ChargeStatus::Declined => "declined",
            ChargeStatus::Closed => "closed",
            ChargeStatus::Unexplained(_) => "unexplained",
        },
        Answer::NotFound => "not found",
        Answer::AlreadyPaid | Answer::Hint(_) => "ask at once",
        Answer::KeyConflict => "conflict",
        Answer::CannotClose => "cannot close",
        Answer::Throttled { .. } => "throttled",
        Answer::NotSent { .. } => "not sent",
        Answer::Unknown(unknown) => doubt(unknown.reason),
    }
}

fn refund_word(answer: &RefundAnswer) -> &'static str {
    match answer {
        RefundAnswer::Succeeded(_) => "succeeded",
        RefundAnswer::Pending(_) => "pending",
        RefundAnswer::Failed(_) => "failed",
        RefundAnswer::Repeatable { .. } => "repeatable",
        RefundAnswer::Conflict { .. } => "conflict",
        RefundAnswer::NotFound => "not found",
        RefundAnswer::Throttled { .. } => "throttled",
        RefundAnswer::NotSent { .. } => "not sent",
        RefundAnswer::Unknown(unknown) => doubt(unknown.reason),
    }
}

fn doubt(reason: Reason) -> &'static str {
    match reason {
        Reason::SubmitTimeout => "no answer",
        Reason::ChannelUnavailable => "trouble",
        _ => "unreadable",
    }
}
