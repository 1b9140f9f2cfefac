//! Stripe: payment intents that the merchant's page confirms with the intent's client secret.
//!
//! Source: docs.stripe.com, and the official stripe-python 16.1.0 and stripe-node 23.1.0, whose API version is pinned.

mod amounts;
mod bill;
mod charge;
mod codes;
mod exchange;
mod keys;
mod notice;
mod refund;
mod search;
mod sign;
mod wire;

use super::bill::{BillCall, BillFault, BillTotals, EachLine};
use super::opening::{Opening, SettingRefusal};
use super::{
    Acknowledge, AcknowledgementBody, Admission, Call, Channel, ChargeCall, FieldRefusal, Notice,
    RawNotice, RefundCall, Rejection,
};
use crate::channels::client;
use crate::clock::SharedClock;
use crate::domain::order::{Answer, Fingerprint, RefundAnswer};
use crate::domain::schedule::Capabilities;
use crate::domain::{OrderNo, UnixMillis};
use exchange::Exchange;
use sign::WebhookKey;
use std::path::Path;
use std::sync::Arc;

pub use keys::StripeSettings;

const METHOD: &str = "intent";
const SUBJECT_CHARS_MAX: usize = 128;
const HOUR_MS: i64 = 3_600_000;
const DAY_MS: i64 = 24 * HOUR_MS;
/// Stripe may forget a key after 24 h. An hour less: a call may wait for its turn, which `read_timeout` bounds, and clocks
/// differ.
const KEY_LIFE_MS: i64 = 23 * HOUR_MS;
/// An order lives 30 days at most, and a SEPA debit that is begun on the last of them takes up to 14 business days.
const SETTLES_WITHIN_MS: i64 = (30 + 21) * DAY_MS;

/// One account at Stripe. It has one HTTP client, shared by all of its calls.
struct Stripe {
    account: Fingerprint,
    amount_max: Option<i64>,
    exchange: Exchange,
    webhook_keys: Vec<WebhookKey>,
    /// The mode of the secret key, which events must be of.
    live: bool,
    clock: SharedClock,
}

/// The channel with these keys.
///
/// # Errors
/// Names the key of the configuration that is refused: no secret key, one of the other mode, or no signing secret.
pub fn open(
    opening: Opening,
    settings: StripeSettings,
) -> Result<Arc<dyn Channel>, SettingRefusal> {
    let live = keys::mode(&opening, &settings.secret_key)?;
    let authorization = keys::authorization(&opening, &settings.secret_key)?;
    let webhook_keys = keys::webhook_keys(&opening, &settings.webhook_secrets)?;
    let client = client::client(opening.loopback)
        .map_err(|error| opening.refuse("base_url", format!("has no HTTP client: {error}")))?;
    Ok(Arc::new(Stripe {
        account: opening.account,
        amount_max: opening.amount_max,
        exchange: Exchange {
            client,
            base: opening.base_url,
            authorization,
        },
        webhook_keys,
        live,
        clock: opening.clock,
    }))
}

impl Channel for Stripe {
    fn name(&self) -> &str {
        &self.account.channel
    }

    fn account(&self) -> Fingerprint {
        self.account.clone()
    }

    /// A key makes one intent, and an intent is paid once. Stripe expires no intent by itself: it is canceled.
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            one_charge_per_key: true,
            resubmits: true,
            key_life_ms: Some(KEY_LIFE_MS),
            closes: true,
            refunds: true,
            own_expiry: false,
            asynchronous: true,
            repeats_action: false,
            settles_within_ms: SETTLES_WITHIN_MS,
        }
    }

    fn default_method(&self) -> &'static str {
        METHOD
    }

    fn admits(&self, order: &Admission<'_>) -> Result<(), FieldRefusal> {
        let refuse = |field, message: String| Err(FieldRefusal { field, message });
        if !OrderNo::is_valid(order.order_no) {
            return refuse("order_no", "must be 1–64 of A-Z a-z 0-9 _ -".to_owned());
        }
        if order.method != METHOD {
            return refuse("method", format!("must be \"{METHOD}\""));
        }
        if !(1..=SUBJECT_CHARS_MAX).contains(&order.subject.chars().count()) {
            let message = format!("must be 1–{SUBJECT_CHARS_MAX} characters");
            return refuse("subject", message);
        }
        if order.money.amount < 1 {
            return refuse("amount", "must be at least 1".to_owned());
        }
        match amounts::to_stripe(order.money) {
            Ok(_) => {}
            Err(refusal @ amounts::AmountRefusal::Currency(_)) => {
                return refuse("currency", refusal.to_string());
            }
            Err(
                refusal @ (amounts::AmountRefusal::Step { .. }
                | amounts::AmountRefusal::TooLarge(_)),
            ) => return refuse("amount", refusal.to_string()),
        }
        match self.amount_max {
            Some(largest) if order.money.amount > largest => {
                refuse("amount", format!("must be at most {largest}"))
            }
            Some(_) | None => Ok(()),
        }
    }

    fn submit<'a>(&'a self, call: &'a ChargeCall) -> Call<'a, Answer> {
        Box::pin(charge::submit(&self.exchange, call))
    }

    fn query<'a>(&'a self, call: &'a ChargeCall) -> Call<'a, Answer> {
        Box::pin(charge::query(&self.exchange, call, self.clock.wall()))
    }

    fn close<'a>(&'a self, call: &'a ChargeCall) -> Call<'a, Answer> {
        Box::pin(charge::close(&self.exchange, call, self.clock.wall()))
    }

    fn refund<'a>(&'a self, call: &'a RefundCall) -> Call<'a, RefundAnswer> {
        Box::pin(refund::send(&self.exchange, call))
    }

    fn query_refund<'a>(&'a self, call: &'a RefundCall) -> Call<'a, RefundAnswer> {
        Box::pin(refund::query(&self.exchange, call))
    }

    fn number_of_trade<'a>(
        &'a self,
        trade_no: &'a str,
        timeout: std::time::Duration,
    ) -> Call<'a, Result<Option<String>, String>> {
        Box::pin(charge::number_of(&self.exchange, trade_no, timeout))
    }

    fn fetch_bill<'a>(&'a self, call: BillCall<'a>) -> Call<'a, Result<(), BillFault>> {
        Box::pin(bill::fetch(&self.exchange, call, self.clock.wall()))
    }

    fn read_bill(&self, file: &Path, each: EachLine<'_>) -> Result<BillTotals, BillFault> {
        bill::read(file, each)
    }

    fn verify(&self, notice: &RawNotice<'_>, now: UnixMillis) -> Result<Notice, Rejection> {
        notice::verify(&self.webhook_keys, self.live, notice, now)
    }

    /// Stripe looks at the status of HTTP alone.
    fn acknowledgement(&self, received: Acknowledge) -> AcknowledgementBody {
        AcknowledgementBody {
            content_type: "text/plain; charset=utf-8",
            body: match received {
                Acknowledge::Received => "received",
                Acknowledge::SendAgain => "send it again",
            }
            .to_owned(),
        }
    }
}
