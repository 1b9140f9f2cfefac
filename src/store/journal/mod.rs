//! The journal: the one writer. It takes decisions from all actors, groups what is waiting, and answers after the commit.
//!
//! * [`queue`] and [`batch`]: what waits, and which of it may go into one write together.
//! * [`thread`] and [`writer`]: take a batch, write it, bisect what fails, repeat while the database is away.
//! * [`strategy`]: how a batch becomes rows: in one write, on [`sqlite`] row by row and on [`postgres`] in one text; by
//!   [`naive`] in a write each; or not at all.
//! * [`presence`]: whether the file that is written to is still at its place.
//! * [`fault`] and [`verdict`]: what an error means, and why a write found nothing to change.

mod balance;
mod batch;
mod fault;
mod gauges;
mod naive;
mod patience;
mod postgres;
mod presence;
mod queue;
mod rows;
mod sqlite;
mod statements;
mod strategy;
mod thread;
mod types;
mod verdict;
mod writer;

pub use types::{
    AccountWrite, AuditRecord, CallbackRecord, Committed, Conflict, DailyLimit, EntryRecord,
    HoldRecord, IdempotencyRecord, JournalError, JournalHealth, JournalKind, NewDelivery, Urgency,
    Write,
};

pub(super) use verdict::open_successor;

use super::audit::{AuditKey, AuditRow};
use super::mapping;
use crate::clock::SharedClock;
use gauges::Gauges;
use queue::{Job, Queued, Work};
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, oneshot, watch};

/// Work that may wait at a time. A grouped write of 512 takes some 10 ms, so that a full queue is a fifth of a second.
const QUEUE_MAX: usize = 8_192;
/// What only assured writes may take: replies and proof find room when creates have filled the rest.
const QUEUE_RESERVED: usize = QUEUE_MAX / 10;

/// The handle of the journal; clones share one writer.
#[derive(Debug, Clone)]
pub struct Journal {
    shared: Arc<Shared>,
}

struct Shared {
    jobs: mpsc::UnboundedSender<Queued>,
    /// One for each piece of work from its acceptance to its answer.
    permits: Arc<Semaphore>,
    gauges: Arc<Gauges>,
    clock: SharedClock,
    ended: watch::Receiver<End>,
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Journal").finish_non_exhaustive()
    }
}

/// How far the writer's thread is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Running,
    EpochLost,
    LogCut,
    Stopped,
}

impl Journal {
    /// Starts the writer on a thread of its own. It keeps trying while the database is away; queued writes wait.
    #[must_use]
    pub fn start(
        database: &super::Database,
        epoch: i64,
        kind: JournalKind,
        clock: SharedClock,
        audit_key: AuditKey,
    ) -> Self {
        let (jobs, waiting) = mpsc::unbounded_channel();
        let (end, ended) = watch::channel(End::Running);
        let gauges = Arc::new(Gauges::default());
        let orders = thread::Orders {
            place: database.place.clone(),
            file: database.file.clone(),
            epoch,
            kind,
            clock: clock.clone(),
            audit_key,
        };
        thread::spawn(orders, waiting, gauges.clone(), end);
        Self {
            shared: Arc::new(Shared {
                jobs,
                permits: Arc::new(Semaphore::new(QUEUE_MAX)),
                gauges,
                clock,
                ended,
            }),
        }
    }

    /// Commits one decision. `Refusable` fails with `Full` instead of waiting. The write happens even if the caller
    /// stops waiting for the answer.
    ///
    /// # Errors
    /// See [`JournalError`]; after `Stopped` of a write that was accepted nobody knows whether it was made.
    pub async fn commit(&self, write: Write, urgency: Urgency) -> Result<Committed, JournalError> {
        let prepared =
            mapping::prepare(&write).map_err(|error| JournalError::Refused(error.to_string()))?;
        drop(write);
        self.commit_prepared(prepared, urgency).await
    }

    /// Commits one movement of an account that belongs to no order.
    ///
    /// `Stale`: the balance has moved, or the account has moved for this source already.
    ///
    /// # Errors
    /// As [`Journal::commit`]. It is `Refusable`: a debit is asked for again.
    pub async fn commit_account(&self, write: &AccountWrite) -> Result<Committed, JournalError> {
        let rows = mapping::prepare_account(write);
        let prepared = mapping::Prepared::Account(Box::new(rows));
        self.commit_prepared(prepared, Urgency::Refusable).await
    }

    async fn commit_prepared(
        &self,
        prepared: mapping::Prepared,
        urgency: Urgency,
    ) -> Result<Committed, JournalError> {
        let permit = self.room(urgency).await?;
        let (answer, answered) = oneshot::channel();
        let work = Work::Commit(Box::new(queue::Entry::new(prepared, urgency, answer)));
        self.send(work, permit)?;
        answered.await.unwrap_or_else(|_| Err(self.ended()))
    }

    /// Runs these statements in one write, conditioned on the epoch; rows affected by each.
    ///
    /// # Errors
    /// `Unavailable` when the database is away; the statements may then have been run only if it was lost during
    /// the commit. See [`JournalError`] for the others.
    pub async fn run(&self, statements: Vec<sea_orm::Statement>) -> Result<Vec<u64>, JournalError> {
        let audit = None;
        self.run_all(queue::Run { statements, audit }).await
    }

    /// As [`Journal::run`], for what a person did: it enters the audit log in the same write, if the first statement
    /// changes a row.
    ///
    /// # Errors
    /// As [`Journal::run`].
    pub async fn run_audited(
        &self,
        statements: Vec<sea_orm::Statement>,
        record: &AuditRecord,
    ) -> Result<Vec<u64>, JournalError> {
        let decision = crate::clock::new_id("evt");
        let at = self.shared.clock.wall();
        let audit = Some(AuditRow::new(record, &decision, at));
        self.run_all(queue::Run { statements, audit }).await
    }

    async fn run_all(&self, run: queue::Run) -> Result<Vec<u64>, JournalError> {
        let permit = self.room(Urgency::Assured).await?;
        let (answer, answered) = oneshot::channel();
        self.send(Work::Run(Box::new(run), answer), permit)?;
        answered.await.unwrap_or_else(|_| Err(self.ended()))
    }

    /// Tells `observer` of each batch from now on: its writes, and how many milliseconds the oldest of them waited.
    /// It runs on the writer's thread and must not block. Only the first observer is told.
    pub fn observe(&self, observer: impl Fn(usize, i64) + Send + Sync + 'static) {
        self.shared.gauges.observe(Box::new(observer));
    }

    #[must_use]
    pub fn health(&self) -> JournalHealth {
        let queued = QUEUE_MAX.saturating_sub(self.shared.permits.available_permits());
        self.shared
            .gauges
            .health(queued, self.shared.clock.mono_ms())
    }

    /// Completes when the journal writes no more, and says why: `EpochLost`, `LogCut`, or `Stopped` when it was closed or its
    /// thread has died.
    pub async fn ends(&self) -> JournalError {
        let mut ended = self.shared.ended.clone();
        // An error is as good: the thread has ended and dropped its side.
        drop(ended.wait_for(|end| *end != End::Running).await);
        self.ended()
    }

    /// Takes no new work, writes what is queued, ends the thread.
    pub async fn close(&self) {
        self.shared.permits.close();
        let stop = Queued {
            job: Job::Close,
            queued_at_ms: self.shared.clock.mono_ms(),
            permit: None,
        };
        if self.shared.jobs.send(stop).is_ok() {
            self.ends().await;
        }
    }

    async fn room(&self, urgency: Urgency) -> Result<OwnedSemaphorePermit, JournalError> {
        let permits = self.shared.permits.clone();
        match urgency {
            Urgency::Assured => permits
                .acquire_owned()
                .await
                .map_err(|_closed| self.ended()),
            Urgency::Refusable if permits.is_closed() => Err(self.ended()),
            Urgency::Refusable if permits.available_permits() <= QUEUE_RESERVED => {
                Err(JournalError::Full)
            }
            Urgency::Refusable => permits
                .try_acquire_owned()
                .map_err(|_none_left| JournalError::Full),
        }
    }

    fn send(&self, work: Work, permit: OwnedSemaphorePermit) -> Result<(), JournalError> {
        let queued = Queued {
            job: Job::Work(work),
            queued_at_ms: self.shared.clock.mono_ms(),
            permit: Some(permit),
        };
        self.shared
            .jobs
            .send(queued)
            .map_err(|_closed| self.ended())
    }

    fn ended(&self) -> JournalError {
        match *self.shared.ended.borrow() {
            End::EpochLost => JournalError::EpochLost,
            End::LogCut => JournalError::LogCut,
            End::Running | End::Stopped => JournalError::Stopped,
        }
    }
}
