//! Who must be told is told, and once.

use super::Change;
use crate::domain::order::{AlertKind, OrderStatus, RefundStatus};
use crate::simulator::parts::Parts;
use crate::simulator::rule::Rule;
use crate::simulator::run::{Run, Step};

/// Kinds of alert that ask a person to review an order.
const OF_MANUAL: [AlertKind; 5] = [
    AlertKind::OrderManual,
    AlertKind::ChannelChanged,
    AlertKind::PaymentMismatch,
    AlertKind::TradeNoConflict,
    AlertKind::LateSuccess,
];

impl<P: Parts> Run<'_, P> {
    /// A notice that is on record is no news.
    pub(super) fn examine_notice(&self, change: &Change<'_>) -> Step {
        let notice = change.write.notice.as_ref();
        let repeated = notice.is_some_and(|notice| self.store.has_notice(change.no, notice));
        let silent = change.write.decision.events.is_empty();
        self.holds(
            Rule::NoticeOnce,
            change.no,
            !repeated || silent,
            || "a notice made news twice",
        )
    }

    /// A user who was answered without a result is not forgotten.
    pub(super) fn examine_promise(&self, change: &Change<'_>) -> Step {
        let (Some(before), Some(row)) = (change.before, self.store.row(change.no)) else {
            return Ok(());
        };
        let promised = before.deadline_passed_at.is_some() && !before.status.is_settled();
        let settles = matches!(
            change.next().status,
            OrderStatus::Paid | OrderStatus::Failed | OrderStatus::Closed
        );
        let is_note =
            |kind: AlertKind| matches!(kind, AlertKind::SlowSuccess | AlertKind::SlowFailure);
        let now = change
            .write
            .decision
            .alerts
            .iter()
            .any(|alert| is_note(alert.kind));
        let before = row.alerts.iter().any(|alert| is_note(alert.kind));
        let told = !promised || !settles || now || before;
        self.holds(
            Rule::Promised,
            change.no,
            told,
            || "it settles and nobody is told",
        )
    }

    /// The alerts of an order and its refunds, as they stand.
    pub(super) fn examine_told(&self, no: u32) -> Step {
        let Some(row) = self.store.row(no) else {
            return Ok(());
        };
        let mut keys = row.keys.iter().enumerate();
        let twice =
            keys.find(|(place, key)| row.keys.iter().take(*place).any(|other| other == *key));
        let what = || format!("{:?}", twice.map(|(_, key)| key));
        self.holds(Rule::AlertOnce, no, twice.is_none(), what)?;
        let asked = row
            .open_alerts()
            .any(|alert| OF_MANUAL.contains(&alert.kind));
        let manual = row.order.status == OrderStatus::Manual;
        let what = || format!("MANUAL ({:?}) and nobody is asked", row.order.reason);
        self.holds(Rule::ManualTold, no, !manual || asked, what)?;
        for refund in &row.order.refunds {
            let about = format!("/refund/{}|", refund.refund_no);
            let mut alerts = row.open_alerts();
            let asked = alerts
                .any(|alert| alert.kind == AlertKind::RefundManual && alert.key.contains(&about));
            let manual = refund.status == RefundStatus::Manual;
            let what = || {
                format!(
                    "refund {} is {}, asked: {asked}",
                    refund.refund_no, refund.status
                )
            };
            self.holds(Rule::ManualTold, no, manual == asked, what)?;
        }
        Ok(())
    }
}
