//! Refunds and the query of a refund.

use super::change_refund::Refunded;
use super::charges::{broken, not_found};
use super::directives::RefundOutcome;
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
    sandbox.count(&key, |calls| {
        calls.refunds = calls.refunds.saturating_add(1)
    });
    let say = match serde_json::from_slice::<RefundRequest>(&body) {
        Ok(refund) => refunded(&sandbox, &key, refund),
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
    sandbox.count(&place.0, |calls| {
        calls.refund_queries = calls.refund_queries.saturating_add(1)
    });
    let refund = sandbox.change(|change| change.book.refunds.get(&place).cloned());
    let say = match refund {
        Some(Some(refund)) => Say::Signed(200, say::refund_reply(&refund)),
        Some(None) => not_found(),
        None => broken(),
    };
    sandbox.answer(&request_id, say).await
}

fn refunded(sandbox: &Sandbox, key: &str, request: RefundRequest) -> Say {
    let script = sandbox.book().script(key);
    if script.refund == RefundOutcome::Unknown {
        return broken();
    }
    match sandbox.refund(key, request) {
        Some(Refunded::New(refund) | Refunded::Same(refund)) => {
            Say::Signed(200, say::refund_reply(&refund))
        }
        Some(Refunded::Conflict) => Say::Signed(409, say::code("idempotency_conflict")),
        Some(Refunded::NoCharge) => not_found(),
        None => broken(),
    }
}
