//! Reading the ledger: balances, entries, and what a request to an account is decided on.

mod check;
mod found;
mod watch;

pub use check::{Checked, DIFFERENCES_MAX, Difference, check};
pub use found::{Standing, found, standing};
pub use watch::{
    DueHold, NegativeBalance, due_holds, negative_alerts_over, negative_unknown, next_expiry,
    resolve_alerts,
};

use super::StoreError;
use crate::domain::UnixMillis;
use crate::domain::ledger::{Balance, Entry};
use entities::{balances, ledger_entries};
use sea_orm::{ColumnTrait, DatabaseConnection, EntityTrait, QueryFilter, QueryOrder, QuerySelect};

/// What an account has of one kind, as people look it up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredBalance {
    pub kind: String,
    pub balance: Balance,
    /// When the last period of a subscription ends.
    pub valid_until: Option<UnixMillis>,
}

/// What an account has, by kind. One without entries has nothing.
pub async fn balances(
    read: &DatabaseConnection,
    account: &str,
) -> Result<Vec<StoredBalance>, StoreError> {
    let rows = balances::Entity::find()
        .filter(balances::Column::Account.eq(account))
        .order_by_asc(balances::Column::Kind)
        .all(read)
        .await?;
    let stored = rows.into_iter().map(|row| StoredBalance {
        kind: row.kind,
        balance: Balance {
            balance: row.balance,
            held: row.held,
        },
        valid_until: row.valid_until.map(UnixMillis),
    });
    Ok(stored.collect())
}

/// An entry, and its place among all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredEntry {
    pub seq: i64,
    pub entry: Entry,
}

/// An account's entries, newest first, after the one at `after`.
pub async fn entries(
    read: &DatabaseConnection,
    account: &str,
    after: Option<i64>,
    limit: u64,
) -> Result<Vec<StoredEntry>, StoreError> {
    let mut query = ledger_entries::Entity::find()
        .filter(ledger_entries::Column::Account.eq(account))
        .order_by_desc(ledger_entries::Column::Seq)
        .limit(limit);
    if let Some(after) = after {
        query = query.filter(ledger_entries::Column::Seq.lt(after));
    }
    let rows = query.all(read).await?;
    Ok(rows.into_iter().map(stored).collect())
}

fn stored(row: ledger_entries::Model) -> StoredEntry {
    StoredEntry {
        seq: row.seq,
        entry: Entry {
            entry_id: row.entry_id,
            at: UnixMillis(row.at),
            kind: row.kind,
            quantity: row.quantity,
            source: row.source,
            balance_after: row.balance_after,
        },
    }
}
