//! The history of an order.

use super::named;
use crate::moment::rfc3339;
use crate::store;
use crate::store::orders::StoredEvent;
use crate::web::auth;
use crate::web::openapi::lists::EventList;
use crate::web::problem::Problem;
use crate::web::problem_view::ProblemView;
use crate::web::query::Parameters;
use crate::web::role::Act;
use crate::web::state::Shared;
use crate::web::words::{EventKindWord, OrderStatusWord};
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use serde::Serialize;
use utoipa::ToSchema;

/// One line of an order's history.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Event)]
pub(crate) struct EventView {
    #[schema(minimum = 1)]
    pub(crate) seq: i64,
    pub(crate) event_id: String,
    #[schema(format = DateTime)]
    pub(crate) at: String,
    #[schema(value_type = EventKindWord)]
    pub(crate) kind: String,
    /// `api:<key name>`, `operator:<name>`, `channel:<name>`, `timer`, `startup` or `reconcile`.
    pub(crate) by: String,
    #[schema(value_type = Option<OrderStatusWord>, required = true)]
    pub(crate) from: Option<String>,
    #[schema(value_type = OrderStatusWord)]
    pub(crate) to: String,
    /// What was said, redacted.
    #[schema(value_type = Object)]
    pub(crate) detail: serde_json::Value,
    /// `sha256:<hex>` of the raw bytes of the message that caused it.
    #[schema(required = true)]
    pub(crate) digest: Option<String>,
}

/// Read the whole history of an order, oldest first.
#[utoipa::path(
    get, path = "/v1/orders/{order_id}/events", tag = "orders", operation_id = "list_order_events",
    params(("order_id" = String, Path, pattern = "^ord_[0-9a-f]{32}$")),
    responses(
        (status = 200, description = "The history", body = EventList),
        (status = 404, description = "`not-found`", body = ProblemView, content_type = "application/problem+json"),
        (status = 422, description = "`validation`: an unknown parameter", body = ProblemView, content_type = "application/problem+json"),
    ),
)]
pub(crate) async fn events(
    shared: Data<Shared>,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    auth::require(&shared.keys, &request, Act::ReadOrders)?;
    Parameters::of(&request).finish()?;
    let order = named(&shared, &request).await?;
    let events = store::orders::events(&shared.database.read, &order.order_id).await?;
    Ok(HttpResponse::Ok().json(EventList {
        data: events.into_iter().map(view).collect(),
        next_cursor: None,
    }))
}

fn view(event: StoredEvent) -> EventView {
    EventView {
        seq: event.seq,
        event_id: event.event_id,
        at: rfc3339(event.at),
        kind: event.kind,
        by: event.by,
        from: event.from,
        to: event.to,
        detail: serde_json::from_str(&event.detail)
            .unwrap_or_else(|_unreadable| serde_json::json!({})),
        digest: event.digest,
    }
}
