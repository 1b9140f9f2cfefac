//! The counter of one paywall: offers are made here, proofs are taken, and deliveries are put on record.

use super::decide::{Asked, Misfit, agrees, judge};
use super::desk::{Desk, REPEATS_MS, Seat};
use super::terms::PayPerUseTerms;
use super::ticket::Ticket;
use super::{header, offer, told};
use crate::channels::Channel;
use crate::channels::pay_per_use::{PaidUse, PaymentProof, PaysPerUse, Seller, Verification};
use crate::domain::UnixMillis;
use crate::store::alerts;
use crate::store::metered::{self, KeptAnswer, PaidTrade, Trade, TradeKey};
use sha2::{Digest, Sha256};
use std::fmt::Display;
use std::sync::Arc;

/// A payer who has paid and got nothing for so long is told of.
pub(super) const OVERDUE_MS: i64 = 15 * 60_000;
const ELSEWHERE: &str = "it was paid for another resource";

/// What becomes of a proof.
#[derive(Debug)]
pub(super) enum Admitted {
    /// The resource is made, and goes out once its row says so.
    Make(Box<Ticket>),
    /// What was delivered already, for a payer whom it may not have reached, and what `Payment-Validation` says.
    Again(KeptAnswer, Option<String>),
    /// It is being delivered.
    Busy,
    /// It is paid and buys nothing; a person knows of it. No offer is made.
    Unmatched,
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
            Ok(Some(trade)) => self.once_more(&trade, proof, resource, seat).await,
            Ok(None) => self.first(proof, resource, seat).await,
            Err(error) => {
                tracing::warn!(trade_no = proof.trade_no, %error, "a proof of payment cannot be looked up");
                Admitted::Unclear("the database does not answer".to_owned())
            }
        }
    }

    /// The trade is on record: a proof of it was verified before.
    async fn once_more(
        &self,
        trade: &Trade,
        proof: &PaymentProof,
        resource: &str,
        seat: Seat,
    ) -> Admitted {
        let nothing = |why: &str| Admitted::Nothing(why.to_owned());
        if trade.is_unmatched {
            return Admitted::Unmatched;
        }
        if trade.resource_id != resource {
            return nothing(ELSEWHERE);
        }
        let ended = |at: UnixMillis| self.desk.now() >= at.plus(REPEATS_MS);
        let again = match (trade.delivered_at, &trade.answer) {
            (None, _) => None,
            (Some(at), Some(answer)) if !ended(at) => Some(answer.clone()),
            (Some(_), _) => return nothing("it was delivered already"),
        };
        let digest = digest(proof);
        // A payer whose program has shown one proof may come back with another one of the same trade.
        if trade.proof_digest != digest
            && let Err(end) = self.proven_again(trade, proof).await
        {
            return end;
        }
        let ticket = self.ticket(
            seat,
            trade.out_trade_no.clone(),
            resource.to_owned(),
            digest,
        );
        match again {
            Some(answer) => Admitted::Again(answer, ticket.validation()),
            None => Admitted::Make(ticket),
        }
    }

    async fn proven_again(&self, trade: &Trade, proof: &PaymentProof) -> Result<(), Admitted> {
        let paid = self.verified(proof).await?;
        agrees(trade, &paid, self.live).map_err(|why| unclear(proof, why))
    }

    async fn first(&self, proof: &PaymentProof, resource: &str, seat: Seat) -> Admitted {
        let paid = match self.verified(proof).await {
            Ok(paid) => paid,
            Err(end) => return end,
        };
        let asked = Asked {
            trade_no: &proof.trade_no,
            resource,
            price: self.terms.price,
            live: self.live,
        };
        let (money, misfit) = match judge(asked, &paid, &self.desk.key) {
            Ok(money) => (money, None),
            Err(Misfit::Unmatched(money, why)) => (money, Some(why)),
            Err(Misfit::Elsewhere) => return Admitted::Nothing(ELSEWHERE.to_owned()),
            Err(Misfit::Unclear(why)) => return unclear(proof, why),
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
        match misfit {
            None => self.record(paid, seat).await,
            Some(why) => self.keep_unmatched(&paid, why).await,
        }
    }

    /// What the channel says of this proof. Its calls wait their turn, and few of them at once.
    async fn verified(&self, proof: &PaymentProof) -> Result<PaidUse, Admitted> {
        let parts = &self.desk.parts;
        let Some(pays) = self.pays() else {
            return Err(unclear(proof, "the channel knows no pay per use"));
        };
        let Ok(_room) = self.desk.verifies.try_acquire() else {
            return Err(unclear(proof, "too many proofs are looked at now"));
        };
        if !(parts.turn)(self.channel.name(), parts.timeout).await {
            return Err(unclear(proof, "no turn came within the channel's rate"));
        }
        match pays.verify(proof, parts.timeout).await {
            Verification::Active(paid) => Ok(paid),
            Verification::Refused { summary } => Err(Admitted::Nothing(summary)),
            Verification::Unknown { summary } => Err(Admitted::Unclear(summary)),
        }
    }

    /// The row before the delivery: from now on the trade is known, whatever happens.
    async fn record(&self, paid: PaidTrade, seat: Seat) -> Admitted {
        let parts = &self.desk.parts;
        let record = metered::record(parts.database.backend(), &paid);
        match parts.journal.run(vec![record]).await.as_deref() {
            Ok([1]) => {
                let (number, resource) = (paid.out_trade_no, paid.resource_id);
                Admitted::Make(self.ticket(seat, number, resource, paid.proof_digest))
            }
            Ok(_) => match metered::find(&parts.database.read, &paid.key).await {
                Ok(None) => {
                    let why = "its offer was paid by another trade before";
                    self.keep_unmatched(&paid, why).await
                }
                // A write of which nobody knew stands after all.
                Ok(Some(_)) => Admitted::Busy,
                Err(error) => unwritten(&paid.key, &error),
            },
            Err(error) => unwritten(&paid.key, error),
        }
    }

    /// The money is there and buys nothing: nobody is asked for more of it before a person has looked.
    async fn keep_unmatched(&self, paid: &PaidTrade, why: &'static str) -> Admitted {
        tracing::warn!(
            trade_no = paid.key.trade_no,
            why,
            "a verified payment is for nothing that was offered"
        );
        let parts = &self.desk.parts;
        let backend = parts.database.backend();
        let (alert, about) = (told::unmatched(paid, why), told::about(&paid.key));
        let mut statements = vec![metered::record_unmatched(backend, paid, why)];
        statements.extend(alerts::raise(backend, &alert, &about, paid.at));
        match parts.journal.run(statements).await {
            Ok(_) => {
                (parts.on_alert)();
                Admitted::Unmatched
            }
            Err(error) => unwritten(&paid.key, &error),
        }
    }

    fn ticket(
        &self,
        seat: Seat,
        out_trade_no: Option<String>,
        resource: String,
        proof_digest: String,
    ) -> Box<Ticket> {
        Box::new(Ticket {
            desk: self.desk.clone(),
            out_trade_no,
            resource,
            proof_digest,
            seat,
        })
    }
}

fn unclear(proof: &PaymentProof, why: &str) -> Admitted {
    tracing::warn!(
        trade_no = proof.trade_no,
        why,
        "whether a proof pays cannot be said"
    );
    Admitted::Unclear(why.to_owned())
}

fn unwritten(key: &TradeKey, error: &impl Display) -> Admitted {
    tracing::warn!(trade_no = key.trade_no, %error, "a verified payment cannot be recorded");
    Admitted::Unclear("the database does not answer".to_owned())
}

fn digest(proof: &PaymentProof) -> String {
    hex::encode(Sha256::digest(proof.payment_proof.as_bytes()))
}
