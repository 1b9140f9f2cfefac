//! What to mail now: pure, so that every storm and outage is a table.

use crate::domain::UnixMillis;
use crate::store::alerts::StoredAlert;
use std::collections::BTreeMap;

/// While the mail server is away new alerts wait for the mail that is being retried, and go in one mail after it;
/// but never longer than this, lest one mail that no server takes holds up all others.
const HELD_MAX_MS: i64 = 3_600_000;

/// Alerts that go in one mail. `message_id` is set if it was claimed before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mailing {
    pub message_id: Option<String>,
    pub alerts: Vec<StoredAlert>,
}

/// What is to be mailed, and when to look again.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plan {
    /// Mails that were claimed before and not handed over, as far as anyone knows: again, under their Message-IDs.
    pub retries: Vec<Mailing>,
    /// Everything new, as one mail, once its window has passed.
    pub fresh: Option<Mailing>,
    /// When the window of what is new ends, if it has not.
    pub window_ends_at: Option<UnixMillis>,
}

/// Plans from the alerts that are due. The window opens when the first new alert became due; `held_until` is set
/// while the last attempt has failed.
#[must_use]
pub fn plan(
    due: Vec<StoredAlert>,
    now: UnixMillis,
    window_ms: i64,
    held_until: Option<UnixMillis>,
) -> Plan {
    let mut claimed: BTreeMap<String, Vec<StoredAlert>> = BTreeMap::new();
    let mut new = Vec::new();
    for alert in due {
        match alert.message_id.clone() {
            Some(message_id) => claimed.entry(message_id).or_default().push(alert),
            None => new.push(alert),
        }
    }
    let retries = claimed.into_iter().map(|(message_id, alerts)| Mailing {
        message_id: Some(message_id),
        alerts,
    });
    let opened_at = new.iter().filter_map(|alert| alert.mail_due_at).min();
    let ends_at = opened_at.map(|opened_at| {
        let window_ends = opened_at.plus(window_ms);
        let held = held_until
            .unwrap_or(window_ends)
            .min(opened_at.plus(HELD_MAX_MS));
        window_ends.max(held)
    });
    let is_over = ends_at.is_some_and(|ends_at| now >= ends_at);
    Plan {
        retries: retries.collect(),
        fresh: is_over.then_some(Mailing {
            message_id: None,
            alerts: new,
        }),
        window_ends_at: ends_at.filter(|_| !is_over),
    }
}
