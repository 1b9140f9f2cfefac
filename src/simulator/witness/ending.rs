//! The end of an order's story: nothing can happen to it any more, and nobody may be left in the dark.

use crate::domain::order::{AlertKind, EntitlementStatus, Order, RefundStatus};
use crate::domain::outbox::DeliveryStatus;
use crate::simulator::charge::Charge;
use crate::simulator::memory::Row;
use crate::simulator::parts::Parts;
use crate::simulator::rule::{Rule, Violation};
use crate::simulator::run::{Run, Step, Stop};

impl<P: Parts> Run<'_, P> {
    /// Its books are held against the processor's.
    pub(in crate::simulator) fn examine_the_end(&mut self, no: u32) -> Step {
        let Some(case) = self.cases.get(&no) else {
            return Ok(());
        };
        let Some(row) = self.store.row(no) else {
            self.report.unborn = self.report.unborn.saturating_add(1);
            let what = || "it was charged and is not on record";
            return self.holds(Rule::NothingLost, no, case.charge.trades.is_empty(), what);
        };
        self.examine_what_is_kept(no, row, &case.charge)?;
        self.examine_what_went_back(no, row, &case.charge)?;
        self.examine_outbox(no, row)?;
        let status = row.order.status;
        self.report.ended_as(status);
        Ok(())
    }

    fn examine_what_is_kept(&self, no: u32, row: &Row, charge: &Charge) -> Step {
        let order = &row.order;
        let asks = row.open_alerts().next().is_some();
        let what = || format!("{} for ever", order.status);
        self.holds(
            Rule::Settled,
            no,
            !order.status.is_in_flight() || asks,
            what,
        )?;
        let known = |trade_no: &str| order.payment(trade_no).is_some();
        let lost = charge.trades.iter().find(|trade| {
            let kept = trade.amount > charge.gone(&trade.no);
            kept && !(known(&trade.no) && order.status.is_paid()) && !asks
        });
        let what = || format!("{}, and the processor keeps {lost:?}", order.status);
        self.holds(Rule::NothingLost, no, lost.is_none(), what)?;
        let invented = order
            .payments
            .iter()
            .find(|kept| charge.trade(&kept.trade_no).is_none());
        let what = || format!("{invented:?}");
        self.holds(Rule::NothingInvented, no, invented.is_none(), what)
    }

    /// A difference is only where people are told of one.
    fn examine_what_went_back(&self, no: u32, row: &Row, charge: &Charge) -> Step {
        let order = &row.order;
        let told = row.alerts.iter().any(|alert| {
            matches!(
                alert.kind,
                AlertKind::RefundConflict | AlertKind::RefundFailed | AlertKind::ExternalRefund
            )
        });
        let asks = row.open_alerts().next().is_some();
        for payment in &order.payments {
            let (ours, theirs) = (
                succeeded(order, &payment.trade_no),
                charge.gone(&payment.trade_no),
            );
            let what = || format!("{ours} went back of {}, there {theirs}", payment.trade_no);
            self.holds(Rule::NothingLost, no, ours == theirs || told || asks, what)?;
        }
        let open = order.refunds.iter().find(|refund| {
            matches!(
                refund.status,
                RefundStatus::Processing | RefundStatus::Unknown
            )
        });
        let what = || format!("refund {open:?} for ever");
        self.holds(Rule::Settled, no, open.is_none(), what)
    }

    fn examine_outbox(&self, no: u32, row: &Row) -> Step {
        let order = &row.order;
        let ungranted = order.entitlements.iter().find(|kept| {
            kept.status == EntitlementStatus::Pending && order.status.is_paid() && !order.withheld
        });
        let what = || format!("{ungranted:?}");
        self.holds(Rule::Granted, no, ungranted.is_none(), what)?;
        let unmailed = row.alerts.iter().find(|alert| !alert.mailed);
        let what = || format!("{:?}", unmailed.map(|alert| &alert.key));
        self.holds(Rule::Mailed, no, unmailed.is_none(), what)?;
        let untold = row
            .deliveries
            .iter()
            .find(|delivery| match delivery.status {
                DeliveryStatus::Pending => true,
                DeliveryStatus::Delivered => !self.has_received(no, &delivery.webhook_id),
                DeliveryStatus::Failed | DeliveryStatus::Ended => false,
            });
        let what = || format!("{:?}", untold.map(|delivery| &delivery.webhook_id));
        self.holds(Rule::Delivered, no, untold.is_none(), what)
    }

    fn has_received(&self, no: u32, webhook_id: &str) -> bool {
        self.cases.get(&no).is_some_and(|case| {
            let mut received = case.facts.received.iter();
            received.any(|id| id == webhook_id)
        })
    }

    /// After a start: rows that want to be looked at will be.
    pub(in crate::simulator) fn examine_start(&self, no: u32) -> Step {
        self.examine_watch(no)
    }

    /// When nothing is left of the story but the accounts.
    pub(in crate::simulator) fn close_the_books(&self) -> Result<(), Violation> {
        for (name, account) in self.store.accounts.all() {
            match self.examine_account(name, account) {
                Ok(()) | Err(Stop::Crashed) => {}
                Err(Stop::Broken(violation)) => return Err(*violation),
            }
        }
        Ok(())
    }
}

/// What has gone back of this trade, by our books.
fn succeeded(order: &Order, trade_no: &str) -> i64 {
    let refunds = order.refunds.iter();
    let of_trade = refunds
        .filter(|refund| refund.trade_no == trade_no && refund.status == RefundStatus::Succeeded);
    of_trade.map(|refund| refund.money.amount).sum()
}
