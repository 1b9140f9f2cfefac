//! One mail from one alert or from a storm of them.

use super::{html, text};
use crate::domain::UnixMillis;
use crate::domain::order::{AlertKind, Severity};
use crate::moment::rfc3339;
use crate::scrub::scrub;
use std::collections::BTreeMap;

/// So many alerts are told one by one; of the rest only the number. A mail of more is not read.
pub const LISTED_MAX: usize = 100;

/// An alert as a mail tells it. Identifiers are typed and shown as they are; `message` is free text and is scrubbed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    pub alert_id: String,
    pub kind: String,
    pub severity: String,
    pub resolved: bool,
    pub order_id: Option<String>,
    pub order_no: Option<String>,
    pub idempotency_key: Option<String>,
    pub channel: Option<String>,
    pub channel_trade_no: Option<String>,
    /// How often the condition was seen.
    pub count: i64,
    pub message: String,
    pub created_at: UnixMillis,
}

/// A mail that is ready to be sent; its Message-ID is the same in every attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mail {
    /// With its angle brackets.
    pub message_id: String,
    pub subject: String,
    pub text: String,
    pub html: String,
    pub at: UnixMillis,
}

/// One mail about all of these, the urgent ones first. `public_url` has no slash at its end.
#[must_use]
pub fn render(items: &[Item], public_url: &str, message_id: &str, at: UnixMillis) -> Mail {
    let mut sorted: Vec<&Item> = items.iter().collect();
    sorted.sort_by_key(|item| (!item.wants_action(), item.created_at, &item.alert_id));
    let digest = Digest {
        headline: headline(&sorted),
        more: sorted.len().saturating_sub(LISTED_MAX),
        entries: sorted
            .iter()
            .take(LISTED_MAX)
            .map(|item| item.entry(public_url))
            .collect(),
        all_alerts: format!("{public_url}/v1/alerts?status=open"),
    };
    Mail {
        message_id: message_id.to_owned(),
        subject: format!("[oncepay] {}", one_line(&digest.headline)),
        text: text::body(&digest),
        html: html::body(&digest),
        at,
    }
}

/// What both bodies are made of.
pub(super) struct Digest {
    pub(super) headline: String,
    pub(super) entries: Vec<Entry>,
    /// Alerts that are not told one by one.
    pub(super) more: usize,
    pub(super) all_alerts: String,
}

/// One alert: a title, what happened, and lines of name and value.
pub(super) struct Entry {
    pub(super) title: String,
    pub(super) message: String,
    pub(super) lines: Vec<(&'static str, String)>,
    pub(super) next: String,
    /// What shows it at a shell of the server.
    pub(super) command: String,
    pub(super) link: String,
}

impl Item {
    fn wants_action(&self) -> bool {
        self.severity == Severity::Action.as_str() && !self.resolved
    }

    fn entry(&self, public_url: &str) -> Entry {
        let link = self.order_id.as_ref().map_or_else(
            || format!("{public_url}/v1/alerts"),
            |id| format!("{public_url}/v1/orders/{id}"),
        );
        Entry {
            title: self.title(),
            message: scrub(&self.message, &self.identifiers()),
            lines: self.lines(),
            next: self.next(),
            command: self.order_no.as_ref().map_or_else(
                || "oncepay alerts list".to_owned(),
                |order_no| format!("oncepay orders show {order_no}"),
            ),
            link,
        }
    }

    fn title(&self) -> String {
        let about = match (&self.order_no, &self.channel) {
            (Some(order_no), _) => format!(": order {order_no}"),
            (None, Some(channel)) => format!(": channel {channel}"),
            (None, None) => String::new(),
        };
        let resolved = if self.resolved {
            " (resolved already)"
        } else {
            ""
        };
        format!("{}{about}{resolved}", self.kind)
    }

    fn identifiers(&self) -> Vec<&str> {
        [
            &self.order_id,
            &self.order_no,
            &self.idempotency_key,
            &self.channel_trade_no,
        ]
        .into_iter()
        .filter_map(Option::as_deref)
        .collect()
    }

    fn lines(&self) -> Vec<(&'static str, String)> {
        let named = [
            ("Order number", &self.order_no),
            ("Order id", &self.order_id),
            ("Idempotency key", &self.idempotency_key),
            ("Channel", &self.channel),
            ("Channel trade number", &self.channel_trade_no),
        ];
        let mut lines: Vec<_> = named
            .into_iter()
            .filter_map(|(name, value)| Some((name, value.clone()?)))
            .collect();
        lines.push(("Alert", self.alert_id.clone()));
        lines.push(("Since", rfc3339(self.created_at)));
        if self.count > 1 {
            lines.push(("Seen", format!("{} times", self.count)));
        }
        lines
    }

    fn next(&self) -> String {
        let action = AlertKind::parse(&self.kind)
            .zip(Severity::parse(&self.severity))
            .map_or("Look it up in the alerts.", |(kind, severity)| {
                kind.suggested_action(severity)
            });
        if self.resolved {
            format!("None: it is resolved already. (It would have been: {action})")
        } else {
            action.to_owned()
        }
    }
}

/// "Action needed: order_manual: order 42", or the number of alerts with the number of each kind.
fn headline(sorted: &[&Item]) -> String {
    let actions = sorted.iter().filter(|item| item.wants_action()).count();
    let urgency = if actions > 0 { "Action needed" } else { "Note" };
    if let [only] = sorted {
        return format!("{urgency}: {}", only.title());
    }
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    for item in sorted {
        let count = kinds.entry(&item.kind).or_default();
        *count = count.saturating_add(1);
    }
    let kinds: Vec<_> = kinds
        .iter()
        .map(|(kind, n)| format!("{n} {kind}"))
        .collect();
    format!("{urgency}: {} alerts ({})", sorted.len(), kinds.join(", "))
}

/// A header is one line, whatever a merchant has named an order.
fn one_line(text: &str) -> String {
    text.chars()
        .map(|letter| if letter.is_control() { ' ' } else { letter })
        .collect()
}
