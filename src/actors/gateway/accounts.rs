//! What is asked of accounts. Each request goes on when its caller hangs up; none of it touches a payment.

use super::{COMMIT_WAIT, Gateway};
use crate::actors::accounts::{AccountError, Moved};
use crate::domain::ledger::Request;
use std::sync::Arc;

impl Gateway {
    /// Spends, holds back, captures or releases credits, once for the request's number.
    pub async fn account(&self, account: &str, request: Request) -> Result<Moved, AccountError> {
        let seat = self
            .take_seat()
            .map_err(|error| AccountError::at_the_door(&error))?;
        let (shared, name) = (Arc::clone(&self.shared), account.to_owned());
        // A task of its own: what has begun is decided and committed, whoever hangs up.
        let work = tokio::spawn(async move {
            let _seat = seat;
            let _turn = shared.accounts.locks.take(&name).await;
            shared.move_account(&name, &request).await
        });
        match self.shared.within(COMMIT_WAIT, work).await {
            Some(Ok(moved)) => moved,
            Some(Err(end)) => Err(AccountError::Unclear(end.to_string())),
            None => Err(AccountError::Unclear(
                "the database did not commit in time".to_owned(),
            )),
        }
    }
}
