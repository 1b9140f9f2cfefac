//! Holding credits back, taking them, giving them back.

use super::view::HoldView;
use super::{asked, moved, named};
use crate::domain::ledger::{HOLD_S_DEFAULT, HOLD_S_LEAST, HOLD_S_MAX, QUANTITY_MAX, Request};
use crate::web::auth;
use crate::web::form::Form;
use crate::web::json::Object;
use crate::web::openapi::requests::{CaptureBody, HoldBody};
use crate::web::problem::Problem;
use crate::web::problem_view::ProblemView;
use crate::web::query::Parameters;
use crate::web::role::Act;
use crate::web::rules;
use crate::web::state::Shared;
use actix_web::web::{Data, Payload};
use actix_web::{HttpRequest, HttpResponse};

/// Hold credits of an account back, for a job whose price is not known yet.
///
/// The same `hold_no` is the same hold, as it stands now. What is held cannot be spent otherwise until it is captured,
/// released or expired.
#[utoipa::path(
    post, path = "/v1/accounts/{account}/holds", tag = "accounts", operation_id = "create_hold",
    request_body = HoldBody,
    params(("account" = String, Path, pattern = "^(?!\\.{1,2}$)[A-Za-z0-9_.@-]{1,64}$")),
    responses(
        (status = 200, description = "The hold as it stands", body = HoldView),
        (status = 422, description = "`validation`, `insufficient-balance`, or `hold-conflict`: the number stands for another kind, quantity or time", body = ProblemView, content_type = "application/problem+json"),
        (status = 504, description = "`unconfirmed`: nobody knows yet what was written; send the same request again", body = ProblemView, content_type = "application/problem+json"),
    ),
)]
pub(crate) async fn hold(
    shared: Data<Shared>,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let (account, bytes) = asked(&shared, &request, payload).await?;
    moved(&shared, &account, read_hold(&bytes)?).await
}

fn read_hold(bytes: &[u8]) -> Result<Request, Problem> {
    let mut form = Form::new(Object::of_body(bytes)?);
    let hold_no = form.required_text("hold_no", rules::path_name);
    let kind = form.required_text("kind", rules::name);
    let quantity = form.required_whole("quantity", 1, QUANTITY_MAX);
    let expires_in_s = form.whole("expires_in", HOLD_S_LEAST, HOLD_S_MAX);
    let hold = hold_no
        .zip(kind)
        .zip(quantity)
        .map(|((hold_no, kind), quantity)| Request::Hold {
            hold_no,
            kind,
            quantity,
            expires_in_s: expires_in_s.unwrap_or(HOLD_S_DEFAULT),
        });
    form.finish(hold)
}

/// Take all or a part of what is held; the rest is free again in the same moment.
///
/// A hold is captured once. The same quantity again is the same capture; another one is refused.
#[utoipa::path(
    post, path = "/v1/accounts/{account}/holds/{hold_no}/capture", tag = "accounts", operation_id = "capture_hold",
    request_body = CaptureBody,
    params(
        ("account" = String, Path, pattern = "^(?!\\.{1,2}$)[A-Za-z0-9_.@-]{1,64}$"),
        ("hold_no" = String, Path, pattern = "^(?!\\.{1,2}$)[A-Za-z0-9_.@-]{1,64}$"),
    ),
    responses(
        (status = 200, description = "The hold, captured", body = HoldView),
        (status = 404, description = "`not-found`: the account has no such hold", body = ProblemView, content_type = "application/problem+json"),
        (status = 409, description = "`hold-expired`, or `hold-ended`: it was released", body = ProblemView, content_type = "application/problem+json"),
        (status = 422, description = "`validation`, `capture-exceeds-hold`, or `hold-conflict`: another quantity was captured", body = ProblemView, content_type = "application/problem+json"),
        (status = 504, description = "`unconfirmed`: nobody knows yet what was written; send the same request again", body = ProblemView, content_type = "application/problem+json"),
    ),
)]
pub(crate) async fn capture(
    shared: Data<Shared>,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let (account, bytes) = asked(&shared, &request, payload).await?;
    let hold_no = named(&request, "hold_no")?;
    let mut form = Form::new(Object::of_body(&bytes)?);
    let quantity = form.required_whole("quantity", 1, QUANTITY_MAX);
    let quantity = form.finish(quantity)?;
    moved(&shared, &account, Request::Capture { hold_no, quantity }).await
}

/// Give back what is held. One that is released or has expired already stays as it is.
#[utoipa::path(
    post, path = "/v1/accounts/{account}/holds/{hold_no}/release", tag = "accounts", operation_id = "release_hold",
    params(
        ("account" = String, Path, pattern = "^(?!\\.{1,2}$)[A-Za-z0-9_.@-]{1,64}$"),
        ("hold_no" = String, Path, pattern = "^(?!\\.{1,2}$)[A-Za-z0-9_.@-]{1,64}$"),
    ),
    responses(
        (status = 200, description = "The hold: `RELEASED`, or `EXPIRED` if its time was over before", body = HoldView),
        (status = 404, description = "`not-found`: the account has no such hold", body = ProblemView, content_type = "application/problem+json"),
        (status = 409, description = "`hold-ended`: it was captured", body = ProblemView, content_type = "application/problem+json"),
        (status = 422, description = "`validation`", body = ProblemView, content_type = "application/problem+json"),
        (status = 504, description = "`unconfirmed`: nobody knows yet what was written; send the same request again", body = ProblemView, content_type = "application/problem+json"),
    ),
)]
pub(crate) async fn release(
    shared: Data<Shared>,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    auth::require(&shared.keys, &request, Act::MoveAccount)?;
    Parameters::of(&request).finish()?;
    let (account, hold_no) = (named(&request, "account")?, named(&request, "hold_no")?);
    moved(&shared, &account, Request::Release { hold_no }).await
}
