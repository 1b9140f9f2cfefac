//! Orders.

pub(crate) mod actions;
pub(crate) mod create;
pub(crate) mod events;
pub(crate) mod get;
pub(crate) mod list;
mod new_order;
mod new_order_parts;
pub(crate) mod refunds;
pub(crate) mod review;

use crate::domain::OrderId;
use crate::domain::order::Order;
use crate::store;
use crate::web::cursor::is_id;
use crate::web::keyring::Caller;
use crate::web::problem::Problem;
use crate::web::problem_kind::Kind;
use crate::web::role::Act;
use crate::web::state::Shared;
use actix_web::HttpRequest;
use actix_web::web::{self, ServiceConfig};

pub(super) fn mount(config: &mut ServiceConfig) {
    config
        .service(
            web::resource("/orders")
                .route(web::post().to(create::create))
                .route(web::get().to(list::list)),
        )
        .service(web::resource("/orders/{order_id}").route(web::get().to(get::get)))
        .service(web::resource("/orders/{order_id}/events").route(web::get().to(events::events)))
        .service(web::resource("/orders/{order_id}/query").route(web::post().to(actions::query)))
        .service(web::resource("/orders/{order_id}/close").route(web::post().to(actions::close)))
        .service(web::resource("/orders/{order_id}/reviews").route(web::post().to(review::review)))
        .configure(refunds::mount);
}

/// The order that the path names.
pub(crate) async fn named(shared: &Shared, request: &HttpRequest) -> Result<Order, Problem> {
    let id = request.match_info().get("order_id").unwrap_or_default();
    if !is_id(id, "ord") {
        return Err(Problem::new(Kind::NotFound));
    }
    let order = store::orders::by_id(&shared.database.read, &OrderId::from(id)).await?;
    order.ok_or_else(|| Problem::new(Kind::NotFound))
}

/// Who acts with this key, as events name them.
fn by(caller: &Caller) -> String {
    let face = if caller.role.may(Act::OperateOrder) {
        "operator"
    } else {
        "api"
    };
    format!("{face}:{}", caller.name)
}
