//! Refunds and the query of a refund.

use super::change_refund::Refunded;
use super::charges::{bent, broken, not_found};
use super::directives::{RefundOutcome, Script};
use super::processor::Sandbox;
use super::record::RefundRequest;
use super::reply::{Say, unauthorized};
use super::say;
use actix_web::web::{Bytes, Data, Path};
use actix_web::{HttpRequest, HttpResponse};

/// `POST /charges/{idempotency_key}/refunds`
pub(super) async fn refund(
    sandbox: Data<Sandbox>,
    request: HttpRequest,
    key: Path<String>,
    body: Bytes,
) -> HttpResponse {
    let Some(request_id) = sandbox.authenticate(&request, &body) else {
        return unauthorized();
    };
    let calls = sandbox.count(&key, |calls| {
        calls.refunds = calls.refunds.saturating_add(1)
    });
    let say = match serde_json::from_slice::<RefundRequest>(&body) {
        Ok(refund) => refunded(&sandbox, &key, refund, calls.refunds).await,
        Err(_) => Say::Signed(422, say::code("invalid_request")),
    };
    sandbox.answer(&request_id, say).await
}

/// `GET /charges/{idempotency_key}/refunds/{refund_no}`
pub(super) async fn query(
    sandbox: Data<Sandbox>,
    request: HttpRequest,
    place: Path<(String, String)>,
    body: Bytes,
) -> HttpResponse {
    let Some(request_id) = sandbox.authenticate(&request, &body) else {
        return unauthorized();
    };
    let place = place.into_inner();
    let calls = sandbox.count(&place.0, |calls| {
        calls.refund_queries = calls.refund_queries.saturating_add(1)
    });
    let script = sandbox.book().script(&place.0);
    let refund = sandbox.change(|change| change.book.refunds.get(&place).cloned());
    let fault = Script::fault(script.refund_faults.query, calls.refund_queries);
    let say = match refund {
        Some(Some(refund)) => bent(fault, 200, say::refund_reply(&refund, &script)),
        Some(None) => bent(fault, 404, say::code("not_found")),
        None => broken(),
    };
    sandbox.answer(&request_id, say).await
}

async fn refunded(sandbox: &Sandbox, key: &str, request: RefundRequest, n: u32) -> Say {
    let script = sandbox.book().script(key);
    let faults = &script.refund_faults;
    if faults.lost_request.include(n) {
        return Say::Nothing;
    }
    if script.refund == RefundOutcome::Unknown {
        return broken();
    }
    let say = match sandbox.refund(key, request) {
        Some(Refunded::New(_) | Refunded::Same(_)) if faults.lost_reply.include(n) => Say::Nothing,
        Some(Refunded::New(refund) | Refunded::Same(refund)) => {
            Say::Signed(200, say::refund_reply(&refund, &script))
        }
        Some(Refunded::Conflict) => Say::Signed(409, say::code("idempotency_conflict")),
        Some(Refunded::NoCharge) => not_found(),
        None => broken(),
    };
    if let Some((delay, times)) = faults.delay
        && times.include(n)
    {
        tokio::time::sleep(delay).await;
    }
    say
}
