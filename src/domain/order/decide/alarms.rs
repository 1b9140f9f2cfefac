//! What people must know: one alert for one episode of a condition.

use super::super::decision::{Alert, AlertKind, Severity};
use super::super::statement::Proof;
use super::super::status::Reason;
use super::draft::Draft;

impl Draft<'_> {
    pub(super) fn tell_of_deadline(&mut self, kind: AlertKind, what: &str) {
        if self.before.deadline_passed_at.is_some() {
            let message = format!("Order {} was {what}.", self.before.order_no);
            self.alert(kind, Severity::Info, "once", message);
        }
    }

    pub(super) fn raise_manual(&mut self, reason: Reason, proof: Option<&Proof>) {
        let order_no = &self.before.order_no;
        let message = match proof {
            Some(proof) if reason == Reason::UnexplainedStatus => format!(
                "Order {order_no} needs a person: {} was paid under trade {}, and some of it was given back, or all; the channel does not say how much.",
                proof.money, proof.trade_no
            ),
            Some(proof) => format!(
                "Order {order_no} needs a person: {reason} (trade {}, {}; the order is {}).",
                proof.trade_no, proof.money, self.before.money
            ),
            None => match &self.next.last_error {
                Some(error) => {
                    format!("Order {order_no} needs a person: {reason}. The last error: {error}.")
                }
                None => format!("Order {order_no} needs a person: {reason}."),
            },
        };
        let entry = self.before.version.saturating_add(1).to_string();
        match reason {
            Reason::AmountMismatch
            | Reason::CurrencyMismatch
            | Reason::MerchantMismatch
            | Reason::KeyMismatch => match proof {
                Some(proof) => {
                    self.alert_of_trade(AlertKind::PaymentMismatch, &proof.trade_no, message);
                }
                // Nothing was paid yet, and a review may let it happen again: each entry is an episode.
                None => {
                    self.alert(
                        AlertKind::PaymentMismatch,
                        Severity::Action,
                        &entry,
                        message,
                    );
                }
            },
            Reason::TradeNoConflict => {
                let trade_no = proof.map_or("-", |proof| proof.trade_no.as_str());
                self.alert_of_trade(AlertKind::TradeNoConflict, trade_no, message);
            }
            Reason::LateSuccess => {
                // Without proof it may turn out to be nothing; what comes after that is an episode of its own.
                let episode = proof.map_or(entry.as_str(), |_| "first");
                self.alert(AlertKind::LateSuccess, Severity::Action, episode, message);
            }
            Reason::ChannelChanged => {
                self.alert(AlertKind::ChannelChanged, Severity::Action, &entry, message);
            }
            Reason::SubmitTimeout
            | Reason::ChannelUnavailable
            | Reason::UnreadableReply
            | Reason::ChannelProcessing
            | Reason::Interrupted
            | Reason::NotFound
            | Reason::MaxChecks
            | Reason::MaxSubmits
            | Reason::ResubmitRefused
            | Reason::UnexplainedStatus
            | Reason::Declined
            | Reason::Expired
            | Reason::ExpiryUnconfirmed
            | Reason::ClosedByMerchant
            | Reason::ClosedByChannel
            | Reason::Review
            | Reason::ActorFailed => {
                self.alert(AlertKind::OrderManual, Severity::Action, &entry, message);
            }
        }
    }

    /// Raises an alert about the order.
    pub(super) fn alert(
        &mut self,
        kind: AlertKind,
        severity: Severity,
        episode: &str,
        message: String,
    ) {
        let subject = self.before.order_id.0.clone();
        self.alerts.push(Alert {
            kind,
            severity,
            subject,
            episode: episode.to_owned(),
            message,
        });
    }

    /// Raises an alert about one trade of the order.
    pub(super) fn alert_of_trade(&mut self, kind: AlertKind, trade_no: &str, message: String) {
        let alert = self.trade_alert(kind, trade_no, message);
        self.alerts.push(alert);
    }

    pub(super) fn trade_alert(&self, kind: AlertKind, trade_no: &str, message: String) -> Alert {
        Alert {
            kind,
            severity: Severity::Action,
            subject: format!("{}/{trade_no}", self.before.order_id),
            episode: "first".to_owned(),
            message,
        }
    }

    /// An alert about one refund of the order.
    pub(super) fn refund_alert(
        &self,
        kind: AlertKind,
        refund_no: &str,
        episode: &str,
        message: String,
    ) -> Alert {
        Alert {
            kind,
            severity: Severity::Action,
            subject: format!("{}/refund/{refund_no}", self.before.order_id),
            episode: episode.to_owned(),
            message,
        }
    }

    /// Raises an alert about a refund that is raised once for it.
    pub(super) fn alert_of_refund(&mut self, kind: AlertKind, refund_no: &str, message: String) {
        let alert = self.refund_alert(kind, refund_no, "once", message);
        self.alerts.push(alert);
    }

    /// The channel says something that does not fit what is on record.
    pub(super) fn contradiction(&mut self, by_query: bool) {
        self.note();
        let status = self.before.status;
        let (severity, episode) = if by_query {
            (Severity::Action, format!("{status}:query"))
        } else {
            (Severity::Info, status.to_string())
        };
        let message = format!(
            "Order {} is {status}, and the channel now says: {}.",
            self.before.order_no, self.event.detail.summary
        );
        self.alert(AlertKind::Contradiction, severity, &episode, message);
    }
}
