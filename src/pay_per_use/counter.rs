//! The counter of one paywall: offers are made here, proofs are taken, and deliveries are put on record.

use super::decide::{Asked, judge};
use super::desk::{Desk, REPEATS_MS, Seat, undelivered};
use super::terms::PayPerUseTerms;
use super::{header, offer};
use crate::channels::Channel;
use crate::channels::pay_per_use::{PaymentProof, PaysPerUse, Seller, Verification};
use crate::store::alerts;
use crate::store::metered::{self, KeptAnswer, PaidTrade, Trade, TradeKey};
use sha2::{Digest, Sha256};
use std::sync::Arc;

/// A payer who has paid and got nothing for so long is told of.
const OVERDUE_MS: i64 = 15 * 60_000;

/// What becomes of a proof.
#[derive(Debug)]
pub(super) enum Admitted {
    /// The resource is made, and goes out once its row says so.
    Make(Box<Ticket>),
    /// What was delivered already, for a payer whom it may not have reached.
    Again(KeptAnswer),
    /// It is being delivered.
    Busy,
    /// It pays for nothing: an offer is due. The text is for the payer's program.
    Nothing(String),
    /// Nothing can be said now; the same proof is to be shown again.
    Unclear(String),
}

/// One paywall's part of the desk.
#[derive(Clone)]
pub(super) struct Counter {
    pub(super) desk: Desk,
    pub(super) channel: Arc<dyn Channel>,
    pub(super) seller: Seller,
    pub(super) live: bool,
    pub(super) terms: PayPerUseTerms,
}

impl Counter {
    fn pays(&self) -> Option<&dyn PaysPerUse> {
        self.channel.pay_per_use()
    }

    /// What `Payment-Needed` says of this resource; `None` if it cannot be signed.
    pub(super) fn offer(&self, resource: &str) -> Option<String> {
        let terms = &self.terms;
        let within_ms = i64::try_from(terms.pay_within.as_millis()).ok()?;
        let offer = offer::Offer {
            number: self.desk.key.number(terms.price, resource),
            price: terms.price,
            resource,
            goods_name: &terms.goods_name,
            seller_id: &self.seller.seller_id,
            service_id: &terms.service_id,
            pay_before: offer::pay_before(self.desk.now(), within_ms),
        };
        let signature = self.pays()?.sign(&offer.text())?;
        header::needed(&offer, &self.seller, &terms.seller_name, &signature)
    }

    /// Takes the proof of a payment for this resource.
    pub(super) async fn admit(&self, proof: &PaymentProof, resource: &str) -> Admitted {
        let key = TradeKey {
            channel: self.channel.name().to_owned(),
            trade_no: proof.trade_no.clone(),
        };
        let Some(seat) = self.desk.seat(key) else {
            return Admitted::Busy;
        };
        match metered::find(&self.desk.parts.database.read, &seat.key).await {
            Ok(Some(trade)) => self.once_more(&trade, proof, resource, seat),
            Ok(None) => self.first(proof, resource, seat).await,
            Err(error) => {
                tracing::warn!(trade_no = proof.trade_no, %error, "a proof of payment cannot be looked up");
                Admitted::Unclear("the database does not answer".to_owned())
            }
        }
    }

    /// The trade is known: the proof was verified before.
    fn once_more(
        &self,
        trade: &Trade,
        proof: &PaymentProof,
        resource: &str,
        seat: Seat,
    ) -> Admitted {
        if trade.proof_digest != digest(proof) {
            return Admitted::Nothing("it is not the proof that was shown before".to_owned());
        }
        if trade.resource_id != resource {
            return Admitted::Nothing("it was paid for another resource".to_owned());
        }
        let Some(delivered_at) = trade.delivered_at else {
            return Admitted::Make(self.ticket(seat, trade.out_trade_no.clone(), resource));
        };
        let repeats = self.desk.now() < delivered_at.plus(REPEATS_MS);
        match &trade.answer {
            Some(answer) if repeats => Admitted::Again(answer.clone()),
            Some(_) | None => Admitted::Nothing("it was delivered already".to_owned()),
        }
    }

    async fn first(&self, proof: &PaymentProof, resource: &str, seat: Seat) -> Admitted {
        let Some(pays) = self.pays() else {
            return Admitted::Unclear("the channel knows no pay per use".to_owned());
        };
        let paid = match pays.verify(proof, self.desk.parts.timeout).await {
            Verification::Active(paid) => paid,
            Verification::Refused { summary } => return Admitted::Nothing(summary),
            Verification::Unknown { summary } => return Admitted::Unclear(summary),
        };
        let asked = Asked {
            trade_no: &proof.trade_no,
            resource,
            price: self.terms.price,
            live: self.live,
        };
        let money = match judge(asked, &paid, &self.desk.key) {
            Ok(money) => money,
            Err(why) => {
                tracing::warn!(
                    trade_no = proof.trade_no,
                    why,
                    "a verified payment is not for what is asked for"
                );
                return Admitted::Nothing(why.to_owned());
            }
        };
        let now = self.desk.now();
        let paid = PaidTrade {
            key: seat.key.clone(),
            out_trade_no: paid.out_trade_no,
            resource_id: resource.to_owned(),
            money,
            proof_digest: digest(proof),
            at: now,
            overdue_at: now.plus(OVERDUE_MS),
        };
        self.record(paid, seat).await
    }

    /// The row before the delivery: from now on the trade is known, whatever happens.
    async fn record(&self, paid: PaidTrade, seat: Seat) -> Admitted {
        let parts = &self.desk.parts;
        let record = metered::record(parts.database.backend(), &paid);
        match parts.journal.run(vec![record]).await.as_deref() {
            Ok([1]) => Admitted::Make(self.ticket(seat, paid.out_trade_no, &paid.resource_id)),
            Ok(_) => Admitted::Nothing("its offer was paid by another trade".to_owned()),
            Err(error) => {
                let trade_no = &paid.key.trade_no;
                tracing::warn!(trade_no, %error, "a verified payment cannot be recorded");
                Admitted::Unclear("the database does not answer".to_owned())
            }
        }
    }

    fn ticket(&self, seat: Seat, out_trade_no: Option<String>, resource: &str) -> Box<Ticket> {
        Box::new(Ticket {
            desk: self.desk.clone(),
            out_trade_no,
            resource: resource.to_owned(),
            seat,
        })
    }
}

fn digest(proof: &PaymentProof) -> String {
    hex::encode(Sha256::digest(proof.payment_proof.as_bytes()))
}

/// The right to deliver one trade.
#[derive(Debug)]
pub(super) struct Ticket {
    desk: Desk,
    out_trade_no: Option<String>,
    resource: String,
    seat: Seat,
}

impl Ticket {
    /// The row after the resource was made and before it goes out. False: it must not go out.
    pub(super) async fn is_delivered(&self, answer: Option<&KeptAnswer>) -> bool {
        let parts = &self.desk.parts;
        let key = &self.seat.key;
        let (backend, now) = (parts.database.backend(), self.desk.now());
        let delivered = metered::delivered(backend, key, answer, now);
        let over = alerts::resolve(backend, &undelivered(key, "").key(), now);
        match parts.journal.run(vec![delivered, over]).await.as_deref() {
            Ok([1, _]) => {
                self.desk.delivered.notify_one();
                true
            }
            Ok(_) => false,
            Err(error) => {
                tracing::warn!(trade_no = key.trade_no, %error, "a delivery cannot be recorded; nothing is delivered");
                false
            }
        }
    }

    /// What `Payment-Validation` says.
    pub(super) fn validation(&self) -> Option<String> {
        let number = self.out_trade_no.as_deref();
        header::validation(&self.seat.key.trade_no, number, &self.resource)
    }
}
