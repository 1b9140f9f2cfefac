//! From what came back to what it means. This is the table of the protocol, row by row.

use super::exchange::{CallFailure, Reply};
use super::wire::{ChargeBody, CodeBody, object};
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

/// A call without a reply that says anything.
pub(super) enum Silence {
    NotSent(String),
    Unknown(UnknownAnswer),
}

/// The meaning of a call's end.
pub(super) fn classify(call: Call, end: Result<Reply, CallFailure>) -> Answer {
    match readable(end) {
        Ok(reply) => classify_reply(call, &reply),
        Err(Silence::NotSent(summary)) => Answer::NotSent { summary },
        Err(Silence::Unknown(unknown)) => Answer::Unknown(unknown),
    }
}

/// The reply, if it is the channel's own word.
pub(super) fn readable(end: Result<Reply, CallFailure>) -> Result<Reply, Silence> {
    let reply = end.map_err(silence)?;
    let status = reply.status;
    // The protocol has no 429, so that nothing says that it had no effect.
    if (500..=599).contains(&status) || (status == 429 && reply.authentic.is_ok()) {
        let summary = format!("HTTP {status}");
        return Err(no_answer(Reason::ChannelUnavailable, summary));
    }
    if let Err(why) = reply.authentic {
        let summary = format!("HTTP {status}, {why}");
        return Err(no_answer(Reason::UnreadableReply, summary));
    }
    Ok(reply)
}

fn silence(failure: CallFailure) -> Silence {
    match failure {
        CallFailure::NotSent(summary) => Silence::NotSent(summary),
        CallFailure::TimedOut => no_answer(Reason::SubmitTimeout, "no answer in time"),
        CallFailure::Broken(why) => no_answer(Reason::ChannelUnavailable, why),
        CallFailure::TooLong => no_answer(Reason::UnreadableReply, "the reply exceeds 1 MiB"),
    }
}

fn no_answer(reason: Reason, summary: impl Into<String>) -> Silence {
    Silence::Unknown(UnknownAnswer {
        reason,
        summary: summary.into(),
    })
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
    if let Ok(charge) = object::<ChargeBody>(body) {
        return Content::Charge(Box::new(charge.into_statement()));
    }
    match object::<CodeBody>(body) {
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
