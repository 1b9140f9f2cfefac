//! Forgetting orphans: the numbers that are asked about before a submit, and their rows.

use super::Gateway;
use crate::domain::UnixMillis;
use crate::store::{JournalError, StoreError, retention};
use thiserror::Error;

/// Why old orphans are still there.
#[derive(Debug, Error)]
pub(crate) enum ForgetError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Journal(#[from] JournalError),
}

impl Gateway {
    /// Forgets some orphans that were last told of before `before`: how many numbers it were, none at the end.
    pub(crate) async fn forget_orphans(&self, before: UnixMillis) -> Result<usize, ForgetError> {
        let database = &self.shared.parts.database;
        let order_nos = retention::old_orphans(&database.read, before).await?;
        if order_nos.is_empty() {
            return Ok(0);
        }
        // Before the rows: a notice that comes meanwhile remembers its number again.
        self.shared.forget_orphans(&order_nos);
        let statements = retention::forget_orphans(database.backend(), &order_nos, before);
        let deleted = self.shared.parts.journal.run(statements).await;
        // Also when nothing was deleted.
        for order_no in retention::still_orphans(&database.read, &order_nos).await? {
            let _remembered = self.shared.expect_orphan(&order_no);
        }
        deleted?;
        Ok(order_nos.len())
    }
}
