//! The moves that a refund may make; the order, the ledger and the merchant follow each of them.

use super::super::super::decision::{AlertKind, Event, EventDetail};
use super::super::super::refund::{Refund, RefundSource, RefundStatus};
use super::super::super::status::{Announcement, EventKind, OrderStatus};
use super::super::draft::Draft;
use super::book::gone_back;
use crate::domain::Money;

impl Draft<'_> {
    pub(super) fn change_refund(&mut self, refund_no: &str, change: impl FnOnce(&mut Refund)) {
        let mut refunds = self.next.refunds.iter_mut();
        if let Some(refund) = refunds.find(|refund| refund.refund_no == refund_no) {
            change(refund);
        }
    }

    /// `S`: the money is back.
    pub(super) fn refund_succeeds(&mut self, refund_no: &str) {
        let Some(was) = self.next.refund(refund_no).cloned() else {
            return;
        };
        let again = was.status == RefundStatus::Failed && was.accepted;
        self.rest(&was, RefundStatus::Succeeded, again);
        self.announcements.push(Announcement::RefundSucceeded {
            refund_no: refund_no.to_owned(),
        });
        let source = self.source_of(&was, again, "");
        self.follow_refunds(refund_no, &source);
        self.end_other_payment(&was.trade_no);
    }

    /// A payment that was not the order's and is back in full is nobody's business any more.
    fn end_other_payment(&mut self, trade_no: &str) {
        let Some(payment) = self.next.payment(trade_no).filter(|payment| !payment.own) else {
            return;
        };
        let is_back = gone_back(&self.next, trade_no) >= payment.money.amount;
        let status = self.next.status;
        if !is_back || status == OrderStatus::Manual {
            return;
        }
        let mut kinds = vec![AlertKind::PaymentMismatch];
        if status.is_paid() {
            kinds.push(AlertKind::SecondPayment);
        }
        for kind in kinds {
            let raised = self.trade_alert(kind, trade_no, String::new());
            self.resolved_alerts.push(raised.key());
        }
    }

    /// `F`: it failed for good. Where that would make an order look paid that nobody wants paid, a person decides.
    pub(super) fn refund_fails(&mut self, refund_no: &str, by_review: bool) {
        let Some(was) = self.next.refund(refund_no).cloned() else {
            return;
        };
        let had_succeeded = was.status == RefundStatus::Succeeded;
        let ours_to_give = matches!(was.source, RefundSource::Policy | RefundSource::Review);
        if ours_to_give && !by_review {
            return self.refund_to_manual(refund_no, "the channel says that it failed");
        }
        self.rest(&was, RefundStatus::Failed, had_succeeded);
        if had_succeeded {
            let message = format!(
                "Refund {refund_no} of order {} had succeeded, and the channel now says that it failed: {}.",
                self.before.order_no, self.event.detail.summary
            );
            self.alert_of_refund(AlertKind::RefundFailed, refund_no, message);
        }
        self.announcements.push(Announcement::RefundFailed {
            refund_no: refund_no.to_owned(),
        });
        let reversed = if had_succeeded { ":reversed" } else { "" };
        let source = self.source_of(&was, was.accepted && had_succeeded, reversed);
        self.follow_refunds(refund_no, &source);
    }

    /// `M`: automatic action stops for this refund, and a person is told once.
    pub(super) fn refund_to_manual(&mut self, refund_no: &str, why: &str) {
        let Some(was) = self.next.refund(refund_no).cloned() else {
            return;
        };
        let had_succeeded = was.status == RefundStatus::Succeeded;
        self.rest(&was, RefundStatus::Manual, false);
        self.change_refund(refund_no, |refund| {
            refund.last_error = Some(why.to_owned());
        });
        let before = self.before.refund(refund_no);
        let entry = before.map_or(1, |before| before.version.saturating_add(1));
        let message = format!(
            "Refund {refund_no} ({}) of order {} needs a person: {why}.",
            was.money, self.before.order_no
        );
        let alert = self.refund_alert(
            AlertKind::RefundManual,
            refund_no,
            &entry.to_string(),
            message,
        );
        self.alerts.push(alert);
        let reversed = if had_succeeded { ":reversed" } else { "" };
        let source = self.source_of(&was, false, reversed);
        self.follow_refunds(refund_no, &source);
    }

    /// We asked and do not know: the ladder starts.
    pub(super) fn refund_unknown(&mut self, refund_no: &str) {
        let rules = self.context.rules;
        let delay = rules
            .check_delay_ms(1)
            .unwrap_or(rules.query_timeout_ms.saturating_mul(2));
        let next = self.context.after(delay);
        self.change_refund(refund_no, |refund| {
            refund.status = RefundStatus::Unknown;
            refund.accepted = false;
            refund.check_count = 0;
            refund.next_check_at = Some(next);
        });
    }

    /// Nothing happens to it any more by itself. Leaving `MANUAL` ends its alert.
    fn rest(&mut self, was: &Refund, status: RefundStatus, reversed_before: bool) {
        self.end_refund_alert(was);
        self.change_refund(&was.refund_no, |refund| {
            refund.status = status;
            refund.accepted = reversed_before;
            refund.next_check_at = None;
            refund.not_found_since = None;
            refund.proposal = None;
        });
    }

    pub(super) fn end_refund_alert(&mut self, was: &Refund) {
        if was.status == RefundStatus::Manual {
            // In MANUAL its version stands still, so that it names the entry.
            let entry = was.version.to_string();
            let raised = self.refund_alert(
                AlertKind::RefundManual,
                &was.refund_no,
                &entry,
                String::new(),
            );
            self.resolved_alerts.push(raised.key());
        }
    }

    /// The name of the ledger's entries that this move makes: an account moves once for one name, so that a move
    /// which is repeated bears the refund's version.
    fn source_of(&self, was: &Refund, repeated: bool, suffix: &str) -> String {
        let name = format!("refund:{}:{}{suffix}", self.before.order_no, was.refund_no);
        if repeated {
            format!("{name}:{}", was.version.saturating_add(1))
        } else {
            name
        }
    }

    /// The line that is being written tells which refund it is about.
    pub(super) fn name_refund(&mut self, refund: &Refund) {
        let detail = &mut self.line().detail;
        detail.refund_no = Some(refund.refund_no.clone());
        detail.channel_trade_no = Some(refund.trade_no.clone());
        name_money(detail, refund.money);
    }

    /// A line of the history about this refund, beside the input's own.
    pub(super) fn refund_line(&self, kind: EventKind, refund: &Refund, summary: String) -> Event {
        let mut detail = EventDetail {
            summary,
            refund_no: Some(refund.refund_no.clone()),
            channel_trade_no: Some(refund.trade_no.clone()),
            ..EventDetail::default()
        };
        name_money(&mut detail, refund.money);
        Event {
            kind,
            detail,
            digest: None,
            ..self.event.clone()
        }
    }
}

fn name_money(detail: &mut EventDetail, money: Money) {
    detail.amount = Some(money.amount);
    detail.currency = Some(money.currency.to_string());
}
