//! One order.

use super::named;
use crate::domain::order::Order;
use crate::web::about::About;
use crate::web::auth;
use crate::web::preferences::Preferences;
use crate::web::problem::Problem;
use crate::web::problem_view::ProblemView;
use crate::web::query::Parameters;
use crate::web::role::Act;
use crate::web::state::Shared;
use crate::web::view::OrderView;
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use std::time::Duration;

/// Read an order.
///
/// With `Prefer: wait=N` the answer comes when the order is settled or the wait is over. The status is always 200.
#[utoipa::path(
    get, path = "/v1/orders/{order_id}", tag = "orders", operation_id = "get_order",
    params(
        ("order_id" = String, Path, pattern = "^ord_[0-9a-f]{32}$"),
        ("Prefer" = Option<String>, Header, description = "`wait=N` (seconds, capped by server.ui_deadline); a malformed preference is ignored"),
    ),
    responses(
        (status = 200, description = "The order", body = OrderView, headers(("Preference-Applied" = String, description = "The preference that was honoured, if one was"))),
        (status = 404, description = "`not-found`", body = ProblemView, content_type = "application/problem+json"),
        (status = 422, description = "`validation`: an unknown parameter", body = ProblemView, content_type = "application/problem+json"),
    ),
)]
pub(crate) async fn get(
    shared: Data<Shared>,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    auth::require(&shared.keys, &request, Act::ReadOrders)?;
    Parameters::of(&request).finish()?;
    let order = named(&shared, &request).await?;
    let wait = Preferences::of(request.headers()).wait_up_to(shared.ui_deadline());
    let order = match wait {
        Some(wait) if !order.status.is_settled() => {
            settled(&shared, &request, &order, wait).await?
        }
        Some(_) | None => order,
    };
    let language = About::of(&request).language;
    let mut response = HttpResponse::Ok();
    if let Some(wait) = wait {
        response.insert_header(("Preference-Applied", format!("wait={}", wait.as_secs())));
    }
    Ok(response.json(OrderView::of(&order, &shared, language, false)))
}

/// The order once it is settled or the wait is over. A runtime that cannot wait now still answers with the row.
async fn settled(
    shared: &Shared,
    request: &HttpRequest,
    order: &Order,
    wait: Duration,
) -> Result<Order, Problem> {
    match shared.gateway.wait(&order.order_no, wait).await {
        Ok(answered) => Ok(answered.order),
        Err(_not_now) => named(shared, request).await,
    }
}
