//! What happens by itself later: payments, refunds and callbacks that a script puts off, also after a restart.

use super::directives::Script;
use super::processor::Sandbox;
use super::record::{Charge, Notice};
use std::time::Duration;

impl Sandbox {
    pub(super) fn pay_later(&self, charge: &Charge, script: &Script) {
        let Some(delay) = script.pay_after else {
            return;
        };
        let due = charge.created_at.saturating_add(millis(delay));
        let wait = Duration::from_millis(
            u64::try_from(due.saturating_sub(self.now_ms())).unwrap_or_default(),
        );
        let sandbox = self.clone();
        let key = charge.request.idempotency_key.clone();
        self.runtime().spawn(async move {
            tokio::time::sleep(wait).await;
            sandbox.change(|change| change.pay(&key));
        });
    }

    pub(super) fn settle_refund_later(&self, place: (String, String)) {
        let script = self.book().script(&place.0);
        let Some(delay) = script.refund_after else {
            return;
        };
        let sandbox = self.clone();
        self.runtime().spawn(async move {
            tokio::time::sleep(delay).await;
            sandbox.change(|change| change.settle_refund(&place));
        });
    }

    pub(super) fn deliver_later(&self, notice: Notice) {
        let sandbox = self.clone();
        self.runtime().spawn(async move {
            sandbox.deliver(notice).await;
        });
    }

    /// After a restart: callbacks that were not acknowledged, payments and refunds that were to come.
    pub(super) fn resume(&self) {
        let (notices, charges, refunds) = {
            let book = self.book();
            let notices: Vec<Notice> = book.notices.values().cloned().collect();
            let unpaid = book.charges.values().filter(|it| it.trades.is_empty());
            let charges: Vec<Charge> = unpaid.cloned().collect();
            let refunds: Vec<(String, String)> = book.refunds.keys().cloned().collect();
            (notices, charges, refunds)
        };
        for notice in notices {
            self.deliver_later(notice);
        }
        for charge in charges {
            self.pay_later(&charge, &Script::parse(&charge.request.subject));
        }
        for place in refunds {
            self.settle_refund_later(place);
        }
    }
}

fn millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}
