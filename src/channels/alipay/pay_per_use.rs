//! Pay per use (`A402`): the proof of a payment is judged by Alipay, and a delivery is confirmed there. (github.com/alipay/ai,
//! the contracts of `alipay.aipay.agent.payment.verify` and `alipay.aipay.agent.fulfillment.confirm`.)

use super::Alipay;
use super::gateway::Returns;
use super::reply::{Body, filled};
use super::yuan;
use crate::channels::Call;
use crate::channels::client::Silence;
use crate::channels::pay_per_use::{
    Confirmation, PaidUse, PaymentProof, PaysPerUse, Seller, Verification,
};
use serde::Serialize;
use std::time::Duration;

const VERIFY: &str = "alipay.aipay.agent.payment.verify";
const CONFIRM: &str = "alipay.aipay.agent.fulfillment.confirm";

#[derive(Debug, Serialize)]
struct Shown<'a> {
    trade_no: &'a str,
    payment_proof: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    client_session: Option<&'a str>,
}

#[derive(Debug, Serialize)]
struct Delivered<'a> {
    trade_no: &'a str,
}

impl PaysPerUse for Alipay {
    fn seller(&self) -> Option<Seller> {
        Some(Seller {
            seller_id: self.seller_id.clone()?,
            app_id: self.gateway.app_id.clone(),
        })
    }

    fn sign(&self, text: &str) -> Option<String> {
        self.gateway.keys.app.sign(text.as_bytes())
    }

    fn verify<'a>(&'a self, proof: &'a PaymentProof, timeout: Duration) -> Call<'a, Verification> {
        Box::pin(async move {
            let shown = Shown {
                trade_no: &proof.trade_no,
                payment_proof: &proof.payment_proof,
                client_session: proof.client_session.as_deref(),
            };
            let call = self
                .gateway
                .call(VERIFY, &shown, Returns::default(), timeout);
            match call.await {
                Ok(body) => verified(&body),
                Err(silence) => Verification::Unknown {
                    summary: text(silence),
                },
            }
        })
    }

    fn confirm<'a>(&'a self, trade_no: &'a str, timeout: Duration) -> Call<'a, Confirmation> {
        Box::pin(async move {
            let delivered = Delivered { trade_no };
            let call = self
                .gateway
                .call(CONFIRM, &delivered, Returns::default(), timeout);
            match call.await {
                Ok(body) if body.is_accepted() && is_about(&body, trade_no) => {
                    Confirmation::Confirmed
                }
                Ok(body) => Confirmation::NotConfirmed {
                    summary: body.summary(),
                },
                Err(silence) => Confirmation::NotConfirmed {
                    summary: text(silence),
                },
            }
        })
    }
}

/// The contract lists no code that would say that a proof is none: only `active` says so, and every code but `10000` says
/// nothing.
fn verified(body: &Body) -> Verification {
    let unknown = |what: &str| Verification::Unknown {
        summary: format!("{}{what}", body.summary()),
    };
    if !body.is_accepted() {
        return unknown("");
    }
    match body.active.as_ref().and_then(super::reply::Flag::says) {
        Some(true) => {}
        Some(false) => {
            return Verification::Refused {
                summary: "the payment is not active".to_owned(),
            };
        }
        None => return unknown(", without active"),
    }
    let Some(trade_no) = filled(body.trade_no.as_ref()) else {
        return unknown(", without trade_no");
    };
    let amount = filled(body.amount.as_ref());
    let money = amount.and_then(yuan::money);
    if amount.is_some() && money.is_none() {
        return unknown(", amount is no amount");
    }
    Verification::Active(PaidUse {
        trade_no: trade_no.to_owned(),
        out_trade_no: filled(body.out_trade_no.as_ref()).map(str::to_owned),
        money,
        resource_id: filled(body.resource_id.as_ref()).map(str::to_owned),
    })
}

/// The signature binds no reply to its request.
fn is_about(body: &Body, trade_no: &str) -> bool {
    filled(body.trade_no.as_ref()).is_none_or(|named| named == trade_no)
}

fn text(silence: Silence) -> String {
    match silence {
        Silence::NotSent(why) => why,
        Silence::Unknown(unknown) => unknown.summary,
    }
}
