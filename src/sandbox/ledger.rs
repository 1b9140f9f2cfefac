//! `GET /ledger`: what the sandbox has really charged and refunded, and what was on the wire. `POST /control`.

use super::book::{Book, Calls};
use super::directives::Script;
use super::processor::Sandbox;
use super::record::{Charge, Refund, RefundRequest, RefundStatus, Trade};
use actix_web::web::{Data, Json};
use actix_web::{HttpRequest, HttpResponse};
use serde::{Deserialize, Serialize};

#[derive(Serialize)]
struct LedgerView {
    charges: Vec<ChargeView>,
    refunds: Vec<Refund>,
    /// Every key that was asked about, charged or not.
    calls: Vec<CallsView>,
    requests: u64,
    callbacks_waiting: usize,
}

#[derive(Serialize)]
struct ChargeView {
    order_no: String,
    idempotency_key: String,
    trade_no: String,
    amount: i64,
    currency: String,
    status: &'static str,
    submits: u32,
    queries: u32,
    closes: u32,
    charged_times: usize,
    trades: Vec<Trade>,
    unknown_directives: Vec<String>,
}

#[derive(Serialize)]
struct CallsView {
    idempotency_key: String,
    submits: u32,
    queries: u32,
    closes: u32,
    refunds: u32,
    refund_queries: u32,
}

/// What a person or a test makes happen; the first field that is there counts.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Control {
    /// The payer pays the charge with this key.
    Pay(String),
    /// A notice about the charge as it stands is sent.
    Notify { key: String, copies: u32 },
    /// Somebody refunds at the processor itself.
    Refund {
        key: String,
        refund_no: String,
        amount: i64,
        trade_no: String,
    },
    /// A refund takes this status.
    SettleRefund {
        key: String,
        refund_no: String,
        status: RefundStatus,
    },
}

/// `GET /ledger`
pub(super) async fn show(sandbox: Data<Sandbox>) -> HttpResponse {
    let view = sandbox.change(|change| {
        let keys: Vec<String> = change.book.charges.keys().cloned().collect();
        for key in keys {
            change.charge(&key);
        }
        view(change.book)
    });
    match view {
        Some(view) => HttpResponse::Ok().json(view),
        None => HttpResponse::InternalServerError().finish(),
    }
}

/// `POST /control`, from this machine alone: it is not signed.
pub(super) async fn control(
    sandbox: Data<Sandbox>,
    request: HttpRequest,
    command: Json<Control>,
) -> HttpResponse {
    let local = request
        .peer_addr()
        .is_some_and(|peer| peer.ip().is_loopback());
    if !local {
        return HttpResponse::Forbidden().finish();
    }
    let charge = sandbox.change(|change| match command.into_inner() {
        Control::Pay(key) => change.pay(&key),
        Control::Notify { key, copies } => change.notify_again(&key, copies),
        Control::Refund {
            key,
            refund_no,
            amount,
            trade_no,
        } => {
            let request = RefundRequest {
                refund_no,
                amount,
                trade_no,
            };
            change.refund_by_hand(&key, request)
        }
        Control::SettleRefund {
            key,
            refund_no,
            status,
        } => change.end_refund(&(key, refund_no), status),
    });
    match charge {
        Some(Some(charge)) => HttpResponse::Ok().json(charge),
        Some(None) => HttpResponse::NotFound().finish(),
        None => HttpResponse::InternalServerError().finish(),
    }
}

fn view(book: &Book) -> LedgerView {
    let mut charges: Vec<ChargeView> = book
        .charges
        .values()
        .map(|charge| charge_view(charge, book))
        .collect();
    charges.sort_by(|one, other| one.trade_no.cmp(&other.trade_no));
    let mut calls: Vec<CallsView> = book.calls.iter().map(calls_view).collect();
    calls.sort_by(|one, other| one.idempotency_key.cmp(&other.idempotency_key));
    LedgerView {
        charges,
        refunds: book.refunds.values().cloned().collect(),
        calls,
        requests: book.requests,
        callbacks_waiting: book.notices.len(),
    }
}

fn charge_view(charge: &Charge, book: &Book) -> ChargeView {
    let request = &charge.request;
    let calls = book.calls.get(&request.idempotency_key);
    let calls = calls.copied().unwrap_or_default();
    ChargeView {
        order_no: request.order_no.clone(),
        idempotency_key: request.idempotency_key.clone(),
        trade_no: charge.trade_no.clone(),
        amount: request.amount,
        currency: request.currency.clone(),
        status: charge.status.as_str(),
        submits: calls.submits,
        queries: calls.queries,
        closes: calls.closes,
        charged_times: charge.trades.len(),
        trades: charge.trades.clone(),
        unknown_directives: Script::parse(&request.subject).unknown,
    }
}

fn calls_view((key, calls): (&String, &Calls)) -> CallsView {
    CallsView {
        idempotency_key: key.clone(),
        submits: calls.submits,
        queries: calls.queries,
        closes: calls.closes,
        refunds: calls.refunds,
        refund_queries: calls.refund_queries,
    }
}
