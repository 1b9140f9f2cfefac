//! What WeChat Pay's answers about a refund mean. Code by code, in [`refused`].

use super::codes::{self, Meaning, Refunded};
use super::gateway::Said;
use super::refund_no;
use super::wire::{Content, Refusal, content};
use crate::channels::RefundCall;
use crate::channels::client::Silence;
use crate::channels::words::{is_name, printable};
use crate::domain::Currency;
use crate::domain::order::{RefundAnswer, RefundStatement};
use serde::{Deserialize, Serialize};

const REASON_CHARS_MAX: usize = 80;
/// What every refund is in.
pub(super) const CURRENCY: &str = "CNY";

/// Which call about a refund was answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Call {
    Send,
    Query,
}

/// The body of a refund. A repeated send is made of the same values.
#[derive(Debug, Serialize)]
pub(super) struct SendBody<'a> {
    transaction_id: &'a str,
    out_refund_no: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    notify_url: &'a str,
    amount: SendAmount,
}

/// Fen.
#[derive(Debug, Serialize)]
struct SendAmount {
    refund: i64,
    total: i64,
    currency: Currency,
}

impl<'a> SendBody<'a> {
    pub(super) fn of(call: &'a RefundCall) -> Self {
        // Cut rather than refused: the words are for the payer's bill and decide nothing.
        let short = |reason: &String| reason.chars().take(REASON_CHARS_MAX).collect::<String>();
        Self {
            transaction_id: &call.trade_no,
            out_refund_no: number_of(call),
            reason: call
                .reason
                .as_ref()
                .map(short)
                .filter(|text| !text.is_empty()),
            notify_url: &call.notify_url,
            amount: SendAmount {
                refund: call.money.amount,
                total: call.paid.amount,
                currency: call.money.currency,
            },
        }
    }
}

/// The refund's number at WeChat Pay.
pub(super) fn number_of(call: &RefundCall) -> String {
    refund_no::theirs(&call.order_no, &call.refund_no)
}

/// A refund as a reply states it.
#[derive(Debug, Deserialize)]
struct RefundBody {
    refund_id: String,
    out_refund_no: String,
    transaction_id: String,
    out_trade_no: String,
    status: String,
    amount: RefundAmount,
}

#[derive(Debug, Deserialize)]
struct RefundAmount {
    refund: i64,
    currency: Currency,
}

/// The meaning of a reply; who asked compares the trade and the amount.
pub(super) fn answered(kind: Call, call: &RefundCall, said: &Said) -> RefundAnswer {
    match content::<RefundBody>(said, None) {
        Content::Body(refund) => stated(call, refund),
        Content::Refusal(refusal) => refused(kind, call, refusal),
        Content::Unreadable => {
            let summary = format!("HTTP {}, not a reply of the interface", said.status);
            Silence::unreadable(summary).into()
        }
    }
}

fn stated(call: &RefundCall, refund: RefundBody) -> RefundAnswer {
    let of_ours = refund.out_refund_no == number_of(call) && refund.out_trade_no == call.order_no;
    if !of_ours || refund.amount.currency.as_str() != CURRENCY {
        return Silence::unreadable("a reply about another refund").into();
    }
    let statement = RefundStatement {
        refund_no: call.refund_no.clone(),
        amount: Some(refund.amount.refund),
        trade_no: Some(refund.transaction_id).filter(|number| is_name(number)),
        channel_refund_no: Some(refund.refund_id).filter(|number| is_name(number)),
        summary: format!("status {}", printable(&refund.status)),
    };
    meaning(&refund.status, statement)
}

/// The table of statuses, of replies and of notices.
pub(super) fn meaning(status: &str, statement: RefundStatement) -> RefundAnswer {
    match codes::refunded(status) {
        Some(Refunded::Pending) => RefundAnswer::Pending(statement),
        Some(Refunded::Succeeded) => RefundAnswer::Succeeded(statement),
        Some(Refunded::Failed) => RefundAnswer::Failed(statement),
        Some(Refunded::Stuck) => RefundAnswer::Repeatable {
            summary: format!(
                "{}: it did not reach the payer; to be finished at WeChat Pay's merchant platform",
                statement.summary
            ),
        },
        None => Silence::unreadable(statement.summary).into(),
    }
}

/// The table of codes, for each call.
fn refused(kind: Call, call: &RefundCall, refusal: Refusal) -> RefundAnswer {
    let Refusal { meaning, summary } = refusal;
    let Some(meaning) = meaning else {
        return Silence::unreadable(summary).into();
    };
    match (kind, meaning) {
        (_, Meaning::Unknown) => Silence::unavailable(summary).into(),
        (_, Meaning::Throttled) => RefundAnswer::Throttled { summary },
        (_, Meaning::NotExecuted) => RefundAnswer::NotSent { summary },
        (Call::Query, Meaning::NoRefund) => RefundAnswer::NotFound,
        (Call::Send, Meaning::BalanceTooLow | Meaning::AnotherWay) => {
            RefundAnswer::Repeatable { summary }
        }
        (Call::Send, Meaning::Refused) => RefundAnswer::Failed(RefundStatement {
            refund_no: call.refund_no.clone(),
            amount: None,
            trade_no: None,
            channel_refund_no: None,
            summary,
        }),
        // Also where the first send was carried out: only a query can tell.
        (Call::Send | Call::Query, Meaning::InvalidRequest)
        // A send that finds nothing is no word about a refund: the query is asked, and says it.
        | (Call::Send, Meaning::NoRefund)
        // Answers to other questions.
        | (
            Call::Query,
            Meaning::BalanceTooLow | Meaning::AnotherWay | Meaning::Refused,
        )
        | (
            Call::Send | Call::Query,
            Meaning::AlreadyPaid
            | Meaning::Closed
            | Meaning::NoOrder
            | Meaning::OtherParameters
            | Meaning::PayerActs
            | Meaning::NoBill
            | Meaning::BillNotReady,
        ) => Silence::unreadable(summary).into(),
    }
}
