//! Refunds of an order: asked for, read, and reviewed.

pub(crate) mod read;
pub(crate) mod request;
pub(crate) mod review;

use crate::domain::order::{Order, Refund};
use crate::web::problem::Problem;
use crate::web::problem_kind::Kind;
use actix_web::web::{self, Path, ServiceConfig};

/// The order's id and the refund's number, decoded.
type Place = Path<(String, String)>;

pub(super) fn mount(config: &mut ServiceConfig) {
    config
        .service(
            web::resource("/orders/{order_id}/refunds")
                .route(web::post().to(request::refund))
                .route(web::get().to(read::list)),
        )
        .service(
            web::resource("/orders/{order_id}/refunds/{refund_no}").route(web::get().to(read::get)),
        )
        .service(
            web::resource("/orders/{order_id}/refunds/{refund_no}/reviews")
                .route(web::post().to(review::review)),
        );
}

/// The refund that the path names.
fn of_number<'a>(order: &'a Order, refund_no: &str) -> Result<&'a Refund, Problem> {
    let refund = order.refund(refund_no);
    refund.ok_or_else(|| Problem::new(Kind::NotFound))
}
