//! The refunds of an order, and one of them.

use super::{Place, of_number};
use crate::web::auth;
use crate::web::cursor;
use crate::web::openapi::lists::RefundList;
use crate::web::problem::Problem;
use crate::web::problem_view::ProblemView;
use crate::web::query::Parameters;
use crate::web::refund_view::RefundView;
use crate::web::role::Act;
use crate::web::routes::orders::named;
use crate::web::state::Shared;
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};

/// List the refunds of an order, newest first.
#[utoipa::path(
    get, path = "/v1/orders/{order_id}/refunds", tag = "refunds", operation_id = "list_refunds",
    params(
        ("order_id" = String, Path, pattern = "^ord_[0-9a-f]{32}$"),
        ("cursor" = Option<String>, Query, pattern = "^ref_[0-9a-f]{32}$", description = "`next_cursor` of the page before"),
        ("limit" = Option<u64>, Query, minimum = 1, maximum = 200, description = "Default 50"),
    ),
    responses(
        (status = 200, description = "A page of refunds", body = RefundList),
        (status = 404, description = "`not-found`", body = ProblemView, content_type = "application/problem+json"),
        (status = 422, description = "`validation`", body = ProblemView, content_type = "application/problem+json"),
    ),
)]
pub(crate) async fn list(
    shared: Data<Shared>,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    auth::require(&shared.keys, &request, Act::ReadOrders)?;
    let mut parameters = Parameters::of(&request);
    let after = parameters.cursor("ref");
    let limit = parameters.limit();
    parameters.finish()?;
    let order = named(&shared, &request).await?;
    let older = |id: &str| after.as_deref().is_none_or(|after| id < after);
    let mut refunds: Vec<_> = order
        .refunds
        .iter()
        .filter(|refund| older(&refund.refund_id))
        .collect();
    refunds.sort_by(|one, other| other.refund_id.cmp(&one.refund_id));
    let next_cursor = cursor::cut(&mut refunds, limit, |refund| refund.refund_id.clone());
    Ok(HttpResponse::Ok().json(RefundList {
        data: refunds
            .into_iter()
            .map(|refund| RefundView::of(&order, refund))
            .collect(),
        next_cursor,
    }))
}

/// Read a refund.
#[utoipa::path(
    get, path = "/v1/orders/{order_id}/refunds/{refund_no}", tag = "refunds", operation_id = "get_refund",
    params(
        ("order_id" = String, Path, pattern = "^ord_[0-9a-f]{32}$"),
        ("refund_no" = String, Path, min_length = 1),
    ),
    responses(
        (status = 200, description = "The refund", body = RefundView),
        (status = 404, description = "`not-found`", body = ProblemView, content_type = "application/problem+json"),
        (status = 422, description = "`validation`: an unknown parameter", body = ProblemView, content_type = "application/problem+json"),
    ),
)]
pub(crate) async fn get(
    shared: Data<Shared>,
    request: HttpRequest,
    place: Place,
) -> Result<HttpResponse, Problem> {
    auth::require(&shared.keys, &request, Act::ReadOrders)?;
    Parameters::of(&request).finish()?;
    let order = named(&shared, &request).await?;
    let refund = of_number(&order, &place.1)?;
    Ok(HttpResponse::Ok().json(RefundView::of(&order, refund)))
}
