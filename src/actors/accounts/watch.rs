//! The watch over accounts: holds expire when their time is over, and people hear of balances below zero.

use crate::actors::shared::Shared;
use crate::domain::UnixMillis;
use crate::domain::ledger::Request;
use crate::domain::order::{Alert, AlertKind, Severity};
use crate::moment::rfc3339;
use crate::store::alerts::About;
use crate::store::ledger::{self, DueHold, NegativeBalance};
use crate::store::{JournalError, StoreError};
use std::sync::Arc;
use thiserror::Error;

/// How soon a balance is noticed that an order has moved below zero.
const LOOK_EVERY_MS: i64 = 5_000;
/// Rows of one look; what is more is seen at the next one.
const LOOK_ROWS: u64 = 256;
/// Holds that expire side by side, so that their writes are grouped.
const SIDE_BY_SIDE: usize = 64;

#[derive(Debug, Error)]
enum WatchError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Journal(#[from] JournalError),
}

/// Looks again and again, for as long as the runtime lives.
pub(in crate::actors) async fn watch(shared: Arc<Shared>) {
    loop {
        shared.accounts.bell.looking();
        let look = tokio::spawn(look(Arc::clone(&shared)));
        // A task of its own: a panic ends that look, not the watch.
        let looked = look.await.unwrap_or_else(|end| {
            tracing::error!(%end, "a look at accounts broke; the next one tries again");
            Ok(None)
        });
        let next = looked.unwrap_or_else(|error| {
            tracing::warn!(%error, "accounts cannot be looked after now; it is tried again");
            None
        });
        let now = shared.now().wall;
        let by_itself = now.plus(LOOK_EVERY_MS);
        let next_look = next.map_or(by_itself, |next| next.min(by_itself));
        shared.accounts.bell.wait(now, next_look).await;
    }
}

/// Does what is due; when to look again, if that is known.
async fn look(shared: Arc<Shared>) -> Result<Option<UnixMillis>, WatchError> {
    let read = &shared.parts.database.read;
    let due = ledger::due_holds(read, shared.now().wall, LOOK_ROWS).await?;
    let mut refused = 0_usize;
    for some in due.chunks(SIDE_BY_SIDE) {
        refused = refused.saturating_add(expire(&shared, some).await);
    }
    for negative in ledger::negative_unknown(read, LOOK_ROWS).await? {
        shared.raise(&alert(&negative), &About::default()).await;
    }
    let over = ledger::negative_alerts_over(read, LOOK_ROWS).await?;
    if !over.is_empty() {
        let backend = shared.parts.database.backend();
        let resolve = ledger::resolve_alerts(backend, &over, shared.now().wall);
        shared.parts.journal.run(vec![resolve]).await?;
    }
    if refused > 0 {
        // They are due still: looking again at once would be a loop.
        return Ok(None);
    }
    Ok(ledger::next_expiry(read).await?)
}

/// How many could not expire: one that the database refuses keeps none of the others waiting, nor the alerts.
async fn expire(shared: &Arc<Shared>, due: &[DueHold]) -> usize {
    let mut expiring = Vec::with_capacity(due.len());
    for hold in due {
        let (shared, hold) = (Arc::clone(shared), hold.clone());
        expiring.push(tokio::spawn(async move {
            let DueHold { account, hold_no } = hold;
            let _turn = shared.accounts.locks.take(&account).await;
            let number = hold_no.clone();
            let request = Request::Expire { hold_no: number };
            let expired = shared.move_account(&account, &request).await;
            if let Err(error) = &expired {
                tracing::warn!(account, hold_no, %error, "a hold cannot expire now; it is tried again");
            }
            expired.is_ok()
        }));
    }
    let mut refused = 0_usize;
    for expired in expiring {
        if !expired.await.is_ok_and(|done| done) {
            refused = refused.saturating_add(1);
        }
    }
    refused
}

fn alert(negative: &NegativeBalance) -> Alert {
    let NegativeBalance {
        account,
        kind,
        balance,
        since,
    } = negative;
    Alert {
        kind: AlertKind::BalanceNegative,
        severity: Severity::Info,
        subject: format!("{account}/{kind}"),
        episode: since.0.to_string(),
        message: format!(
            "Account {account} has {balance} {kind}: it is below zero since {}.",
            rfc3339(*since)
        ),
    }
}
