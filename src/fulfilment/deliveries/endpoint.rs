//! Where webhooks go, and what they are signed with.

use super::attempt::{self, Answer};
use super::resolver::{Checked, Resolve};
use crate::channels::signing::{self, SigningKey};
use crate::clock::SharedClock;
use crate::config::public_address::is_public;
use crate::config::{ConfigError, FulfilmentSettings, address};
use crate::store::deliveries::StoredDelivery;
use reqwest::Url;
use reqwest::header::{CONTENT_TYPE, HeaderValue};
use std::sync::Arc;
use std::time::Duration;

/// How long a receiver may take, from its name to its answer.
const ANSWERS_WITHIN: Duration = Duration::from_secs(15);
const CONNECTS_WITHIN: Duration = Duration::from_secs(5);
const IDLE_CONNECTIONS_MAX: usize = 256;
/// Shorter than most servers keep them: one that is closed as it is taken up costs an attempt.
const IDLE_CONNECTION_LIFE: Duration = Duration::from_secs(4);

/// The merchant's receiver.
pub(in crate::fulfilment) struct Endpoint {
    /// As configured: what it is known by when it is gone.
    configured: String,
    url: Url,
    /// Each signs: the receiver knows one of them at least, also in the middle of a rotation.
    keys: Vec<SigningKey>,
    client: reqwest::Client,
    clock: SharedClock,
}

impl Endpoint {
    /// The configured endpoint, if there is one.
    ///
    /// # Errors
    /// Names the key that cannot be used: a private address, a secret of another form.
    pub(in crate::fulfilment) fn open(
        settings: &FulfilmentSettings,
        resolver: Arc<dyn Resolve>,
        clock: SharedClock,
    ) -> Result<Option<Self>, ConfigError> {
        let Some(configured) = settings.url.clone() else {
            return Ok(None);
        };
        let refuse = |message: &str| ConfigError::one("fulfilment.url", message.to_owned());
        let url = address::web(&configured).ok_or_else(|| refuse("is not an address"))?;
        // A name is checked when it is resolved; an address that stands there itself never is.
        let literal = address::literal(&configured);
        if literal.is_some_and(|ip| !is_public(ip)) && !settings.allow_private {
            return Err(refuse(
                "is a private address; set fulfilment.allow_private = true if that is meant",
            ));
        }
        let keys = settings.secrets.iter().map(SigningKey::parse);
        let keys = keys.collect::<Result<Vec<_>, _>>();
        let keys = keys
            .map_err(|refusal| ConfigError::one("fulfilment.secrets", format!("each {refusal}")))?;
        let checked = Checked::new(resolver, settings.allow_private);
        let client = client(checked).map_err(|error| {
            refuse(&format!("cannot be called: {}", attempt::innermost(&error)))
        })?;
        Ok(Some(Self {
            configured,
            url,
            keys,
            client,
            clock,
        }))
    }

    pub(super) fn url(&self) -> &str {
        &self.configured
    }

    /// For people: the rest of the address may be a secret of its own.
    pub(super) fn host(&self) -> &str {
        self.url.host_str().unwrap_or_default()
    }

    /// Sends a webhook once.
    pub(super) async fn post(&self, delivery: &StoredDelivery) -> Answer {
        let exchange = attempt::exchange(self.signed(delivery), &self.clock);
        match tokio::time::timeout(ANSWERS_WITHIN, exchange).await {
            Ok(answer) => answer,
            Err(_elapsed) => {
                Answer::Nothing(format!("no answer within {} s", ANSWERS_WITHIN.as_secs()))
            }
        }
    }

    fn signed(&self, delivery: &StoredDelivery) -> reqwest::RequestBuilder {
        let id = delivery.webhook_id.as_bytes();
        let timestamp = signing::timestamp(self.clock.wall());
        let text: [&[u8]; 5] = [
            id,
            b".",
            timestamp.as_bytes(),
            b".",
            delivery.body.as_bytes(),
        ];
        let signatures: Vec<String> = self.keys.iter().map(|key| key.sign(&text)).collect();
        let request = self.client.post(self.url.clone());
        let request = match HeaderValue::from_bytes(id) {
            Ok(id) => request.header("webhook-id", id),
            // It is refused when it is sent, and that is what the history then says.
            Err(_unsendable) => request.header("webhook-id", &delivery.webhook_id),
        };
        request
            .header("webhook-timestamp", timestamp)
            .header("webhook-signature", signatures.join(" "))
            .header(CONTENT_TYPE, "application/json")
            .body(delivery.body.clone())
    }
}

/// It goes nowhere but to the addresses that were checked: no proxy of the environment, no redirect.
fn client(checked: Checked) -> Result<reqwest::Client, reqwest::Error> {
    reqwest::Client::builder()
        .dns_resolver(Arc::new(checked))
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        .retry(reqwest::retry::never())
        .http1_only()
        .tcp_nodelay(true)
        .connect_timeout(CONNECTS_WITHIN)
        .pool_max_idle_per_host(IDLE_CONNECTIONS_MAX)
        .pool_idle_timeout(IDLE_CONNECTION_LIFE)
        .referer(false)
        .user_agent(concat!("oncepay/", env!("CARGO_PKG_VERSION")))
        .build()
}
