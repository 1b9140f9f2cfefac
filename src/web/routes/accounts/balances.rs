//! What an account has.

use super::named;
use super::view::BalanceView;
use crate::store;
use crate::web::auth;
use crate::web::openapi::lists::BalanceList;
use crate::web::problem::Problem;
use crate::web::problem_view::ProblemView;
use crate::web::query::Parameters;
use crate::web::role::Act;
use crate::web::state::Shared;
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};

/// Look up what an account has of each kind. One without entries has nothing.
#[utoipa::path(
    get, path = "/v1/accounts/{account}/balances", tag = "accounts", operation_id = "list_balances",
    params(("account" = String, Path, pattern = "^(?!\\.{1,2}$)[A-Za-z0-9_.@-]{1,64}$")),
    responses(
        (status = 200, description = "The account's balances", body = BalanceList),
        (status = 422, description = "`validation`", body = ProblemView, content_type = "application/problem+json"),
    ),
)]
pub(crate) async fn balances(
    shared: Data<Shared>,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    auth::require(&shared.keys, &request, Act::ReadAccounts)?;
    Parameters::of(&request).finish()?;
    let account = named(&request, "account")?;
    let balances = store::ledger::balances(&shared.database.read, &account).await?;
    Ok(HttpResponse::Ok().json(BalanceList {
        data: balances.into_iter().map(BalanceView::of).collect(),
    }))
}
