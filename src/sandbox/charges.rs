//! Query and close.

use super::directives::{Fault, Script};
use super::processor::Sandbox;
use super::record::{Charge, ChargeState};
use super::reply::{Say, unauthorized};
use super::say;
use actix_web::web::{Bytes, Data, Path};
use actix_web::{HttpRequest, HttpResponse};

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
    let say = match sandbox.change(|change| change.charge(&key)) {
        Some(Some(charge)) => {
            let script = Script::parse(&charge.request.subject);
            let truth = say::charge_reply(&charge, &script);
            bent(Script::fault(script.query, calls.queries), 200, truth)
        }
        Some(None) => not_found(),
        None => broken(),
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
    let closing = sandbox.change(|change| {
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
    let say = match closing {
        Some(Some((charge, script, fault))) => {
            let (status, truth) = closed(&charge, &script);
            bent(fault, status, truth)
        }
        Some(None) => not_found(),
        None => broken(),
    };
    sandbox.answer(&request_id, say).await
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

pub(super) fn bent(fault: Option<Fault>, status: u16, truth: String) -> Say {
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
