//! What the thread does next: which of the waiting decisions go into one write together.

use super::queue::{Answer, Job, Queued, Waiting, Work};
use sea_orm::Statement;
use std::collections::{HashSet, VecDeque};
use tokio::sync::OwnedSemaphorePermit;

/// Writes in one batch. Beyond this a batch gains little and an error costs more.
pub(super) const BATCH_MAX: usize = 512;
/// How far the queue is searched for a batch: what one order piles up must not be walked again for every batch.
const SEARCH_MAX: usize = 4 * BATCH_MAX;

/// What the thread does next.
pub(super) enum Next {
    Batch(Vec<Waiting>),
    Run {
        statements: Vec<Statement>,
        answer: Answer<Vec<u64>>,
        queued_at_ms: i64,
        permit: Option<OwnedSemaphorePermit>,
    },
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
            queued_at_ms,
            permit,
        }) => Next::Run {
            statements,
            answer,
            queued_at_ms,
            permit,
        },
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
