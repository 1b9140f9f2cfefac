//! Who may ask, and how answers leave: signed, unsigned, not at all.

use super::processor::Sandbox;
use crate::channels::http::sign::{self, Stamped};
use crate::channels::signing;
use crate::clock;
use actix_web::body::{BodySize, BoxBody, MessageBody};
use actix_web::http::StatusCode;
use actix_web::web::Bytes;
use actix_web::{HttpRequest, HttpResponse};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

/// How long a call that is never answered is held: longer than any caller waits.
const NEVER: Duration = Duration::from_secs(3600);

/// An answer before it leaves.
#[derive(Debug)]
pub(super) enum Say {
    Signed(u16, String),
    Unsigned(u16, String),
    /// The connection is closed without a byte.
    Nothing,
    /// The connection stays open and silent.
    Never,
}

impl Sandbox {
    /// The `webhook-id` of a request that is signed by us and fresh.
    pub(super) fn authenticate(&self, request: &HttpRequest, body: &[u8]) -> Option<String> {
        let header = |name: &str| request.headers().get(name)?.to_str().ok();
        let (id, timestamp) = (header(sign::ID)?, header(sign::TIMESTAMP)?);
        let target = request.uri().path_and_query()?.as_str();
        let head = Stamped { id, timestamp };
        let text = sign::request_text(head, request.method().as_str(), target, body);
        let known = signing::is_fresh(timestamp, self.clock().wall())
            && self.key().verifies(&text, header(sign::SIGNATURE)?);
        known.then(|| id.to_owned())
    }

    pub(super) async fn answer(&self, request_id: &str, say: Say) -> HttpResponse {
        match say {
            Say::Signed(status, body) => self.signed(request_id, status, body, "application/json"),
            Say::Unsigned(status, body) => plain(status).body(body),
            Say::Nothing => HttpResponse::with_body(StatusCode::OK, BoxBody::new(Cut)),
            Say::Never => {
                tokio::time::sleep(NEVER).await;
                HttpResponse::with_body(StatusCode::OK, BoxBody::new(Cut))
            }
        }
    }

    pub(super) fn signed(
        &self,
        request_id: &str,
        status: u16,
        body: String,
        content_type: &str,
    ) -> HttpResponse {
        let (id, timestamp) = (
            clock::new_id("msg"),
            signing::timestamp(self.clock().wall()),
        );
        let head = Stamped {
            id: &id,
            timestamp: &timestamp,
        };
        let status_text = status.to_string();
        let text = sign::reply_text(head, request_id, &status_text, body.as_bytes());
        let signature = self.key().sign(&text);
        plain(status)
            .content_type(content_type)
            .insert_header((sign::ID, id))
            .insert_header((sign::TIMESTAMP, timestamp))
            .insert_header((sign::SIGNATURE, signature))
            .body(body)
    }
}

/// The answer to a request that is not signed by the merchant.
pub(super) fn unauthorized() -> HttpResponse {
    HttpResponse::Unauthorized()
        .content_type("application/problem+json")
        .body(
            r#"{"type":"urn:oncepay:problem:unauthorized","title":"The request is not signed as the protocol asks","status":401,"code":"unauthorized"}"#,
        )
}

fn plain(status: u16) -> actix_web::HttpResponseBuilder {
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    HttpResponse::build(status)
}

/// A body that fails before its first byte: the server closes the connection and the head, still in its
/// buffer, is never written.
struct Cut;

impl MessageBody for Cut {
    type Error = std::io::Error;

    fn size(&self) -> BodySize {
        BodySize::Sized(1)
    }

    fn poll_next(
        self: Pin<&mut Self>,
        _context: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, Self::Error>>> {
        let cut = std::io::Error::new(std::io::ErrorKind::ConnectionReset, "scripted to be lost");
        Poll::Ready(Some(Err(cut)))
    }
}
