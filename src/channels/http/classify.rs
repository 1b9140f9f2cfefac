//! From what came back to what it means. This is the table of the protocol, row by row.

use super::exchange::{CallFailure, Reply};
use super::wire::{ChargeBody, CodeBody};
use crate::domain::order::{Answer, Reason, Statement, UnknownAnswer};

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
    match end {
        Ok(reply) => classify_reply(call, &reply),
        Err(CallFailure::NotSent(summary)) => Answer::NotSent { summary },
        Err(CallFailure::TimedOut) => unknown(Reason::SubmitTimeout, "no answer in time"),
        Err(CallFailure::Broken(why)) => unknown(Reason::ChannelUnavailable, why),
        Err(CallFailure::TooLong) => unknown(Reason::UnreadableReply, "the reply exceeds 1 MiB"),
    }
}

fn classify_reply(call: Call, reply: &Reply) -> Answer {
    let status = reply.status;
    if (500..=599).contains(&status) {
        return unknown(Reason::ChannelUnavailable, format!("HTTP {status}"));
    }
    if let Err(why) = reply.authentic {
        return unknown(Reason::UnreadableReply, format!("HTTP {status}, {why}"));
    }
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

        // The protocol has no such reply, so that nothing says that it had no effect.
        (
            Call::Submit | Call::Query | Call::Close,
            429,
            Content::Charge(_) | Content::Code(_) | Content::Unreadable,
        ) => unknown(Reason::ChannelUnavailable, "HTTP 429"),

        (Call::Submit | Call::Query | Call::Close, _, Content::Code(code)) => {
            let code = super::wire::printable(&code);
            unknown(
                Reason::UnreadableReply,
                format!("HTTP {status}, code {code}"),
            )
        }
        (Call::Submit | Call::Query | Call::Close, _, Content::Charge(_) | Content::Unreadable) => {
            unknown(
                Reason::UnreadableReply,
                format!("HTTP {status}, not a reply of the protocol"),
            )
        }
    }
}

/// A charge is tried first: a charge that is called paid in a 409 has no `code`.
fn content(body: &[u8]) -> Content {
    if let Ok(charge) = serde_json::from_slice::<ChargeBody>(body) {
        return Content::Charge(Box::new(charge.into_statement()));
    }
    match serde_json::from_slice::<CodeBody>(body) {
        Ok(refusal) => Content::Code(refusal.code),
        Err(_) => Content::Unreadable,
    }
}

fn unknown(reason: Reason, summary: impl Into<String>) -> Answer {
    Answer::Unknown(UnknownAnswer {
        reason,
        summary: summary.into(),
    })
}
