//! The payer's page behind `pay_url`: what is to be paid, what to do next, and what came of it.
//!
//! It needs no key: whoever has the link, which cannot be guessed, may see what the payer sees and nothing more.

mod page;

use super::about::About;
use super::messages::message;
use super::problem::Problem;
use super::routes::orders::named;
use super::state::Shared;
use actix_web::http::header;
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use page::Page;

/// Nothing from outside, no script, no frame of somebody else's; a form of the channel's may leave for the channel.
const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'";

/// The payer's page of an order.
#[utoipa::path(
    get, path = "/pay/{order_id}", tag = "orders", operation_id = "pay_page", security(),
    params(("order_id" = String, Path, pattern = "^ord_[0-9a-f]{32}$")),
    responses(
        (status = 200, description = "A page for people; it renews itself until the order is settled", body = String, content_type = "text/html"),
        (status = 404, description = "`not-found`", body = super::problem_view::ProblemView, content_type = "application/problem+json"),
    ),
)]
pub(crate) async fn pay(
    shared: Data<Shared>,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    let order = named(&shared, &request).await?;
    let language = About::of(&request).language;
    let told = message(&order, order.deadline_passed_at.is_some(), language);
    let page = Page {
        order: &order,
        message: &told,
        language,
    };
    Ok(HttpResponse::Ok()
        .content_type("text/html; charset=utf-8")
        .insert_header((header::CONTENT_SECURITY_POLICY, POLICY))
        .insert_header((header::REFERRER_POLICY, "no-referrer"))
        .insert_header((header::CACHE_CONTROL, "no-store"))
        .body(page.html()))
}
