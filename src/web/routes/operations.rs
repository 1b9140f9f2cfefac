//! Metrics and documents, and where operations are mounted.

use super::health;
use crate::web::openapi;
use crate::web::state::Shared;
use actix_web::http::header;
use actix_web::web::{self, Data};
use actix_web::{HttpRequest, HttpResponse, Resource};
use utoipa_swagger_ui::{Config, SwaggerUi};

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
    shared.survey.refresh(&shared).await;
    HttpResponse::Ok()
        .content_type("text/plain; version=0.0.4; charset=utf-8")
        .body(shared.metrics.text())
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
