//! API keys. A secret is shown once, when its key is made.

use crate::store;
use crate::store::keys::StoredKey;
use crate::web::auth;
use crate::web::body;
use crate::web::form::{Form, as_text};
use crate::web::json::Object;
use crate::web::keyring::{ConfiguredKey, issue};
use crate::web::language::Text;
use crate::web::openapi::lists::KeyList;
use crate::web::openapi::requests::NewKeyBody;
use crate::web::problem::{Problem, ProblemView};
use crate::web::problem_kind::Kind;
use crate::web::query::Parameters;
use crate::web::role::{Act, Role};
use crate::web::rules;
use crate::web::stamp::rfc3339;
use crate::web::state::Shared;
use crate::web::words::KeySourceWord;
use actix_web::web::{self, Data, Payload, ServiceConfig};
use actix_web::{HttpRequest, HttpResponse};
use serde::Serialize;
use serde_json::value::RawValue;
use utoipa::ToSchema;

const SCOPES: [&str; 1] = ["refunds"];

/// A key without its secret.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Key)]
pub struct KeyView {
    pub name: String,
    #[schema(value_type = Role)]
    pub role: String,
    pub scopes: Vec<String>,
    #[schema(value_type = KeySourceWord)]
    pub source: &'static str,
    #[schema(required = true, format = DateTime)]
    pub created_at: Option<String>,
    #[schema(required = true, format = DateTime)]
    pub revoked_at: Option<String>,
    /// The key itself; in the answer that makes it, and never again.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, nullable = false)]
    pub key: Option<String>,
}

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
pub async fn list(shared: Data<Shared>, request: HttpRequest) -> Result<HttpResponse, Problem> {
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
pub async fn create(
    shared: Data<Shared>,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    auth::require(&shared.keys, &request, Act::ManageKeys)?;
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
    let added = shared.journal.run(vec![statement]).await?;
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
pub async fn revoke(shared: Data<Shared>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    auth::require(&shared.keys, &request, Act::ManageKeys)?;
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
    let revoked = shared.journal.run(vec![statement]).await?;
    if revoked.first().is_none_or(|rows| *rows == 0) {
        return Err(Problem::new(Kind::NotFound));
    }
    shared.keys.refresh(&shared.database).await?;
    Ok(HttpResponse::NoContent().finish())
}

fn read(bytes: &[u8]) -> Result<(String, Role, Vec<String>), Problem> {
    let mut form = Form::new(Object::of_body(bytes)?);
    let name = form.required_text("name", rules::name);
    let words: Vec<&str> = Role::ALL.iter().map(|role| role.as_str()).collect();
    let role = form.required_text("role", |text| {
        Role::parse(text).is_none().then(|| rules::one_of(&words))
    });
    let scopes = form.raw("scopes").map_or(Ok(Vec::new()), scopes);
    let scopes = scopes.unwrap_or_else(|message| {
        form.refuse("scopes", message);
        Vec::new()
    });
    let role = role.and_then(|role| Role::parse(&role));
    let key = name.zip(role).map(|(name, role)| (name, role, scopes));
    form.finish(key)
}

fn scopes(raw: &RawValue) -> Result<Vec<String>, Text> {
    let wrong = || {
        Text::new(
            "must be an array that may hold refunds",
            "必须是数组，可包含 refunds",
        )
    };
    let items: Vec<&RawValue> = serde_json::from_str(raw.get()).map_err(|_other_type| wrong())?;
    let mut scopes = Vec::new();
    for item in items {
        let scope = as_text(item)?;
        if !SCOPES.contains(&scope.as_str()) || scopes.contains(&scope) {
            return Err(wrong());
        }
        scopes.push(scope);
    }
    Ok(scopes)
}

fn view(key: StoredKey) -> KeyView {
    KeyView {
        name: key.name,
        role: key.role,
        scopes: key.scopes,
        source: "database",
        created_at: Some(rfc3339(key.created_at)),
        revoked_at: key.revoked_at.map(rfc3339),
        key: None,
    }
}

fn configured_view(key: &ConfiguredKey) -> KeyView {
    KeyView {
        name: key.caller.name.clone(),
        role: key.caller.role.as_str().to_owned(),
        scopes: key.caller.scopes.clone(),
        source: "configuration",
        created_at: None,
        revoked_at: None,
        key: None,
    }
}
