//! What is answered without having been written.

use super::queue::{Job, Queued, Waiting, Work};
use super::types::{JournalError, Urgency};
use super::writer::{Over, Writer};

/// How long a create waits for a database that is away before its caller is told that nothing was written.
const REFUSABLE_WAIT_MS: i64 = 2_000;

impl Writer {
    /// Tells creates that have waited too long that nothing was written, where that is certain.
    pub(super) fn give_up(&mut self, part: &mut Vec<Waiting>, unclear: bool, reason: &str) {
        let now = self.clock.mono_ms();
        let tired = |urgency: Urgency, queued_at_ms: i64| {
            urgency == Urgency::Refusable && now.saturating_sub(queued_at_ms) > REFUSABLE_WAIT_MS
        };
        let unavailable = || Err(JournalError::Unavailable(reason.to_owned()));
        if !unclear {
            for waiting in std::mem::take(part) {
                if tired(waiting.entry.urgency, waiting.queued_at_ms) {
                    waiting.answer(unavailable());
                } else {
                    part.push(waiting);
                }
            }
        }
        for queued in std::mem::take(&mut self.waiting) {
            match queued {
                Queued {
                    job: Job::Work(Work::Commit(entry)),
                    queued_at_ms,
                    ..
                } if tired(entry.urgency, queued_at_ms) => entry.answer(unavailable()),
                other => self.waiting.push_back(other),
            }
        }
    }

    /// Answers everything that waits: nothing more is written.
    pub(super) fn refuse_all(&mut self, over: Over) {
        self.jobs.close();
        self.drain();
        for queued in self.waiting.drain(..) {
            match queued.job {
                Job::Work(Work::Commit(entry)) => entry.answer(Err(over.error())),
                Job::Work(Work::Run(_, answer)) => {
                    drop(answer.send(Err(over.error())));
                }
                Job::Close => {}
            }
        }
    }
}
