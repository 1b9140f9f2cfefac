//! An order from code that embeds the runtime: held against the rules that the HTTP API holds its requests against.

use super::gateway::{Gateway, NewOrder};
use crate::channels::{Admission, FieldRefusal};
use crate::domain::{Money, OrderNo};
use std::collections::BTreeMap;

/// Seconds in which an order that says nothing else must be paid.
const EXPIRES_IN_DEFAULT_S: i64 = 7_200;
const SUBJECT_CHARS_MAX: usize = 128;

impl Gateway {
    /// An order with its channel's defaults, for [`Gateway::create`]; its other fields may be set before that.
    ///
    /// # Errors
    /// The first field that no order may have, or that the channel cannot carry.
    pub fn new_order(
        &self,
        order_no: &str,
        channel: &str,
        money: Money,
        subject: &str,
    ) -> Result<NewOrder, FieldRefusal> {
        if !OrderNo::is_valid(order_no) {
            return refuse("order_no", "must be 1–64 of A-Z a-z 0-9 _ -");
        }
        if money.amount < 1 {
            return refuse("amount", "must be at least 1");
        }
        let plain = !subject.chars().any(char::is_control);
        if !plain || !(1..=SUBJECT_CHARS_MAX).contains(&subject.chars().count()) {
            return refuse(
                "subject",
                "must be 1–128 characters, none of them a control",
            );
        }
        let Some(adapter) = self.shared.channel(channel) else {
            return refuse("channel", "is not configured");
        };
        let method = adapter.default_method();
        let admission = Admission {
            order_no,
            method,
            money,
            subject,
            expires_in_s: EXPIRES_IN_DEFAULT_S,
            payer: None,
        };
        self.admits(channel, &admission)?;
        Ok(NewOrder {
            order_no: order_no.into(),
            channel: channel.to_owned(),
            method: method.to_owned(),
            money,
            subject: subject.to_owned(),
            account: None,
            entitlements: Vec::new(),
            metadata: BTreeMap::new(),
            return_url: None,
            payer: None,
            replaces: None,
            expires_in_s: EXPIRES_IN_DEFAULT_S,
            by: "api:app".to_owned(),
            idempotency: None,
        })
    }

    /// Whether the channel can carry such an order, and its `amount_max` lets it pass.
    pub(crate) fn admits(&self, channel: &str, order: &Admission<'_>) -> Result<(), FieldRefusal> {
        let Some(adapter) = self.shared.channel(channel) else {
            return refuse("channel", "is not configured");
        };
        let most = self
            .shared
            .guard(channel)
            .and_then(|guard| guard.amount_max);
        if let Some(most) = most.filter(|most| order.money.amount > *most) {
            return refuse("amount", &format!("must be at most {most}"));
        }
        adapter.admits(order)
    }
}

fn refuse<T>(field: &'static str, message: &str) -> Result<T, FieldRefusal> {
    Err(FieldRefusal {
        field,
        message: message.to_owned(),
    })
}

/// How long a create waits for the commit of its order at least: within it the journal tells those of whom it is
/// certain that nothing was written, which is a better answer than the deadline's.
const BIRTH_WAIT: std::time::Duration = std::time::Duration::from_secs(8);

impl super::gateway::Wait {
    /// A database that breaks in the middle of a commit may not tell for hours what became of it; no caller waits so
    /// long.
    pub(super) fn for_birth(self) -> std::time::Duration {
        match self {
            Self::No => BIRTH_WAIT,
            Self::UpTo(limit) => limit.max(BIRTH_WAIT),
        }
    }
}
