//! A TokenPay gateway: the vectors of its own documentation and plugins, and the adapter against a double.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "a story stops at whatever it does not expect, and tells case after case"
)]

mod calls;
mod notices;
mod orders;
mod settings;
mod signatures;

use crate::doubles::tokenpay::{API_TOKEN, Gateway, TOKEN};
use oncepay::channels::opening::{Opening, SettingRefusal};
use oncepay::channels::tokenpay::{self, TokenpaySettings, WhenExpired};
use oncepay::channels::{Channel, ChargeCall};
use oncepay::clock::SystemClock;
use oncepay::domain::order::{Answer, ChargeStatus, Fingerprint, Reason, Statement};
use oncepay::domain::{Currency, Money, UnixMillis};
use secrecy::SecretString;
use std::sync::Arc;
use std::time::Duration;

const NOTIFY_URL: &str = "https://merchant.example/v1/callbacks/tokenpay";

fn settings() -> TokenpaySettings {
    TokenpaySettings {
        api_token: SecretString::from(API_TOKEN),
        token_currency: TOKEN.to_owned(),
        base_currency: "CNY".to_owned(),
        when_expired: WhenExpired::Close,
    }
}

fn open(base_url: &str, settings: TokenpaySettings) -> Result<Arc<dyn Channel>, SettingRefusal> {
    let opening = Opening {
        account: Fingerprint {
            channel: "tokenpay".to_owned(),
            merchant: "tokenpay".to_owned(),
            live: false,
        },
        base_url: base_url.to_owned(),
        loopback: true,
        amount_max: None,
        clock: SystemClock::start(),
    };
    tokenpay::open(opening, settings)
}

fn channel(gateway: &Gateway) -> Arc<dyn Channel> {
    open(&gateway.base_url(), settings()).unwrap()
}

fn cny(amount: i64) -> Money {
    Money::new(amount, Currency::parse("CNY").unwrap())
}

/// The call about an order of 20.00 CNY, before the gateway has answered.
fn call(order_no: &str) -> ChargeCall {
    ChargeCall {
        order_no: order_no.to_owned(),
        idempotency_key: format!("pay:order:{order_no}"),
        method: "transfer".to_owned(),
        money: cny(2000),
        subject: "VIP+ 月卡".to_owned(),
        expires_in_s: 7200,
        notify_url: NOTIFY_URL.to_owned(),
        return_url: None,
        payer: None,
        channel_ref: None,
        trade_no: None,
        created_at: UnixMillis(0),
        first_submit_at: None,
        timeout: Duration::from_millis(500),
    }
}

/// The call about an order that the gateway has.
fn call_about(gateway: &Gateway, order_no: &str) -> ChargeCall {
    ChargeCall {
        channel_ref: Some(gateway.order(order_no).id),
        ..call(order_no)
    }
}

fn statement(answer: &Answer) -> &Statement {
    match answer {
        Answer::Charge(statement) => statement,
        other => panic!("no statement: {other:?}"),
    }
}

fn status(answer: &Answer) -> &ChargeStatus {
    &statement(answer).status
}

/// Why a call has no answer that counts.
fn doubt(answer: &Answer) -> Reason {
    match answer {
        Answer::Unknown(unknown) => unknown.reason,
        other => panic!("not unknown: {other:?}"),
    }
}
