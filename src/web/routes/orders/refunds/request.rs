//! Asking for a refund: the request waits until it is settled, within the deadline.

use crate::actors::gateway::NewRefund;
use crate::actors::{GatewayError, Wait};
use crate::channels::http::sign::encode_segment;
use crate::domain::order::{Order, Refund, RefundRequest, RefundSource};
use crate::store;
use crate::web::auth;
use crate::web::body;
use crate::web::detached::detached;
use crate::web::form::Form;
use crate::web::idempotency;
use crate::web::json::Object;
use crate::web::keyring::Caller;
use crate::web::openapi::requests::NewRefundBody;
use crate::web::preferences::waiting;
use crate::web::problem::Problem;
use crate::web::problem_view::ProblemView;
use crate::web::query::Parameters;
use crate::web::refund_view::{ProposedRefundView, RefundOrProposalView, RefundView};
use crate::web::role::{Act, Role};
use crate::web::routes::orders::named;
use crate::web::rules::{self, AMOUNT_MAX};
use crate::web::state::Shared;
use actix_web::http::header;
use actix_web::web::{Data, Payload};
use actix_web::{HttpRequest, HttpResponse};

/// Seconds after which a refund that is not settled is worth another look.
const LOOK_AGAIN_S: u64 = 2;

/// Refund all or part of an order.
///
/// The request waits until the refund is settled, under way at the channel, or the deadline has passed. The same
/// `refund_no` with the same amount and trade is the same refund, never a second one. Above
/// `review.second_person_above` an operator's refund stands as proposed until another operator posts the same one.
#[utoipa::path(
    post, path = "/v1/orders/{order_id}/refunds", tag = "refunds", operation_id = "refund_order",
    request_body = NewRefundBody,
    params(
        ("order_id" = String, Path, pattern = "^ord_[0-9a-f]{32}$"),
        ("Idempotency-Key" = Option<String>, Header, min_length = 1, max_length = 255, pattern = "^[!-~]{1,255}$", description = "Stands for one refund, within the API key's name; that of a payment is another one"),
        ("Prefer" = Option<String>, Header, description = "`wait=N` (seconds, capped by server.ui_deadline) or `respond-async`; a malformed preference is ignored"),
    ),
    responses(
        (status = 200, description = "The refund is settled", body = RefundView, headers(("Location" = String, description = "The refund"), ("Preference-Applied" = String, description = "The preference that was honoured, if one was"))),
        (status = 202, description = "The refund is not settled yet; or it waits for a second person and there is none yet: then it has a `review` and no `refund_id`", body = RefundOrProposalView, headers(("Location" = String, description = "The refund, once there is one"), ("Preference-Applied" = String, description = "The preference that was honoured, if one was"))),
        (status = 404, description = "`not-found`", body = ProblemView, content_type = "application/problem+json"),
        (status = 409, description = "`not-refundable` or `second-person-required`", body = ProblemView, content_type = "application/problem+json"),
        (status = 422, description = "`validation`, `refund-conflict`, `refund-exceeds-order`, `unknown-trade` or `idempotency-key-reuse`", body = ProblemView, content_type = "application/problem+json"),
        (status = 504, description = "`payment-unconfirmed`: nobody knows yet what was written", body = ProblemView, content_type = "application/problem+json"),
    ),
)]
pub(crate) async fn refund(
    shared: Data<Shared>,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let caller = auth::require(&shared.keys, &request, Act::RefundOrder)?;
    let bytes = body::read_json(&request, payload, shared.settings.server.body_limit).await?;
    Parameters::of(&request).finish()?;
    let order = named(&shared, &request).await?;
    let new = read(&bytes, &request, &caller)?;
    let (wait, applied) = waiting(&request, &shared);
    let refund_no = new.request.refund_no.clone();
    let order = asked(&shared, &order, new, wait).await?;
    let mut response = match (order.refund(&refund_no), &order.refund_proposal) {
        (Some(refund), _) => answer(&shared, &order, refund),
        (None, Some(proposal)) if proposal.refund_no == refund_no => {
            let proposed = ProposedRefundView::of(&order, proposal);
            HttpResponse::Accepted().json(RefundOrProposalView::Proposed(proposed))
        }
        (None, Some(_) | None) => {
            let cause = "the refund is not on record yet".to_owned();
            return Err(GatewayError::Unclear(cause).into());
        }
    };
    if let Some(applied) = applied.and_then(|text| header::HeaderValue::try_from(text).ok()) {
        let name = header::HeaderName::from_static("preference-applied");
        response.headers_mut().insert(name, applied);
    }
    Ok(response)
}

fn read(bytes: &[u8], request: &HttpRequest, caller: &Caller) -> Result<NewRefund, Problem> {
    let mut form = Form::new(Object::of_body(bytes)?);
    let refund_no = form.required_text("refund_no", rules::path_name);
    let amount = form.required_whole("amount", 1, AMOUNT_MAX);
    let reason = form.text("reason", rules::plain(1, 256));
    let trade_no = form.text("channel_trade_no", rules::plain(1, 255));
    let idempotency_key = idempotency::key(request.headers(), &mut form);
    let source = match caller.role {
        Role::Merchant => RefundSource::Merchant,
        Role::Viewer | Role::Operator | Role::Admin => RefundSource::Operator,
    };
    let new = refund_no.zip(amount).map(|(refund_no, amount)| NewRefund {
        request: RefundRequest {
            refund_no,
            amount,
            reason,
            trade_no,
            source,
            key_name: caller.name.clone(),
        },
        idempotency_key,
    });
    form.finish(new)
}

/// The order after the ask; where nobody can vouch for it, the row is looked up: that it is not there yet proves
/// nothing.
async fn asked(
    shared: &Shared,
    order: &Order,
    new: NewRefund,
    wait: Wait,
) -> Result<Order, Problem> {
    let refund_no = new.request.refund_no.clone();
    let (gateway, order_no) = (shared.gateway.clone(), order.order_no.clone());
    let cause = match detached(async move { gateway.refund(&order_no, new, wait).await }).await {
        Ok(order) => return Ok(order),
        Err(GatewayError::Unclear(cause)) => cause,
        Err(error) => return Err(error.into()),
    };
    let unclear = |cause| Problem::from(GatewayError::Unclear(cause));
    match store::orders::by_id(&shared.database.read, &order.order_id).await {
        Ok(Some(order)) if order.refund(&refund_no).is_some() => Ok(order),
        Ok(Some(_) | None) => Err(unclear(cause)),
        Err(error) => Err(unclear(format!("{cause}; {error}"))),
    }
}

fn answer(shared: &Shared, order: &Order, refund: &Refund) -> HttpResponse {
    let number = encode_segment(&refund.refund_no);
    let path = format!("/v1/orders/{}/refunds/{number}", order.order_id);
    let mut response = if refund.status.is_open() {
        let mut accepted = HttpResponse::Accepted();
        accepted.insert_header((header::RETRY_AFTER, LOOK_AGAIN_S));
        accepted
    } else {
        HttpResponse::Ok()
    };
    response
        .insert_header((header::LOCATION, shared.public(&path)))
        .json(RefundOrProposalView::Refund(RefundView::of(order, refund)))
}
