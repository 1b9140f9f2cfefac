//! The OpenAPI document.

mod common;
pub(crate) mod lists;
pub(crate) mod requests;
#[cfg(test)]
mod tests;

use super::routes::{accounts, alerts, callbacks, deliveries, health, keys, operations, orders};
use common::Common;
use std::sync::OnceLock;
use utoipa::OpenApi;

/// Everything that the API answers.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "oncepay",
        description = "A payment runtime that charges an order once. Money is a whole number of minor units and a code \
            of ISO 4217; times are RFC 3339 in UTC with milliseconds; errors are problem documents (RFC 9457). \
            `Accept-Language` chooses `en` or `zh-CN` for texts. Every answer carries `X-Request-Id`; a request's own \
            one is kept if it has 1 to 64 of A-Z a-z 0-9 _ - . :",
        license(name = "MIT OR Apache-2.0", identifier = "MIT OR Apache-2.0"),
    ),
    paths(
        orders::create::create,
        orders::list::list,
        orders::get::get,
        crate::web::payer::pay,
        orders::events::events,
        orders::actions::query,
        orders::actions::close,
        orders::review::review,
        orders::refunds::request::refund,
        orders::refunds::read::list,
        orders::refunds::read::get,
        orders::refunds::review::review,
        callbacks::receive,
        accounts::balances::balances,
        accounts::entries::entries,
        accounts::debit::debit,
        accounts::holds::hold,
        accounts::holds::capture,
        accounts::holds::release,
        alerts::list,
        alerts::acknowledge,
        deliveries::list,
        deliveries::redeliver,
        keys::list,
        keys::create,
        keys::revoke,
        health::healthz,
        health::readyz,
        operations::metrics,
        operations::document,
    ),
    modifiers(&Common),
)]
struct Document;

/// The document as JSON.
#[must_use]
pub(crate) fn text() -> &'static str {
    static TEXT: OnceLock<String> = OnceLock::new();
    TEXT.get_or_init(|| Document::openapi().to_json().unwrap_or_default())
}
