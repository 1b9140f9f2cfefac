//! Accounts: what is asked of one is decided one after another, and committed on the version that it was decided on.
//!
//! The version alone keeps a balance right, since grants and revocations of orders move it too. The lock makes a
//! conflict the exception: two debits of one account in the same millisecond are decided in turn, not again and again.

mod bell;
mod locks;
mod watch;

pub(super) use watch::watch;

use super::gateway::GatewayError;
use super::shared::Shared;
use crate::clock::new_id;
use crate::domain::ledger::{
    Balance, Decided, Entry, Hold, Movement, Outcome, Refusal, Request, decide,
};
use crate::domain::{EventId, UnixMillis};
use crate::scrub::scrub;
use crate::store::journal::{AccountWrite, EntryRecord, HoldRecord};
use crate::store::ledger::{self, Standing};
use crate::store::{Committed, Conflict, JournalError, StoreError};
use bell::Bell;
use locks::Locks;
use thiserror::Error;

/// How often a request is decided again because the balance had moved. Only orders of the same account move it
/// meanwhile, each of them once or twice in its life.
const DECISIONS_MAX: u32 = 50;

/// What the runtime keeps for its accounts.
#[derive(Default)]
pub(super) struct Accounts {
    pub(super) locks: Locks,
    bell: Bell,
}

/// What a request to an account has come to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Moved {
    /// A debit, as it was booked.
    Entry(Entry),
    /// A hold, as it stands.
    Hold(Hold),
}

/// Why a request to an account has no answer.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum AccountError {
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// Nothing was written: a 503 with `Retry-After`.
    #[error("the runtime takes no new work now: {0}")]
    Busy(String),
    /// Nobody knows whether it was written. The same request again tells, and moves nothing twice.
    #[error("the outcome is not known yet: {0}")]
    Unclear(String),
}

impl AccountError {
    /// Nothing was accepted by the journal yet.
    fn unread(error: &StoreError) -> Self {
        match error {
            StoreError::Row(_) => Self::Unclear(error.to_string()),
            StoreError::Database(_) | StoreError::InUse(_) | StoreError::Unusable(_) => {
                Self::Busy(error.to_string())
            }
        }
    }

    fn uncommitted(error: &JournalError) -> Self {
        match error {
            JournalError::Full | JournalError::Unavailable(_) => Self::Busy(error.to_string()),
            JournalError::EpochLost
            | JournalError::LogCut
            | JournalError::Refused(_)
            | JournalError::Stopped => Self::Unclear(error.to_string()),
        }
    }

    pub(super) fn at_the_door(error: &GatewayError) -> Self {
        Self::Busy(error.to_string())
    }
}

impl Shared {
    /// Decides about a request of an account and commits it. Who calls holds the account's lock.
    pub(super) async fn move_account(
        &self,
        account: &str,
        request: &Request,
    ) -> Result<Moved, AccountError> {
        let overdraft = self.overdraft(account);
        for decision in 0..DECISIONS_MAX {
            // A debit is new, as a rule, and its write looks for one of the same number in any case. What cannot be
            // decided so is decided on all that there is.
            let is_first = decision == 0;
            let standing = self.standing(account, request, is_first).await?;
            let now = self.now().wall;
            let Decided { movement, outcome } = decide(&standing.found, request, now, overdraft);
            let Some(movement) = movement else {
                if is_first && matches!(request, Request::Debit { .. }) {
                    continue;
                }
                return moved(outcome?, standing.found.entry);
            };
            let goes_below = standing
                .found
                .balance
                .balance
                .saturating_add(movement.quantity)
                < 0;
            let expires_at = movement.hold.as_ref().and_then(|hold| hold.expires_at);
            let write = write_of(account, standing.version, movement, now);
            let booked = booked(&write, standing.found.balance);
            match self.parts.journal.commit_account(&write).await {
                Ok(Committed::Done) => {
                    self.accounts.bell.moved(expires_at, goes_below);
                    return moved(outcome?, booked);
                }
                // Somebody else moved the account, or the number is in use: it is read again.
                Ok(
                    Committed::Stale
                    | Committed::OrderExists
                    | Committed::ReplacedOrderOpen
                    | Committed::DailyLimit
                    | Committed::Conflict(
                        Conflict::LedgerSource
                        | Conflict::TradeNo
                        | Conflict::IdempotencyKey
                        | Conflict::Callback
                        | Conflict::RefundCap,
                    ),
                ) => {}
                Err(error) => return Err(AccountError::uncommitted(&error)),
            }
        }
        Err(AccountError::Busy("the account keeps moving".to_owned()))
    }

    /// What the request is decided on.
    async fn standing(
        &self,
        account: &str,
        request: &Request,
        is_first: bool,
    ) -> Result<Standing, AccountError> {
        let read = &self.parts.database.read;
        let standing = match request {
            Request::Debit { kind, .. } if is_first => ledger::standing(read, account, kind).await,
            Request::Debit { .. }
            | Request::Hold { .. }
            | Request::Capture { .. }
            | Request::Release { .. }
            | Request::Expire { .. } => ledger::found(read, account, request).await,
        };
        standing.map_err(|error| AccountError::unread(&error))
    }

    /// How far below zero this account may spend.
    fn overdraft(&self, account: &str) -> i64 {
        let named = self.parts.overdraft.get(account);
        let others = || self.parts.overdraft.get("*");
        named.or_else(others).copied().unwrap_or_default()
    }
}

/// What a request has come to. `entry` is the one that it booked, now or before.
fn moved(outcome: Outcome, entry: Option<Entry>) -> Result<Moved, AccountError> {
    match outcome {
        Outcome::Hold(hold) => Ok(Moved::Hold(hold)),
        Outcome::Entry { source } => match entry {
            Some(entry) => Ok(Moved::Entry(entry)),
            None => Err(AccountError::Unclear(format!(
                "the entry of `{source}` is not there"
            ))),
        },
    }
}

/// The entry as this write books it: it holds at the version alone at which the balance was so.
fn booked(write: &AccountWrite, balance: Balance) -> Option<Entry> {
    write.entry.as_ref().map(|entry| Entry {
        entry_id: entry.entry_id.clone(),
        at: write.at,
        kind: write.kind.clone(),
        quantity: write.quantity,
        source: entry.source.clone(),
        balance_after: balance.balance.saturating_add(write.quantity),
    })
}

fn write_of(
    account: &str,
    expected_version: Option<i64>,
    movement: Movement,
    at: UnixMillis,
) -> AccountWrite {
    AccountWrite {
        decision_id: EventId(new_id("evt")),
        account: account.to_owned(),
        kind: movement.kind,
        expected_version,
        quantity: movement.quantity,
        held: movement.held,
        // What a merchant writes about a debit is free text, and its row lives longer than a log.
        entry: movement.entry.map(|(source, note)| EntryRecord {
            entry_id: new_id("ent"),
            source,
            note: note.map(|note| scrub(&note, &[])),
        }),
        hold: movement.hold.map(|hold| HoldRecord {
            hold_no: hold.hold_no,
            quantity: hold.quantity,
            captured: hold.captured,
            status: hold.status,
            expires_at: hold.expires_at,
            created_at: hold.created_at,
        }),
        at,
    }
}
