//! Writes that belong to no order.

use super::fault::{Fault, Refused};
use super::queue::Answer;
use super::types::JournalError;
use super::writer::{Backoff, EpochLost, Writer};
use sea_orm::Statement;

impl Writer {
    /// Runs statements that belong to no order in a write of their own.
    pub(super) async fn statements(
        &mut self,
        statements: Vec<Statement>,
        answer: Answer<Vec<u64>>,
    ) -> Result<(), EpochLost> {
        let mut backoff = Backoff::default();
        loop {
            let ran = self.strategy.run(&statements).await;
            let result = match ran {
                Ok(Some(rows)) => Ok(rows),
                Ok(None) => {
                    drop(answer.send(Err(JournalError::EpochLost)));
                    return Err(EpochLost);
                }
                Err(Fault::Away(reason)) => {
                    tracing::warn!(%reason, "the journal waits for the database");
                    backoff.wait().await;
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
}
