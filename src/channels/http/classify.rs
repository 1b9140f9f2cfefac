//! From what came back to what it means. This is the table of the protocol, row by row.

use super::exchange::Reply;
use super::wire::{ChargeBody, CodeBody};
use crate::channels::client::{CallFailure, Silence};
use crate::channels::words::{object, printable};
use crate::domain::order::{Answer, Statement};

/// Which call was answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Call {
    Submit,
    Query,
    Close,
}

/// What an authenticated reply holds.
enum Content {
    Charge(Box<Statement>),
    Code(String),
    Unreadable,
}

/// The meaning of a call's end.
pub(super) fn classify(call: Call, end: Result<Reply, CallFailure>) -> Answer {
    match readable(end) {
        Ok(reply) => classify_reply(call, &reply),
        Err(silence) => silence.into(),
    }
}

/// The reply, if it is the channel's own word.
pub(super) fn readable(end: Result<Reply, CallFailure>) -> Result<Reply, Silence> {
    let reply = end?;
    let status = reply.status;
    // The protocol has no 429, so that nothing says that it had no effect.
    if (500..=599).contains(&status) || (status == 429 && reply.authentic.is_ok()) {
        return Err(Silence::unavailable(format!("HTTP {status}")));
    }
    if let Err(why) = reply.authentic {
        return Err(Silence::unreadable(format!("HTTP {status}, {why}")));
    }
    Ok(reply)
}

fn classify_reply(call: Call, reply: &Reply) -> Answer {
    let status = reply.status;
    match (call, status, content(&reply.body)) {
        (Call::Submit | Call::Query | Call::Close, 200, Content::Charge(charge))
        | (Call::Close, 409, Content::Charge(charge)) => Answer::Charge(*charge),

        (Call::Query | Call::Close, 404, Content::Code(code)) if code == "not_found" => {
            Answer::NotFound
        }
        (Call::Submit, 409, Content::Code(code)) if code == "idempotency_conflict" => {
            Answer::KeyConflict
        }
        (Call::Close, 409, Content::Code(_)) => Answer::CannotClose,

        (Call::Submit | Call::Query | Call::Close, _, Content::Code(code)) => {
            let code = printable(&code);
            Silence::unreadable(format!("HTTP {status}, code {code}")).into()
        }
        (Call::Submit | Call::Query | Call::Close, _, Content::Charge(_) | Content::Unreadable) => {
            Silence::unreadable(format!("HTTP {status}, not a reply of the protocol")).into()
        }
    }
}

/// A charge is tried first: a charge that is called paid in a 409 has no `code`.
fn content(body: &[u8]) -> Content {
    if let Ok(charge) = object::<ChargeBody>(body) {
        return Content::Charge(Box::new(charge.into_statement()));
    }
    match object::<CodeBody>(body) {
        Ok(refusal) => Content::Code(refusal.code),
        Err(_) => Content::Unreadable,
    }
}
