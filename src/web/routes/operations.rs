//! Metrics and documents, and where operations are mounted.

use super::health;
use crate::store;
use crate::web::openapi;
use crate::web::state::Shared;
use actix_web::http::header;
use actix_web::web::{self, Data};
use actix_web::{HttpRequest, HttpResponse, Resource};
use std::time::Duration;
use utoipa_swagger_ui::{Config, SwaggerUi};

/// A scrape does not wait for a database that is away: it shows what it has.
const COUNT_WITHIN: Duration = Duration::from_secs(1);
/// Open alerts beyond this are not counted one by one.
const ALERTS_MAX: u64 = 1000;

pub(super) fn resources() -> Vec<Resource> {
    vec![
        web::resource("/healthz")
            .route(web::get().to(health::healthz))
            .route(web::head().to(health::healthz)),
        web::resource("/readyz")
            .route(web::get().to(health::readyz))
            .route(web::head().to(health::readyz)),
        web::resource("/metrics").route(web::get().to(metrics)),
        web::resource("/openapi.json").route(web::get().to(document)),
        web::resource("/docs").route(web::get().to(docs)),
    ]
}

/// Swagger UI, from the binary itself. The document's address is relative, so that a prefix does not break it.
pub(super) fn pages() -> SwaggerUi {
    SwaggerUi::new("/{_:.*}").config(Config::from("../openapi.json").validator_url("none"))
}

/// Metrics in the text format of Prometheus.
#[utoipa::path(
    get, path = "/metrics", tag = "operations", operation_id = "metrics", security(),
    responses((status = 200, description = "The metrics", body = String, content_type = "text/plain")),
)]
pub(crate) async fn metrics(shared: Data<Shared>) -> HttpResponse {
    shared.metrics.set_journal(&shared.journal.health());
    let counted = tokio::time::timeout(COUNT_WITHIN, count(&shared)).await;
    if !matches!(counted, Ok(Ok(()))) {
        tracing::debug!("orders and alerts could not be counted for a scrape");
    }
    HttpResponse::Ok()
        .content_type("text/plain; version=0.0.4; charset=utf-8")
        .body(shared.metrics.text())
}

async fn count(shared: &Shared) -> Result<(), store::StoreError> {
    let read = &shared.database.read;
    let orders = store::orders::count_by_status(read).await?;
    shared.metrics.set_orders(&orders);
    let open = store::alerts::list(read, Some("open"), None, ALERTS_MAX).await?;
    shared.metrics.set_open_alerts(open.len());
    Ok(())
}

/// This document.
#[utoipa::path(
    get, path = "/openapi.json", tag = "operations", operation_id = "openapi", security(),
    responses((status = 200, description = "OpenAPI 3.1", body = Object)),
)]
pub(crate) async fn document() -> HttpResponse {
    HttpResponse::Ok()
        .content_type("application/json")
        .body(openapi::text())
}

/// `docs` without its slash would break the relative addresses of the pages.
async fn docs(request: HttpRequest) -> HttpResponse {
    HttpResponse::PermanentRedirect()
        .insert_header((header::LOCATION, format!("{}/", request.path())))
        .finish()
}
