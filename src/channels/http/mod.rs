//! The processor protocol: signed requests, signed replies, Standard Webhooks callbacks.
//!
//! What a payment processor implements to be a channel without an adapter of its own. Every reply is bound by its
//! signature to the request that it answers; what is unsigned, or signed wrongly, says nothing.

mod classify;
mod exchange;
mod notice;
mod refund;
mod settings;
pub mod sign;
mod wire;

use super::{
    Acknowledge, AcknowledgementBody, Admission, Call, Channel, ChargeCall, FieldRefusal, Notice,
    RawNotice, RefundCall, Rejection,
};
use crate::channels::client;
use crate::clock::SharedClock;
use crate::domain::UnixMillis;
use crate::domain::order::{Answer, Fingerprint, RefundAnswer};
use crate::domain::schedule::Capabilities;
use exchange::{Exchange, Outgoing};
use reqwest::{Method, Url};

pub use settings::{HttpChannelError, HttpChannelSettings};

const SUBJECT_CHARS_MAX: usize = 128;
const METHOD_CHARS_MAX: usize = 64;
/// What an order that names no merchant is filed under.
const DEFAULT_MERCHANT: &str = "default";
const NOT_BUILT: &str = "the request could not be built";

/// A processor that speaks the protocol. It has one HTTP client, shared by all of its calls.
pub struct HttpChannel {
    account: Fingerprint,
    base: String,
    amount_max: Option<i64>,
    exchange: Exchange,
}

impl std::fmt::Debug for HttpChannel {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("HttpChannel")
            .field("account", &self.account)
            .field("base", &self.base)
            .finish_non_exhaustive()
    }
}

impl HttpChannel {
    /// The channel with these settings.
    ///
    /// # Errors
    /// Names the key of the setting that is refused, and what is allowed.
    pub fn new(
        settings: HttpChannelSettings,
        clock: SharedClock,
    ) -> Result<Self, HttpChannelError> {
        let (base, loopback) = settings.base()?;
        let keys = settings.keys()?;
        let channel = settings.name;
        if settings.amount_max.is_some_and(|amount| amount < 1) {
            return Err(HttpChannelError::AmountMax { channel });
        }
        let client = client::client(loopback).map_err(|error| HttpChannelError::Client {
            channel: channel.clone(),
            problem: error.to_string(),
        })?;
        Ok(Self {
            account: Fingerprint {
                channel,
                merchant: settings
                    .merchant
                    .unwrap_or_else(|| DEFAULT_MERCHANT.to_owned()),
                live: !loopback && settings.live != Some(false),
            },
            base,
            amount_max: settings.amount_max,
            exchange: Exchange {
                client,
                keys,
                clock,
            },
        })
    }

    async fn ask(&self, kind: classify::Call, call: &ChargeCall) -> Answer {
        match self.outgoing(kind, call) {
            Some(request) => {
                classify::classify(kind, self.exchange.call(request, call.timeout).await)
            }
            None => Answer::NotSent {
                summary: NOT_BUILT.to_owned(),
            },
        }
    }

    async fn ask_refund(&self, kind: refund::Call, call: &RefundCall) -> RefundAnswer {
        let key = refund::idempotency_key(call);
        match self.outgoing_refund(kind, call, &key) {
            Some(request) => {
                refund::classify(kind, self.exchange.call(request, call.timeout).await)
            }
            None => RefundAnswer::NotSent {
                summary: NOT_BUILT.to_owned(),
            },
        }
    }

    fn outgoing_refund<'a>(
        &self,
        kind: refund::Call,
        call: &RefundCall,
        key: &'a str,
    ) -> Option<Outgoing<'a>> {
        let charge = sign::encode_segment(&call.idempotency_key);
        let refunds = format!("{}/charges/{charge}/refunds", self.base);
        let (method, address, body) = match kind {
            refund::Call::Send => {
                let body = serde_json::to_vec(&refund::SendBody::of(call)).ok()?;
                (Method::POST, refunds, body)
            }
            refund::Call::Query => {
                // An address cannot name these: they are steps of a path, also when they are encoded.
                if matches!(call.refund_no.as_str(), "." | "..") {
                    return None;
                }
                let number = sign::encode_segment(&call.refund_no);
                (Method::GET, format!("{refunds}/{number}"), Vec::new())
            }
        };
        Some(Outgoing {
            idempotency_key: Some(key),
            method,
            url: Url::parse(&address).ok()?,
            body,
        })
    }

    fn outgoing<'a>(&self, kind: classify::Call, call: &'a ChargeCall) -> Option<Outgoing<'a>> {
        let key = call.idempotency_key.as_str();
        let segment = sign::encode_segment(key);
        let (method, address) = match kind {
            classify::Call::Submit => (Method::POST, format!("{}/charges", self.base)),
            classify::Call::Query => (Method::GET, format!("{}/charges/{segment}", self.base)),
            classify::Call::Close => (
                Method::POST,
                format!("{}/charges/{segment}/close", self.base),
            ),
        };
        let body = match kind {
            classify::Call::Submit => serde_json::to_vec(&submit_body(call)).ok()?,
            classify::Call::Query | classify::Call::Close => Vec::new(),
        };
        Some(Outgoing {
            idempotency_key: match kind {
                classify::Call::Submit => Some(key),
                classify::Call::Query | classify::Call::Close => None,
            },
            method,
            url: Url::parse(&address).ok()?,
            body,
        })
    }
}

fn submit_body(call: &ChargeCall) -> wire::SubmitBody<'_> {
    wire::SubmitBody {
        order_no: &call.order_no,
        idempotency_key: &call.idempotency_key,
        amount: call.money.amount,
        currency: call.money.currency,
        subject: &call.subject,
        method: &call.method,
        expires_in: call.expires_in_s,
        notify_url: &call.notify_url,
    }
}

impl Channel for HttpChannel {
    fn name(&self) -> &str {
        &self.account.channel
    }

    fn account(&self) -> Fingerprint {
        self.account.clone()
    }

    /// The protocol promises one charge per key for ever, and a close. It asks a processor to expire charges, but
    /// what a payer can still pay is known only when a close is confirmed.
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            one_charge_per_key: true,
            resubmits: true,
            key_life_ms: None,
            closes: true,
            refunds: true,
            own_expiry: false,
            asynchronous: false,
            repeats_action: false,
            settles_within_ms: 0,
        }
    }

    fn default_method(&self) -> &'static str {
        "direct"
    }

    fn admits(&self, order: &Admission<'_>) -> Result<(), FieldRefusal> {
        let refuse = |field, message: String| Err(FieldRefusal { field, message });
        let is_word = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
        if !(1..=SUBJECT_CHARS_MAX).contains(&order.subject.chars().count()) {
            return refuse(
                "subject",
                format!("must be 1–{SUBJECT_CHARS_MAX} characters"),
            );
        }
        if !(1..=METHOD_CHARS_MAX).contains(&order.method.len())
            || !order.method.bytes().all(is_word)
        {
            return refuse(
                "method",
                format!("must be 1–{METHOD_CHARS_MAX} of A-Z a-z 0-9 _ - ."),
            );
        }
        if order.money.amount < 1 {
            return refuse("amount", "must be at least 1".to_owned());
        }
        match self.amount_max {
            Some(largest) if order.money.amount > largest => {
                refuse("amount", format!("must be at most {largest}"))
            }
            Some(_) | None => Ok(()),
        }
    }

    fn submit<'a>(&'a self, call: &'a ChargeCall) -> Call<'a, Answer> {
        Box::pin(self.ask(classify::Call::Submit, call))
    }

    fn query<'a>(&'a self, call: &'a ChargeCall) -> Call<'a, Answer> {
        Box::pin(self.ask(classify::Call::Query, call))
    }

    fn close<'a>(&'a self, call: &'a ChargeCall) -> Call<'a, Answer> {
        Box::pin(self.ask(classify::Call::Close, call))
    }

    fn refund<'a>(&'a self, call: &'a RefundCall) -> Call<'a, RefundAnswer> {
        Box::pin(self.ask_refund(refund::Call::Send, call))
    }

    fn query_refund<'a>(&'a self, call: &'a RefundCall) -> Call<'a, RefundAnswer> {
        Box::pin(self.ask_refund(refund::Call::Query, call))
    }

    fn verify(&self, notice: &RawNotice<'_>, now: UnixMillis) -> Result<Notice, Rejection> {
        notice::verify(&self.exchange.keys, notice, now)
    }

    fn acknowledgement(&self, received: Acknowledge) -> AcknowledgementBody {
        AcknowledgementBody {
            content_type: "text/plain; charset=utf-8",
            body: match received {
                Acknowledge::Received => "success",
                Acknowledge::SendAgain => "fail",
            }
            .to_owned(),
        }
    }
}
