//! What has moved an account.

use super::named;
use super::view::EntryView;
use crate::store;
use crate::web::auth;
use crate::web::cursor;
use crate::web::openapi::lists::EntryList;
use crate::web::problem::Problem;
use crate::web::problem_view::ProblemView;
use crate::web::query::Parameters;
use crate::web::role::Act;
use crate::web::state::Shared;
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};

/// List an account's entries, newest first.
#[utoipa::path(
    get, path = "/v1/accounts/{account}/entries", tag = "accounts", operation_id = "list_entries",
    params(
        ("account" = String, Path, pattern = "^(?!\\.{1,2}$)[A-Za-z0-9_.@-]{1,64}$"),
        ("cursor" = Option<String>, Query, pattern = "^ent_0{16}[0-7][0-9a-f]{15}$", description = "`next_cursor` of the page before"),
        ("limit" = Option<u64>, Query, minimum = 1, maximum = 200, description = "Default 50"),
    ),
    responses(
        (status = 200, description = "A page of entries", body = EntryList),
        (status = 422, description = "`validation`", body = ProblemView, content_type = "application/problem+json"),
    ),
)]
pub(crate) async fn entries(
    shared: Data<Shared>,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    auth::require(&shared.keys, &request, Act::ReadAccounts)?;
    let mut parameters = Parameters::of(&request);
    let after = parameters.cursor_number("ent");
    let limit = parameters.limit();
    parameters.finish()?;
    let account = named(&request, "account")?;
    let (read, rows) = (&shared.database.read, limit.saturating_add(1));
    let mut entries = store::ledger::entries(read, &account, after, rows).await?;
    let next_cursor = cursor::cut(&mut entries, limit, |stored| {
        cursor::of_number(stored.seq, "ent")
    });
    Ok(HttpResponse::Ok().json(EntryList {
        data: entries
            .into_iter()
            .map(|stored| EntryView::of(stored.entry))
            .collect(),
        next_cursor,
    }))
}
