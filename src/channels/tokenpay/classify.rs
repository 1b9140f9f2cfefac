//! From what came back to what it means.
//!
//! The gateway signs no reply. What makes one its own word is the connection: the https address that the configuration
//! names (loopback alone may do without), and that it is JSON of its form. A proxy's page is neither.

use super::amount::{self, Decimal, Transfer};
use super::codes::{self, OrderStatus};
use super::wire::{Envelope, Found, Made};
use super::{Tokens, WhenExpired};
use crate::channels::client::{CallFailure, Reply, Silence};
use crate::channels::words::{is_name, object, printable};
use crate::domain::order::{Answer, ChargeStatus, NextAction, Statement};
use crate::domain::{Currency, Money};
use reqwest::Url;

/// What `CreateOrder` for this order number came to.
pub(super) fn created(end: Result<Reply, CallFailure>, order_no: &str) -> Answer {
    answered(end, |envelope| {
        if !envelope.success {
            return refused(&envelope, order_no);
        }
        let made = envelope
            .info
            .map(|info| object::<Made>(info.get().as_bytes()));
        let page = envelope
            .data
            .and_then(|data| serde_json::from_str(data.get()).ok());
        match (made, page.and_then(pay_page)) {
            (Some(Ok(made)), Some(page)) => pending(made, page),
            _ => unreadable("the gateway's order or its pay page is missing"),
        }
    })
}

/// What `Query` about the gateway's order `id` came to.
pub(super) fn queried(end: Result<Reply, CallFailure>, id: &str, tokens: &Tokens) -> Answer {
    answered(end, |envelope| {
        if !envelope.success {
            // "订单不存在！" is said of every id that it has lost, also of one that was paid: no word about the order.
            return unreadable(&message(&envelope));
        }
        let found = envelope
            .data
            .map(|data| object::<Found>(data.get().as_bytes()));
        match found {
            Some(Ok(found)) if found.id == id && found.currency == tokens.token => {
                statement(found, tokens)
            }
            Some(Ok(_)) => unreadable("the gateway answered about another order"),
            Some(Err(_)) | None => unreadable("the gateway's order cannot be read"),
        }
    })
}

fn answered(end: Result<Reply, CallFailure>, read: impl FnOnce(Envelope<'_>) -> Answer) -> Answer {
    let reply = match end {
        Ok(reply) => reply,
        Err(failure) => return Silence::from(failure).into(),
    };
    let status = reply.status;
    if (500..=599).contains(&status) {
        return Silence::unavailable(format!("HTTP {status}")).into();
    }
    match object::<Envelope<'_>>(&reply.body) {
        Ok(envelope) if status == 200 => read(envelope),
        Ok(_) | Err(_) => unreadable(&format!("HTTP {status}, not a reply of the gateway")),
    }
}

fn unreadable(summary: &str) -> Answer {
    Silence::unreadable(summary).into()
}

fn message(envelope: &Envelope<'_>) -> String {
    format!(
        "the gateway says: {}",
        printable(envelope.message.as_deref().unwrap_or_default())
    )
}

/// A listed sentence made nothing; any other one is not known.
fn refused(envelope: &Envelope<'_>, order_no: &str) -> Answer {
    let Some(says) = codes::refusal(envelope.message.as_deref().unwrap_or_default()) else {
        return unreadable(&message(envelope));
    };
    Answer::Charge(Statement {
        status: ChargeStatus::Declined,
        order_no: order_no.to_owned(),
        idempotency_key: None,
        merchant: None,
        money: None,
        trade_no: None,
        reference: None,
        summary: says.to_owned(),
    })
}

/// Where the payer goes: nothing but a web address is handed to a browser.
fn pay_page(text: String) -> Option<String> {
    let url = Url::parse(&text).ok()?;
    matches!(url.scheme(), "https" | "http").then_some(text)
}

fn pending(made: Made, page: String) -> Answer {
    let money = Currency::parse(&made.base_currency).and_then(|currency| {
        let minor = Decimal::parse(&made.actual_amount.0)?.minor(currency)?;
        Some(Money::new(minor, currency))
    });
    let Some(money) = money.filter(|_| is_id(&made.id)) else {
        return unreadable("the gateway's order cannot be read");
    };
    Answer::Charge(Statement {
        status: ChargeStatus::Pending {
            next_action: Some(NextAction {
                kind: "redirect".to_owned(),
                value: page,
            }),
        },
        order_no: made.out_order_id,
        idempotency_key: None,
        merchant: None,
        // An order that was there already has its first amount, whatever was asked for now: it is compared.
        money: Some(money),
        trade_no: None,
        reference: Some(made.id),
        summary: OrderStatus::Pending.as_str().to_owned(),
    })
}

fn statement(found: Found, tokens: &Tokens) -> Answer {
    let currency = tokens.base_currency;
    let ordered = Decimal::parse(&found.actual_amount.0).and_then(|it| it.minor(currency));
    let Some(ordered) = ordered else {
        return unreadable("the gateway's amount cannot be read");
    };
    let mut summary = printable(&found.status.0);
    let (status, amount) = match codes::order_status(&found.status.0) {
        Some(OrderStatus::Pending) => (ChargeStatus::Pending { next_action: None }, ordered),
        Some(OrderStatus::Expired) => (expired(tokens.when_expired), ordered),
        Some(OrderStatus::Paid) => match worth(&found, ordered) {
            Some(amount) if amount == ordered => (ChargeStatus::Paid, amount),
            part => {
                let (sent, asked) = (&found.pay_amount.0, &found.amount.0);
                let said = format!("Paid, and {sent} was sent of {asked} {}", tokens.token);
                summary = printable(&said);
                match part {
                    Some(amount) => (ChargeStatus::Paid, amount),
                    None => (ChargeStatus::Unexplained(summary.clone()), ordered),
                }
            }
        },
        None => (ChargeStatus::Unexplained(summary.clone()), ordered),
    };
    Answer::Charge(Statement {
        status,
        order_no: found.out_order_id,
        idempotency_key: None,
        merchant: None,
        money: Some(Money::new(amount, currency)),
        trade_no: found.block_transaction_id.filter(|number| is_name(number)),
        reference: Some(found.id),
        summary,
    })
}

/// What the transfer is worth of an order of so many minor units.
fn worth(found: &Found, ordered: i64) -> Option<i64> {
    let sent = match found.pay_amount.0.as_str() {
        "" => None,
        text => Some(Decimal::parse(text)?),
    };
    let transfer = Transfer {
        asked: Decimal::parse(&found.amount.0)?,
        sent,
        inexact: !matches!(found.is_dynamic_amount.0.as_str(), "" | "false" | "0"),
    };
    amount::worth(ordered, &transfer)
}

/// The gateway looks for no transfer any more, and nobody tells of one that comes too late.
fn expired(when: WhenExpired) -> ChargeStatus {
    match when {
        WhenExpired::Close => ChargeStatus::Closed,
        WhenExpired::Manual => {
            ChargeStatus::Unexplained("Expired, and a late transfer is told by nobody".to_owned())
        }
    }
}

/// A GUID as the gateway writes it, which is also how it signs it.
pub(super) fn is_id(text: &str) -> bool {
    let of_id = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f' | b'-');
    text.len() == 36 && text.bytes().all(of_id)
}
