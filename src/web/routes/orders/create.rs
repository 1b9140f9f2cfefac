//! Creating an order: the request waits for the result, within the deadline.

use super::{by, new_order};
use crate::actors::{Answered, GatewayError, NewOrder};
use crate::config::OnDeadline;
use crate::domain::OrderNo;
use crate::store;
use crate::web::about::About;
use crate::web::auth;
use crate::web::body;
use crate::web::detached::detached;
use crate::web::form::Form;
use crate::web::idempotency;
use crate::web::json::Object;
use crate::web::keyring::Caller;
use crate::web::language::Text;
use crate::web::openapi::requests::NewOrderBody;
use crate::web::preferences::waiting;
use crate::web::problem::Problem;
use crate::web::problem_kind::Kind;
use crate::web::problem_view::ProblemView;
use crate::web::role::Act;
use crate::web::state::Shared;
use crate::web::view::OrderView;
use actix_web::http::header;
use actix_web::web::{Data, Payload};
use actix_web::{HttpRequest, HttpResponse};

/// Seconds after which an order that is not settled is worth another look.
const LOOK_AGAIN_S: u64 = 2;

/// Create an order and charge it once.
///
/// The request waits until the order is settled, waits for its payer, or the deadline has passed. The same
/// `order_no` with the same payload is the same order, never a second charge.
#[utoipa::path(
    post, path = "/v1/orders", tag = "orders", operation_id = "create_order",
    request_body = NewOrderBody,
    params(
        ("Idempotency-Key" = Option<String>, Header, min_length = 1, max_length = 255, pattern = "^[!-~]{1,255}$", description = "Stands for one payload, within the API key's name"),
        ("Prefer" = Option<String>, Header, description = "`wait=N` (seconds, capped by server.ui_deadline) or `respond-async`; a malformed preference is ignored"),
    ),
    responses(
        (status = 200, description = "The order is settled", body = OrderView, headers(("Location" = String, description = "The order"), ("Preference-Applied" = String, description = "The preference that was honoured, if one was"))),
        (status = 202, description = "The order is not settled yet", body = OrderView, headers(("Location" = String, description = "The order"), ("Preference-Applied" = String, description = "The preference that was honoured, if one was"))),
        (status = 409, description = "`replaced-order-open`", body = ProblemView, content_type = "application/problem+json"),
        (status = 422, description = "`validation`, `order-conflict`, `idempotency-key-reuse` or `daily-limit`", body = ProblemView, content_type = "application/problem+json"),
        (status = 504, description = "`payment-unconfirmed`: the result is still being confirmed; the order is in `order`, if it can be read", body = ProblemView, content_type = "application/problem+json", headers(("Location" = String, description = "The order, if it can be read"))),
    ),
)]
pub(crate) async fn create(
    shared: Data<Shared>,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let caller = auth::require(&shared.keys, &request, Act::CreateOrder)?;
    let bytes = body::read_json(&request, payload, shared.settings.server.body_limit).await?;
    let new = read(&bytes, &request, &caller, &shared)?;
    let order_no = new.order_no.clone();
    let (wait, applied) = waiting(&request, &shared);
    let replaces = new.replaces.clone();
    let gateway = shared.gateway.clone();
    let answered = match detached(async move { gateway.create(new, wait).await }).await {
        Ok(answered) => answered,
        Err(GatewayError::ReplacedOrderOpen) => {
            return Err(not_replaceable(&shared, replaces.as_ref()).await);
        }
        Err(GatewayError::Unclear(cause)) => written(&shared, &order_no, cause).await?,
        Err(error) => return Err(error.into()),
    };
    answer(&shared, &About::of(&request), &answered, applied)
}

fn read(
    bytes: &[u8],
    request: &HttpRequest,
    caller: &Caller,
    shared: &Shared,
) -> Result<NewOrder, Problem> {
    let mut form = Form::new(Object::of_body(bytes)?);
    let new = new_order::read(&mut form, shared);
    let idempotency = idempotency::key(request.headers(), &mut form);
    let mut new = form.finish(new)?;
    new.by = by(caller);
    new.idempotency = idempotency.map(|key| (caller.name.clone(), key));
    Ok(new)
}

/// The order that was to be replaced is not ended; or there is none.
async fn not_replaceable(shared: &Shared, replaces: Option<&OrderNo>) -> Problem {
    let problem = Problem::new(Kind::ReplacedOrderOpen);
    let Some(order_no) = replaces else {
        return problem;
    };
    match store::orders::by_no(&shared.database.read, order_no).await {
        Ok(None) => problem.detailed(Text::new(
            "There is no order with the number in replaces.",
            "不存在 replaces 所指的订单。",
        )),
        Ok(Some(_)) | Err(_) => problem,
    }
}

/// Looks up what became of a create that nobody can vouch for. That it is not there yet proves nothing.
async fn written(shared: &Shared, order_no: &OrderNo, cause: String) -> Result<Answered, Problem> {
    let unclear = |cause| Problem::from(GatewayError::Unclear(cause));
    match store::orders::by_no(&shared.database.read, order_no).await {
        Ok(Some(order)) => Ok(Answered {
            order,
            deadline_passed: true,
        }),
        Ok(None) => Err(unclear(cause)),
        Err(error) => Err(unclear(format!("{cause}; {error}"))),
    }
}

fn answer(
    shared: &Shared,
    about: &About,
    answered: &Answered,
    applied: Option<String>,
) -> Result<HttpResponse, Problem> {
    let Answered {
        order,
        deadline_passed,
    } = answered;
    let view = OrderView::of(order, shared, about.language, *deadline_passed);
    let location = shared.public(&format!("/v1/orders/{}", order.order_id));
    let late = *deadline_passed && !order.answers_a_wait();
    if late && shared.settings.server.on_deadline == OnDeadline::GatewayTimeout {
        let mut problem = Problem::new(Kind::PaymentUnconfirmed).retry_after(LOOK_AGAIN_S);
        problem.order = serde_json::to_value(view).ok().map(Box::new);
        if let Ok(location) = header::HeaderValue::from_str(&location) {
            problem = problem.with_header(header::LOCATION, location);
        }
        return Err(problem);
    }
    let mut response = if order.status.is_settled() {
        HttpResponse::Ok()
    } else {
        let mut accepted = HttpResponse::Accepted();
        accepted.insert_header((header::RETRY_AFTER, LOOK_AGAIN_S));
        accepted
    };
    response.insert_header((header::LOCATION, location));
    if let Some(applied) = applied {
        response.insert_header(("Preference-Applied", applied));
    }
    Ok(response.json(view))
}
