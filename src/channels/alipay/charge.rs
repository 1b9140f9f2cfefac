//! Charges: what is asked, and what the answers mean.

use super::codes::{self, Asked, Meaning, TradeStatus};
use super::gateway::{Gateway, NOT_SIGNED, Returns};
use super::methods::Method;
use super::reply::{Body, filled};
use super::{beijing, browser, yuan};
use crate::channels::ChargeCall;
use crate::channels::client::Silence;
use crate::channels::words::{is_name, printable};
use crate::domain::order::{Answer, ChargeStatus, NextAction, Statement};
use serde::Serialize;

/// What a payer is asked to pay. A repeated submit is made of the same values: Alipay refuses the number with others.
#[derive(Debug, Serialize)]
struct Payment<'a> {
    out_trade_no: &'a str,
    total_amount: String,
    subject: &'a str,
    product_code: &'a str,
    /// The order's own end as a moment. A duration would begin when the payer scans the code, and end later.
    time_expire: String,
    /// Where a payer goes who gives up in the mobile web page.
    #[serde(skip_serializing_if = "Option::is_none")]
    quit_url: Option<&'a str>,
}

#[derive(Debug, Serialize)]
struct Named<'a> {
    out_trade_no: &'a str,
}

/// The end of a code that is shown, far beyond any that Alipay makes.
const QR_CODE_MAX: usize = 2_048;

pub(super) async fn submit(gateway: &Gateway, product: Option<&str>, call: &ChargeCall) -> Answer {
    let Some(method) = Method::named(&call.method) else {
        return Answer::NotSent {
            summary: "there is no such method".to_owned(),
        };
    };
    let lifetime_ms = call.expires_in_s.saturating_mul(1_000);
    let payment = Payment {
        out_trade_no: &call.order_no,
        total_amount: yuan::write(call.money.amount),
        subject: &call.subject,
        product_code: method.product_code(product),
        time_expire: beijing::write(call.created_at.plus(lifetime_ms)),
        quit_url: call.return_url.as_deref().filter(|_| method == Method::Wap),
    };
    let returns = Returns {
        notify_url: Some(&call.notify_url),
        return_url: call.return_url.as_deref().filter(|_| method.is_browsers()),
    };
    if method.is_browsers() {
        return match browser::action(gateway, method.api(), &payment, returns) {
            Some(action) => pending(call, None, Some(action), "the payer is sent to Alipay"),
            None => Answer::NotSent {
                summary: NOT_SIGNED.to_owned(),
            },
        };
    }
    let end = gateway
        .call(method.api(), &payment, returns, call.timeout)
        .await;
    answer(Asked::Submit, call, end)
}

pub(super) async fn query(gateway: &Gateway, call: &ChargeCall) -> Answer {
    ask(gateway, Asked::Query, "alipay.trade.query", call).await
}

pub(super) async fn close(gateway: &Gateway, call: &ChargeCall) -> Answer {
    ask(gateway, Asked::Close, "alipay.trade.close", call).await
}

async fn ask(gateway: &Gateway, asked: Asked, method: &'static str, call: &ChargeCall) -> Answer {
    let about = Named {
        out_trade_no: &call.order_no,
    };
    let end = gateway
        .call(method, &about, Returns::default(), call.timeout)
        .await;
    answer(asked, call, end)
}

fn answer(asked: Asked, call: &ChargeCall, end: Result<Body, Silence>) -> Answer {
    let body = match end {
        Ok(body) => body,
        Err(silence) => return silence.into(),
    };
    if body.names_other(&call.order_no) {
        return unreadable(format!("{}, about another order", body.summary()));
    }
    if body.is_accepted() {
        return accepted(asked, call, &body);
    }
    let meaning = codes::meaning(asked, &body.code, body.sub_code.as_deref());
    let stated = |status| {
        Answer::Charge(Statement {
            order_no: call.order_no.clone(),
            ..statement(&body, status)
        })
    };
    match meaning {
        Meaning::Refused => stated(ChargeStatus::Declined),
        Meaning::Closed => stated(ChargeStatus::Closed),
        Meaning::Underway => stated(ChargeStatus::Pending { next_action: None }),
        Meaning::NotThere => Answer::NotFound,
        Meaning::Decided => Answer::AlreadyPaid,
        Meaning::Conflict => Answer::KeyConflict,
        Meaning::OfApp => Answer::NotSent {
            summary: body.summary(),
        },
        Meaning::Throttled => Answer::Throttled {
            summary: body.summary(),
        },
        Meaning::Trouble => Silence::unavailable(body.summary()).into(),
        Meaning::Unlisted | Meaning::Repeatable => unreadable(body.summary()),
    }
}

/// `10000`: an answer that does not name the order is none about it.
fn accepted(asked: Asked, call: &ChargeCall, body: &Body) -> Answer {
    if filled(body.out_trade_no.as_ref()).is_none() {
        return unreadable(format!("{}, without out_trade_no", body.summary()));
    }
    match asked {
        Asked::Submit => match filled(body.qr_code.as_ref()).filter(|it| it.len() <= QR_CODE_MAX) {
            Some(code) if !code.chars().any(char::is_control) => {
                let action = NextAction {
                    kind: "qr_code".to_owned(),
                    value: code.to_owned(),
                };
                pending(
                    call,
                    filled(body.trade_no.as_ref()),
                    Some(action),
                    &body.summary(),
                )
            }
            Some(_) | None => unreadable(format!("{}, without a qr_code", body.summary())),
        },
        Asked::Query => queried(call, body),
        Asked::Close => Answer::Charge(statement(body, ChargeStatus::Closed)),
        Asked::Refund | Asked::RefundQuery => unreadable(body.summary()),
    }
}

/// An answer to a query. A trade is closed unpaid or after a full refund; it was paid if we had seen it paid, or if
/// it has a time of payment.
fn queried(call: &ChargeCall, body: &Body) -> Answer {
    let Some(word) = filled(body.trade_status.as_ref()) else {
        return unreadable(format!("{}, without trade_status", body.summary()));
    };
    let was_paid = call.trade_no.is_some() || filled(body.send_pay_date.as_ref()).is_some();
    let status = match codes::trade_status(word) {
        Some(TradeStatus::Waiting) => ChargeStatus::Pending { next_action: None },
        Some(TradeStatus::Paid) => ChargeStatus::Paid,
        Some(TradeStatus::Closed) if was_paid => ChargeStatus::PaidAndRefunded,
        Some(TradeStatus::Closed) => ChargeStatus::Closed,
        None => ChargeStatus::Unexplained(printable(word)),
    };
    let amount = filled(body.total_amount.as_ref());
    let money = amount.and_then(yuan::money);
    if amount.is_some() && money.is_none() {
        return unreadable(format!("{}, total_amount is no amount", printable(word)));
    }
    Answer::Charge(Statement {
        money,
        summary: printable(word),
        ..statement(body, status)
    })
}

fn statement(body: &Body, status: ChargeStatus) -> Statement {
    Statement {
        status,
        order_no: body.out_trade_no.clone().unwrap_or_default(),
        idempotency_key: None,
        merchant: None,
        money: None,
        trade_no: body.trade_no.clone().filter(|number| is_name(number)),
        reference: None,
        summary: body.summary(),
    }
}

fn pending(
    call: &ChargeCall,
    trade_no: Option<&str>,
    next_action: Option<NextAction>,
    summary: &str,
) -> Answer {
    Answer::Charge(Statement {
        status: ChargeStatus::Pending { next_action },
        order_no: call.order_no.clone(),
        idempotency_key: None,
        merchant: None,
        money: None,
        trade_no: trade_no.filter(|number| is_name(number)).map(str::to_owned),
        reference: None,
        summary: summary.to_owned(),
    })
}

fn unreadable(summary: String) -> Answer {
    Silence::unreadable(summary).into()
}
