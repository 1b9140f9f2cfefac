//! What an `http` channel is configured with, and what is refused at start.

use crate::channels::signing::{SecretRefusal, SigningKey};
use reqwest::Url;
use secrecy::SecretString;

/// An `http` channel's part of the configuration.
#[derive(Debug, Clone)]
pub struct HttpChannelSettings {
    /// The channel's name in the configuration.
    pub name: String,
    /// Where the processor serves the protocol; https unless it is loopback.
    pub base_url: String,
    /// `whsec_` and base64 of the key: signs requests, verifies replies and callbacks.
    pub secret: SecretString,
    /// During a rotation: what the processor may still sign with.
    pub previous_secret: Option<SecretString>,
    /// `Some(false)`: not real money. A channel on loopback never is live.
    pub live: Option<bool>,
    /// The merchant's name at the processor, which the protocol does not carry; it stands in the order's
    /// fingerprint. `None` is `default`.
    pub merchant: Option<String>,
    /// The largest amount that the processor takes, in minor units.
    pub amount_max: Option<i64>,
}

/// A setting that is refused: its key, and what is allowed.
#[derive(Debug, thiserror::Error)]
pub enum HttpChannelError {
    #[error(
        "channels.{channel}.base_url {problem}: allowed is an https address (http on loopback alone) without user, query and fragment"
    )]
    BaseUrl {
        channel: String,
        problem: &'static str,
    },
    #[error("channels.{channel}.{key} {refusal}")]
    Secret {
        channel: String,
        key: &'static str,
        refusal: SecretRefusal,
    },
    #[error("channels.{channel}.amount_max must be at least 1")]
    AmountMax { channel: String },
    #[error("channels.{channel}: the HTTP client cannot be built: {problem}")]
    Client { channel: String, problem: String },
}

impl HttpChannelSettings {
    /// The base address without a slash at its end, and whether it is this machine.
    pub(super) fn base(&self) -> Result<(String, bool), HttpChannelError> {
        let refuse = |problem| HttpChannelError::BaseUrl {
            channel: self.name.clone(),
            problem,
        };
        let url = Url::parse(&self.base_url)
            .ok()
            .ok_or_else(|| refuse("is not an address"))?;
        let loopback = is_loopback(&url);
        if url.scheme() != "https" && !(url.scheme() == "http" && loopback) {
            return Err(refuse("is not https"));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(refuse("carries a user"));
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err(refuse("carries a query or a fragment"));
        }
        Ok((url.as_str().trim_end_matches('/').to_owned(), loopback))
    }

    /// The keys, the one that signs first.
    pub(super) fn keys(&self) -> Result<Vec<SigningKey>, HttpChannelError> {
        let secrets = [
            ("secret", Some(&self.secret)),
            ("previous_secret", self.previous_secret.as_ref()),
        ];
        secrets
            .into_iter()
            .filter_map(|(key, secret)| Some((key, secret?)))
            .map(|(key, secret)| {
                SigningKey::parse(secret).map_err(|refusal| HttpChannelError::Secret {
                    channel: self.name.clone(),
                    key,
                    refusal,
                })
            })
            .collect()
    }
}

/// `localhost` and names below it, 127.0.0.0/8 or ::1, however it is written: as the configuration has it.
fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let address = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost"
        || host.ends_with(".localhost")
        || address
            .parse::<std::net::IpAddr>()
            .is_ok_and(|address| address.to_canonical().is_loopback())
}
