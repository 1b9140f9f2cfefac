//! What may be asked of an order that is there: a query at its channel, and a close.

use super::{by, named};
use crate::domain::order::{Order, OrderStatus, Refusal};
use crate::web::about::About;
use crate::web::auth;
use crate::web::detached::detached;
use crate::web::problem::Problem;
use crate::web::problem_kind::Kind;
use crate::web::problem_view::ProblemView;
use crate::web::query::Parameters;
use crate::web::role::Act;
use crate::web::state::Shared;
use crate::web::view::OrderView;
use actix_web::http::header;
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};

/// Seconds after which a close that is being asked for is worth another look.
const LOOK_AGAIN_S: u64 = 2;

/// Ask the channel about an order now.
#[utoipa::path(
    post, path = "/v1/orders/{order_id}/query", tag = "orders", operation_id = "query_order",
    params(("order_id" = String, Path, pattern = "^ord_[0-9a-f]{32}$")),
    responses(
        (status = 200, description = "The order after the channel's reply", body = OrderView),
        (status = 404, description = "`not-found`", body = ProblemView, content_type = "application/problem+json"),
        (status = 409, description = "The order refuses it: `channel-changed`, `submit-open`, `version-conflict`", body = ProblemView, content_type = "application/problem+json"),
        (status = 422, description = "`validation`: an unknown parameter", body = ProblemView, content_type = "application/problem+json"),
        (status = 504, description = "`payment-unconfirmed`: nobody knows yet what was written", body = ProblemView, content_type = "application/problem+json"),
    ),
)]
pub(crate) async fn query(
    shared: Data<Shared>,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    let caller = auth::require(&shared.keys, &request, Act::OperateOrder)?;
    Parameters::of(&request).finish()?;
    let order = named(&shared, &request).await?;
    let (gateway, by) = (shared.gateway.clone(), by(&caller));
    let order = detached(async move { gateway.query(&order.order_no, by).await }).await?;
    let language = About::of(&request).language;
    Ok(HttpResponse::Ok().json(OrderView::of(&order, &shared, language, false)))
}

/// Close an order, if the channel confirms that it is unpaid.
#[utoipa::path(
    post, path = "/v1/orders/{order_id}/close", tag = "orders", operation_id = "close_order",
    params(("order_id" = String, Path, pattern = "^ord_[0-9a-f]{32}$")),
    responses(
        (status = 200, description = "The order is ended and was not charged", body = OrderView),
        (status = 202, description = "The channel is being asked", body = OrderView, headers(("Location" = String, description = "The order"))),
        (status = 404, description = "`not-found`", body = ProblemView, content_type = "application/problem+json"),
        (status = 409, description = "`already-paid`, `channel-changed` or another refusal of the order", body = ProblemView, content_type = "application/problem+json"),
        (status = 422, description = "`validation`: an unknown parameter", body = ProblemView, content_type = "application/problem+json"),
        (status = 504, description = "`payment-unconfirmed`: nobody knows yet what was written", body = ProblemView, content_type = "application/problem+json"),
    ),
)]
pub(crate) async fn close(
    shared: Data<Shared>,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    let caller = auth::require(&shared.keys, &request, Act::CloseOrder)?;
    Parameters::of(&request).finish()?;
    let order = named(&shared, &request).await?;
    let (gateway, by) = (shared.gateway.clone(), by(&caller));
    let order = detached(async move { gateway.close(&order.order_no, by).await }).await?;
    closed(&order, &shared, &About::of(&request))
}

fn closed(order: &Order, shared: &Shared, about: &About) -> Result<HttpResponse, Problem> {
    let mut response = match order.status {
        OrderStatus::Closed | OrderStatus::Failed => HttpResponse::Ok(),
        OrderStatus::Paid
        | OrderStatus::Refunding
        | OrderStatus::PartiallyRefunded
        | OrderStatus::Refunded => {
            return Err(Problem::new(Kind::Refused(Refusal::AlreadyPaid)));
        }
        OrderStatus::Unpaid
        | OrderStatus::Processing
        | OrderStatus::Pending
        | OrderStatus::Unknown
        | OrderStatus::Manual => {
            let mut accepted = HttpResponse::Accepted();
            accepted.insert_header((header::RETRY_AFTER, LOOK_AGAIN_S));
            let location = shared.public(&format!("/v1/orders/{}", order.order_id));
            accepted.insert_header((header::LOCATION, location));
            accepted
        }
    };
    Ok(response.json(OrderView::of(order, shared, about.language, false)))
}
