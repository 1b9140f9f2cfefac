//! A person's decision about a refund in `MANUAL`.

use super::{Place, of_number};
use crate::domain::order::{RefundDecision, RefundReview};
use crate::web::auth;
use crate::web::body;
use crate::web::detached::detached;
use crate::web::form::Form;
use crate::web::json::Object;
use crate::web::openapi::requests::RefundReviewBody;
use crate::web::problem::Problem;
use crate::web::problem_view::ProblemView;
use crate::web::query::Parameters;
use crate::web::refund_view::RefundView;
use crate::web::role::Act;
use crate::web::routes::orders::named;
use crate::web::rules;
use crate::web::state::Shared;
use actix_web::web::{Data, Payload};
use actix_web::{HttpRequest, HttpResponse};

/// Decide what became of a refund in `MANUAL`.
///
/// `RETRY` asks the channel first, and sends the same refund again if it is not there. Above
/// `review.second_person_above` the decision stands as proposed until another operator posts the same one.
#[utoipa::path(
    post, path = "/v1/orders/{order_id}/refunds/{refund_no}/reviews", tag = "refunds", operation_id = "review_refund",
    request_body = RefundReviewBody,
    params(
        ("order_id" = String, Path, pattern = "^ord_[0-9a-f]{32}$"),
        ("refund_no" = String, Path, min_length = 1),
    ),
    responses(
        (status = 200, description = "The refund after the decision", body = RefundView),
        (status = 202, description = "The decision waits for a second person; it is in `review`. Or it is `RETRY`, and the channel is being asked", body = RefundView),
        (status = 404, description = "`not-found`", body = ProblemView, content_type = "application/problem+json"),
        (status = 409, description = "`not-reviewable`, `version-conflict`, `second-person-required`, `submit-open` or `channel-changed`", body = ProblemView, content_type = "application/problem+json"),
        (status = 422, description = "`validation`", body = ProblemView, content_type = "application/problem+json"),
        (status = 504, description = "`payment-unconfirmed`: nobody knows yet what was written", body = ProblemView, content_type = "application/problem+json"),
    ),
)]
pub(crate) async fn review(
    shared: Data<Shared>,
    request: HttpRequest,
    payload: Payload,
    place: Place,
) -> Result<HttpResponse, Problem> {
    let caller = auth::require(&shared.keys, &request, Act::OperateOrder)?;
    let bytes = body::read_json(&request, payload, shared.settings.server.body_limit).await?;
    Parameters::of(&request).finish()?;
    let order = named(&shared, &request).await?;
    let refund_no = of_number(&order, &place.1)?.refund_no.clone();
    let review = read(&bytes, refund_no, caller.name)?;
    let (gateway, order_no) = (shared.gateway.clone(), order.order_no.clone());
    let reviewed = detached(async move { gateway.review_refund(&order_no, review).await });
    let order = reviewed.await?;
    let refund = of_number(&order, &place.1)?;
    let view = RefundView::with_proposal(&order, refund);
    Ok(if refund.status.is_open() {
        HttpResponse::Accepted().json(view)
    } else {
        HttpResponse::Ok().json(view)
    })
}

fn read(bytes: &[u8], refund_no: String, operator: String) -> Result<RefundReview, Problem> {
    let mut form = Form::new(Object::of_body(bytes)?);
    let words: Vec<&str> = RefundDecision::ALL
        .iter()
        .map(|word| word.as_str())
        .collect();
    let decision = form.required_text("decision", |text| {
        RefundDecision::parse(text)
            .is_none()
            .then(|| rules::one_of(&words))
    });
    let basis = form.required_text("basis", rules::basis);
    let expected_version = form.required_whole("expected_version", 1, i64::MAX);
    let review = decision
        .and_then(|decision| RefundDecision::parse(&decision))
        .zip(basis)
        .zip(expected_version)
        .map(|((decision, basis), expected_version)| RefundReview {
            refund_no,
            decision,
            basis,
            expected_version,
            operator,
        });
    form.finish(review)
}
