//! Writes that belong to no order.

use super::fault::{Fault, Refused};
use super::queue::{Answer, Run};
use super::types::JournalError;
use super::writer::{Backoff, Over, Writer};

impl Writer {
    /// Runs statements that belong to no order in a write of their own.
    pub(super) async fn statements(
        &mut self,
        run: Box<Run>,
        answer: Answer<Vec<u64>>,
    ) -> Result<(), Over> {
        let mut backoff = Backoff::default();
        loop {
            let ran = self.strategy.run(&run).await;
            let result = match ran {
                Ok(Some(rows)) => Ok(rows),
                Ok(None) => {
                    drop(answer.send(Err(JournalError::EpochLost)));
                    return Err(Over::EpochLost);
                }
                Err(Fault::Cut(reason)) => {
                    drop(answer.send(Err(JournalError::LogCut)));
                    return Err(Over::log_cut(&reason));
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
