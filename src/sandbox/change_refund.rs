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
        let status = match self.book.script(key).refund {
            RefundOutcome::Failed => RefundStatus::Failed,
            RefundOutcome::Pending | RefundOutcome::Succeeded | RefundOutcome::Unknown
                if !possible.contains(&request.amount) =>
            {
                RefundStatus::Failed
            }
            RefundOutcome::Pending => RefundStatus::Pending,
            RefundOutcome::Succeeded | RefundOutcome::Unknown => RefundStatus::Succeeded,
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
        self.book.refunds.insert(place, refund.clone());
        self.records.push(Record::Refund(refund.clone()));
        Refunded::New(refund)
    }

    /// A pending refund comes through, with its callback.
    pub(super) fn settle_refund(&mut self, place: &(String, String)) {
        let Some(charge) = self.book.charges.get(&place.0) else {
            return;
        };
        let url = charge.request.notify_url.clone();
        let Some(refund) = self.book.refunds.get_mut(place) else {
            return;
        };
        if refund.status != RefundStatus::Pending {
            return;
        }
        refund.status = RefundStatus::Succeeded;
        refund.at = self.now_ms;
        let refund = refund.clone();
        let body = say::refund_notice(&refund);
        self.records.push(Record::Refund(refund));
        self.send(Notice {
            id: clock::new_id("msg"),
            idempotency_key: place.0.clone(),
            url,
            body,
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
