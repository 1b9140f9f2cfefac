//! The credit ledger of accounts.

pub(crate) mod balances;
pub(crate) mod debit;
pub(crate) mod entries;
pub(crate) mod holds;
pub(crate) mod view;

use crate::actors::Moved;
use crate::domain::ledger::Request;
use crate::web::auth;
use crate::web::body;
use crate::web::problem::{FieldError, Problem};
use crate::web::query::Parameters;
use crate::web::role::Act;
use crate::web::rules;
use crate::web::state::Shared;
use actix_web::web::{self, Bytes, Payload, ServiceConfig};
use actix_web::{HttpRequest, HttpResponse};
use view::{EntryView, HoldView};

pub(super) fn mount(config: &mut ServiceConfig) {
    let resource = |rest: &str| web::resource(format!("/accounts/{{account}}{rest}"));
    config
        .service(resource("/balances").route(web::get().to(balances::balances)))
        .service(resource("/entries").route(web::get().to(entries::entries)))
        .service(resource("/debits").route(web::post().to(debit::debit)))
        .service(resource("/holds").route(web::post().to(holds::hold)))
        .service(resource("/holds/{hold_no}/capture").route(web::post().to(holds::capture)))
        .service(resource("/holds/{hold_no}/release").route(web::post().to(holds::release)));
}

/// The account that a request with a body is to move, and the body's bytes.
async fn asked(
    shared: &Shared,
    request: &HttpRequest,
    payload: Payload,
) -> Result<(String, Bytes), Problem> {
    auth::require(&shared.keys, request, Act::MoveAccount)?;
    let bytes = body::read_json(request, payload, shared.settings.server.body_limit).await?;
    Parameters::of(request).finish()?;
    Ok((named(request, "account")?, bytes))
}

/// A name that the path gives.
fn named(request: &HttpRequest, name: &str) -> Result<String, Problem> {
    let text = request.match_info().get(name).unwrap_or_default();
    match rules::path_name(text) {
        Some(message) => Err(Problem::validation(vec![FieldError::new(name, message)])),
        None => Ok(text.to_owned()),
    }
}

/// What the request has come to: it repeats by its number, so that the answer to a repeat is the same.
async fn moved(shared: &Shared, account: &str, request: Request) -> Result<HttpResponse, Problem> {
    Ok(match shared.gateway.account(account, request).await? {
        Moved::Entry(entry) => HttpResponse::Ok().json(EntryView::of(entry)),
        Moved::Hold(hold) => HttpResponse::Ok().json(HoldView::of(hold)),
    })
}
