//! What the thread does next: which of the waiting decisions go into one write together.

use super::queue::{Answer, Job, Queued, Run, Touches, Waiting, Work};
use std::collections::{HashSet, VecDeque};
use tokio::sync::OwnedSemaphorePermit;

/// Writes in one batch. Beyond this a batch gains little and an error costs more.
pub(super) const BATCH_MAX: usize = 512;
/// How far the queue is searched for a batch: what one order piles up must not be walked again for every batch.
const SEARCH_MAX: usize = 4 * BATCH_MAX;

/// What may go into one batch.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    pub(super) batch_max: usize,
    /// Its decisions are written one after the other: two of them may add to one balance.
    pub(super) adds_up: bool,
}

/// What the decisions touch that were looked at so far, also those that are held back: their turn comes first.
#[derive(Default)]
struct Touched {
    unique: HashSet<u64>,
    added_to: HashSet<u64>,
}

impl Touched {
    /// Whether none of it is touched.
    fn leaves(&self, touches: &Touches, adds_up: bool) -> bool {
        let mut unique = touches.unique.iter();
        let mut adds_to = touches.adds_to.iter();
        unique.all(|key| !self.unique.contains(key) && !self.added_to.contains(key))
            && adds_to
                .all(|key| !self.unique.contains(key) && (adds_up || !self.added_to.contains(key)))
    }

    /// What is added to a balance behind one that is held back waits for it: entries stand in the order of their decisions.
    fn add(&mut self, touches: &Touches, alone: bool) {
        self.unique.extend(touches.unique.iter().copied());
        let added_to = if alone {
            &mut self.added_to
        } else {
            &mut self.unique
        };
        added_to.extend(touches.adds_to.iter().copied());
    }
}

/// What the thread does next.
pub(super) enum Next {
    Batch(Vec<Waiting>),
    Run {
        run: Box<Run>,
        answer: Answer<Vec<u64>>,
        queued_at_ms: i64,
        permit: Option<OwnedSemaphorePermit>,
    },
    Close,
    Nothing,
}

/// Takes what may be written together, in order: at most one decision for one order, and none that touches what an
/// earlier one touches, so that the rows of a batch do not depend on each other.
pub(super) fn next(waiting: &mut VecDeque<Queued>, limits: Limits) -> Next {
    match waiting.front().map(|queued| &queued.job) {
        None => Next::Nothing,
        Some(Job::Work(Work::Commit(_))) => Next::Batch(batch(waiting, limits)),
        Some(Job::Close | Job::Work(Work::Run(..))) => single(waiting),
    }
}

fn single(waiting: &mut VecDeque<Queued>) -> Next {
    match waiting.pop_front() {
        Some(Queued {
            job: Job::Work(Work::Run(run, answer)),
            queued_at_ms,
            permit,
        }) => Next::Run {
            run,
            answer,
            queued_at_ms,
            permit,
        },
        Some(_) => Next::Close,
        None => Next::Nothing,
    }
}

fn batch(waiting: &mut VecDeque<Queued>, limits: Limits) -> Vec<Waiting> {
    let mut batch = Vec::with_capacity(limits.batch_max.min(waiting.len()));
    let mut touched = Touched::default();
    let mut held = VecDeque::new();
    for _ in 0..SEARCH_MAX {
        if batch.len() >= limits.batch_max {
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
                let alone = touched.leaves(&entry.touches, limits.adds_up);
                touched.add(&entry.touches, alone);
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
