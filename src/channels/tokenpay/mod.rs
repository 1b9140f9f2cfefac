//! TokenPay: a gateway that the merchant runs, which watches a blockchain for transfers of a token or coin.
//!
//! It makes an order with a pay page and an address, and calls it paid when it has seen the transfer. It can neither
//! close an order nor give money back, and it writes no bills. Source: the repository LightCountry/TokenPay.

mod amount;
mod classify;
mod codes;
mod notice;
mod scalar;
mod sign;
mod wire;

use super::opening::{Opening, SettingRefusal};
use super::{
    Acknowledge, AcknowledgementBody, Admission, Call, CallKind, Channel, ChargeCall, FieldRefusal,
    Notice, RawNotice, Rejection,
};
use crate::channels::client::{self, Silence};
use crate::domain::order::{Answer, Fingerprint};
use crate::domain::schedule::Capabilities;
use crate::domain::{Currency, UnixMillis};
use reqwest::header::CONTENT_TYPE;
use secrecy::{ExposeSecret, SecretString};
use std::sync::Arc;

const METHOD: &str = "transfer";
/// The gateway keeps amounts in 15 digits, two of them behind the point (`TokenOrders.ActualAmount`).
const AMOUNT_MAX: i64 = 999_999_999_999_999;
/// How long the gateway surely returns the same order for a repeated `CreateOrder`: its `ExpireTime` where nothing is
/// configured. A gateway that is configured with less makes a second order; nobody was shown the first one.
const KEY_LIFE_MS: i64 = 600_000;

/// What a TokenPay channel is opened with.
#[derive(Debug, Clone)]
pub struct TokenpaySettings {
    /// The gateway's `ApiToken`.
    pub api_token: SecretString,
    /// What the payer sends, in the gateway's words: `USDT_TRC20` and the like.
    pub token_currency: String,
    /// The gateway's `BaseCurrency`, which orders are in: three letters.
    pub base_currency: String,
    pub when_expired: WhenExpired,
}

/// What becomes of an order that the gateway calls expired. It looks for no transfer any more then; one that comes too
/// late is told of only if somebody enters it at the gateway by hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WhenExpired {
    /// It is closed; a transfer that is entered by hand later makes it a late success.
    Close,
    /// A person looks at the wallet and reviews it.
    Manual,
}

/// What the channel takes.
#[derive(Debug)]
struct Tokens {
    token: String,
    base_currency: Currency,
    when_expired: WhenExpired,
}

struct Tokenpay {
    opening: Opening,
    client: reqwest::Client,
    api_token: SecretString,
    tokens: Tokens,
}

/// Opens the channel.
///
/// # Errors
/// Names the key of the configuration that is refused, and why.
pub fn open(
    opening: Opening,
    settings: TokenpaySettings,
) -> Result<Arc<dyn Channel>, SettingRefusal> {
    let api_token = settings.api_token.expose_secret();
    if api_token.is_empty() || api_token.trim() != api_token {
        return Err(opening.refuse("api_token", "is empty, or has spaces around it"));
    }
    let base_currency = Currency::parse(&settings.base_currency).filter(|it| it.places() == 2);
    let Some(base_currency) = base_currency else {
        let problem = "is no currency with two decimal places";
        return Err(opening.refuse("base_currency", problem));
    };
    let client = client::client(opening.loopback)
        .map_err(|error| opening.refuse("base_url", format!("no HTTP client: {error}")))?;
    Ok(Arc::new(Tokenpay {
        opening,
        client,
        api_token: settings.api_token,
        tokens: Tokens {
            token: settings.token_currency,
            base_currency,
            when_expired: settings.when_expired,
        },
    }))
}

impl Tokenpay {
    async fn create(&self, call: &ChargeCall) -> Answer {
        let body = wire::create(call, &self.tokens.token, &self.api_token);
        let Some(body) = body else {
            return not_built();
        };
        let address = format!("{}/CreateOrder", self.opening.base_url);
        let request = self
            .client
            .post(address)
            .header(CONTENT_TYPE, "application/json")
            .body(body);
        classify::created(client::call(request, call.timeout).await, &call.order_no)
    }

    /// The gateway is asked by its own id of the order alone.
    async fn ask(&self, call: &ChargeCall) -> Answer {
        let Some(id) = &call.channel_ref else {
            return self.without_id(call);
        };
        let Some(url) = wire::query(&self.opening.base_url, id, &self.api_token) else {
            return not_built();
        };
        let end = client::call(self.client.get(url), call.timeout).await;
        classify::queried(end, id, &self.tokens)
    }

    /// Without an id no pay page has come back, so that no payer was told where to send anything: as good as no charge.
    /// The next submit returns the order if there is one. Once the gateway may make another one instead, and after a
    /// restore from a backup, the id may be lost with a page that a payer has: nobody knows.
    fn without_id(&self, call: &ChargeCall) -> Answer {
        let now = self.opening.clock.wall();
        let is_old = |first: UnixMillis| first.plus(KEY_LIFE_MS) <= now;
        if call.first_submit_at.is_some_and(is_old) {
            let unknown = "the gateway is asked by its id of the order, and has not told it";
            return Silence::unreadable(unknown).into();
        }
        Answer::NotFound
    }

    /// The largest amount, in minor units.
    fn amount_max(&self) -> i64 {
        self.opening
            .amount_max
            .unwrap_or(AMOUNT_MAX)
            .min(AMOUNT_MAX)
    }
}

fn not_built() -> Answer {
    Answer::NotSent {
        summary: "the request could not be built".to_owned(),
    }
}

impl Channel for Tokenpay {
    fn name(&self) -> &str {
        &self.opening.account.channel
    }

    fn account(&self) -> Fingerprint {
        self.opening.account.clone()
    }

    /// One charge per key: what a repeated `CreateOrder` could double is an order that nobody pays, since the payer is
    /// shown one pay page. Its own expiry is the gateway's `ExpireTime` and not the order's, so that it proves nothing
    /// at `expires_at`: the gateway is asked until it calls the order expired.
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            one_charge_per_key: true,
            resubmits: true,
            key_life_ms: Some(KEY_LIFE_MS),
            closes: false,
            refunds: false,
            own_expiry: false,
            asynchronous: false,
            repeats_action: false,
            settles_within_ms: 0,
        }
    }

    fn default_method(&self) -> &'static str {
        METHOD
    }

    fn admits(&self, order: &Admission<'_>) -> Result<(), FieldRefusal> {
        let refuse = |field, message: String| Err(FieldRefusal { field, message });
        let (currency, most) = (self.tokens.base_currency, self.amount_max());
        if order.method != METHOD {
            return refuse("method", format!("must be {METHOD}"));
        }
        if order.money.currency != currency {
            return refuse("currency", format!("must be {currency}, the gateway's own"));
        }
        if !(1..=most).contains(&order.money.amount) {
            return refuse("amount", format!("must be 1–{most}"));
        }
        Ok(())
    }

    fn submit<'a>(&'a self, call: &'a ChargeCall) -> Call<'a, Answer> {
        Box::pin(self.create(call))
    }

    fn query<'a>(&'a self, call: &'a ChargeCall) -> Call<'a, Answer> {
        Box::pin(self.ask(call))
    }

    fn close<'a>(&'a self, call: &'a ChargeCall) -> Call<'a, Answer> {
        let _closes_nothing = call;
        Box::pin(std::future::ready(Answer::CannotClose))
    }

    fn answers_here(&self, kind: CallKind, call: &ChargeCall) -> bool {
        match kind {
            CallKind::Submit => false,
            CallKind::Query => call.channel_ref.is_none(),
            CallKind::Close => true,
        }
    }

    fn verify(&self, notice: &RawNotice<'_>, now: UnixMillis) -> Result<Notice, Rejection> {
        // Nothing in a notice says when it was signed; that it comes again is what its id tells.
        let _no_time_is_signed = now;
        notice::verify(notice, &self.api_token, &self.tokens)
    }

    /// The gateway sends three times at most, a minute apart, and takes `ok` alone for an answer.
    fn acknowledgement(&self, received: Acknowledge) -> AcknowledgementBody {
        AcknowledgementBody {
            content_type: "text/plain; charset=utf-8",
            body: match received {
                Acknowledge::Received => "ok",
                Acknowledge::SendAgain => "fail",
            }
            .to_owned(),
        }
    }
}
