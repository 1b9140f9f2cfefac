//! Refunds in the processor protocol: the bodies of calls, replies and callbacks, and what they mean.

use super::classify::readable;
use super::exchange::Reply;
use super::wire::CodeBody;
use crate::channels::RefundCall;
use crate::channels::client::{CallFailure, Silence};
use crate::channels::words::{is_name, object, printable};
use crate::domain::OrderNo;
use crate::domain::order::{RefundAnswer, RefundNews, RefundStatement};
use serde::{Deserialize, Serialize};

/// Which call about a refund was answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Call {
    Send,
    Query,
}

/// The body of a send. A repeated send is made of the same values, so that it has the same bytes.
#[derive(Debug, Serialize)]
pub(super) struct SendBody<'a> {
    refund_no: &'a str,
    amount: i64,
    trade_no: &'a str,
}

/// A refund as the processor states it, in a reply. Fields that are not listed are left alone.
#[derive(Debug, Deserialize)]
struct RefundBody {
    refund_no: String,
    amount: i64,
    status: String,
    channel_refund_no: Option<String>,
    trade_no: Option<String>,
    reason: Option<String>,
}

/// `refund.updated`: every field is required.
#[derive(Debug, Deserialize)]
pub(super) struct RefundNotice {
    pub(super) order_no: String,
    idempotency_key: String,
    trade_no: String,
    refund_no: String,
    amount: i64,
    pub(super) status: String,
}

impl<'a> SendBody<'a> {
    pub(super) fn of(call: &'a RefundCall) -> Self {
        Self {
            refund_no: &call.refund_no,
            amount: call.money.amount,
            trade_no: &call.trade_no,
        }
    }
}

/// The key of a send: one for each refund, and never the charge's, under which the processor remembers the charge.
pub(super) fn idempotency_key(call: &RefundCall) -> String {
    format!("refund:{}:{}", call.order_no, call.refund_no)
}

/// The meaning of a call's end. Amount, number and trade are told as they stand: who asked compares them.
pub(super) fn classify(call: Call, end: Result<Reply, CallFailure>) -> RefundAnswer {
    match readable(end) {
        Ok(reply) => classify_reply(call, &reply),
        Err(silence) => silence.into(),
    }
}

fn classify_reply(call: Call, reply: &Reply) -> RefundAnswer {
    let status = reply.status;
    if status == 200
        && let Ok(refund) = object::<RefundBody>(&reply.body)
    {
        return refund.meaning();
    }
    let code = object::<CodeBody>(&reply.body).map(|refusal| refusal.code);
    match (call, status, code.as_deref()) {
        (Call::Query, 404, Ok("not_found")) => RefundAnswer::NotFound,
        (Call::Send, 409, Ok("idempotency_conflict")) => RefundAnswer::Conflict {
            summary: "HTTP 409, code idempotency_conflict".to_owned(),
        },
        // A send that finds no charge is no word about a refund: the query is asked, and says it.
        (Call::Send | Call::Query, _, Ok(code)) => {
            unreadable(format!("HTTP {status}, code {}", printable(code)))
        }
        (Call::Send | Call::Query, _, Err(_)) => {
            unreadable(format!("HTTP {status}, not a reply of the protocol"))
        }
    }
}

impl RefundBody {
    fn meaning(self) -> RefundAnswer {
        let summary = self.reason.as_deref().map_or_else(
            || printable(&self.status),
            |reason| format!("{}: {}", printable(&self.status), printable(reason)),
        );
        let statement = RefundStatement {
            refund_no: self.refund_no,
            amount: Some(self.amount),
            // What is no number names nothing.
            trade_no: self.trade_no.filter(|trade_no| is_name(trade_no)),
            channel_refund_no: self.channel_refund_no.filter(|number| is_name(number)),
            summary,
        };
        answer(&self.status, statement)
    }
}

impl RefundNotice {
    /// Whether every name in it can be looked up and kept, and its amount is one.
    pub(super) fn is_whole(&self) -> bool {
        let names = [
            &self.trade_no,
            &self.order_no,
            &self.idempotency_key,
            &self.refund_no,
        ];
        self.amount >= 1 && names.into_iter().all(|name| is_name(name))
    }

    /// The order has one key; what is told under another one says nothing of its refunds.
    pub(super) fn into_news(self) -> RefundNews {
        let statement = RefundStatement {
            refund_no: self.refund_no.clone(),
            amount: Some(self.amount),
            trade_no: Some(self.trade_no.clone()),
            channel_refund_no: None,
            summary: printable(&self.status),
        };
        let ours = OrderNo(self.order_no).idempotency_key();
        let answer = if self.idempotency_key == ours {
            answer(&self.status, statement)
        } else {
            unreadable(format!("{}, under another key", printable(&self.status)))
        };
        RefundNews {
            refund_no: self.refund_no,
            trade_no: Some(self.trade_no),
            cumulative: false,
            ours_by_our_number: true,
            answer,
        }
    }
}

/// The processor's word for a status. A word that is not in the protocol says nothing.
fn answer(word: &str, statement: RefundStatement) -> RefundAnswer {
    match word {
        "SUCCEEDED" => RefundAnswer::Succeeded(statement),
        "PENDING" => RefundAnswer::Pending(statement),
        "FAILED" => RefundAnswer::Failed(statement),
        unlisted => unreadable(format!("status {}", printable(unlisted))),
    }
}

fn unreadable(summary: String) -> RefundAnswer {
    Silence::unreadable(summary).into()
}
