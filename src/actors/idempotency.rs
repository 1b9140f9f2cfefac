//! What an `Idempotency-Key` stands for.

use super::gateway::GatewayError;
use super::shared::Shared;
use super::turn::unread;
use crate::store::journal::IdempotencyRecord;
use crate::store::{JournalError, orders};
use sha2::{Digest, Sha256};

impl Shared {
    /// Refuses a key that stands for another payload.
    pub(super) async fn refuse_reuse(
        &self,
        record: &IdempotencyRecord,
    ) -> Result<(), GatewayError> {
        let read = &self.parts.database.read;
        let known = orders::idempotency(read, &record.owner, &record.route, &record.key).await;
        match known.map_err(unread)? {
            Some((digest, _)) if digest != record.payload_digest => {
                Err(GatewayError::IdempotencyKeyReuse)
            }
            Some(_) | None => Ok(()),
        }
    }

    /// The key stands for this payload from now on, unless it stands for another one.
    pub(super) async fn remember_key(
        &self,
        record: &IdempotencyRecord,
    ) -> Result<(), GatewayError> {
        let backend = self.parts.database.backend();
        let at = self.now().wall;
        let statement = orders::remember_idempotency(backend, record, at);
        self.parts
            .journal
            .run(vec![statement])
            .await
            .map_err(|error| unwritten(&error))?;
        self.refuse_reuse(record).await
    }
}

/// `sha256:<hex>` of what a key stands for.
pub(super) fn payload_digest(payload: &[u8]) -> String {
    format!("sha256:{}", hex::encode(Sha256::digest(payload)))
}

/// Whether it is certain that nothing was written: a journal that has ended may have ended after the commit.
pub(super) fn unwritten(error: &JournalError) -> GatewayError {
    match error {
        JournalError::Full | JournalError::Unavailable(_) | JournalError::Refused(_) => {
            GatewayError::Busy(error.to_string())
        }
        JournalError::EpochLost | JournalError::LogCut | JournalError::Stopped => {
            GatewayError::Unclear(error.to_string())
        }
    }
}
