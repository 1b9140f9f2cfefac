//! What every answer knows of its request: an id and a language.

use super::language::Language;
use crate::clock;
use crate::scrub::is_clean;
use actix_web::http::header::{ACCEPT_LANGUAGE, HeaderMap};
use actix_web::{HttpMessage, HttpRequest};

/// The header that carries the id of a request, in and out.
pub(crate) const REQUEST_ID: &str = "x-request-id";
const REQUEST_ID_LENGTH_MAX: usize = 64;

/// The id and the language of one request.
#[derive(Debug, Clone)]
pub(crate) struct About {
    pub(crate) request_id: String,
    pub(crate) language: Language,
}

impl About {
    /// Keeps the caller's request id if it is safe to repeat; else makes one.
    #[must_use]
    pub(crate) fn of_headers(headers: &HeaderMap) -> Self {
        let given = headers.get(REQUEST_ID).and_then(|id| id.to_str().ok());
        let request_id = given.filter(|id| is_safe(id)).map(str::to_owned);
        let accept: Vec<&str> = headers
            .get_all(ACCEPT_LANGUAGE)
            .filter_map(|value| value.to_str().ok())
            .collect();
        Self {
            request_id: request_id.unwrap_or_else(|| clock::new_id("req")),
            language: Language::of(&accept.join(",")),
        }
    }

    /// What the door has noted about this request.
    #[must_use]
    pub(crate) fn of(request: &HttpRequest) -> Self {
        let noted = request.extensions().get::<Self>().cloned();
        noted.unwrap_or_else(|| Self::of_headers(request.headers()))
    }
}

/// 1–64 characters that can stand in a header, a log line and a shell, and neither a card number nor a key.
fn is_safe(id: &str) -> bool {
    (1..=REQUEST_ID_LENGTH_MAX).contains(&id.len())
        && id
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b':'))
        && is_clean(id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::http::header::{HeaderName, HeaderValue};

    fn id_for(given: &str) -> String {
        let mut headers = HeaderMap::new();
        let value = HeaderValue::from_str(given).unwrap();
        headers.insert(HeaderName::from_static(REQUEST_ID), value);
        About::of_headers(&headers).request_id
    }

    #[test]
    fn a_safe_request_id_is_kept_and_any_other_is_replaced() {
        assert_eq!(id_for("shop-7.a:b_C"), "shop-7.a:b_C");
        assert_eq!(id_for(&"x".repeat(64)).len(), 64);
        for unsafe_id in [
            "",
            "a b",
            "a\tb",
            "é",
            "{}",
            &"x".repeat(65),
            "4111-1111-1111-1111",
            "opk_viewer_0123",
        ] {
            assert!(id_for(unsafe_id).starts_with("req_"), "{unsafe_id}");
        }
    }
}
