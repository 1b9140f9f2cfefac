//! What waits for the journal.

use super::types::{Committed, JournalError, Urgency};
use crate::store::audit::AuditRow;
use crate::store::mapping::{OrderRows, Prepared};
use sea_orm::Statement;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use tokio::sync::{OwnedSemaphorePermit, oneshot};

pub(super) struct Queued {
    pub(super) job: Job,
    pub(super) queued_at_ms: i64,
    /// Given back when the work is answered.
    pub(super) permit: Option<OwnedSemaphorePermit>,
}

pub(super) enum Job {
    Work(Work),
    /// Nothing follows it.
    Close,
}

pub(super) enum Work {
    Commit(Box<Entry>),
    Run(Box<Run>, Answer<Vec<u64>>),
}

/// Statements of one write that belong to no order.
#[derive(Default)]
pub(super) struct Run {
    pub(super) statements: Vec<Statement>,
    /// Sealed into the audit log if the first statement changes a row.
    pub(super) audit: Option<AuditRow>,
}

pub(super) type Answer<T> = oneshot::Sender<Result<T, JournalError>>;

/// One decision that waits.
pub(super) struct Entry {
    pub(super) write: Prepared,
    pub(super) urgency: Urgency,
    answer: Answer<Committed>,
    pub(super) touches: Touches,
}

impl Entry {
    pub(super) fn new(write: Prepared, urgency: Urgency, answer: Answer<Committed>) -> Self {
        Self {
            touches: touches(&write),
            write,
            urgency,
            answer,
        }
    }

    /// Whoever asked may have gone; the write stands all the same.
    pub(super) fn answer(self, result: Result<Committed, JournalError>) {
        drop(self.answer.send(result));
    }
}

/// A decision in a batch, until it is answered.
pub(super) struct Waiting {
    pub(super) entry: Box<Entry>,
    pub(super) queued_at_ms: i64,
    pub(super) permit: Option<OwnedSemaphorePermit>,
}

impl Waiting {
    pub(super) fn answer(self, result: Result<Committed, JournalError>) {
        drop(self.permit);
        self.entry.answer(result);
    }
}

/// Hashes of what a decision touches; equal ones only delay a write.
pub(super) struct Touches {
    /// Every unique thing.
    pub(super) unique: Vec<u64>,
    /// Accounts to whose balances it adds, whatever they are.
    pub(super) adds_to: Vec<u64>,
}

fn touches(write: &Prepared) -> Touches {
    match write {
        Prepared::Order(rows) => Touches {
            unique: touches_of_order(rows),
            adds_to: moved_by_order(rows),
        },
        Prepared::Account(rows) => Touches {
            unique: vec![account(&rows.movement.row.account)],
            adds_to: Vec::new(),
        },
    }
}

fn moved_by_order(write: &OrderRows) -> Vec<u64> {
    let movements = write.postings.movements.iter();
    movements.map(|moved| account(&moved.row.account)).collect()
}

fn account(name: &str) -> u64 {
    key("account", &[name])
}

fn touches_of_order(write: &OrderRows) -> Vec<u64> {
    let order = &write.order;
    let mut keys = vec![key("id", &[&order.order_id]), key("no", &[&order.order_no])];
    keys.extend(order.replaces.iter().map(|no| key("no", &[no])));
    let payments = write.payments.iter().chain(&write.kept_payments);
    keys.extend(payments.map(|row| key("trade", &[&row.channel, &row.trade_no])));
    keys.extend(write.alerts.iter().map(|row| key("alert", &[&row.key])));
    keys.extend(
        write
            .resolved_alerts
            .iter()
            .map(|text| key("alert", &[text])),
    );
    keys.extend(write.notice.iter().map(|notice| {
        let row = &notice.row;
        key("notice", &[&row.channel, &row.callback_key, &row.status])
    }));
    keys.extend(
        write
            .idempotency
            .iter()
            .map(|row| key("key", &[&row.owner, &row.route, &row.key])),
    );
    let limited = write.daily_limit.and(order.account.as_ref());
    keys.extend(limited.map(|name| key("orders of", &[name])));
    // A batch ends with one row of the chain at most: one that is not written must leave no gap.
    keys.extend(write.audit.iter().map(|_| key("audit", &[])));
    keys.dedup();
    keys
}

fn key(kind: &str, parts: &[&str]) -> u64 {
    let mut hasher = DefaultHasher::new();
    kind.hash(&mut hasher);
    parts.hash(&mut hasher);
    hasher.finish()
}
