//! What waits for the journal, and which of it may go into one write together.

use super::types::{Committed, JournalError, JournalHealth, Urgency};
use crate::store::mapping::Prepared;
use sea_orm::Statement;
use std::collections::hash_map::DefaultHasher;
use std::collections::{HashSet, VecDeque};
use std::hash::{Hash, Hasher};
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use tokio::sync::{OwnedSemaphorePermit, oneshot};

/// Writes in one batch. Beyond this a batch gains little and an error costs more.
pub(super) const BATCH_MAX: usize = 512;
/// How far the queue is searched for a batch: what one order piles up must not be walked again for every batch.
const SEARCH_MAX: usize = 4 * BATCH_MAX;

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
    Run(Vec<Statement>, Answer<Vec<u64>>),
}

pub(super) type Answer<T> = oneshot::Sender<Result<T, JournalError>>;

/// One decision that waits.
pub(super) struct Entry {
    pub(super) write: Prepared,
    pub(super) urgency: Urgency,
    answer: Answer<Committed>,
    /// Hashes of every unique thing it touches; equal ones only delay a write.
    touches: Vec<u64>,
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

/// What the thread does next.
pub(super) enum Next {
    Batch(Vec<Waiting>),
    Run(
        Vec<Statement>,
        Answer<Vec<u64>>,
        Option<OwnedSemaphorePermit>,
    ),
    Close,
    Nothing,
}

/// Takes what may be written together, in order: at most one decision for one order, and none that touches what an
/// earlier one touches, so that the rows of a batch do not depend on each other.
pub(super) fn next(waiting: &mut VecDeque<Queued>, batch_max: usize) -> Next {
    match waiting.front().map(|queued| &queued.job) {
        None => Next::Nothing,
        Some(Job::Work(Work::Commit(_))) => Next::Batch(batch(waiting, batch_max)),
        Some(Job::Close | Job::Work(Work::Run(..))) => single(waiting),
    }
}

fn single(waiting: &mut VecDeque<Queued>) -> Next {
    match waiting.pop_front() {
        Some(Queued {
            job: Job::Work(Work::Run(statements, answer)),
            permit,
            ..
        }) => Next::Run(statements, answer, permit),
        Some(_) => Next::Close,
        None => Next::Nothing,
    }
}

fn batch(waiting: &mut VecDeque<Queued>, batch_max: usize) -> Vec<Waiting> {
    let mut batch = Vec::with_capacity(batch_max.min(waiting.len()));
    let mut touched = HashSet::new();
    let mut held = VecDeque::new();
    for _ in 0..SEARCH_MAX {
        if batch.len() >= batch_max {
            break;
        }
        let Some(queued) = waiting.pop_front() else {
            break;
        };
        match queued {
            Queued {
                job: Job::Work(Work::Commit(entry)),
                queued_at_ms,
                permit,
            } => {
                let alone = entry.touches.iter().all(|key| !touched.contains(key));
                touched.extend(entry.touches.iter().copied());
                let item = Waiting {
                    entry,
                    queued_at_ms,
                    permit,
                };
                if alone {
                    batch.push(item);
                } else {
                    held.push_back(item);
                }
            }
            barrier => {
                waiting.push_front(barrier);
                break;
            }
        }
    }
    for item in held.into_iter().rev() {
        waiting.push_front(Queued {
            job: Job::Work(Work::Commit(item.entry)),
            queued_at_ms: item.queued_at_ms,
            permit: item.permit,
        });
    }
    batch
}

fn touches(write: &Prepared) -> Vec<u64> {
    let order = &write.order;
    let mut keys = vec![key("id", &[&order.order_id]), key("no", &[&order.order_no])];
    keys.extend(order.replaces.iter().map(|no| key("no", &[no])));
    let payments = write.payments.iter().chain(&write.kept_payments);
    keys.extend(payments.map(|row| key("trade", &[&row.channel, &row.trade_no])));
    keys.extend(write.alerts.iter().map(|row| key("alert", &[&row.key])));
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
    keys
}

fn key(kind: &str, parts: &[&str]) -> u64 {
    let mut hasher = DefaultHasher::new();
    kind.hash(&mut hasher);
    parts.hash(&mut hasher);
    hasher.finish()
}

/// Numbers for `/readyz` and `/metrics`.
#[derive(Debug, Default)]
pub(super) struct Gauges {
    batches: AtomicU64,
    writes: AtomicU64,
    /// One more than the monotonic time at which the oldest work was queued; 0: nothing waits.
    oldest: AtomicI64,
}

impl Gauges {
    pub(super) fn written(&self, writes: usize) {
        self.batches.fetch_add(1, Ordering::Relaxed);
        let writes = u64::try_from(writes).unwrap_or(u64::MAX);
        self.writes.fetch_add(writes, Ordering::Relaxed);
    }

    pub(super) fn oldest(&self, queued_at_ms: Option<i64>) {
        let oldest = queued_at_ms.map_or(0, |at| at.saturating_add(1));
        self.oldest.store(oldest, Ordering::Relaxed);
    }

    pub(super) fn health(&self, queued: usize, now_ms: i64) -> JournalHealth {
        let oldest = self.oldest.load(Ordering::Relaxed);
        JournalHealth {
            queued,
            oldest_wait_ms: if oldest == 0 {
                0
            } else {
                now_ms.saturating_sub(oldest.saturating_sub(1)).max(0)
            },
            batches: self.batches.load(Ordering::Relaxed),
            writes: self.writes.load(Ordering::Relaxed),
        }
    }
}
