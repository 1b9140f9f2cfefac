//! API keys. A secret is shown once, when its key is made.

mod new_key;
pub(crate) mod view;

use crate::store;
use crate::web::auth;
use crate::web::body;
use crate::web::keyring::{Caller, issue};
use crate::web::language::Text;
use crate::web::openapi::lists::KeyList;
use crate::web::openapi::requests::NewKeyBody;
use crate::web::problem::Problem;
use crate::web::problem_kind::Kind;
use crate::web::problem_view::ProblemView;
use crate::web::query::Parameters;
use crate::web::role::Act;
use crate::web::rules;
use crate::web::state::Shared;
use actix_web::web::{self, Data, Payload, ServiceConfig};
use actix_web::{HttpRequest, HttpResponse};
use new_key::read;
use view::{KeyView, configured_view, view};

pub(super) fn mount(config: &mut ServiceConfig) {
    config
        .service(
            web::resource("/keys")
                .route(web::get().to(list))
                .route(web::post().to(create)),
        )
        .service(web::resource("/keys/{name}").route(web::delete().to(revoke)));
}

/// List the keys, those of the configuration first.
#[utoipa::path(
    get, path = "/v1/keys", tag = "keys", operation_id = "list_keys",
    responses(
        (status = 200, description = "All keys, revoked ones too", body = KeyList),
        (status = 422, description = "`validation`: an unknown parameter", body = ProblemView, content_type = "application/problem+json"),
    ),
)]
pub(crate) async fn list(
    shared: Data<Shared>,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    auth::require(&shared.keys, &request, Act::ManageKeys)?;
    Parameters::of(&request).finish()?;
    let stored = store::keys::all(&shared.database.read).await?;
    let configured = shared.keys.configured().iter().map(configured_view);
    Ok(HttpResponse::Ok().json(KeyList {
        data: configured.chain(stored.into_iter().map(view)).collect(),
        next_cursor: None,
    }))
}

/// Make a key. Its secret is in the answer, and nowhere else.
#[utoipa::path(
    post, path = "/v1/keys", tag = "keys", operation_id = "create_key",
    request_body = NewKeyBody,
    responses(
        (status = 201, description = "The key, with its secret", body = KeyView),
        (status = 409, description = "`key-exists`", body = ProblemView, content_type = "application/problem+json"),
        (status = 422, description = "`validation`", body = ProblemView, content_type = "application/problem+json"),
    ),
)]
pub(crate) async fn create(
    shared: Data<Shared>,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let caller = auth::require(&shared.keys, &request, Act::ManageKeys)?;
    let bytes = body::read_json(&request, payload, shared.settings.server.body_limit).await?;
    Parameters::of(&request).finish()?;
    let (name, role, scopes) = read(&bytes)?;
    let mut configured = shared.keys.configured().iter();
    if configured.any(|key| key.caller.name == name) {
        return Err(Problem::new(Kind::KeyExists));
    }
    let (key, stored) = issue(&name, role, scopes, shared.clock.wall())
        .map_err(|error| Problem::new(Kind::Internal).because(error))?;
    let statement = store::keys::add(shared.database.backend(), &stored);
    let record = store::keys::created(operator(&caller), &stored);
    let added = shared.journal.run_audited(vec![statement], &record).await?;
    if added.first().is_none_or(|rows| *rows == 0) {
        return Err(Problem::new(Kind::KeyExists));
    }
    shared.keys.refresh(&shared.database).await?;
    let mut view = view(stored);
    view.key = Some(key);
    Ok(HttpResponse::Created().json(view))
}

/// Revoke a key. It counts at once.
#[utoipa::path(
    delete, path = "/v1/keys/{name}", tag = "keys", operation_id = "revoke_key",
    params(("name" = String, Path, pattern = "^[A-Za-z0-9_.@-]{1,64}$")),
    responses(
        (status = 204, description = "Revoked"),
        (status = 404, description = "`not-found`: no key of this name is in force", body = ProblemView, content_type = "application/problem+json"),
        (status = 409, description = "`key-configured`", body = ProblemView, content_type = "application/problem+json"),
        (status = 422, description = "`validation`: an unknown parameter", body = ProblemView, content_type = "application/problem+json"),
    ),
)]
pub(crate) async fn revoke(
    shared: Data<Shared>,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    let caller = auth::require(&shared.keys, &request, Act::ManageKeys)?;
    Parameters::of(&request).finish()?;
    let name = request.match_info().get("name").unwrap_or_default();
    if rules::name(name).is_some() {
        return Err(Problem::new(Kind::NotFound));
    }
    let mut configured = shared.keys.configured().iter();
    if configured.any(|key| key.caller.name == name) {
        return Err(Problem::new(Kind::KeyConfigured));
    }
    let backend = shared.database.backend();
    let statement = store::keys::revoke(backend, name, shared.clock.wall());
    let record = store::keys::revoked(operator(&caller), name);
    let revoked = shared.journal.run_audited(vec![statement], &record).await?;
    if revoked.first().is_none_or(|rows| *rows == 0) {
        let detail = Text::new("No live key has this name.", "没有使用此名称的有效密钥。");
        return Err(Problem::new(Kind::NotFound).detailed(detail));
    }
    shared.keys.refresh(&shared.database).await?;
    Ok(HttpResponse::NoContent().finish())
}

fn operator(caller: &Caller) -> String {
    format!("operator:{}", caller.name)
}
