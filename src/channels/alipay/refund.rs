//! Refunds: what is asked, and what the answers mean.
//!
//! That a call was accepted is no refund: only `fund_change=Y`, or a query that says `REFUND_SUCCESS`, is one.

use super::codes::{self, Asked, Meaning};
use super::gateway::{Gateway, Returns};
use super::reply::{Body, filled};
use super::yuan;
use crate::channels::RefundCall;
use crate::channels::client::Silence;
use crate::domain::order::{RefundAnswer, RefundStatement};
use serde::Serialize;

/// What is given back. `out_request_no` makes a repetition the same refund, so that it is always sent.
#[derive(Debug, Serialize)]
struct Refund<'a> {
    out_trade_no: &'a str,
    trade_no: &'a str,
    refund_amount: String,
    out_request_no: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    refund_reason: Option<String>,
}

#[derive(Debug, Serialize)]
struct Named<'a> {
    out_trade_no: &'a str,
    trade_no: &'a str,
    out_request_no: &'a str,
}

const REASON_CHARS_MAX: usize = 256;

pub(super) async fn send(gateway: &Gateway, call: &RefundCall) -> RefundAnswer {
    let reason = call.reason.as_deref().filter(|reason| !reason.is_empty());
    let refund = Refund {
        out_trade_no: &call.order_no,
        trade_no: &call.trade_no,
        refund_amount: yuan::write(call.money.amount),
        out_request_no: &call.refund_no,
        refund_reason: reason.map(|reason| reason.chars().take(REASON_CHARS_MAX).collect()),
    };
    let end = gateway
        .call(
            "alipay.trade.refund",
            &refund,
            Returns::default(),
            call.timeout,
        )
        .await;
    answer(Asked::Refund, call, end)
}

pub(super) async fn query(gateway: &Gateway, call: &RefundCall) -> RefundAnswer {
    let about = Named {
        out_trade_no: &call.order_no,
        trade_no: &call.trade_no,
        out_request_no: &call.refund_no,
    };
    const METHOD: &str = "alipay.trade.fastpay.refund.query";
    let end = gateway
        .call(METHOD, &about, Returns::default(), call.timeout)
        .await;
    answer(Asked::RefundQuery, call, end)
}

fn answer(asked: Asked, call: &RefundCall, end: Result<Body, Silence>) -> RefundAnswer {
    let body = match end {
        Ok(body) => body,
        Err(silence) => return silence.into(),
    };
    let differs = |said: &Option<String>, ours: &str| {
        filled(said.as_ref()).is_some_and(|number| number != ours)
    };
    if body.names_other(&call.order_no)
        || differs(&body.trade_no, &call.trade_no)
        || differs(&body.out_request_no, &call.refund_no)
    {
        return unreadable(format!("{}, about another refund", body.summary()));
    }
    if body.is_accepted() {
        return match asked {
            Asked::Refund => sent(call, &body),
            Asked::RefundQuery => queried(call, &body),
            Asked::Submit | Asked::Query | Asked::Close => unreadable(body.summary()),
        };
    }
    let summary = body.summary();
    match codes::meaning(asked, &body.code, body.sub_code.as_deref()) {
        Meaning::Refused => RefundAnswer::Failed(statement(call, &body, None)),
        Meaning::Repeatable => RefundAnswer::Repeatable { summary },
        Meaning::Conflict => RefundAnswer::Conflict { summary },
        Meaning::Throttled => RefundAnswer::Throttled { summary },
        Meaning::Trouble => Silence::unavailable(summary).into(),
        Meaning::Unlisted
        | Meaning::OfApp
        | Meaning::Underway
        | Meaning::Decided
        | Meaning::Closed
        | Meaning::NotThere => unreadable(summary),
    }
}

/// `refund_fee` is all that was ever refunded of the trade: it may exceed this refund, and never fall short of it.
fn sent(call: &RefundCall, body: &Body) -> RefundAnswer {
    if filled(body.out_trade_no.as_ref()).is_none() {
        return unreadable(format!("{}, without out_trade_no", body.summary()));
    }
    let refunded = filled(body.refund_fee.as_ref()).and_then(yuan::read);
    let covers = refunded.is_some_and(|refunded| refunded >= call.money.amount);
    match filled(body.fund_change.as_ref()) {
        Some("Y") if covers => RefundAnswer::Succeeded(RefundStatement {
            summary: "fund_change=Y".to_owned(),
            ..statement(call, body, None)
        }),
        Some("Y") => unreadable("fund_change=Y, and refund_fee does not cover it".to_owned()),
        // A repetition of a refund that was made, or one that is under way: only the query tells.
        Some("N") => unreadable("accepted, fund_change=N: to be asked about".to_owned()),
        Some(_) | None => unreadable(format!("{}, without fund_change", body.summary())),
    }
}

/// A refund that Alipay never got is answered `10000` without the refund's fields.
fn queried(call: &RefundCall, body: &Body) -> RefundAnswer {
    let status = filled(body.refund_status.as_ref());
    let said = filled(body.refund_amount.as_ref());
    let named = filled(body.out_request_no.as_ref()).is_some();
    match (status, said.map(yuan::read)) {
        (None, None) => RefundAnswer::NotFound,
        (Some("REFUND_SUCCESS"), Some(Some(amount))) if named => {
            RefundAnswer::Succeeded(RefundStatement {
                summary: "REFUND_SUCCESS".to_owned(),
                ..statement(call, body, Some(amount))
            })
        }
        (Some(status), _) => unreadable(crate::channels::words::printable(&format!(
            "refund_status {status}, without all of its fields"
        ))),
        (None, Some(_)) => unreadable("refund_amount without refund_status".to_owned()),
    }
}

fn statement(call: &RefundCall, body: &Body, amount: Option<i64>) -> RefundStatement {
    RefundStatement {
        refund_no: call.refund_no.clone(),
        amount,
        trade_no: body.trade_no.clone().filter(|number| !number.is_empty()),
        channel_refund_no: None,
        summary: body.summary(),
    }
}

fn unreadable(summary: String) -> RefundAnswer {
    Silence::unreadable(summary).into()
}
