//! The merchant's ledger: what its receiver and the answers of the API add up to, and nothing else.

use crate::errand::Errand;
use crate::till::{Known, Till};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// What the merchant was told of an order by webhooks.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Heard {
    pub(crate) paid: u32,
    pub(crate) ended: u32,
    /// Granted and taken back.
    pub(crate) granted: Vec<i64>,
    pub(crate) revoked: i64,
    /// By refund number.
    pub(crate) refunded: BTreeMap<String, i64>,
}

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Merchant {
    pub(crate) heard: BTreeMap<String, Heard>,
    /// Order numbers and ids that the API has answered.
    pub(crate) ids: BTreeMap<String, String>,
    /// What was asked for, by number: refunds that were taken, with their order and amount.
    pub(crate) refunds: BTreeMap<String, (String, i64)>,
    /// What each account should have: granted, less what was taken back, spent and captured.
    pub(crate) balances: BTreeMap<String, i64>,
    pub(crate) messages: usize,
    pub(crate) repeats: usize,
}

impl Merchant {
    pub(crate) fn of(till: &Till, webhooks: &[Value], wrong: &mut Vec<String>) -> Self {
        let mut merchant = Self {
            ids: till.ids().clone(),
            ..Self::default()
        };
        let mut seen: BTreeMap<&str, &Value> = BTreeMap::new();
        for message in webhooks {
            if message["genuine"] != true {
                wrong.push(format!("a webhook that is not signed by us: {message}"));
            }
            let id = message["id"].as_str().unwrap_or_default();
            match seen.insert(id, message) {
                None => merchant.hears(message),
                Some(before) if before == message => merchant.repeats += 1,
                Some(before) => wrong.push(format!("under one id: {before} and {message}")),
            }
        }
        merchant.messages = seen.len();
        for (errand, known) in &till.errands {
            merchant.booked(errand, known, wrong);
        }
        let accounts: BTreeSet<_> = merchant.balances.keys().collect();
        if accounts.is_empty() && till.errands.len() > 100 {
            wrong.push("nothing was ever granted".to_owned());
        }
        merchant
    }

    fn hears(&mut self, message: &Value) {
        let text = |field: &str| message[field].as_str().unwrap_or_default().to_owned();
        let quantity = message["quantity"].as_i64().unwrap_or_default();
        let heard = self.heard.entry(text("order_no")).or_default();
        match text("type").as_str() {
            "order.paid" => heard.paid += 1,
            "order.failed" | "order.closed" => heard.ended += 1,
            "entitlement.granted" => {
                heard.granted.push(quantity);
                *self.balances.entry(text("account")).or_default() += quantity;
            }
            "entitlement.revoked" => {
                heard.revoked += quantity;
                *self.balances.entry(text("account")).or_default() -= quantity;
            }
            "refund.succeeded" => {
                let amount = message["refunded"].as_i64().unwrap_or_default();
                *heard.refunded.entry(text("refund_no")).or_default() += amount;
            }
            _ => {}
        }
    }

    fn booked(&mut self, errand: &Errand, known: &Known, wrong: &mut Vec<String>) {
        let mut spend = |account: &str, quantity: i64| {
            *self.balances.entry(account.to_owned()).or_default() -= quantity;
        };
        match (errand, known) {
            (_, Known::Nothing) => wrong.push(format!("{errand:?} was never answered")),
            (Errand::Order { .. } | Errand::EndOfHold { .. }, Known::Refused(code)) => {
                wrong.push(format!("{errand:?} was refused: {code}"));
            }
            (
                Errand::Debit {
                    account, quantity, ..
                },
                Known::Done(_),
            )
            | (
                Errand::EndOfHold {
                    account, quantity, ..
                },
                Known::Done(_),
            ) => {
                spend(account, *quantity);
            }
            (
                Errand::Refund {
                    order_no,
                    refund_no,
                    amount,
                    ..
                },
                Known::Done(_),
            ) => {
                self.refunds
                    .insert(refund_no.clone(), (order_no.clone(), *amount));
            }
            (Errand::Order { .. } | Errand::Hold { .. }, Known::Done(_))
            | (
                Errand::Refund { .. } | Errand::Debit { .. } | Errand::Hold { .. },
                Known::Refused(_),
            ) => {}
        }
    }
}
