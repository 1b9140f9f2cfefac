//! One signed call to the gateway, and its reply.

use super::beijing;
use super::keys::Keys;
use super::reply::{self, Body};
use super::sign::{self, RSA2};
use crate::channels::client::{self, Silence};
use crate::clock::SharedClock;
use reqwest::Url;
use reqwest::header::CONTENT_TYPE;
use serde::Serialize;
use std::time::Duration;

const FORM: &str = "application/x-www-form-urlencoded;charset=utf-8";

/// The gateway, the app and its keys.
pub(super) struct Gateway {
    pub(super) client: reqwest::Client,
    pub(super) address: Url,
    /// It is on this machine.
    pub(super) loopback: bool,
    pub(super) app_id: String,
    pub(super) keys: Keys,
    pub(super) clock: SharedClock,
}

/// Where Alipay sends its notices, and the payer afterwards.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Returns<'a> {
    pub(super) notify_url: Option<&'a str>,
    pub(super) return_url: Option<&'a str>,
}

/// A signed request: what stands in the address, and `biz_content`, which may stand in the body.
pub(super) struct Signed {
    pub(super) parameters: Vec<(&'static str, String)>,
    pub(super) content: String,
}

/// A request that could not be made; nothing was sent.
pub(super) const NOT_SIGNED: &str = "the request could not be signed";
/// The name of the parameter that holds what a call is about.
pub(super) const CONTENT: &str = "biz_content";

impl Gateway {
    /// Calls the method and reads its reply, all within `timeout`.
    pub(super) async fn call(
        &self,
        method: &'static str,
        content: &impl Serialize,
        returns: Returns<'_>,
        timeout: Duration,
    ) -> Result<Body, Silence> {
        let signed = self.sign(method, content, returns);
        let signed = signed.ok_or_else(|| Silence::NotSent(NOT_SIGNED.to_owned()))?;
        let request = self
            .client
            .post(self.address_with(&signed.parameters))
            .header(CONTENT_TYPE, FORM)
            .form(&[(CONTENT, &signed.content)]);
        let reply = client::call(request, timeout).await?;
        match reply.status {
            200 => reply::read(&self.keys, method, &reply.body),
            status @ 500..=599 => Err(Silence::unavailable(format!("HTTP {status}"))),
            status => Err(Silence::unreadable(format!("HTTP {status}"))),
        }
    }

    /// The parameters of every call, `biz_content`, and the signature over all of them.
    pub(super) fn sign(
        &self,
        method: &'static str,
        content: &impl Serialize,
        returns: Returns<'_>,
    ) -> Option<Signed> {
        let content = serde_json::to_string(content).ok()?;
        let text = |text: &str| text.to_owned();
        let numbers = self.keys.certificates.as_ref();
        let mut parameters = vec![
            ("app_id", self.app_id.clone()),
            ("method", text(method)),
            ("format", text("JSON")),
            ("charset", text("utf-8")),
            (sign::SIGN_TYPE, text(RSA2)),
            ("timestamp", beijing::write(self.clock.wall())),
            ("version", text("1.0")),
        ];
        let optional = [
            ("notify_url", returns.notify_url),
            ("return_url", returns.return_url),
            ("app_cert_sn", numbers.map(|numbers| numbers.app.as_str())),
            ("alipay_root_cert_sn", numbers.map(|it| it.root.as_str())),
        ];
        for (name, value) in optional {
            parameters.extend(value.map(|value| (name, value.to_owned())));
        }
        let mut named: Vec<(&str, &str)> = parameters
            .iter()
            .map(|(name, value)| (*name, value.as_str()))
            .collect();
        named.push((CONTENT, &content));
        let signature = self.keys.app.sign(sign::request_text(&named).as_bytes())?;
        parameters.push((sign::SIGN, signature));
        Some(Signed {
            parameters,
            content,
        })
    }

    /// The gateway's address with these parameters.
    pub(super) fn address_with(&self, parameters: &[(&'static str, String)]) -> Url {
        let mut address = self.address.clone();
        address.query_pairs_mut().extend_pairs(parameters);
        address
    }
}
