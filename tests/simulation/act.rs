//! What people and the vault do to a running gateway, step by step.

use crate::books::{Charge, ChargeState, RefundState};
use crate::stage::{CHANNEL, PRICE, money, number};
use crate::step::{Does, Step};
use crate::vault::{Kind, Vault};
use oncepay::actors::{Moved, Received};
use oncepay::channels::RawNotice;
use oncepay::domain::ledger::Request;
use oncepay::domain::order::input::Review;
use oncepay::domain::order::{
    Entitlement, Order, OrderStatus, Refund, RefundDecision, RefundRequest, RefundReview,
    RefundSource, RefundStatus, ReviewDecision,
};
use oncepay::{Gateway, GatewayError, NewOrder, NewRefund, OrderNo, Wait};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// What one order entitles to.
pub(crate) const GRANTS: [(&str, i64); 2] = [("credits", 7), ("images", 100)];

pub(crate) fn account_of(order: u8) -> String {
    format!("a{}", order % 2)
}

/// Whoever acts: where to, and what was answered before.
#[derive(Clone)]
pub(crate) struct Actor {
    pub(crate) gateway: Gateway,
    pub(crate) vault: Arc<Vault>,
    /// The entry that each debit was answered with.
    pub(crate) booked: Arc<Mutex<BTreeMap<(u8, u8), String>>>,
    pub(crate) faults: Arc<Mutex<Vec<String>>>,
}

impl Actor {
    fn fault(&self, fault: String) {
        self.faults.lock().expect("unpoisoned").push(fault);
    }

    /// Does what a step says that is between people, the vault and the gateway.
    pub(crate) async fn act(self, step: Step) {
        match step {
            Step::Create { order, mood, other } => {
                self.vault.set_mood(Kind::Submit, &number(order).0, mood);
                self.create(order, if other { PRICE - 1 } else { PRICE })
                    .await;
            }
            Step::Close(order) => self.close(order).await,
            Step::Query(order) => drop(
                self.gateway
                    .query(&number(order), "operator:ops".to_owned())
                    .await,
            ),
            Step::Refund {
                order,
                no,
                amount,
                second,
                mood,
            } => {
                self.vault.set_mood(Kind::Refund, &number(order).0, mood);
                self.refund(order, no, amount, second).await;
            }
            Step::Account { account, no, does } => self.account(account, no, does).await,
            Step::Pays(order) => self.vault.payer_pays(&number(order).0),
            Step::External { order, amount } => {
                self.vault.external_refund(&number(order).0, amount);
            }
            Step::Settle { order, bounces } => {
                self.vault.settle_refunds(&number(order).0, bounces);
            }
            Step::Lie { order, no } => self.vault.lie(&number(order).0, &format!("r{no}")),
            Step::Asked { order, mood } => self.vault.set_mood(Kind::Ask, &number(order).0, mood),
            Step::Notice(pick) => {
                let many = self.vault.notes().len();
                if let Some(n) = usize::from(pick).checked_rem(many) {
                    self.notice(n).await;
                }
            }
            Step::LetGo => self.vault.let_go(),
            Step::Timer(order) => drop(self.gateway.remind(&number(order)).await),
            Step::Person(_) | Step::Pass(_) | Step::Crash => {}
        }
    }

    pub(crate) async fn create(&self, order: u8, price: i64) {
        let new = NewOrder {
            order_no: number(order),
            channel: CHANNEL.to_owned(),
            method: "direct".to_owned(),
            money: money(price),
            subject: "VIP".to_owned(),
            account: Some(account_of(order)),
            entitlements: GRANTS
                .iter()
                .map(|(kind, quantity)| Entitlement::new((*kind).to_owned(), *quantity))
                .collect(),
            metadata: BTreeMap::new(),
            return_url: None,
            payer: None,
            // The last of them takes the place of the first, once that has ended.
            replaces: (order == 2).then(|| number(0)),
            expires_in_s: 3_600,
            by: "api:shop".to_owned(),
            idempotency: None,
        };
        drop(self.gateway.create(new, Wait::No).await);
    }

    async fn close(&self, order: u8) {
        // It waits for its confirmation: nobody waits for it here.
        let (gateway, number) = (self.gateway.clone(), number(order));
        actix::spawn(async move { drop(gateway.close(&number, "api:shop".to_owned()).await) });
        tokio::task::yield_now().await;
    }

    pub(crate) async fn refund(&self, order: u8, no: u8, amount: i64, second: bool) {
        let order_no = number(order);
        let request = RefundRequest {
            refund_no: format!("r{no}"),
            amount,
            reason: None,
            trade_no: second.then(|| format!("T-{order_no}-2")),
            source: RefundSource::Merchant,
            key_name: "shop".to_owned(),
        };
        let new = NewRefund {
            request,
            idempotency_key: None,
        };
        drop(self.gateway.refund(&order_no, new, Wait::No).await);
    }

    /// A debit is answered with the same entry for ever.
    pub(crate) async fn account(&self, account: u8, no: u8, does: Does) {
        let request = match does {
            Does::Debit(quantity) => Request::Debit {
                debit_no: format!("d{no}"),
                kind: "credits".to_owned(),
                quantity,
                reason: None,
            },
            Does::Hold(quantity) => Request::Hold {
                hold_no: format!("h{no}"),
                kind: "credits".to_owned(),
                quantity,
                expires_in_s: 3_600,
            },
            Does::Capture(quantity) => Request::Capture {
                hold_no: format!("h{no}"),
                quantity,
            },
            Does::Release => Request::Release {
                hold_no: format!("h{no}"),
            },
        };
        let moved = self.gateway.account(&format!("a{account}"), request).await;
        let Ok(Moved::Entry(entry)) = moved else {
            return;
        };
        let mut booked = self.booked.lock().expect("unpoisoned");
        let first = booked
            .entry((account, no))
            .or_insert_with(|| entry.entry_id.clone());
        if *first != entry.entry_id {
            let first = first.clone();
            drop(booked);
            self.fault(format!("debit d{no} moved twice: {first} and {entry:?}"));
        }
    }

    /// A notice arrives. What is not committed counts as not delivered.
    pub(crate) async fn notice(&self, n: usize) {
        let (headers, body) = (BTreeMap::new(), n.to_string());
        let notice = RawNotice {
            headers: &headers,
            query: "",
            body: body.as_bytes(),
        };
        match self.gateway.receive(CHANNEL, notice).await {
            Received::Kept { .. } => self.vault.delivered(n),
            Received::NotYet(_) => {}
            other @ (Received::Orphan { .. }
            | Received::Unrelated
            | Received::Rejected(_)
            | Received::NoSuchChannel) => {
                self.fault(format!("notice {n} was answered {other:?}"));
            }
        }
    }

    /// A person decides about everything of this order that waits for one, as the vault's books say.
    pub(crate) async fn person(&self, order: &Order) {
        let Some(charge) = self.vault.charge(order.order_no.as_str()) else {
            // Nothing has arrived there, and nothing is under way.
            if order.status == OrderStatus::Manual {
                drop(self.review(order, ReviewDecision::NotPaid, None).await);
            }
            return;
        };
        if order.status == OrderStatus::Manual {
            self.decide(order, &charge).await;
        }
        for refund in &order.refunds {
            if refund.status == RefundStatus::Manual {
                self.decide_refund(&order.order_no, refund, &charge).await;
            }
        }
    }

    async fn decide(&self, order: &Order, charge: &Charge) {
        match (&charge.own, charge.state) {
            (Some(own), _) => {
                let trade = Some(own.clone());
                if charge.gone(own) > 0 {
                    // What went back without us is not known here: it stays with a person.
                    return;
                }
                let paid = self
                    .review(order, ReviewDecision::Paid, trade.clone())
                    .await;
                if paid.is_err() {
                    drop(self.review(order, ReviewDecision::Refund, trade).await);
                }
            }
            (None, ChargeState::Declined | ChargeState::Closed) => {
                drop(self.review(order, ReviewDecision::NotPaid, None).await);
            }
            (None, ChargeState::Open | ChargeState::Paid) => {
                drop(self.review(order, ReviewDecision::Close, None).await);
            }
        }
    }

    async fn review(
        &self,
        order: &Order,
        decision: ReviewDecision,
        channel_trade_no: Option<String>,
    ) -> Result<Order, GatewayError> {
        let review = Review {
            decision,
            basis: "the vault's books".to_owned(),
            channel_trade_no,
            expected_version: order.version,
            operator: "ops".to_owned(),
        };
        self.gateway.review(&order.order_no, review).await
    }

    async fn decide_refund(&self, order_no: &OrderNo, refund: &Refund, charge: &Charge) {
        let known = charge.refunds.get(&refund.refund_no);
        let decision = match known.map(|known| known.state) {
            Some(RefundState::Done) => RefundDecision::Succeeded,
            Some(RefundState::Pending) => RefundDecision::Retry,
            Some(RefundState::Failed) => RefundDecision::Failed,
            None => RefundDecision::Retry,
        };
        let review = RefundReview {
            refund_no: refund.refund_no.clone(),
            decision,
            basis: "the vault's books".to_owned(),
            expected_version: refund.version,
            operator: "ops".to_owned(),
        };
        drop(self.gateway.review_refund(order_no, review).await);
    }
}
