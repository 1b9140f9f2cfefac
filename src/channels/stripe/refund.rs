//! The calls about a refund, and what their answers mean.

use super::amounts::to_stripe;
use super::codes::Trouble;
use super::exchange::{Deadline, End, Exchange, Refusal, key};
use super::search::{self, Missed};
use super::wire::{ORDER_NO, REFUND_NO, Refund, is_id, is_intent};
use crate::channels::RefundCall;
use crate::channels::client::Silence;
use crate::domain::order::{RefundAnswer, RefundStatement};

/// Sends the refund. A repeated call has the same key and the same form.
pub(super) async fn send(exchange: &Exchange, call: &RefundCall) -> RefundAnswer {
    let deadline = Deadline::after(call.timeout);
    let amount = match to_stripe(call.money) {
        Ok(amount) => amount,
        Err(refusal) => return failed(call, format!("the amount {refusal}")),
    };
    if !is_intent(&call.trade_no) {
        return failed(call, "the trade is no payment intent".to_owned());
    }
    let form = [
        ("payment_intent", call.trade_no.clone()),
        ("amount", amount.to_string()),
        (REFUND_NO, call.refund_no.clone()),
        (ORDER_NO, call.order_no.clone()),
    ];
    let key = key(format!("re:{}:{}", call.idempotency_key, call.refund_no));
    let end = exchange
        .post::<Refund>("/v1/refunds", &key, &form, deadline)
        .await;
    match end {
        // A replayed answer is that of the first call: what succeeded then may have failed since.
        End::Object(told) if told.replayed => retrieve(exchange, &told.object.id, deadline).await,
        End::Object(told) => told.object.meaning(),
        End::Error(refusal) if refusal.trouble == Trouble::RefundedAlready => {
            nothing_left(exchange, call, refusal, deadline).await
        }
        End::Error(refusal) => refused(call, refusal),
        End::Silence(silence) => silence.into(),
    }
}

/// Asks by the refund's name, or looks for our number among the intent's refunds.
pub(super) async fn query(exchange: &Exchange, call: &RefundCall) -> RefundAnswer {
    let deadline = Deadline::after(call.timeout);
    match call.channel_refund_no.as_deref().filter(|id| is_refund(id)) {
        Some(id) => retrieve(exchange, id, deadline).await,
        None => look_for(exchange, call, deadline).await,
    }
}

async fn retrieve(exchange: &Exchange, id: &str, deadline: Deadline) -> RefundAnswer {
    if !is_refund(id) {
        return Silence::unreadable("a refund without a name").into();
    }
    let path = format!("/v1/refunds/{id}");
    match exchange.get::<Refund>(&path, &[], deadline).await {
        End::Object(told) if told.object.id == id => told.object.meaning(),
        End::Object(_) => Silence::unreadable("another refund than the one asked for").into(),
        // A refund that Stripe has named to us cannot be missing: the key is another account's or mode's.
        End::Error(refusal) => asked(refusal),
        End::Silence(silence) => silence.into(),
    }
}

/// *Not found* only after all refunds of the intent were read.
async fn look_for(exchange: &Exchange, call: &RefundCall, deadline: Deadline) -> RefundAnswer {
    if !is_intent(&call.trade_no) {
        return Silence::unreadable("the trade is no payment intent").into();
    }
    match search::refund(exchange, call, deadline).await {
        Ok(refund) => refund.meaning(),
        Err(Missed::None) => RefundAnswer::NotFound,
        Err(Missed::Several(count)) => RefundAnswer::Conflict {
            summary: format!("{count} refunds bear this number"),
        },
        Err(Missed::Error(refusal)) => asked(refusal),
        Err(Missed::Silence(silence)) => silence.into(),
    }
}

/// All of the charge went back: by this refund, if it is in the list; else this one is refused.
async fn nothing_left(
    exchange: &Exchange,
    call: &RefundCall,
    refusal: Refusal,
    deadline: Deadline,
) -> RefundAnswer {
    match look_for(exchange, call, deadline).await {
        RefundAnswer::NotFound => failed(call, refusal.summary),
        told @ (RefundAnswer::Succeeded(_)
        | RefundAnswer::Pending(_)
        | RefundAnswer::Failed(_)
        | RefundAnswer::Repeatable { .. }
        | RefundAnswer::Conflict { .. }
        | RefundAnswer::Throttled { .. }
        | RefundAnswer::NotSent { .. }
        | RefundAnswer::Unknown(_)) => told,
    }
}

/// An error that answers a send. Nothing that is refused is possible later under the same number: Stripe would answer
/// the same key with the same refusal.
fn refused(call: &RefundCall, refusal: Refusal) -> RefundAnswer {
    match refusal.trouble {
        Trouble::KeyReused => RefundAnswer::Conflict {
            summary: refusal.summary,
        },
        Trouble::TooFast => RefundAnswer::Throttled {
            summary: refusal.summary,
        },
        Trouble::NoEntry | Trouble::Missing => RefundAnswer::NotSent {
            summary: refusal.summary,
        },
        Trouble::Refused | Trouble::WrongStatus | Trouble::RefundedAlready => {
            failed(call, refusal.summary)
        }
        Trouble::AttemptFailed | Trouble::Unavailable | Trouble::Busy | Trouble::Unlisted => {
            refusal.into_silence().into()
        }
    }
}

/// An error that answers a question.
fn asked(refusal: Refusal) -> RefundAnswer {
    match refusal.trouble {
        Trouble::TooFast => RefundAnswer::Throttled {
            summary: refusal.summary,
        },
        Trouble::Unavailable
        | Trouble::Busy
        | Trouble::KeyReused
        | Trouble::AttemptFailed
        | Trouble::WrongStatus
        | Trouble::RefundedAlready
        | Trouble::NoEntry
        | Trouble::Missing
        | Trouble::Refused
        | Trouble::Unlisted => refusal.into_silence().into(),
    }
}

fn failed(call: &RefundCall, summary: String) -> RefundAnswer {
    RefundAnswer::Failed(RefundStatement {
        refund_no: call.refund_no.clone(),
        amount: None,
        trade_no: None,
        channel_refund_no: None,
        summary,
    })
}

/// Refunds of cards and of other ways of payment.
fn is_refund(id: &str) -> bool {
    is_id("re_", id) || is_id("pyr_", id)
}
