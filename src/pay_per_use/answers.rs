//! The paywall's own answers: problem documents, offers, and what was delivered before.

use super::header::{NEEDED, VALIDATION};
use crate::store::metered::KeptAnswer;
use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderName, HeaderValue, RETRY_AFTER};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;

/// Seconds after which the same proof may be shown again.
const AGAIN_S: u64 = 2;

#[derive(Serialize)]
struct Problem<'a> {
    #[serde(rename = "type")]
    kind: String,
    title: &'a str,
    status: u16,
    detail: &'a str,
    code: &'a str,
}

fn problem(status: StatusCode, code: &str, title: &str, detail: &str) -> HttpResponse {
    HttpResponse::build(status)
        .insert_header((CONTENT_TYPE, "application/problem+json"))
        .insert_header((CACHE_CONTROL, "no-store"))
        .json(Problem {
            kind: format!("urn:oncepay:problem:{code}"),
            title,
            status: status.as_u16(),
            detail,
            code,
        })
}

/// `402` with this offer; `why` a proof that came paid for nothing.
pub(super) fn needed(offer: Option<String>, why: Option<&str>) -> HttpResponse {
    let detail =
        why.unwrap_or("pay the offer in Payment-Needed, then ask again with Payment-Proof");
    let Some(value) = offer.and_then(|offer| HeaderValue::from_str(&offer).ok()) else {
        return unclear("the offer cannot be signed");
    };
    let status = StatusCode::PAYMENT_REQUIRED;
    let mut response = problem(
        status,
        "payment-required",
        "This resource is paid per use.",
        detail,
    );
    response
        .headers_mut()
        .insert(HeaderName::from_static(NEEDED), value);
    response
}

/// No offer is made: whoever wrote the header wrongly may well have paid.
pub(super) fn unreadable() -> HttpResponse {
    let detail =
        "Payment-Proof must be there once, as base64 of the JSON that the payment returned";
    problem(
        StatusCode::BAD_REQUEST,
        "payment-proof-unreadable",
        "The proof of payment cannot be read.",
        detail,
    )
}

/// No offer is made: it may well be paid.
pub(super) fn unclear(why: &str) -> HttpResponse {
    let title = "Whether this is paid cannot be said now; show the same proof again.";
    again(problem(
        StatusCode::SERVICE_UNAVAILABLE,
        "payment-unclear",
        title,
        why,
    ))
}

pub(super) fn busy() -> HttpResponse {
    let detail = "another request with this proof is being answered";
    again(problem(
        StatusCode::CONFLICT,
        "payment-in-use",
        "This payment is being used.",
        detail,
    ))
}

fn again(mut response: HttpResponse) -> HttpResponse {
    response
        .headers_mut()
        .insert(RETRY_AFTER, HeaderValue::from(AGAIN_S));
    response
}

/// No offer is made: it is paid, and a person looks at it.
pub(super) fn unmatched() -> HttpResponse {
    let title = "This is paid, and for nothing that is offered here; do not pay again.";
    let detail = "the seller has been told of this payment";
    problem(StatusCode::CONFLICT, "payment-unmatched", title, detail)
}

/// What was delivered before, as it was.
pub(super) fn kept(answer: KeptAnswer, validation: Option<String>) -> HttpResponse {
    let status = StatusCode::from_u16(answer.status).ok();
    let (Some(status), Ok(body)) = (status, STANDARD.decode(&answer.body)) else {
        return unclear("what was delivered cannot be read");
    };
    let mut response = HttpResponse::build(status).body(body);
    for (name, value) in answer.headers {
        if let (Ok(name), Ok(value)) = (name.parse::<HeaderName>(), HeaderValue::try_from(value)) {
            response.headers_mut().append(name, value);
        }
    }
    validated(&mut response, validation);
    response
}

/// Of one connection, or made anew for each answer.
const NOT_KEPT: [&str; 10] = [
    "connection",
    "content-length",
    "date",
    "keep-alive",
    "proxy-authenticate",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    VALIDATION,
];

/// What is delivered now, as it is kept; `None` where a header is no text.
pub(super) fn to_keep<B>(response: &HttpResponse<B>, body: &[u8]) -> Option<KeptAnswer> {
    let headers = response
        .headers()
        .iter()
        .filter(|(name, _)| !NOT_KEPT.contains(&name.as_str()));
    let headers: Result<Vec<_>, _> = headers
        .map(|(name, value)| {
            let value = std::str::from_utf8(value.as_bytes())?;
            Ok::<_, std::str::Utf8Error>((name.as_str().to_owned(), value.to_owned()))
        })
        .collect();
    Some(KeptAnswer {
        status: response.status().as_u16(),
        headers: headers.ok()?,
        body: STANDARD.encode(body),
    })
}

/// Says which payment it is released for.
pub(super) fn validated<B>(response: &mut HttpResponse<B>, validation: Option<String>) {
    let value = validation.and_then(|value| HeaderValue::from_str(&value).ok());
    if let Some(value) = value {
        response
            .headers_mut()
            .insert(HeaderName::from_static(VALIDATION), value);
    }
}
