//! Alerts, their keys and their mails.

use super::{Constraint, Row};
use crate::domain::order::{Alert, AlertKind, Severity};
use crate::simulator::parts::Parts;

/// Kinds that are over when their order leaves `MANUAL`.
const OVER_WITH_MANUAL: [AlertKind; 5] = [
    AlertKind::OrderManual,
    AlertKind::ChannelChanged,
    AlertKind::PaymentMismatch,
    AlertKind::TradeNoConflict,
    AlertKind::LateSuccess,
];

#[derive(Debug)]
pub(in crate::simulator) struct KeptAlert {
    pub(in crate::simulator) key: String,
    pub(in crate::simulator) kind: AlertKind,
    pub(in crate::simulator) severity: Severity,
    pub(in crate::simulator) resolved: bool,
    pub(in crate::simulator) attempts: i64,
    pub(in crate::simulator) mailed: bool,
}

impl Row {
    /// Keeps it if its key is new; its place then.
    pub(in crate::simulator) fn raise(
        &mut self,
        alert: Alert,
        parts: &impl Parts,
    ) -> Option<usize> {
        let key = alert.key();
        if self.keys.contains(&key) && parts.has(Constraint::AlertKey) {
            return None;
        }
        self.keys.push(key.clone());
        self.alerts.push(KeptAlert {
            key,
            kind: alert.kind,
            severity: alert.severity,
            resolved: false,
            attempts: 0,
            mailed: false,
        });
        Some(self.alerts.len().saturating_sub(1))
    }

    /// The order has left `MANUAL`, or the conditions with these keys are over; not what the same write raises.
    pub(super) fn resolve(&mut self, leaves_manual: bool, keys: &[String], raised: &[Alert]) {
        if !leaves_manual && keys.is_empty() {
            return;
        }
        let raised: Vec<String> = raised.iter().map(Alert::key).collect();
        for alert in &mut self.alerts {
            let over = leaves_manual
                && alert.severity == Severity::Action
                && OVER_WITH_MANUAL.contains(&alert.kind)
                && !raised.contains(&alert.key);
            alert.resolved |= over || keys.contains(&alert.key);
        }
    }

    /// Alerts that ask a person to do something.
    pub(in crate::simulator) fn open_alerts(&self) -> impl Iterator<Item = &KeptAlert> {
        let all = self.alerts.iter();
        all.filter(|alert| !alert.resolved && alert.severity == Severity::Action)
    }
}
