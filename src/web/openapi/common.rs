//! What all operations have in common: the key, the request's id, and the problems that any of them may answer.

use crate::web::problem_view::ProblemView;
use utoipa::openapi::header::HeaderBuilder;
use utoipa::openapi::path::Operation;
use utoipa::openapi::response::{Response, ResponseBuilder};
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme};
use utoipa::openapi::{ContentBuilder, Ref, RefOr};
use utoipa::{Modify, ToSchema};

const KEY: &str = "key";

/// Adds what all operations have in common.
pub(super) struct Common;

impl Modify for Common {
    fn modify(&self, document: &mut utoipa::openapi::OpenApi) {
        let components = document.components.get_or_insert_default();
        let bearer = HttpBuilder::new()
            .scheme(HttpAuthScheme::Bearer)
            .bearer_format("opk_<role>_<secret>")
            .build();
        components.add_security_scheme(KEY, SecurityScheme::Http(bearer));
        for (path, item) in &mut document.paths.paths {
            let operations = [&mut item.get, &mut item.post, &mut item.delete];
            for operation in operations.into_iter().flatten() {
                complete(operation, path);
            }
        }
    }
}

fn complete(operation: &mut Operation, path: &str) {
    let by_key = path.starts_with("/v1/") && !path.starts_with("/v1/callbacks/");
    if by_key {
        operation.security = Some(vec![SecurityRequirement::new::<_, [&str; 0], &str>(
            KEY,
            [],
        )]);
        add(
            operation,
            "401",
            "`unauthenticated`: no key that is in force",
        );
        add(
            operation,
            "403",
            "`forbidden`: the key's role may not do this",
        );
        add(
            operation,
            "429",
            "`rate-limited`: this key asks more often than `limits.requests_per_key` allows, or this address, without a \
             key, than `limits.unauthenticated_per_address`",
        );
        add(
            operation,
            "503",
            "`unavailable` or, for a new order, `channel-unavailable`: nothing was written; try again",
        );
    }
    if path.starts_with("/v1/") {
        add(operation, "500", "`internal`: the log has the `request_id`");
    }
    if by_key && operation.request_body.is_some() {
        add(
            operation,
            "400",
            "`malformed-json`, or a body that broke off",
        );
        add(
            operation,
            "408",
            "`request-timeout`: the body did not arrive in time",
        );
        add(operation, "413", "`body-too-large`");
        add(operation, "415", "`unsupported-media-type`");
    }
    for (status, response) in &mut operation.responses.responses {
        if let RefOr::T(response) = response {
            headers(response, status);
            if by_key {
                allowance(response);
            }
        }
    }
}

/// Adds a problem, unless the operation describes that status itself.
fn add(operation: &mut Operation, status: &str, description: &str) {
    let problem = Ref::from_schema_name(ProblemView::name());
    let content = ContentBuilder::new().schema(Some(problem)).build();
    let response = ResponseBuilder::new()
        .description(description)
        .content("application/problem+json", content)
        .build();
    let responses = &mut operation.responses.responses;
    responses
        .entry(status.to_owned())
        .or_insert(RefOr::T(response));
}

/// What is left of the caller's allowance, where there is a limit.
fn allowance(response: &mut Response) {
    let left = "`\"key\";r=199;t=1`: requests that are left, and seconds until all are there again; where there is a limit";
    add_header(response, "RateLimit", left);
    let policy = "`\"key\";q=200;w=1`: so many requests in so many seconds; where there is a limit";
    add_header(response, "RateLimit-Policy", policy);
}

fn add_header(response: &mut Response, name: &str, description: &str) {
    let text = ObjectBuilder::new().schema_type(Type::String).build();
    let header = HeaderBuilder::new()
        .schema(Some(text))
        .description(Some(description))
        .build();
    response
        .headers
        .entry(name.to_owned())
        .or_insert(RefOr::T(header));
}

fn headers(response: &mut Response, status: &str) {
    let mut add = |name: &str, description: &str| add_header(response, name, description);
    add("X-Request-Id", "The id of the request, as the log has it");
    match status {
        "401" => add(
            "WWW-Authenticate",
            "`Bearer` for a key, `Signature` for a callback",
        ),
        "202" | "429" | "503" | "504" => add("Retry-After", "Seconds, where trying again helps"),
        _ => {}
    }
}
