//! Submit: the one call that charges, and all that can be scripted to go wrong with it.

use super::change::Landed;
use super::charges::broken;
use super::directives::Script;
use super::processor::Sandbox;
use super::record::{Charge, ChargeRequest, ChargeState};
use super::reply::{Say, unauthorized};
use super::say;
use crate::channels::http::sign;
use actix_web::web::{Bytes, Data};
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
        return sandbox.land(request, script);
    };
    let (detached, script) = (sandbox.clone(), script.clone());
    let task = sandbox.runtime().spawn(async move {
        tokio::time::sleep(wait).await;
        detached.land(request, &script)
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
