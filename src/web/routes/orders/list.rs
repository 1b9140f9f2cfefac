//! The list of orders.

use crate::domain::OrderId;
use crate::domain::UnixMillis;
use crate::domain::order::OrderStatus;
use crate::moment;
use crate::store;
use crate::store::orders::OrderFilter;
use crate::web::about::About;
use crate::web::auth;
use crate::web::cursor;
use crate::web::language::Text;
use crate::web::openapi::lists::OrderList;
use crate::web::problem::Problem;
use crate::web::problem_view::ProblemView;
use crate::web::query::Parameters;
use crate::web::role::Act;
use crate::web::rules;
use crate::web::state::Shared;
use crate::web::view::OrderView;
use crate::web::words::OrderStatusWord;
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};

/// List orders, newest first.
#[utoipa::path(
    get, path = "/v1/orders", tag = "orders", operation_id = "list_orders",
    params(
        ("order_no" = Option<String>, Query, pattern = "^[A-Za-z0-9_-]{1,64}$"),
        ("status" = Option<OrderStatusWord>, Query),
        ("channel" = Option<String>, Query, pattern = "^[A-Za-z0-9_.@-]{1,64}$"),
        ("created_from" = Option<String>, Query, format = DateTime, description = "From this moment on"),
        ("created_to" = Option<String>, Query, format = DateTime, description = "Before this moment"),
        ("cursor" = Option<String>, Query, pattern = "^ord_[0-9a-f]{32}$", description = "`next_cursor` of the page before"),
        ("limit" = Option<u64>, Query, minimum = 1, maximum = 200, description = "Default 50"),
    ),
    responses(
        (status = 200, description = "A page of orders", body = OrderList),
        (status = 422, description = "`validation`", body = ProblemView, content_type = "application/problem+json"),
    ),
)]
pub(crate) async fn list(
    shared: Data<Shared>,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    auth::require(&shared.keys, &request, Act::ReadOrders)?;
    let (mut filter, limit) = filter(&request)?;
    filter.limit = limit.saturating_add(1);
    let mut orders = store::orders::list(&shared.database.read, &filter).await?;
    let next_cursor = cursor::cut(&mut orders, limit, |order| order.order_id.0.clone());
    let language = About::of(&request).language;
    let view = |order| OrderView::of(order, &shared, language, false);
    Ok(HttpResponse::Ok().json(OrderList {
        data: orders.iter().map(view).collect(),
        next_cursor,
    }))
}

fn filter(request: &HttpRequest) -> Result<(OrderFilter, u64), Problem> {
    let mut parameters = Parameters::of(request);
    let filter = OrderFilter {
        order_no: parameters.parse("order_no", |text| ruled(text, rules::order_no)),
        status: parameters.parse("status", status),
        channel: parameters.parse("channel", |text| ruled(text, rules::name)),
        created_from: parameters.parse("created_from", moment),
        created_to: parameters.parse("created_to", moment),
        after: parameters.cursor("ord").map(OrderId),
        limit: 0,
    };
    let limit = parameters.limit();
    parameters.finish()?;
    Ok((filter, limit))
}

fn ruled(text: &str, rule: impl Fn(&str) -> Option<Text>) -> Result<String, Text> {
    match rule(text) {
        Some(message) => Err(message),
        None => Ok(text.to_owned()),
    }
}

fn status(text: &str) -> Result<OrderStatus, Text> {
    OrderStatus::parse(text).ok_or_else(|| {
        let words: Vec<&str> = OrderStatus::ALL.iter().map(|word| word.as_str()).collect();
        rules::one_of(&words)
    })
}

fn moment(text: &str) -> Result<UnixMillis, Text> {
    moment::parse(text).ok_or(Text::new(
        "must be a time of RFC 3339 such as 2026-07-26T08:00:00Z (write + as %2B)",
        "必须是 RFC 3339 时间，例如 2026-07-26T08:00:00Z（+ 须写作 %2B）",
    ))
}
