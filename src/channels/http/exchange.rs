//! One signed request and its reply, on the wire once.
//!
//! A request is written at most once. The client follows no redirect and has no retry of its own, but one: when
//! it picks an idle connection that turns out to be closed *before* the first byte of the request was handed to
//! it, hyper gives the request back untouched and it goes out on a new connection. A connection that breaks
//! after the request was taken up ends the call, and whether the other side read it is not known.

use super::sign::{self, Stamped};
use crate::channels::signing::{self, SigningKey};
use crate::clock::{self, SharedClock};
use reqwest::header::{CONTENT_TYPE, HeaderMap};
use reqwest::{Method, Url};
use std::time::Duration;

/// The longest reply that is read, in bytes.
const REPLY_BYTES_MAX: usize = 1 << 20;
/// Idle connections kept: fewer than the calls in flight would halve the throughput.
const IDLE_CONNECTIONS_MAX: usize = 1024;
/// Shorter than the sandbox keeps them, see its `KEEP_ALIVE`.
const IDLE_CONNECTION_LIFE: Duration = Duration::from_secs(90);
/// A channel that cannot be reached for so long counts as not reached: nothing was sent.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

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

/// How a call ended without a reply. The texts are for people and name no secret.
pub(super) enum CallFailure {
    /// The connection was never made: no effect.
    NotSent(String),
    TimedOut,
    /// It broke after the request may have been written.
    Broken(String),
    TooLong,
}

/// The channel's client, keys and clock.
pub(super) struct Exchange {
    pub(super) client: reqwest::Client,
    /// The first signs; a reply may be signed with any.
    pub(super) keys: Vec<SigningKey>,
    pub(super) clock: SharedClock,
}

/// The one client of a channel.
pub(super) fn client(loopback: bool) -> Result<reqwest::Client, reqwest::Error> {
    let builder = reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .retry(reqwest::retry::never())
        .http1_only()
        .tcp_nodelay(true)
        .connect_timeout(CONNECT_TIMEOUT)
        .pool_max_idle_per_host(IDLE_CONNECTIONS_MAX)
        .pool_idle_timeout(IDLE_CONNECTION_LIFE)
        .referer(false)
        .user_agent(concat!("oncepay/", env!("CARGO_PKG_VERSION")));
    if loopback {
        builder.no_proxy().build()
    } else {
        builder.build()
    }
}

impl Exchange {
    /// Sends the request and reads its reply, all within `timeout`.
    pub(super) async fn call(
        &self,
        request: Outgoing<'_>,
        timeout: Duration,
    ) -> Result<Reply, CallFailure> {
        match tokio::time::timeout(timeout, self.call_untimed(request)).await {
            Ok(end) => end,
            Err(_elapsed) => Err(CallFailure::TimedOut),
        }
    }

    async fn call_untimed(&self, request: Outgoing<'_>) -> Result<Reply, CallFailure> {
        let request_id = clock::new_id("msg");
        let sent = self.signed(&request_id, request).send().await;
        let mut response = sent.map_err(failure)?;
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(failure)? {
            if body.len().saturating_add(chunk.len()) > REPLY_BYTES_MAX {
                return Err(CallFailure::TooLong);
            }
            body.extend_from_slice(&chunk);
        }
        let status = response.status();
        Ok(Reply {
            status: status.as_u16(),
            authentic: self.authentic(&request_id, status.as_str(), response.headers(), &body),
            body,
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

/// A header that is there once; a second one would leave open which of them was meant.
fn only<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?.to_str().ok()?;
    values.next().is_none().then_some(value)
}

/// Only a failure to connect proves that nothing was sent.
fn failure(error: reqwest::Error) -> CallFailure {
    let error = error.without_url();
    if error.is_builder() {
        CallFailure::NotSent("the request could not be built".to_owned())
    } else if error.is_connect() {
        CallFailure::NotSent(format!("not reached: {}", innermost(&error)))
    } else {
        CallFailure::Broken(format!("the connection broke: {}", innermost(&error)))
    }
}

fn innermost(error: &dyn std::error::Error) -> String {
    let mut cause = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause.to_string()
}
