//! Submit, query and close.

use super::change::Landed;
use super::directives::{Fault, Script};
use super::processor::Sandbox;
use super::record::{Charge, ChargeRequest, ChargeState};
use super::reply::{Say, unauthorized};
use super::say;
use crate::channels::http::sign;
use actix_web::web::{Bytes, Data, Path};
use actix_web::{HttpRequest, HttpResponse};

/// `POST /charges`
pub(super) async fn submit(
    sandbox: Data<Sandbox>,
    request: HttpRequest,
    body: Bytes,
) -> HttpResponse {
    let Some(request_id) = sandbox.authenticate(&request, &body) else {
        return unauthorized();
    };
    let say = match read(&request, &body) {
        Some(charge) => charged(&sandbox, charge).await,
        None => Say::Signed(422, say::code("invalid_request")),
    };
    sandbox.answer(&request_id, say).await
}

/// `GET /charges/{idempotency_key}`
pub(super) async fn query(
    sandbox: Data<Sandbox>,
    request: HttpRequest,
    key: Path<String>,
    body: Bytes,
) -> HttpResponse {
    let Some(request_id) = sandbox.authenticate(&request, &body) else {
        return unauthorized();
    };
    let calls = sandbox.count(&key, |calls| {
        calls.queries = calls.queries.saturating_add(1)
    });
    let (charge, line) = sandbox.change(|change| change.charge(&key));
    if !sandbox.is_durable(line).await {
        return sandbox.answer(&request_id, broken()).await;
    }
    let say = match charge {
        Some(charge) => {
            let script = Script::parse(&charge.request.subject);
            let truth = say::charge_reply(&charge, &script);
            bent(Script::fault(script.query, calls.queries), 200, truth)
        }
        None => not_found(),
    };
    sandbox.answer(&request_id, say).await
}

/// `POST /charges/{idempotency_key}/close`
pub(super) async fn close(
    sandbox: Data<Sandbox>,
    request: HttpRequest,
    key: Path<String>,
    body: Bytes,
) -> HttpResponse {
    let Some(request_id) = sandbox.authenticate(&request, &body) else {
        return unauthorized();
    };
    let calls = sandbox.count(&key, |calls| calls.closes = calls.closes.saturating_add(1));
    let (charge, line) = sandbox.change(|change| {
        let charge = change.charge(&key)?;
        let script = Script::parse(&charge.request.subject);
        let fault = Script::fault(script.close, calls.closes);
        match fault {
            Some(Fault::Refuse | Fault::NotFound) => Some((charge, script, fault)),
            Some(Fault::Unknown | Fault::Timeout | Fault::Unsigned) | None => {
                Some((change.close(&key)?, script, fault))
            }
        }
    });
    if !sandbox.is_durable(line).await {
        return sandbox.answer(&request_id, broken()).await;
    }
    let say = charge.map_or_else(not_found, |(charge, script, fault)| {
        let (status, truth) = closed(&charge, &script);
        bent(fault, status, truth)
    });
    sandbox.answer(&request_id, say).await
}

/// The charge of a submit, if it is one: its key stands in the header too.
fn read(request: &HttpRequest, body: &[u8]) -> Option<ChargeRequest> {
    let charge: ChargeRequest = serde_json::from_slice(body).ok()?;
    let key = request.headers().get(sign::IDEMPOTENCY_KEY)?;
    let whole = key.as_bytes() == charge.idempotency_key.as_bytes()
        && !charge.order_no.is_empty()
        && charge.amount >= 1
        && charge.expires_in >= 1;
    whole.then_some(charge)
}

async fn charged(sandbox: &Sandbox, request: ChargeRequest) -> Say {
    let script = Script::parse(&request.subject);
    let key = request.idempotency_key.clone();
    let count = sandbox.count(&key, |calls| {
        calls.submits = calls.submits.saturating_add(1)
    });
    let n = count.submits;
    let http = script.http.filter(|fault| fault.times.include(n));
    if script.lost_request.include(n) {
        return Say::Nothing;
    }
    if let Some(fault) = http.filter(|fault| !fault.charged) {
        return Say::Unsigned(fault.status, String::new());
    }
    if script.decline_submit == Some(n) {
        let declined = say::declined_reply(&decline(sandbox, &request));
        return late(&script, n, Say::Signed(200, declined)).await;
    }
    let Some(landed) = landed(sandbox, request, &script).await else {
        return broken();
    };
    let charge = match landed {
        Landed::New(charge) | Landed::Same(charge) => charge,
        Landed::Conflict => return Say::Signed(409, say::code("idempotency_conflict")),
    };
    let reply = say::charge_reply(&charge, &script);
    let say = match http {
        Some(fault) => Say::Unsigned(fault.status, String::new()),
        None if script.lost_reply.include(n) => Say::Nothing,
        None if script.unsigned.include(n) => Say::Unsigned(200, reply),
        None => Say::Signed(200, reply),
    };
    late(&script, n, say).await
}

/// Lands the charge, later if it is scripted so: also when the caller hangs up meanwhile.
async fn landed(sandbox: &Sandbox, request: ChargeRequest, script: &Script) -> Option<Landed> {
    let Some(wait) = script.land_after else {
        let (landed, line) = sandbox.land(request, script);
        return sandbox.is_durable(line).await.then_some(landed);
    };
    let (detached, script) = (sandbox.clone(), script.clone());
    let task = sandbox.runtime().spawn(async move {
        tokio::time::sleep(wait).await;
        let (landed, line) = detached.land(request, &script);
        detached.is_durable(line).await.then_some(landed)
    });
    task.await.ok().flatten()
}

/// What a declined submit speaks about: the charge that stands, or one that was never made.
fn decline(sandbox: &Sandbox, request: &ChargeRequest) -> Charge {
    let standing = sandbox
        .book()
        .charges
        .get(&request.idempotency_key)
        .cloned();
    standing.unwrap_or_else(|| Charge {
        request: request.clone(),
        trade_no: crate::clock::new_id("trd"),
        status: ChargeState::Declined,
        created_at: sandbox.now_ms(),
        trades: Vec::new(),
    })
}

async fn late(script: &Script, n: u32, say: Say) -> Say {
    if let Some((delay, times)) = script.delay
        && times.include(n)
    {
        tokio::time::sleep(delay).await;
    }
    say
}

/// The truth about a close: done, or the charge that stands in its way.
fn closed(charge: &Charge, script: &Script) -> (u16, String) {
    match charge.status {
        ChargeState::Closed => (200, say::charge_reply(charge, script)),
        ChargeState::Paid => (409, say::charge_reply(charge, script)),
        ChargeState::Pending | ChargeState::Processing | ChargeState::Declined => {
            (409, say::code("cannot_close"))
        }
    }
}

fn bent(fault: Option<Fault>, status: u16, truth: String) -> Say {
    match fault {
        None => Say::Signed(status, truth),
        Some(Fault::Unsigned) => Say::Unsigned(status, truth),
        Some(Fault::Unknown) => broken(),
        Some(Fault::Timeout) => Say::Never,
        Some(Fault::NotFound) => not_found(),
        Some(Fault::Refuse) => Say::Signed(409, say::code("cannot_close")),
    }
}

pub(super) fn not_found() -> Say {
    Say::Signed(404, say::code("not_found"))
}

pub(super) fn broken() -> Say {
    Say::Unsigned(500, String::new())
}
