//! The calls about a charge, and what their answers mean for the order.

use super::amounts::to_stripe;
use super::codes::Trouble;
use super::exchange::{Deadline, End, Exchange, Refusal, Told, key};
use super::search::{self, Missed};
use super::wire::{Intent, ORDER_NO, is_intent};
use crate::channels::ChargeCall;
use crate::channels::client::Silence;
use crate::clock;
use crate::domain::UnixMillis;
use crate::domain::order::{Answer, ChargeStatus, Statement};
use std::time::Duration;

/// Creates the intent. A repeated call has the same key and the same form.
pub(super) async fn submit(exchange: &Exchange, call: &ChargeCall) -> Answer {
    let deadline = Deadline::after(call.timeout);
    let amount = match to_stripe(call.money) {
        Ok(amount) => amount,
        Err(refusal) => {
            return Answer::NotSent {
                summary: format!("amount {refusal}"),
            };
        }
    };
    let form = [
        ("amount", amount.to_string()),
        ("currency", call.money.currency.as_str().to_lowercase()),
        ("automatic_payment_methods[enabled]", "true".to_owned()),
        ("description", call.subject.clone()),
        (ORDER_NO, call.order_no.clone()),
    ];
    let key = key(call.idempotency_key.clone());
    let end = exchange
        .post::<Intent>("/v1/payment_intents", &key, &form, deadline)
        .await;
    match end {
        End::Object(told) if told.replayed => as_it_stands(exchange, told.object, deadline).await,
        End::Object(told) => statement(told.object),
        End::Error(refusal) => refused(call, refusal),
        End::Silence(silence) => silence.into(),
    }
}

/// A replayed answer is that of the first call, and may be a day old; the intent says how it stands now. If it cannot
/// be heard, the old answer counts: it is *pending* and names the intent, by which it is asked about from now on.
async fn as_it_stands(exchange: &Exchange, first: Intent, deadline: Deadline) -> Answer {
    let now = match retrieve(exchange, &first.id, deadline).await {
        End::Object(told) => statement(told.object),
        End::Error(_) | End::Silence(_) => return statement(first),
    };
    match now {
        Answer::Charge(_) => now,
        Answer::NotFound
        | Answer::AlreadyPaid
        | Answer::Hint(_)
        | Answer::KeyConflict
        | Answer::CannotClose
        | Answer::Throttled { .. }
        | Answer::NotSent { .. }
        | Answer::Unknown(_) => statement(first),
    }
}

/// Asks by the intent's name, which is looked for by the order's number where nobody has told it.
pub(super) async fn query(exchange: &Exchange, call: &ChargeCall, now: UnixMillis) -> Answer {
    let deadline = Deadline::after(call.timeout);
    let id = match name(exchange, call, now, deadline).await {
        Ok(id) => id,
        Err(missed) => return not_one(call, missed),
    };
    match retrieve(exchange, &id, deadline).await {
        End::Object(told) => statement(told.object),
        End::Error(refusal) => asked(refusal),
        End::Silence(silence) => silence.into(),
    }
}

/// The order's number that an intent bears. An account may have other programs beside this one: their intents bear none.
pub(super) async fn number_of(
    exchange: &Exchange,
    id: &str,
    timeout: Duration,
) -> Result<Option<String>, String> {
    if !is_intent(id) {
        return Ok(None);
    }
    match retrieve(exchange, id, Deadline::after(timeout)).await {
        End::Object(told) => Ok(told.object.metadata.out_trade_no),
        End::Error(refusal) if refusal.trouble == Trouble::Missing => Ok(None),
        End::Error(refusal) => Err(refusal.summary),
        End::Silence(Silence::NotSent(summary)) => Err(summary),
        End::Silence(Silence::Unknown(unknown)) => Err(unknown.summary),
    }
}

async fn name(
    exchange: &Exchange,
    call: &ChargeCall,
    now: UnixMillis,
    deadline: Deadline,
) -> Result<String, Missed> {
    match known(call) {
        Some(id) => Ok(id.to_owned()),
        None => search::intent(exchange, call, now, deadline).await,
    }
}

/// Cancels the intent. A payer who has begun a debit, or has paid, cannot be stopped: then the intent says so.
pub(super) async fn close(exchange: &Exchange, call: &ChargeCall, now: UnixMillis) -> Answer {
    let deadline = Deadline::after(call.timeout);
    let id = match name(exchange, call, now, deadline).await {
        Ok(id) => id,
        Err(missed) => return not_one(call, missed),
    };
    if !is_intent(&id) {
        return unreadable("an intent without a name").into();
    }
    // A key of its own: a cancel has no effect that a repetition could double, and must not be answered with what was
    // remembered of an earlier one, when the intent could not be cancelled yet.
    let fresh = key(format!(
        "{}:{}",
        clock::new_id("cancel"),
        call.idempotency_key
    ));
    let end = exchange
        .post::<Intent>(
            &format!("/v1/payment_intents/{id}/cancel"),
            &fresh,
            &[],
            deadline,
        )
        .await;
    match end {
        End::Object(told) => statement(told.object),
        End::Error(refusal) if refusal.trouble == Trouble::WrongStatus => cannot_close(refusal),
        End::Error(refusal) => asked(refusal),
        End::Silence(silence) => silence.into(),
    }
}

/// The error of a cancel in the wrong status carries the intent: a paid or cancelled one answers the question.
fn cannot_close(refusal: Refusal) -> Answer {
    let Some(Answer::Charge(told)) = refusal.intent.map(|intent| statement(*intent)) else {
        return Answer::CannotClose;
    };
    match told.status {
        ChargeStatus::Paid
        | ChargeStatus::PaidAndRefunded
        | ChargeStatus::PaidAndSomeRefunded
        | ChargeStatus::Closed => Answer::Charge(told),
        ChargeStatus::Pending { .. }
        | ChargeStatus::Processing
        | ChargeStatus::Declined
        | ChargeStatus::Unexplained(_) => Answer::CannotClose,
    }
}

async fn retrieve(exchange: &Exchange, id: &str, deadline: Deadline) -> End<Intent> {
    if !is_intent(id) {
        return End::Silence(unreadable("an intent without a name"));
    }
    // The charge says whether it was given back.
    let query = [("expand[]", "latest_charge".to_owned())];
    let path = format!("/v1/payment_intents/{id}");
    let end = exchange.get::<Intent>(&path, &query, deadline).await;
    match end {
        End::Object(Told { object, .. }) if object.id != id => {
            End::Silence(unreadable("another intent than the one asked for"))
        }
        as_asked @ (End::Object(_) | End::Error(_) | End::Silence(_)) => as_asked,
    }
}

/// The intent's name, where an answer or a notice has told it.
fn known(call: &ChargeCall) -> Option<&str> {
    let names = [call.channel_ref.as_deref(), call.trade_no.as_deref()];
    names.into_iter().flatten().find(|name| is_intent(name))
}

fn statement(intent: Intent) -> Answer {
    match intent.into_statement() {
        Some(statement) => Answer::Charge(statement),
        None => {
            unreadable("an intent without our number, or of an amount that is none of ours").into()
        }
    }
}

/// An error that answers a create.
fn refused(call: &ChargeCall, refusal: Refusal) -> Answer {
    match refusal.trouble {
        Trouble::KeyReused => Answer::KeyConflict,
        Trouble::TooFast => Answer::Throttled {
            summary: refusal.summary,
        },
        // Not executed, and no word about this order: our key or address is wrong, as every call will find.
        Trouble::NoEntry | Trouble::Missing => Answer::NotSent {
            summary: refusal.summary,
        },
        Trouble::Refused | Trouble::WrongStatus | Trouble::RefundedAlready => {
            Answer::Charge(Statement {
                status: ChargeStatus::Declined,
                order_no: call.order_no.clone(),
                idempotency_key: Some(call.idempotency_key.clone()),
                merchant: None,
                money: None,
                trade_no: None,
                reference: None,
                summary: refusal.summary,
            })
        }
        Trouble::AttemptFailed => match refusal.intent {
            Some(intent) => statement(*intent),
            None => unreadable(&refusal.summary).into(),
        },
        Trouble::Unavailable | Trouble::Busy | Trouble::Unlisted => refusal.into_silence().into(),
    }
}

/// An error that answers a question, or a cancel: that an intent which Stripe has named to us is *missing* says that the
/// key is another account's or mode's, and never that nothing was charged.
fn asked(refusal: Refusal) -> Answer {
    match refusal.trouble {
        Trouble::TooFast => Answer::Throttled {
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

/// A search that did not end with one intent. *Not found* only after the whole list was read: the runtime then sends the
/// same order again under the same key, while Stripe remembers it, so that an intent which shows up late is that one.
fn not_one(call: &ChargeCall, missed: Missed) -> Answer {
    match missed {
        Missed::None => Answer::NotFound,
        Missed::Several(count) => Answer::Charge(Statement {
            status: ChargeStatus::Unexplained(format!("{count} intents")),
            order_no: call.order_no.clone(),
            idempotency_key: None,
            merchant: None,
            money: None,
            trade_no: None,
            reference: None,
            summary: format!("{count} payment intents bear this order number"),
        }),
        Missed::Error(refusal) => asked(refusal),
        Missed::Silence(silence) => silence.into(),
    }
}

fn unreadable(what: &str) -> Silence {
    Silence::unreadable(what)
}
