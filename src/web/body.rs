//! Reading a request's body: bounded in size and in time.

use super::problem::Problem;
use super::problem_kind::Kind;
use actix_web::HttpRequest;
use actix_web::http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE};
use actix_web::web::{Bytes, Payload};
use std::time::Duration;

/// A body is a few KiB: a client that needs longer than this holds a connection for nothing.
const ARRIVES_WITHIN: Duration = Duration::from_secs(15);

/// The bytes of the body as they arrived, at most `limit` of them.
pub(crate) async fn read(
    request: &HttpRequest,
    payload: Payload,
    limit: usize,
) -> Result<Bytes, Problem> {
    let announced = request.headers().get(CONTENT_LENGTH);
    let announced = announced.and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
    let too_large =
        announced.is_some_and(|length| usize::try_from(length).is_ok_and(|length| length > limit));
    if too_large {
        return Err(Problem::new(Kind::BodyTooLarge));
    }
    match tokio::time::timeout(ARRIVES_WITHIN, payload.to_bytes_limited(limit)).await {
        Ok(Ok(Ok(bytes))) => Ok(bytes),
        Ok(Ok(Err(error))) => Err(Problem::new(Kind::BadRequest).because(error)),
        Ok(Err(_over_limit)) => Err(Problem::new(Kind::BodyTooLarge)),
        Err(_elapsed) => Err(Problem::new(Kind::RequestTimeout)),
    }
}

/// The bytes of a body that says it is JSON in UTF-8.
pub(crate) async fn read_json(
    request: &HttpRequest,
    payload: Payload,
    limit: usize,
) -> Result<Bytes, Problem> {
    let header = |name| request.headers().get(name).map(|value| value.to_str());
    let is_json = matches!(header(CONTENT_TYPE), Some(Ok(text)) if names_json(text));
    let is_plain = match header(CONTENT_ENCODING) {
        None => true,
        Some(Ok(coding)) => coding.eq_ignore_ascii_case("identity"),
        Some(Err(_)) => false,
    };
    if !is_json || !is_plain {
        return Err(Problem::new(Kind::UnsupportedMediaType));
    }
    read(request, payload, limit).await
}

/// `application/json` or `application/*+json`; a charset may only be UTF-8.
fn names_json(content_type: &str) -> bool {
    let mut parts = content_type.split(';').map(str::trim);
    let essence = parts.next().unwrap_or_default().to_ascii_lowercase();
    let is_json = essence
        .strip_prefix("application/")
        .is_some_and(|subtype| subtype == "json" || subtype.ends_with("+json"));
    let is_utf8 = |parameter: &str| match parameter.split_once('=') {
        Some((name, charset)) if name.trim().eq_ignore_ascii_case("charset") => {
            let charset = charset.trim().trim_matches('"');
            charset.eq_ignore_ascii_case("utf-8") || charset.eq_ignore_ascii_case("utf8")
        }
        Some(_) | None => true,
    };
    is_json && parts.all(is_utf8)
}

#[cfg(test)]
mod tests {
    use super::names_json;

    #[test]
    fn json_in_utf8_is_accepted_under_its_names() {
        for accepted in [
            "application/json",
            "Application/JSON; charset=UTF-8",
            "application/x+json",
        ] {
            assert!(names_json(accepted), "{accepted}");
        }
        for refused in [
            "text/json",
            "application/json; charset=gbk",
            "",
            "application/jsonp",
        ] {
            assert!(!names_json(refused), "{refused}");
        }
    }
}
