//! The adapter beside its double.

use crate::doubles::stripe::{KEY, SECRET, StripeDouble};
use oncepay::channels::opening::{Opening, SettingRefusal};
use oncepay::channels::stripe::{StripeSettings, open};
use oncepay::channels::{Channel, ChargeCall, RefundCall};
use oncepay::clock::SystemClock;
use oncepay::domain::order::{Answer, ChargeStatus, Fingerprint, Reason, RefundAnswer, Statement};
use oncepay::domain::{Currency, Money, UnixMillis};
use secrecy::SecretString;
use std::sync::Arc;
use std::time::Duration;

pub(super) fn opening(base: &str, loopback: bool, live: bool) -> Opening {
    Opening {
        account: Fingerprint {
            channel: "stripe".to_owned(),
            merchant: "acct_test".to_owned(),
            live,
        },
        base_url: base.to_owned(),
        loopback,
        amount_max: Some(1_000_000),
        clock: SystemClock::start(),
    }
}

pub(super) fn settings(key: &str, secrets: &[&str]) -> StripeSettings {
    StripeSettings {
        secret_key: SecretString::from(key),
        webhook_secrets: secrets.iter().map(|it| SecretString::from(*it)).collect(),
    }
}

pub(super) fn try_open(
    opening: Opening,
    settings: StripeSettings,
) -> Result<Arc<dyn Channel>, SettingRefusal> {
    open(opening, settings)
}

pub(super) fn channel_at(base: &str) -> Arc<dyn Channel> {
    try_open(opening(base, true, false), settings(KEY, &[SECRET])).expect("good settings")
}

pub(super) fn beside(double: &StripeDouble) -> Arc<dyn Channel> {
    channel_at(&double.base)
}

pub(super) fn money(amount: i64, code: &str) -> Money {
    Money::new(amount, Currency::parse(code).unwrap())
}

pub(super) fn now() -> UnixMillis {
    SystemClock::start().wall()
}

/// An order of 19.99 USD that is about to be sent.
pub(super) fn charge(order_no: &str) -> ChargeCall {
    ChargeCall {
        order_no: order_no.to_owned(),
        idempotency_key: format!("pay:order:{order_no}"),
        method: "intent".to_owned(),
        money: money(1999, "USD"),
        subject: "VIP+ 月卡".to_owned(),
        expires_in_s: 7200,
        notify_url: "http://127.0.0.1:9/v1/callbacks/stripe".to_owned(),
        return_url: None,
        payer: None,
        channel_ref: None,
        trade_no: None,
        created_at: now(),
        first_submit_at: Some(now()),
        timeout: Duration::from_secs(5),
    }
}

/// A refund of 5.00 of it.
pub(super) fn refund(order_no: &str, trade_no: &str, refund_no: &str) -> RefundCall {
    RefundCall {
        order_no: order_no.to_owned(),
        idempotency_key: format!("pay:order:{order_no}"),
        method: "intent".to_owned(),
        charged: money(1999, "USD"),
        refund_no: refund_no.to_owned(),
        trade_no: trade_no.to_owned(),
        paid: money(1999, "USD"),
        money: money(500, "USD"),
        reason: None,
        channel_ref: Some(trade_no.to_owned()),
        channel_refund_no: None,
        created_at: now(),
        first_sent_at: Some(now()),
        notify_url: String::new(),
        timeout: Duration::from_secs(5),
    }
}

/// The statement in an answer that has one.
pub(super) fn told(answer: Answer) -> Statement {
    let Answer::Charge(statement) = answer else {
        panic!("no statement: {answer:?}");
    };
    statement
}

/// An answer in one word.
pub(super) fn word(answer: &Answer) -> String {
    match answer {
        Answer::Charge(statement) => match &statement.status {
            ChargeStatus::Paid => "paid",
            ChargeStatus::PaidAndRefunded => "paid and refunded",
            ChargeStatus::PaidAndSomeRefunded => "paid and some refunded",
            ChargeStatus::Pending { next_action: None } => "pending",
            ChargeStatus::Pending {
                next_action: Some(_),
            } => "payable",
            ChargeStatus::Processing => "processing",
            ChargeStatus::Declined => "declined",
            ChargeStatus::Closed => "closed",
            ChargeStatus::Unexplained(_) => "unexplained",
        }
        .to_owned(),
        Answer::NotFound => "not found".to_owned(),
        Answer::AlreadyPaid | Answer::Hint(_) => "already paid".to_owned(),
        Answer::KeyConflict => "key conflict".to_owned(),
        Answer::CannotClose => "cannot close".to_owned(),
        Answer::Throttled { .. } => "throttled".to_owned(),
        Answer::NotSent { .. } => "not sent".to_owned(),
        Answer::Unknown(unknown) => unknown_word(unknown.reason),
    }
}

/// The same of a refund's answer.
pub(super) fn refund_word(answer: &RefundAnswer) -> String {
    match answer {
        RefundAnswer::Succeeded(_) => "succeeded".to_owned(),
        RefundAnswer::Pending(_) => "pending".to_owned(),
        RefundAnswer::Failed(_) => "failed".to_owned(),
        RefundAnswer::Repeatable { .. } => "repeatable".to_owned(),
        RefundAnswer::Conflict { .. } => "conflict".to_owned(),
        RefundAnswer::NotFound => "not found".to_owned(),
        RefundAnswer::Throttled { .. } => "throttled".to_owned(),
        RefundAnswer::NotSent { .. } => "not sent".to_owned(),
        RefundAnswer::Unknown(unknown) => unknown_word(unknown.reason),
    }
}

fn unknown_word(reason: Reason) -> String {
    let words = [
        (Reason::SubmitTimeout, "no answer"),
        (Reason::ChannelUnavailable, "unavailable"),
        (Reason::UnreadableReply, "unreadable"),
    ];
    let known = words.iter().find(|(listed, _)| *listed == reason);
    let (_, word) = known.expect("one of the reasons of an unknown answer");
    format!("unknown: {word}")
}
