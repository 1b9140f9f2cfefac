//! One signed request to WeChat Pay and its reply. Every send is signed anew: a nonce and a moment serve once.

use super::authentic::{self, Fault, Signed};
use super::download::Downloads;
use super::keys::KeyRing;
use super::sealed::Apiv3Key;
use super::sign::{self, Merchant, Outgoing, Stamp};
use crate::channels::client::{self, CallFailure, Silence, only};
use crate::channels::rsa::RsaSigner;
use crate::channels::signing;
use crate::clock::SharedClock;
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue};
use reqwest::{Method, Url};
use std::sync::Arc;
use std::time::{Duration, Instant};

const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// A request before it is signed.
#[derive(Debug)]
pub(super) struct Request {
    method: Method,
    /// Below the base address, with its query.
    target: String,
    body: Vec<u8>,
}

impl Request {
    pub(super) const fn get(target: String) -> Self {
        Self {
            method: Method::GET,
            target,
            body: Vec::new(),
        }
    }

    pub(super) const fn post(target: String, body: Vec<u8>) -> Self {
        Self {
            method: Method::POST,
            target,
            body,
        }
    }
}

/// A reply that is WeChat Pay's own word.
#[derive(Debug)]
pub(super) struct Said {
    pub(super) status: u16,
    pub(super) body: Vec<u8>,
}

/// The client, the keys and the clock of a channel.
#[derive(Debug)]
pub(super) struct Gateway {
    pub(super) client: reqwest::Client,
    pub(super) base: String,
    pub(super) merchant: Merchant,
    pub(super) signer: RsaSigner,
    pub(super) apiv3: Apiv3Key,
    pub(super) ring: KeyRing,
    /// WeChat Pay is asked to sign its replies with this key.
    pub(super) public_key_id: Option<String>,
    /// `None`: no certificates are downloaded.
    pub(super) downloads: Option<Downloads>,
    pub(super) clock: Clock,
}

/// The clock, which has nothing to print.
pub(super) struct Clock(pub(super) SharedClock);

impl std::fmt::Debug for Clock {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Clock")
    }
}

impl Gateway {
    /// Sends the request and reads its reply, all within `timeout`. What is unsigned or signed wrongly says nothing,
    /// and a 5xx says nothing either, whoever wrote it.
    pub(super) async fn call(
        self: &Arc<Self>,
        request: Request,
        timeout: Duration,
    ) -> Result<Said, Silence> {
        let started = Instant::now();
        self.ready(timeout).await?;
        let url = self.url(&request.target)?;
        let request = self.signed(request.method, url, request.body)?;
        let left = timeout.saturating_sub(started.elapsed());
        let reply = client::call(request, left).await?;
        let status = reply.status;
        if (500..=599).contains(&status) {
            return Err(Silence::unavailable(format!("HTTP {status}")));
        }
        self.check(&reply)
            .map_err(|why| Silence::unreadable(format!("HTTP {status}, {why}")))?;
        Ok(Said {
            status,
            body: reply.body,
        })
    }

    fn check(self: &Arc<Self>, reply: &client::Reply) -> Result<(), &'static str> {
        let signed = signed_headers(&reply.headers).ok_or("unsigned")?;
        let now = self.clock.0.wall();
        let end = authentic::check(&self.ring, signed, &reply.body, now);
        if end == Err(Fault::UnknownKey) {
            self.look_for_new_keys();
        }
        end.map_err(Fault::of_a_reply)
    }

    /// The same without a judgement of the reply: of downloads, which verify by other means.
    pub(super) async fn fetch(
        &self,
        target: &str,
        timeout: Duration,
    ) -> Result<client::Reply, Silence> {
        let url = self.url(target)?;
        let request = self.signed(Method::GET, url, Vec::new())?;
        Ok(client::call(request, timeout).await?)
    }

    pub(super) fn url(&self, target: &str) -> Result<Url, Silence> {
        let url = Url::parse(&format!("{}{target}", self.base));
        url.ok().ok_or_else(not_built)
    }

    /// Signed now, over the path and the query as they go out.
    pub(super) fn signed(
        &self,
        method: Method,
        url: Url,
        body: Vec<u8>,
    ) -> Result<reqwest::RequestBuilder, Silence> {
        let timestamp = signing::timestamp(self.clock.0.wall());
        let nonce = sign::nonce();
        let stamp = Stamp {
            timestamp: &timestamp,
            nonce: &nonce,
        };
        let target = match url.query() {
            Some(query) => format!("{}?{query}", url.path()),
            None => url.path().to_owned(),
        };
        let outgoing = Outgoing {
            method: method.as_str(),
            target: &target,
            body: &body,
        };
        let authorization = sign::authorization(&self.merchant, &self.signer, outgoing, stamp)
            .ok_or_else(not_built)?;
        let mut request = self
            .client
            .request(method, url)
            .header(AUTHORIZATION, authorization)
            .header(ACCEPT, JSON)
            .header(CONTENT_TYPE, JSON);
        if let Some(id) = &self.public_key_id {
            request = request.header(sign::SERIAL, id);
        }
        Ok(if body.is_empty() {
            request
        } else {
            request.body(body)
        })
    }
}

/// Each of them once.
pub(super) fn signed_headers(headers: &HeaderMap) -> Option<Signed<'_>> {
    Some(Signed {
        stamp: Stamp {
            timestamp: only(headers, sign::TIMESTAMP)?,
            nonce: only(headers, sign::NONCE)?,
        },
        serial: only(headers, sign::SERIAL)?,
        signature: only(headers, sign::SIGNATURE)?,
    })
}

fn not_built() -> Silence {
    CallFailure::NotSent("the request could not be built".to_owned()).into()
}
