//! The right to deliver one trade, and the row that says that it is.

use super::counter::OVERDUE_MS;
use super::desk::{Desk, Seat};
use super::{header, told};
use crate::store::metered::{self, KeptAnswer};
use crate::store::{JournalError, alerts};
use std::time::Duration;

/// What was made waits so long for its row. Whoever paid for it has mostly gone by then, and comes again.
const ROW_WAIT: Duration = Duration::from_secs(10);
/// Between tries to take back what did not go out.
const AGAIN: Duration = Duration::from_secs(2);

/// The right to deliver one trade.
#[derive(Debug)]
pub(super) struct Ticket {
    pub(super) desk: Desk,
    pub(super) out_trade_no: Option<String>,
    pub(super) resource: String,
    pub(super) proof_digest: String,
    pub(super) seat: Seat,
}

/// What became of the row.
enum Row {
    Written,
    /// It says otherwise: somebody else has been at it.
    Otherwise,
    NotWritten,
    /// The connection was lost, perhaps in the middle of the commit.
    InDoubt,
}

impl Ticket {
    /// The row after the resource was made and before it goes out. False: it must not go out.
    pub(super) async fn goes_out(self, answer: Option<&KeptAnswer>) -> bool {
        let mut row = self.row(answer).await;
        if matches!(row, Row::InDoubt) {
            row = match self.row(answer).await {
                // Only who has the seat writes that it is delivered: what stands is ours.
                Row::Otherwise => Row::Written,
                row @ (Row::Written | Row::NotWritten | Row::InDoubt) => row,
            };
        }
        match row {
            Row::Written => {
                self.desk.delivered.notify_one();
                true
            }
            Row::Otherwise | Row::NotWritten => false,
            Row::InDoubt => {
                tokio::spawn(self.take_back());
                false
            }
        }
    }

    async fn row(&self, answer: Option<&KeptAnswer>) -> Row {
        let parts = &self.desk.parts;
        let key = &self.seat.key;
        let (backend, now) = (parts.database.backend(), self.desk.now());
        let delivered = metered::delivered(backend, key, &self.proof_digest, answer, now);
        let over = alerts::resolve(backend, &told::undelivered(key, "").key(), now);
        let written = parts.journal.run(vec![delivered, over]);
        let error = match tokio::time::timeout(ROW_WAIT, written).await {
            Ok(Ok(rows)) if rows.first() == Some(&1) => return Row::Written,
            Ok(Ok(_)) => return Row::Otherwise,
            Ok(Err(error)) => error,
            Err(_elapsed) => JournalError::Unavailable("it takes too long".to_owned()),
        };
        tracing::warn!(trade_no = key.trade_no, %error, "a delivery cannot be recorded");
        match error {
            JournalError::Unavailable(_) => Row::InDoubt,
            JournalError::Full
            | JournalError::EpochLost
            | JournalError::LogCut
            | JournalError::Refused(_)
            | JournalError::Stopped => Row::NotWritten,
        }
    }

    /// Nothing has gone out, and the row may say that it has. It is set right as soon as the database answers; until then
    /// nobody else has the seat, and the delivery is not confirmed.
    async fn take_back(self) {
        let parts = &self.desk.parts;
        let key = &self.seat.key;
        loop {
            let overdue_at = self.desk.now().plus(OVERDUE_MS);
            let back = metered::not_delivered(parts.database.backend(), key, overdue_at);
            match parts.journal.run(vec![back]).await {
                Ok(_) => return,
                Err(error @ (JournalError::Unavailable(_) | JournalError::Full)) => {
                    tracing::warn!(trade_no = key.trade_no, %error, "a delivery cannot be taken back yet");
                    tokio::time::sleep(AGAIN).await;
                }
                Err(error) => {
                    tracing::error!(
                        trade_no = key.trade_no, %error,
                        "nothing went out for this trade, and its row may say that it did"
                    );
                    return;
                }
            }
        }
    }

    /// What `Payment-Validation` says.
    pub(super) fn validation(&self) -> Option<String> {
        let number = self.out_trade_no.as_deref();
        header::validation(&self.seat.key.trade_no, number, &self.resource)
    }
}
