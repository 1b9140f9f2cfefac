//! One call of Stripe's API, and whether its answer counts.
//!
//! Stripe signs no answers: what authenticates them is TLS, and on this machine the loopback. So an answer counts if it
//! is one of the API's own objects; the page of a proxy is none.

use super::codes::{self, Trouble};
use super::wire::{ErrorBody, ErrorObject, Intent};
use crate::channels::client::{self, CallFailure, Reply, Silence, only};
use crate::channels::words::{object, printable};
use crate::domain::order::{Reason, UnknownAnswer};
use reqwest::header::{AUTHORIZATION, HeaderValue};
use reqwest::{Method, Url};
use serde::de::DeserializeOwned;
use std::time::Duration;
use tokio::time::Instant;

/// The version of the API whose words are in the tables: that of stripe-python 16.1.0 and stripe-node 23.1.0.
const VERSION: &str = "2026-10-28.endive";
/// The longest key that Stripe takes, in characters.
const KEY_LENGTH_MAX: usize = 255;
/// As Stripe names the header that says: this answer was given before, to an earlier call with the key.
const REPLAYED: &str = "idempotent-replayed";

/// One parameter of a form or an address.
pub(super) type Field<'a> = (&'a str, String);

/// The client, and the address and key that it calls with.
pub(super) struct Exchange {
    pub(super) client: reqwest::Client,
    pub(super) base: String,
    /// `Bearer sk_…`, marked as secret.
    pub(super) authorization: HeaderValue,
}

/// What came of a call.
pub(super) enum End<T> {
    /// The object that was asked for.
    Object(Told<T>),
    /// An error object of the API.
    Error(Refusal),
    Silence(Silence),
}

/// An object, and whether it is how things stand now.
pub(super) struct Told<T> {
    pub(super) object: T,
    /// The answer was given to an earlier call with this key: so it stood then.
    pub(super) replayed: bool,
}

/// An error object of the API.
pub(super) struct Refusal {
    pub(super) trouble: Trouble,
    /// The codes, without Stripe's message, which may speak of the payer.
    pub(super) summary: String,
    /// The intent that it is about, where it was sent along.
    pub(super) intent: Option<Box<Intent>>,
}

/// The time that one call of the runtime has, however many requests it makes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Deadline(Instant);

impl Deadline {
    pub(super) fn after(timeout: Duration) -> Self {
        Self(Instant::now() + timeout)
    }

    fn left(self) -> Duration {
        self.0.saturating_duration_since(Instant::now())
    }
}

impl Exchange {
    /// Reads an object or a list.
    pub(super) async fn get<T: DeserializeOwned>(
        &self,
        path: &str,
        query: &[Field<'_>],
        deadline: Deadline,
    ) -> End<T> {
        read(self.get_raw(path, query, deadline).await)
    }

    /// The same, unread.
    pub(super) async fn get_raw(
        &self,
        path: &str,
        query: &[Field<'_>],
        deadline: Deadline,
    ) -> Result<Reply, CallFailure> {
        match self.request(Method::GET, path) {
            Some(request) => client::call(request.query(query), deadline.left()).await,
            None => Err(not_built()),
        }
    }

    /// Sends a form under this key.
    pub(super) async fn post<T: DeserializeOwned>(
        &self,
        path: &str,
        key: &str,
        form: &[Field<'_>],
        deadline: Deadline,
    ) -> End<T> {
        let Some(request) = self.request(Method::POST, path) else {
            return read(Err(not_built()));
        };
        let request = request.header("idempotency-key", key).form(form);
        read(client::call(request, deadline.left()).await)
    }

    fn request(&self, method: Method, path: &str) -> Option<reqwest::RequestBuilder> {
        let url = Url::parse(&format!("{}{path}", self.base)).ok()?;
        let request = self.client.request(method, url);
        Some(
            request
                .header(AUTHORIZATION, self.authorization.clone())
                .header("stripe-version", VERSION),
        )
    }
}

fn not_built() -> CallFailure {
    CallFailure::NotSent("the request could not be built".to_owned())
}

/// The answer, if it is one of the API's own objects.
pub(super) fn read<T: DeserializeOwned>(end: Result<Reply, CallFailure>) -> End<T> {
    let reply = match end {
        Ok(reply) => reply,
        Err(failure) => return End::Silence(failure.into()),
    };
    let status = reply.status;
    if status == 200 {
        let replayed = only(&reply.headers, REPLAYED) == Some("true");
        return match object(&reply.body) {
            Ok(object) => End::Object(Told { object, replayed }),
            Err(_) => End::Silence(Silence::unreadable("HTTP 200, not an object of the API")),
        };
    }
    match object::<ErrorBody>(&reply.body) {
        Ok(body) => {
            let request_id = only(&reply.headers, "request-id").unwrap_or_default();
            End::Error(refusal(status, body.error, request_id))
        }
        Err(_) if (500..=599).contains(&status) => {
            End::Silence(Silence::unavailable(format!("HTTP {status}")))
        }
        Err(_) => End::Silence(Silence::unreadable(format!(
            "HTTP {status}, not an error of the API"
        ))),
    }
}

fn refusal(status: u16, error: ErrorObject, request_id: &str) -> Refusal {
    let code = error.code.unwrap_or_default();
    let decline = error.decline_code.unwrap_or_default();
    let words = [error.kind.as_str(), &code, &decline, request_id];
    let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
    Refusal {
        trouble: codes::trouble(status, &error.kind, &code),
        summary: printable(&format!("HTTP {status}, {}", words.join(", "))),
        intent: error.payment_intent.map(Box::new),
    }
}

impl Refusal {
    /// It leaves open what is asked for: out of order, or nothing that the call can mean.
    pub(super) fn into_silence(self) -> Silence {
        let reason = match self.trouble {
            Trouble::Unavailable | Trouble::Busy | Trouble::TooFast | Trouble::NoEntry => {
                Reason::ChannelUnavailable
            }
            Trouble::KeyReused
            | Trouble::AttemptFailed
            | Trouble::WrongStatus
            | Trouble::RefundedAlready
            | Trouble::Missing
            | Trouble::Refused
            | Trouble::Unlisted => Reason::UnreadableReply,
        };
        Silence::Unknown(UnknownAnswer {
            reason,
            summary: self.summary,
        })
    }
}

/// A key of Stripe's length: the text itself, or its digest.
pub(super) fn key(text: String) -> String {
    use sha2::{Digest, Sha256};
    let fits = text.len() <= KEY_LENGTH_MAX && text.bytes().all(|byte| byte.is_ascii_graphic());
    if fits {
        text
    } else {
        hex::encode(Sha256::digest(text.as_bytes()))
    }
}
