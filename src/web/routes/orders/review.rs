//! A person's decision about an order in `MANUAL`.

use super::named;
use crate::domain::order::input::Review;
use crate::domain::order::{OrderStatus, ReviewDecision};
use crate::web::about::About;
use crate::web::auth;
use crate::web::body;
use crate::web::detached::detached;
use crate::web::form::Form;
use crate::web::json::Object;
use crate::web::openapi::requests::ReviewBody;
use crate::web::problem::Problem;
use crate::web::problem_view::ProblemView;
use crate::web::query::Parameters;
use crate::web::role::Act;
use crate::web::rules;
use crate::web::state::Shared;
use crate::web::view::OrderView;
use actix_web::web::{Data, Payload};
use actix_web::{HttpRequest, HttpResponse};

/// Decide what became of an order in `MANUAL`.
///
/// Above `review.second_person_above` the decision stands as proposed until another operator posts the same one.
#[utoipa::path(
    post, path = "/v1/orders/{order_id}/reviews", tag = "orders", operation_id = "review_order",
    request_body = ReviewBody,
    params(("order_id" = String, Path, pattern = "^ord_[0-9a-f]{32}$")),
    responses(
        (status = 200, description = "The order after the decision", body = OrderView),
        (status = 202, description = "The decision waits for a second person; it is in `review`. Or it is `CLOSE`, and the channel is being asked", body = OrderView),
        (status = 404, description = "`not-found`", body = ProblemView, content_type = "application/problem+json"),
        (status = 409, description = "`not-reviewable`, `version-conflict`, `second-person-required`, `channel-changed` or `submit-open`", body = ProblemView, content_type = "application/problem+json"),
        (status = 422, description = "`validation`, `evidence-of-payment`, `replaced-order-open`, `trade-no-conflict` or `no-payment-on-record`", body = ProblemView, content_type = "application/problem+json"),
        (status = 504, description = "`payment-unconfirmed`: nobody knows yet what was written", body = ProblemView, content_type = "application/problem+json"),
    ),
)]
pub(crate) async fn review(
    shared: Data<Shared>,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let caller = auth::require(&shared.keys, &request, Act::OperateOrder)?;
    let bytes = body::read_json(&request, payload, shared.settings.server.body_limit).await?;
    Parameters::of(&request).finish()?;
    let order = named(&shared, &request).await?;
    let review = read(&bytes, caller.name)?;
    let closes = review.decision == ReviewDecision::Close;
    let gateway = shared.gateway.clone();
    let order_no = order.order_no.clone();
    let order = detached(async move { gateway.review(&order_no, review).await }).await?;
    let language = About::of(&request).language;
    let view = OrderView::of(&order, &shared, language, false);
    Ok(match &order.proposal {
        Some(proposal) if order.status == OrderStatus::Manual => {
            HttpResponse::Accepted().json(view.proposing(proposal))
        }
        // The channel is being asked; what it answers decides.
        Some(_) | None if closes && !order.status.is_settled() => {
            HttpResponse::Accepted().json(view)
        }
        Some(_) | None => HttpResponse::Ok().json(view),
    })
}

fn read(bytes: &[u8], operator: String) -> Result<Review, Problem> {
    let mut form = Form::new(Object::of_body(bytes)?);
    let words: Vec<&str> = ReviewDecision::ALL
        .iter()
        .map(|word| word.as_str())
        .collect();
    let decision = form.required_text("decision", |text| {
        ReviewDecision::parse(text)
            .is_none()
            .then(|| rules::one_of(&words))
    });
    let basis = form.required_text("basis", rules::basis);
    let channel_trade_no = form.text("channel_trade_no", rules::plain(1, 128));
    let expected_version = form.required_whole("expected_version", 1, i64::MAX);
    let review = decision
        .and_then(|decision| ReviewDecision::parse(&decision))
        .zip(basis)
        .zip(expected_version)
        .map(|((decision, basis), expected_version)| Review {
            decision,
            basis,
            channel_trade_no,
            expected_version,
            operator,
        });
    form.finish(review)
}
