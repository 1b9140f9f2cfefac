//! The writer: take a batch, write it, bisect what fails, repeat while the database is away, answer.

use super::batch::{self, Next};
use super::fault::{Fault, Refused};
use super::gauges::Gauges;
use super::queue::{Job, Queued, Run, Waiting};
use super::strategy::Strategy;
use super::types::{Committed, JournalError};
use super::verdict::{self, Verdict};
use crate::clock::SharedClock;
use sea_orm::DbErr;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;

const BACKOFF_FIRST: Duration = Duration::from_millis(50);
const BACKOFF_MAX: Duration = Duration::from_secs(1);
/// How often an idle writer looks whether its file is at its place: without, only the next order would show that it is not.
const IDLE_LOOK: Duration = Duration::from_secs(1);

/// Nothing more is written, and why.
#[derive(Debug, Clone, Copy)]
pub(super) enum Over {
    /// The database is another runtime's.
    EpochLost,
    /// The database's log was cut.
    LogCut,
}

impl Over {
    /// What whoever waits is told.
    pub(super) const fn error(self) -> JournalError {
        match self {
            Self::EpochLost => JournalError::EpochLost,
            Self::LogCut => JournalError::LogCut,
        }
    }

    /// Of a log that was cut, told once.
    pub(super) fn log_cut(reason: &str) -> Self {
        tracing::error!(%reason, "the database's log was cut under this process: nothing more is written");
        Self::LogCut
    }
}

pub(super) struct Writer {
    pub(super) strategy: Strategy,
    pub(super) clock: SharedClock,
    pub(super) jobs: mpsc::UnboundedReceiver<Queued>,
    pub(super) waiting: VecDeque<Queued>,
    pub(super) gauges: Arc<Gauges>,
}

impl Writer {
    pub(super) async fn run(&mut self) -> Result<(), Over> {
        loop {
            self.drain();
            match batch::next(&mut self.waiting, self.strategy.limits()) {
                Next::Nothing => {
                    self.gauges.oldest(None);
                    match self.arrival().await {
                        Arrival::Work(queued) => self.waiting.push_back(queued),
                        Arrival::Ended => return Ok(()),
                        Arrival::None if self.strategy.presence.before().is_ok() => {}
                        Arrival::None => {
                            self.gauges.oldest(Some(self.clock.mono_ms()));
                            self.until_it_writes(Backoff::default()).await?;
                        }
                    }
                }
                Next::Close => {
                    self.jobs.close();
                    self.drain();
                    if self.waiting.is_empty() {
                        return Ok(());
                    }
                }
                Next::Batch(batch) => {
                    self.write(batch).await?;
                    self.strategy.rest();
                }
                Next::Run {
                    run,
                    answer,
                    queued_at_ms,
                    permit,
                } => {
                    self.gauges.oldest(Some(queued_at_ms));
                    self.statements(run, answer).await?;
                    drop(permit);
                }
            }
        }
    }

    /// Waits for work; where a file is to be watched, not for long.
    async fn arrival(&mut self) -> Arrival {
        let arrived = if self.strategy.presence.is_needed() {
            match tokio::time::timeout(IDLE_LOOK, self.jobs.recv()).await {
                Ok(arrived) => arrived,
                Err(_) => return Arrival::None,
            }
        } else {
            self.jobs.recv().await
        };
        arrived.map_or(Arrival::Ended, Arrival::Work)
    }

    pub(super) fn drain(&mut self) {
        while let Ok(queued) = self.jobs.try_recv() {
            self.waiting.push_back(queued);
        }
    }

    /// Writes a batch; what fails is halved until it fails alone.
    async fn write(&mut self, batch: Vec<Waiting>) -> Result<(), Over> {
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
    async fn attempt(&mut self, part: &mut Vec<Waiting>) -> Result<Option<Refused>, Over> {
        let mut backoff = Backoff::default();
        let mut unclear = false;
        while !part.is_empty() {
            let oldest = part.iter().map(|waiting| waiting.queued_at_ms).min();
            self.gauges.oldest(oldest);
            let reason = match self.once(part, &mut unclear).await {
                Ok(refused) => return Ok(refused),
                Err(Trouble::Over(over)) => {
                    refuse(part.drain(..), over);
                    return Err(over);
                }
                Err(Trouble::Away(reason)) => reason,
            };
            tracing::warn!(%reason, writes = part.len(), "the journal waits for the database");
            backoff.wait().await;
            self.drain();
            if unclear && self.answer_standing(part).await.is_ok() {
                // What is still in `part` was not committed: its callers may be told so. A full disk stays full.
                unclear = false;
            }
            self.give_up(part, unclear, &reason);
        }
        // Every caller was told that nothing was written, and the database is still away.
        self.until_it_writes(backoff).await?;
        Ok(None)
    }

    /// Tries until a write succeeds, or nobody is left who could want one. Its time of waiting stands meanwhile: who cannot write is not ready, also when
    /// nothing waits.
    async fn until_it_writes(&mut self, mut backoff: Backoff) -> Result<(), Over> {
        loop {
            match self.strategy.run(&Run::default()).await {
                Ok(Some(_)) => return Ok(()),
                Ok(None) => return Err(Over::EpochLost),
                Err(Fault::Cut(reason)) => return Err(Over::log_cut(&reason)),
                Err(fault) => {
                    backoff.wait().await;
                    self.strategy.make_room();
                    self.drain();
                    self.give_up(&mut Vec::new(), false, &fault.reason());
                    if self.is_at_its_end() {
                        return Ok(());
                    }
                }
            }
        }
    }

    /// Whether there is nothing to do but to stop.
    fn is_at_its_end(&self) -> bool {
        match self.waiting.front() {
            None => self.jobs.is_closed(),
            Some(queued) => matches!(queued.job, Job::Close),
        }
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
                self.gauges.written(matched.len(), self.clock.mono_ms());
                self.answer_written(part, matched).await?;
                Ok(None)
            }
            Err(fault) => {
                match fault {
                    Fault::Away(reason) => Err(Trouble::Away(reason)),
                    Fault::Cut(reason) => Err(Trouble::Over(Over::log_cut(&reason))),
                    Fault::Unclear(reason) => {
                        // Looked up at once where the answer is sure: on a full disk every attempt is unclear, and
                        // whoever is to be refused waits for a clear one.
                        let looked_up =
                            self.strategy.is_embedded() && self.answer_standing(part).await.is_ok();
                        *unclear = !looked_up;
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
                    return Err(Trouble::Over(Over::EpochLost));
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
        self.strategy.presence.before()?;
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
}

fn refuse(waiting: impl Iterator<Item = Waiting>, over: Over) {
    for one in waiting {
        one.answer(Err(over.error()));
    }
}

/// What came to an idle writer.
enum Arrival {
    Work(Queued),
    None,
    Ended,
}

/// Why an attempt came to nothing.
enum Trouble {
    Over(Over),
    Away(String),
}

impl From<DbErr> for Trouble {
    /// A look-up writes nothing: whatever is wrong with it, it is repeated.
    fn from(error: DbErr) -> Self {
        Self::Away(error.to_string())
    }
}

impl From<Fault> for Trouble {
    fn from(fault: Fault) -> Self {
        if let Fault::Cut(reason) = &fault {
            return Self::Over(Over::log_cut(reason));
        }
        Self::Away(fault.reason())
    }
}

/// Longer and longer pauses between attempts, so that a database that comes back is not stormed.
pub(super) struct Backoff(Duration);

impl Default for Backoff {
    fn default() -> Self {
        Self(BACKOFF_FIRST)
    }
}

impl Backoff {
    pub(super) async fn wait(&mut self) {
        tokio::time::sleep(self.0).await;
        self.0 = self.0.saturating_mul(2).min(BACKOFF_MAX);
    }
}
