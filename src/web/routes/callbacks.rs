//! Callbacks: a channel's notices, verified over the bytes that arrived and acknowledged after the commit.

use crate::actors::Received;
use crate::channels::{Acknowledge, RawNotice, Rejection, RejectionRule};
use crate::web::about::About;
use crate::web::allowance;
use crate::web::body;
use crate::web::callback_log::{Line, log, log_unread};
use crate::web::problem::Problem;
use crate::web::problem_kind::Kind;
use crate::web::problem_view::ProblemView;
use crate::web::state::Shared;
use actix_web::http::StatusCode;
use actix_web::http::header;
use actix_web::web::{self, Data, Payload, ServiceConfig};
use actix_web::{HttpRequest, HttpResponse, HttpResponseBuilder};
use std::collections::BTreeMap;

/// Bytes of a callback's body.
const BODY_MAX: usize = 64 * 1024;
/// Seconds after which a channel may send again.
const SEND_AGAIN_S: u64 = 1;

pub(super) fn mount(config: &mut ServiceConfig) {
    config.service(web::resource("/callbacks/{channel}").route(web::post().to(receive)));
}

/// A channel's notice. Its signature is the credential.
#[utoipa::path(
    post, path = "/v1/callbacks/{channel}", tag = "callbacks", operation_id = "receive_callback",
    request_body(content = String, description = "The notice, as the channel signs it; at most 64 KiB", content_type = "*/*"),
    params(("channel" = String, Path)),
    responses(
        (status = 200, description = "Committed, or known already: the channel's own acknowledgement", body = String, content_type = "*/*"),
        (status = 400, description = "`malformed-callback`, or a body that broke off", body = ProblemView, content_type = "application/problem+json"),
        (status = 401, description = "`callback-rejected`: not authentic", body = ProblemView, content_type = "application/problem+json"),
        (status = 404, description = "`not-found`: no such channel; `unknown-order`: send it again", body = ProblemView, content_type = "application/problem+json"),
        (status = 408, description = "`request-timeout`", body = ProblemView, content_type = "application/problem+json"),
        (status = 413, description = "`body-too-large`", body = ProblemView, content_type = "application/problem+json"),
        (status = 429, description = "`rate-limited`", body = ProblemView, content_type = "application/problem+json"),
        (status = 503, description = "Not committed in time: the channel's own word for that", body = String, content_type = "*/*"),
    ),
)]
pub(crate) async fn receive(
    shared: Data<Shared>,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    admit(&shared, &request)?;
    let started_ms = shared.clock.mono_ms();
    let named = request.match_info().get("channel").unwrap_or_default();
    // A name that is not configured is anybody's text: it reaches neither a label nor a line.
    let known = shared.channels.get_key_value(named);
    let channel = known.map_or("unknown", |(name, _)| name.as_str());
    let request_id = About::of(&request).request_id;
    let line = || Line {
        request_id: &request_id,
        channel,
        elapsed_ms: shared.clock.mono_ms().saturating_sub(started_ms),
    };
    if known.is_none() {
        log(&shared, &line(), &Received::NoSuchChannel);
        return Err(Problem::new(Kind::NotFound));
    }
    let bytes = match body::read(&request, payload, BODY_MAX).await {
        Ok(bytes) => bytes,
        Err(problem) => {
            log_unread(&shared, &line());
            return Err(problem);
        }
    };
    let received = ask(&shared, &request, channel.to_owned(), bytes).await;
    log(&shared, &line(), &received);
    answer(&shared, channel, received)
}

/// The rate limit stands before everything that costs.
fn admit(shared: &Shared, request: &HttpRequest) -> Result<(), Problem> {
    match shared.callbacks.take(request) {
        Some(allowance) => allowance::spend(request, allowance)
            .inspect_err(|_| shared.metrics.callback("any", "rate_limited")),
        None => Ok(()),
    }
}

/// Hands the notice over. A channel that hangs up does not stop what it has begun.
async fn ask(
    shared: &Shared,
    request: &HttpRequest,
    channel: String,
    bytes: web::Bytes,
) -> Received {
    let gateway = shared.gateway.clone();
    let headers = lower_case(request.headers());
    let query = request.query_string().to_owned();
    let asked = actix_web::rt::spawn(async move {
        let notice = RawNotice {
            headers: &headers,
            query: &query,
            body: &bytes,
        };
        gateway.receive(&channel, notice).await
    });
    let asked = asked.await;
    asked.unwrap_or_else(|end| Received::NotYet(end.to_string()))
}

/// Names are lower case already; a header that came twice is one list.
fn lower_case(headers: &header::HeaderMap) -> BTreeMap<String, String> {
    let mut map: BTreeMap<String, String> = BTreeMap::new();
    for (name, value) in headers {
        let Ok(value) = value.to_str() else {
            continue;
        };
        map.entry(name.as_str().to_owned())
            .and_modify(|list| {
                list.push_str(", ");
                list.push_str(value);
            })
            .or_insert_with(|| value.to_owned());
    }
    map
}

fn answer(shared: &Shared, channel: &str, received: Received) -> Result<HttpResponse, Problem> {
    match received {
        Received::Kept { .. } | Received::Unrelated => Ok(acknowledge(
            shared,
            channel,
            StatusCode::OK,
            Acknowledge::Received,
        )),
        Received::NotYet(_) => Ok(acknowledge(
            shared,
            channel,
            StatusCode::SERVICE_UNAVAILABLE,
            Acknowledge::SendAgain,
        )),
        Received::Orphan { .. } => Err(Problem::new(Kind::UnknownOrder)),
        Received::NoSuchChannel => Err(Problem::new(Kind::NotFound)),
        Received::Rejected(rejection) => Err(rejected(&rejection)),
    }
}

fn rejected(rejection: &Rejection) -> Problem {
    match rejection.rule {
        RejectionRule::Malformed => Problem::new(Kind::MalformedCallback),
        RejectionRule::MissingHeader
        | RejectionRule::Timestamp
        | RejectionRule::UnknownKey
        | RejectionRule::Signature
        | RejectionRule::OtherMerchant
        | RejectionRule::OtherMode => Problem::new(Kind::CallbackRejected).with_header(
            header::WWW_AUTHENTICATE,
            header::HeaderValue::from_static("Signature"),
        ),
    }
}

/// The channel's own word.
fn acknowledge(
    shared: &Shared,
    channel: &str,
    status: StatusCode,
    acknowledge: Acknowledge,
) -> HttpResponse {
    let mut response = HttpResponseBuilder::new(status);
    if acknowledge == Acknowledge::SendAgain {
        response.insert_header((header::RETRY_AFTER, SEND_AGAIN_S));
    }
    match shared.channels.get(channel) {
        Some(channel) => {
            let word = channel.acknowledgement(acknowledge);
            response.content_type(word.content_type).body(word.body)
        }
        None => response.finish(),
    }
}
