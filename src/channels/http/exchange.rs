//! One signed request and its reply.

use super::sign::{self, Stamped};
use crate::channels::client::{self, CallFailure, only};
use crate::channels::signing::{self, SigningKey};
use crate::clock::{self, SharedClock};
use reqwest::header::{CONTENT_TYPE, HeaderMap};
use reqwest::{Method, Url};
use std::time::Duration;

/// A request before it is signed.
pub(super) struct Outgoing<'a> {
    pub(super) method: Method,
    pub(super) url: Url,
    /// Of a POST. `None` is a key of its own: the call has no effect that a repetition could double, and must
    /// not be answered with what was remembered of an earlier one.
    pub(super) idempotency_key: Option<&'a str>,
    pub(super) body: Vec<u8>,
}

/// What came back, and whether it is the channel's own word.
pub(super) struct Reply {
    pub(super) status: u16,
    pub(super) authentic: Result<(), &'static str>,
    pub(super) body: Vec<u8>,
}

/// The channel's client, keys and clock.
pub(super) struct Exchange {
    pub(super) client: reqwest::Client,
    /// The first signs; a reply may be signed with any.
    pub(super) keys: Vec<SigningKey>,
    pub(super) clock: SharedClock,
}

impl Exchange {
    /// Sends the request and reads its reply, all within `timeout`.
    pub(super) async fn call(
        &self,
        request: Outgoing<'_>,
        timeout: Duration,
    ) -> Result<Reply, CallFailure> {
        let request_id = clock::new_id("msg");
        let reply = client::call(self.signed(&request_id, request), timeout).await?;
        let status = reply.status.to_string();
        Ok(Reply {
            status: reply.status,
            authentic: self.authentic(&request_id, &status, &reply.headers, &reply.body),
            body: reply.body,
        })
    }

    fn signed(&self, request_id: &str, request: Outgoing<'_>) -> reqwest::RequestBuilder {
        let timestamp = signing::timestamp(self.clock.wall());
        let head = Stamped {
            id: request_id,
            timestamp: &timestamp,
        };
        let target = match request.url.query() {
            Some(query) => format!("{}?{query}", request.url.path()),
            None => request.url.path().to_owned(),
        };
        let text = sign::request_text(head, request.method.as_str(), &target, &request.body);
        let signature = self.keys.first().map(|key| key.sign(&text));
        let is_post = request.method == Method::POST;
        let mut builder = self
            .client
            .request(request.method, request.url)
            .header(sign::ID, request_id)
            .header(sign::TIMESTAMP, &timestamp)
            .header(sign::SIGNATURE, signature.unwrap_or_default())
            .header(CONTENT_TYPE, "application/json");
        if is_post {
            let key = request.idempotency_key.unwrap_or(request_id);
            builder = builder
                .header(sign::IDEMPOTENCY_KEY, key)
                .body(request.body);
        }
        builder
    }

    fn authentic(
        &self,
        request_id: &str,
        status: &str,
        headers: &HeaderMap,
        body: &[u8],
    ) -> Result<(), &'static str> {
        let (Some(id), Some(timestamp), Some(signatures)) = (
            only(headers, sign::ID),
            only(headers, sign::TIMESTAMP),
            only(headers, sign::SIGNATURE),
        ) else {
            return Err("unsigned");
        };
        if !signing::is_fresh(timestamp, self.clock.wall()) {
            return Err("signed too long ago or ahead of our clock");
        }
        let text = sign::reply_text(Stamped { id, timestamp }, request_id, status, body);
        let known = self.keys.iter().any(|key| key.verifies(&text, signatures));
        known.then_some(()).ok_or("wrong signature")
    }
}
