//! Operators: they come because a mail asked them to, look at the processor's books, and decide.

use super::charge::{Return, Standing};
use super::clocks::{DAY, HOUR, MINUTE};
use super::event::What;
use super::mishap::Mishap;
use super::parts::Parts;
use super::run::{Run, Step, Stop};
use super::turn::Told;
use crate::domain::order::input::Review;
use crate::domain::order::{
    AlertKind, Input, OrderStatus, RefundDecision, RefundRequest, RefundReview, RefundSource,
    RefundStatus, ReviewDecision,
};

const VISITS_MAX: u16 = 12;

impl<P: Parts> Run<'_, P> {
    /// A mail has asked for a person.
    pub(super) fn call_an_operator(&mut self, no: u32) {
        let late = self.hit(no, Mishap::OperatorLate);
        let after = late.map_or(20 * MINUTE, |mut chance| chance.between(HOUR, 3 * DAY));
        self.after(after, no, What::Visit);
    }

    /// An operator looks at everything of this order that waits for a person, and comes again while something does; after
    /// many times it is left as it is, with its alert.
    pub(super) fn visit(&mut self, no: u32) -> Step {
        let Some(case) = self.cases.get_mut(&no) else {
            return Ok(());
        };
        case.facts.visits = case.facts.visits.saturating_add(1);
        if case.facts.visits > VISITS_MAX {
            return Ok(());
        }
        if self.up {
            self.review_order(no)?;
            self.review_refunds(no)?;
            self.give_second_payments_back(no)?;
        }
        if self.waits_for_a_person(no) {
            self.after(6 * HOUR, no, What::Visit);
        }
        Ok(())
    }

    fn waits_for_a_person(&self, no: u32) -> bool {
        self.store.order(no).is_some_and(|order| {
            let mut refunds = order.refunds.iter();
            order.status == OrderStatus::Manual
                || refunds.any(|refund| refund.status == RefundStatus::Manual)
        })
    }

    fn review_order(&mut self, no: u32) -> Step {
        let Some(order) = self
            .store
            .order(no)
            .filter(|it| it.status == OrderStatus::Manual)
        else {
            return Ok(());
        };
        let proof = order.has_proof();
        let price = order.money.amount;
        let charge = self.cases.get(&no).map(|case| &case.charge);
        let taken = charge.and_then(|charge| charge.trades.first());
        let matches = taken.is_some_and(|trade| trade.amount == price);
        let under_way = charge.is_some_and(|charge| charge.under_way > 0);
        let tries = self.hit(no, Mishap::OperatorTries);
        let decision = match self.stands(no) {
            Standing::Paid if proof && !matches => ReviewDecision::Refund,
            // Nobody may take another sum for the order's: the channel is asked, and says which.
            Standing::Paid if !matches => ReviewDecision::Resubmit,
            Standing::Paid => ReviewDecision::Paid,
            _ if tries.is_some_and(|mut chance| chance.below(2) == 0) => ReviewDecision::Resubmit,
            _ if tries.is_some() => ReviewDecision::Close,
            Standing::None | Standing::Declined | Standing::Closed if !under_way => {
                ReviewDecision::NotPaid
            }
            Standing::None
            | Standing::Open
            | Standing::Deliberating
            | Standing::Declined
            | Standing::Closed => ReviewDecision::Close,
        };
        let told = self.review(no, decision)?;
        let refused = matches!(told, Told::Refused(_));
        if refused && decision == ReviewDecision::Paid {
            self.review(no, ReviewDecision::Refund)?;
        }
        Ok(())
    }

    /// One reviews, and where a second person is wanted, another confirms.
    fn review(&mut self, no: u32, decision: ReviewDecision) -> Result<Told, Stop> {
        let books = self.cases.get(&no).map(|case| &case.charge);
        let trade_no = books.and_then(|charge| charge.trades.first().map(|trade| trade.no.clone()));
        let mut told = Told::Kept;
        for operator in ["ann", "bob"] {
            let Some(order) = self
                .store
                .order(no)
                .filter(|it| it.status == OrderStatus::Manual)
            else {
                return Ok(told);
            };
            let settles = matches!(decision, ReviewDecision::Paid | ReviewDecision::Refund);
            let review = Review {
                decision,
                basis: "the processor's books".to_owned(),
                channel_trade_no: trade_no.clone().filter(|_| settles),
                expected_version: order.version,
                operator: operator.to_owned(),
            };
            told = self.happened(no, Input::Review(review), None)?;
            let proposed = self
                .store
                .order(no)
                .is_some_and(|order| order.proposal.is_some());
            if !proposed {
                break;
            }
        }
        Ok(told)
    }

    fn review_refunds(&mut self, no: u32) -> Step {
        let Some(order) = self.store.order(no) else {
            return Ok(());
        };
        let refunds = order.refunds.iter();
        let waiting: Vec<String> = refunds
            .filter(|refund| refund.status == RefundStatus::Manual)
            .map(|refund| refund.refund_no.clone())
            .collect();
        for refund_no in waiting {
            let books = self.cases.get(&no).map(|case| &case.charge);
            let there = books.and_then(|charge| charge.refund(&refund_no));
            let decision = match there.map(|refund| refund.stands) {
                Some(Return::Done) => RefundDecision::Succeeded,
                Some(Return::Failed) => RefundDecision::Failed,
                Some(Return::Pending) | None => RefundDecision::Retry,
            };
            let sends_none = !self.profile_of(no).rules.capabilities.refunds;
            let decision = if there.is_none() && sends_none {
                RefundDecision::Failed
            } else {
                decision
            };
            for operator in ["ann", "bob"] {
                self.review_refund(no, &refund_no, decision, operator)?;
            }
        }
        Ok(())
    }

    fn review_refund(
        &mut self,
        no: u32,
        refund_no: &str,
        decision: RefundDecision,
        operator: &str,
    ) -> Step {
        let refund = self
            .store
            .order(no)
            .and_then(|order| order.refund(refund_no));
        let Some(refund) = refund.filter(|refund| refund.status == RefundStatus::Manual) else {
            return Ok(());
        };
        let review = RefundReview {
            refund_no: refund_no.to_owned(),
            decision,
            basis: "the processor's books".to_owned(),
            expected_version: refund.version,
            operator: operator.to_owned(),
        };
        self.happened(no, Input::RefundReview(review), None)?;
        Ok(())
    }

    fn give_second_payments_back(&mut self, no: u32) -> Step {
        let Some(row) = self.store.row(no) else {
            return Ok(());
        };
        let asks = row
            .open_alerts()
            .any(|alert| alert.kind == AlertKind::SecondPayment);
        if !asks {
            return Ok(());
        }
        let payments = row.order.payments.iter();
        let second: Vec<(String, i64)> = payments
            .filter(|payment| !payment.own)
            .map(|payment| (payment.trade_no.clone(), payment.money.amount))
            .collect();
        for (trade_no, amount) in second {
            for operator in ["ann", "bob"] {
                let request = RefundRequest {
                    refund_no: format!("second-{trade_no}"),
                    amount,
                    reason: None,
                    trade_no: Some(trade_no.clone()),
                    source: RefundSource::Operator,
                    key_name: operator.to_owned(),
                };
                self.ask_back(no, request)?;
            }
        }
        Ok(())
    }
}
