//! Spending credits.

use super::view::EntryView;
use super::{asked, moved};
use crate::domain::ledger::{QUANTITY_MAX, Request};
use crate::web::form::Form;
use crate::web::json::Object;
use crate::web::openapi::requests::DebitBody;
use crate::web::problem::Problem;
use crate::web::problem_view::ProblemView;
use crate::web::rules;
use crate::web::state::Shared;
use actix_web::web::{Data, Payload};
use actix_web::{HttpRequest, HttpResponse};

/// Spend credits of an account.
///
/// The same `debit_no` is the same debit: whatever timed out, send it again, and it is spent once. The answer to a
/// repeat is the entry as it was booked.
#[utoipa::path(
    post, path = "/v1/accounts/{account}/debits", tag = "accounts", operation_id = "create_debit",
    request_body = DebitBody,
    params(("account" = String, Path, pattern = "^(?!\\.{1,2}$)[A-Za-z0-9_.@-]{1,64}$")),
    responses(
        (status = 200, description = "The entry, as it was booked first", body = EntryView),
        (status = 422, description = "`validation`, `insufficient-balance`, or `debit-conflict`: the number stands for another kind or quantity", body = ProblemView, content_type = "application/problem+json"),
        (status = 504, description = "`unconfirmed`: nobody knows yet what was written; send the same request again", body = ProblemView, content_type = "application/problem+json"),
    ),
)]
pub(crate) async fn debit(
    shared: Data<Shared>,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let (account, bytes) = asked(&shared, &request, payload).await?;
    moved(&shared, &account, read(&bytes)?).await
}

fn read(bytes: &[u8]) -> Result<Request, Problem> {
    let mut form = Form::new(Object::of_body(bytes)?);
    let debit_no = form.required_text("debit_no", rules::path_name);
    let kind = form.required_text("kind", rules::name);
    let quantity = form.required_whole("quantity", 1, QUANTITY_MAX);
    let reason = form.text("reason", rules::plain(1, 500));
    let debit = debit_no
        .zip(kind)
        .zip(quantity)
        .map(|((debit_no, kind), quantity)| Request::Debit {
            debit_no,
            kind,
            quantity,
            reason,
        });
    form.finish(debit)
}
