//! The door that every request passes: its id, its measure, and the one place where refusals are rendered and logged.

use super::about::{About, REQUEST_ID};
use super::allowance::{self, Allowance};
use super::problem::Problem;
use super::problem_kind::Kind;
use super::state::Shared;
use crate::telemetry::labels::RequestLabels;
use actix_web::body::{BoxBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::Method;
use actix_web::http::header::{self, HeaderName, HeaderValue};
use actix_web::middleware::Next;
use actix_web::web::Data;
use actix_web::{Error, HttpMessage, HttpRequest, HttpResponse};
use std::time::Instant;

/// Answers a request: whatever comes out has a request id, and every refusal is a problem document.
pub(crate) async fn pass(
    shared: Data<Shared>,
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let started = Instant::now();
    let about = About::of_headers(request.headers());
    request.extensions_mut().insert(about.clone());
    let answered = next.call(request).await?.map_into_boxed_body();
    let (request, response) = answered.into_parts();
    let mut response = match refusal(&response) {
        Some(problem) => {
            let problem = known_here(&shared, &request, problem);
            log(&shared, &problem, &about);
            rendered(&problem, &about, response)
        }
        None => response,
    };
    mark(&mut response, &about);
    if let Some(allowance) = request.extensions().get::<Allowance>() {
        allowance.tell(response.headers_mut());
    }
    if request
        .match_pattern()
        .is_some_and(|it| it.contains("/orders"))
    {
        // An order has a message for people.
        name_language(&mut response, &about);
    }
    let labels = RequestLabels {
        method: known(request.method()).to_owned(),
        route: route(request.match_pattern()),
        status: response.status().as_u16(),
    };
    shared.metrics.request(&labels, started.elapsed());
    Ok(ServiceResponse::new(request, response))
}

/// The problem that a response stands for: one of ours, or an error of the framework's own.
fn refusal(response: &HttpResponse) -> Option<Problem> {
    let status = response.status();
    if let Some(error) = response.error() {
        let ours = error.as_error::<Problem>().cloned();
        return Some(
            ours.unwrap_or_else(|| Problem::new(Kind::of_status(status.as_u16())).because(error)),
        );
    }
    let refused = status.is_client_error() || status.is_server_error();
    let bare = !response.headers().contains_key(header::CONTENT_TYPE);
    (refused && bare).then(|| Problem::new(Kind::of_status(status.as_u16())))
}

/// Whoever has no key may say so only so often: a flood of guesses is told to wait, and a client with a key is not
/// touched by it.
fn known_here(shared: &Shared, request: &HttpRequest, problem: Problem) -> Problem {
    if problem.kind != Kind::Unauthenticated {
        return problem;
    }
    let allowance = shared.strangers.take(request);
    let refused = allowance.and_then(|allowance| allowance::spend(request, allowance).err());
    refused.unwrap_or(problem)
}

/// The document, with what else the response carried (such as `Allow`).
fn rendered(problem: &Problem, about: &About, bare: HttpResponse) -> HttpResponse {
    let mut response = problem.render(about);
    for (name, value) in bare.headers() {
        let of_the_old_body = name == header::CONTENT_TYPE || name == header::CONTENT_LENGTH;
        if !of_the_old_body && !response.headers().contains_key(name) {
            response.headers_mut().append(name.clone(), value.clone());
        }
    }
    response
}

/// A refusal that is the server's doing is logged, here and nowhere else; a storm of them is sampled.
fn log(shared: &Shared, problem: &Problem, about: &About) {
    if problem.kind.status() < 500 {
        return;
    }
    let now_ms = shared.clock.mono_ms();
    if let Some(suppressed) = shared.sampler.admit(problem.kind.code(), now_ms) {
        tracing::warn!(
            request_id = %about.request_id,
            code = problem.kind.code(),
            status = problem.kind.status(),
            cause = problem.cause.as_deref().unwrap_or_default(),
            suppressed,
            "a request was not served"
        );
    }
}

fn mark(response: &mut HttpResponse, about: &About) {
    let headers = response.headers_mut();
    if let Ok(id) = HeaderValue::from_str(&about.request_id) {
        headers.insert(HeaderName::from_static(REQUEST_ID), id);
    }
    headers.insert(
        header::X_CONTENT_TYPE_OPTIONS,
        HeaderValue::from_static("nosniff"),
    );
    if !headers.contains_key(header::CACHE_CONTROL) {
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
}

fn name_language(response: &mut HttpResponse, about: &About) {
    let headers = response.headers_mut();
    if !headers.contains_key(header::CONTENT_LANGUAGE) {
        let tag = HeaderValue::from_static(about.language.tag());
        headers.insert(header::CONTENT_LANGUAGE, tag);
    }
}

/// The pattern of the route; whatever matches none, or one that takes any path, shares one label.
fn route(pattern: Option<String>) -> String {
    pattern
        .filter(|pattern| !pattern.ends_with(".*}"))
        .unwrap_or_else(|| "unmatched".to_owned())
}

/// The method, if it is one that clients use: a label must not take any word that somebody sends.
fn known(method: &Method) -> &str {
    let usual = [
        Method::GET,
        Method::POST,
        Method::DELETE,
        Method::PUT,
        Method::PATCH,
        Method::HEAD,
        Method::OPTIONS,
    ];
    if usual.contains(method) {
        method.as_str()
    } else {
        "other"
    }
}
