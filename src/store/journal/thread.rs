//! The writer's thread: take a batch, write it, bisect what fails, repeat while the database is away, answer.

use super::End;
use super::fault::{Fault, Refused};
use super::queue::{self, Answer, Gauges, Job, Next, Queued, Waiting, Work};
use super::strategy::Strategy;
use super::types::{Committed, JournalError, JournalKind, Urgency};
use super::verdict::{self, Verdict};
use crate::clock::SharedClock;
use crate::store::connect::{self, Role};
use crate::store::place::Place;
use sea_orm::{DbErr, Statement};
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, watch};

/// How long a create waits for a database that is away before its caller is told that nothing was written.
const REFUSABLE_WAIT_MS: i64 = 2_000;
const BACKOFF_FIRST: Duration = Duration::from_millis(50);
const BACKOFF_MAX: Duration = Duration::from_secs(1);

/// What the thread is started with.
pub(super) struct Orders {
    pub(super) url: String,
    pub(super) epoch: i64,
    pub(super) kind: JournalKind,
    pub(super) clock: SharedClock,
}

/// Starts the thread. If that fails the journal is as good as stopped: every write says so.
pub(super) fn spawn(
    orders: Orders,
    jobs: mpsc::UnboundedReceiver<Queued>,
    gauges: Arc<Gauges>,
    end: watch::Sender<End>,
) {
    let started = std::thread::Builder::new()
        .name("journal".to_owned())
        .spawn(move || {
            let end = EndGuard(end);
            match tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
            {
                Ok(runtime) => runtime.block_on(work(orders, jobs, gauges, &end)),
                Err(error) => tracing::error!(%error, "the journal's runtime does not start"),
            }
        });
    if let Err(error) = started {
        tracing::error!(%error, "the journal's thread does not start");
    }
}

/// Says that the thread has ended, also when it panics.
struct EndGuard(watch::Sender<End>);

impl Drop for EndGuard {
    fn drop(&mut self) {
        self.0.send_if_modified(|end| {
            let running = *end == End::Running;
            if running {
                *end = End::Stopped;
            }
            running
        });
    }
}

async fn work(
    orders: Orders,
    jobs: mpsc::UnboundedReceiver<Queued>,
    gauges: Arc<Gauges>,
    end: &EndGuard,
) {
    let opened = match Place::parse(&orders.url) {
        Ok(place) => connect::connect(&place, Role::Journal).await,
        Err(error) => Err(error),
    };
    match opened {
        Ok(connection) => {
            let mut writer = Writer {
                strategy: Strategy {
                    kind: orders.kind,
                    connection,
                    epoch: orders.epoch,
                },
                clock: orders.clock,
                jobs,
                waiting: VecDeque::new(),
                gauges,
            };
            if writer.run().await.is_err() {
                end.0.send_replace(End::EpochLost);
                writer.refuse_all();
            }
            drop(writer.strategy.connection.close().await);
        }
        Err(error) => tracing::error!(%error, "the journal cannot open the database"),
    }
}

/// The epoch is over: nothing more is written.
struct EpochLost;

struct Writer {
    strategy: Strategy,
    clock: SharedClock,
    jobs: mpsc::UnboundedReceiver<Queued>,
    waiting: VecDeque<Queued>,
    gauges: Arc<Gauges>,
}

impl Writer {
    async fn run(&mut self) -> Result<(), EpochLost> {
        loop {
            self.drain();
            match queue::next(&mut self.waiting, self.strategy.batch_max()) {
                Next::Nothing => {
                    self.gauges.oldest(None);
                    match self.jobs.recv().await {
                        Some(queued) => self.waiting.push_back(queued),
                        None => return Ok(()),
                    }
                }
                Next::Close => {
                    self.jobs.close();
                    self.drain();
                    if self.waiting.is_empty() {
                        return Ok(());
                    }
                }
                Next::Batch(batch) => self.write(batch).await?,
                Next::Run(statements, answer, permit) => {
                    self.statements(statements, answer).await?;
                    drop(permit);
                }
            }
        }
    }

    fn drain(&mut self) {
        while let Ok(queued) = self.jobs.try_recv() {
            self.waiting.push_back(queued);
        }
    }

    /// Writes a batch; what fails is halved until it fails alone.
    async fn write(&mut self, batch: Vec<Waiting>) -> Result<(), EpochLost> {
        let mut parts = vec![batch];
        while let Some(mut part) = parts.pop() {
            let Some(refused) = self.attempt(&mut part).await? else {
                continue;
            };
            if part.len() > 1 {
                let second = part.split_off(part.len() / 2);
                parts.push(second);
                parts.push(part);
            } else if let Some(alone) = part.pop() {
                alone.answer(refused.answer());
            }
        }
        Ok(())
    }

    /// Writes `part` and answers it, waiting as long as the database is away. What comes back was refused, and `part`
    /// holds what is still unanswered.
    async fn attempt(&mut self, part: &mut Vec<Waiting>) -> Result<Option<Refused>, EpochLost> {
        let mut backoff = BACKOFF_FIRST;
        let mut unclear = false;
        while !part.is_empty() {
            let oldest = part.iter().map(|waiting| waiting.queued_at_ms).min();
            self.gauges.oldest(oldest);
            let reason = match self.once(part, &mut unclear).await {
                Ok(refused) => return Ok(refused),
                Err(Trouble::EpochLost) => {
                    refuse(part.drain(..));
                    return Err(EpochLost);
                }
                Err(Trouble::Away(reason)) => reason,
            };
            tracing::warn!(%reason, writes = part.len(), "the journal waits for the database");
            tokio::time::sleep(backoff).await;
            backoff = backoff.saturating_mul(2).min(BACKOFF_MAX);
            self.drain();
            self.give_up(part, unclear, &reason);
        }
        Ok(None)
    }

    /// One attempt. After an unclear commit it looks up first what stands.
    async fn once(
        &mut self,
        part: &mut Vec<Waiting>,
        unclear: &mut bool,
    ) -> Result<Option<Refused>, Trouble> {
        if *unclear {
            self.answer_standing(part).await?;
            *unclear = false;
        }
        let writes: Vec<_> = part.iter().map(|waiting| &waiting.entry.write).collect();
        match self.strategy.write(&writes).await {
            Ok(matched) => {
                self.gauges.written(matched.len());
                self.answer_written(part, matched).await?;
                Ok(None)
            }
            Err(error) => {
                self.strategy.abandon().await;
                match Fault::from(&error) {
                    Fault::Away(reason) => Err(Trouble::Away(reason)),
                    Fault::Unclear(reason) => {
                        *unclear = true;
                        Err(Trouble::Away(reason))
                    }
                    Fault::Refused(refused) => {
                        if part.len() == 1 {
                            // It may break a constraint only because it is a repetition of itself.
                            self.answer_standing(part).await?;
                        }
                        Ok(Some(refused))
                    }
                }
            }
        }
    }

    async fn answer_written(
        &self,
        part: &mut Vec<Waiting>,
        matched: Vec<bool>,
    ) -> Result<(), Trouble> {
        let mut unmatched = Vec::new();
        for (waiting, matched) in part.drain(..).zip(matched) {
            if matched {
                waiting.answer(Ok(Committed::Done));
            } else {
                unmatched.push(waiting);
            }
        }
        *part = unmatched;
        while let Some(waiting) = part.pop() {
            let (connection, epoch) = (&self.strategy.connection, self.strategy.epoch);
            match verdict::why(connection, epoch, &waiting.entry.write).await {
                Ok(Verdict::Became(outcome)) => waiting.answer(Ok(outcome)),
                Ok(Verdict::EpochLost) => {
                    part.push(waiting);
                    return Err(Trouble::EpochLost);
                }
                Err(error) => {
                    part.push(waiting);
                    return Err(error.into());
                }
            }
        }
        Ok(())
    }

    async fn answer_standing(&self, part: &mut Vec<Waiting>) -> Result<(), Trouble> {
        let mut standing = Vec::with_capacity(part.len());
        for waiting in part.iter() {
            let write = &waiting.entry.write;
            standing.push(verdict::stands(&self.strategy.connection, write).await?);
        }
        let mut missing = Vec::new();
        for (waiting, stands) in part.drain(..).zip(standing) {
            if stands {
                waiting.answer(Ok(Committed::Done));
            } else {
                missing.push(waiting);
            }
        }
        *part = missing;
        Ok(())
    }

    /// Tells creates that have waited too long that nothing was written, where that is certain.
    fn give_up(&mut self, part: &mut Vec<Waiting>, unclear: bool, reason: &str) {
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

    /// Runs statements that belong to no order in a write of their own.
    async fn statements(
        &mut self,
        statements: Vec<Statement>,
        answer: Answer<Vec<u64>>,
    ) -> Result<(), EpochLost> {
        let mut backoff = BACKOFF_FIRST;
        loop {
            let ran = self.strategy.run(&statements).await;
            let result = match ran.map_err(|error| Fault::from(&error)) {
                Ok(Some(rows)) => Ok(rows),
                Ok(None) => {
                    drop(answer.send(Err(JournalError::EpochLost)));
                    return Err(EpochLost);
                }
                Err(Fault::Away(reason)) => {
                    tracing::warn!(%reason, "the journal waits for the database");
                    tokio::time::sleep(backoff).await;
                    backoff = backoff.saturating_mul(2).min(BACKOFF_MAX);
                    self.drain();
                    self.give_up(&mut Vec::new(), false, &reason);
                    continue;
                }
                Err(Fault::Unclear(reason)) => Err(JournalError::Unavailable(reason)),
                Err(Fault::Refused(refused)) => Err(match refused {
                    Refused::Conflict(conflict) => JournalError::Refused(format!("{conflict:?}")),
                    Refused::Other(reason) => JournalError::Refused(reason),
                }),
            };
            drop(answer.send(result));
            return Ok(());
        }
    }

    /// Answers everything that waits: the epoch is over.
    fn refuse_all(&mut self) {
        self.jobs.close();
        self.drain();
        for queued in self.waiting.drain(..) {
            match queued.job {
                Job::Work(Work::Commit(entry)) => entry.answer(Err(JournalError::EpochLost)),
                Job::Work(Work::Run(_, answer)) => {
                    drop(answer.send(Err(JournalError::EpochLost)));
                }
                Job::Close => {}
            }
        }
    }
}

fn refuse(waiting: impl Iterator<Item = Waiting>) {
    for one in waiting {
        one.answer(Err(JournalError::EpochLost));
    }
}

/// Why an attempt came to nothing.
enum Trouble {
    EpochLost,
    Away(String),
}

impl From<DbErr> for Trouble {
    /// A look-up writes nothing: whatever is wrong with it, it is repeated.
    fn from(error: DbErr) -> Self {
        Self::Away(error.to_string())
    }
}
