//! Every change of a refund that the sandbox knows.

use super::change::Change;
use super::directives::RefundOutcome;
use super::record::{Charge, Notice, Record, Refund, RefundRequest, RefundStatus, Trade};
use super::say;
use crate::clock;

/// What came of a refund.
#[derive(Debug)]
pub(super) enum Refunded {
    New(Refund),
    /// The same number and the same body: what stands already.
    Same(Refund),
    /// The same number and another body.
    Conflict,
    NoCharge,
}

impl Change<'_> {
    /// A refund arrives: the first one under its number makes it.
    pub(super) fn refund(&mut self, key: &str, request: RefundRequest) -> Refunded {
        let Some(charge) = self.book.charges.get(key) else {
            return Refunded::NoCharge;
        };
        let place = (key.to_owned(), request.refund_no.clone());
        if let Some(refund) = self.book.refunds.get(&place) {
            return if refund.request == request {
                Refunded::Same(refund.clone())
            } else {
                Refunded::Conflict
            };
        }
        let possible = 1..=self.refundable(charge, &request.trade_no);
        let outcome = self.book.script(key).refund;
        let status = if possible.contains(&request.amount) {
            landed(outcome)
        } else {
            RefundStatus::Failed
        };
        let refund = Refund {
            idempotency_key: key.to_owned(),
            order_no: charge.request.order_no.clone(),
            request,
            currency: charge.request.currency.clone(),
            channel_refund_no: clock::new_id("rfd"),
            status,
            at: self.now_ms,
        };
        self.keep_refund(&refund);
        Refunded::New(refund)
    }

    /// A refund that nobody asked for by the protocol: it succeeds at once, with its callback.
    pub(super) fn refund_by_hand(&mut self, key: &str, request: RefundRequest) -> Option<Charge> {
        let charge = self.book.charges.get(key)?.clone();
        let place = (key.to_owned(), request.refund_no.clone());
        if self.book.refunds.contains_key(&place) {
            return None;
        }
        let refund = Refund {
            idempotency_key: key.to_owned(),
            order_no: charge.request.order_no.clone(),
            request,
            currency: charge.request.currency.clone(),
            channel_refund_no: clock::new_id("rfd"),
            status: RefundStatus::Succeeded,
            at: self.now_ms,
        };
        self.keep_refund(&refund);
        self.notify_refund(&charge, &refund);
        Some(charge)
    }

    /// The rest of what its script wants of a refund comes.
    pub(super) fn settle_refund(&mut self, place: &(String, String)) {
        let standing = self.book.refunds.get(place).map(|refund| refund.status);
        let status = match (self.book.script(&place.0).refund, standing) {
            (RefundOutcome::Pending, Some(RefundStatus::Pending)) => RefundStatus::Succeeded,
            (RefundOutcome::FailedLater, Some(RefundStatus::Pending))
            | (RefundOutcome::Bounced, Some(RefundStatus::Succeeded)) => RefundStatus::Failed,
            (
                RefundOutcome::Succeeded
                | RefundOutcome::Pending
                | RefundOutcome::Failed
                | RefundOutcome::FailedLater
                | RefundOutcome::Bounced
                | RefundOutcome::Unknown,
                _,
            ) => return,
        };
        self.end_refund(place, status);
    }

    /// A refund takes this status, with its callback.
    pub(super) fn end_refund(
        &mut self,
        place: &(String, String),
        status: RefundStatus,
    ) -> Option<Charge> {
        let charge = self.book.charges.get(&place.0)?.clone();
        let mut refund = self.book.refunds.get(place)?.clone();
        refund.status = status;
        refund.at = self.now_ms;
        self.keep_refund(&refund);
        self.notify_refund(&charge, &refund);
        Some(charge)
    }

    fn keep_refund(&mut self, refund: &Refund) {
        let place = (
            refund.idempotency_key.clone(),
            refund.request.refund_no.clone(),
        );
        self.book.refunds.insert(place, refund.clone());
        self.records.push(Record::Refund(refund.clone()));
    }

    fn notify_refund(&mut self, charge: &Charge, refund: &Refund) {
        let url = charge.request.notify_url.clone();
        let script = self.book.script(&refund.idempotency_key);
        if script.refund_faults.no_callback || url.is_empty() {
            return;
        }
        self.send(Notice {
            id: clock::new_id("msg"),
            idempotency_key: refund.idempotency_key.clone(),
            url,
            body: say::refund_notice(refund),
            copies: 1,
            due_at: self.now_ms,
        });
    }

    /// What of this trade was not given back, refunds under way included.
    fn refundable(&self, charge: &Charge, trade_no: &str) -> i64 {
        let of_trade = |trade: &&Trade| trade.trade_no == trade_no;
        let paid = charge.trades.iter().find(of_trade);
        let given = self
            .book
            .refunds
            .values()
            .filter(|refund| refund.idempotency_key == charge.request.idempotency_key)
            .filter(|refund| refund.request.trade_no == trade_no)
            .filter(|refund| refund.status != RefundStatus::Failed)
            .map(|refund| refund.request.amount)
            .fold(0, i64::saturating_add);
        paid.map_or(0, |trade| trade.amount.saturating_sub(given))
    }
}

/// How a refund stands when it lands.
const fn landed(outcome: RefundOutcome) -> RefundStatus {
    match outcome {
        RefundOutcome::Failed => RefundStatus::Failed,
        RefundOutcome::Pending | RefundOutcome::FailedLater => RefundStatus::Pending,
        RefundOutcome::Succeeded | RefundOutcome::Bounced | RefundOutcome::Unknown => {
            RefundStatus::Succeeded
        }
    }
}
