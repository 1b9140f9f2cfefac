//! Whether balances are the sums of their entries, and what is held the sum of the holds.

use crate::store::StoreError;
use sea_orm::{ConnectionTrait, DatabaseConnection, FromQueryResult, Statement};

/// What an account has of one kind: as its row says, and as its entries and holds add up.
#[derive(Debug, Clone, PartialEq, Eq, FromQueryResult)]
pub struct Difference {
    pub account: String,
    pub kind: String,
    pub balance: i64,
    pub balance_of_entries: i64,
    pub held: i64,
    pub held_of_holds: i64,
}

/// What a check has looked at, and what does not add up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checked {
    pub balances: i64,
    pub entries: i64,
    /// In the order of their accounts; of a flood of them, the first [`DIFFERENCES_MAX`].
    pub differences: Vec<Difference>,
}

/// Differences that one check lists: who has so many has lost more than a number.
pub const DIFFERENCES_MAX: usize = 10_000;

/// One statement sees one moment, also while a server writes. An account that lacks its row, or whose row lacks
/// entries, is as good as one with a 0 in it. The database adds up by itself: no row of the ledger is held here.
const COMPARE: &str = "SELECT account, kind,
        CAST(SUM(balance) AS BIGINT) AS balance, CAST(SUM(of_entries) AS BIGINT) AS balance_of_entries,
        CAST(SUM(held) AS BIGINT) AS held, CAST(SUM(of_holds) AS BIGINT) AS held_of_holds
    FROM (
        SELECT account, kind, balance, held, 0 AS of_entries, 0 AS of_holds FROM balances
        UNION ALL
        SELECT account, kind, 0, 0, SUM(quantity), 0 FROM ledger_entries GROUP BY account, kind
        UNION ALL
        SELECT account, kind, 0, 0, 0, SUM(quantity) FROM holds WHERE status = 'HELD' GROUP BY account, kind
    ) AS sums
    GROUP BY account, kind
    HAVING SUM(balance) <> SUM(of_entries) OR SUM(held) <> SUM(of_holds)
    ORDER BY account, kind";

/// Adds up all entries and holds anew and compares them with the balances. It only reads.
///
/// # Errors
/// `Database` when it does not answer, or when entries add up to more than any balance can be.
pub async fn check(read: &DatabaseConnection) -> Result<Checked, StoreError> {
    let backend = read.get_database_backend();
    let compare = format!("{COMPARE} LIMIT {DIFFERENCES_MAX}");
    let rows = read
        .query_all_raw(Statement::from_string(backend, compare))
        .await?;
    let differences = rows
        .iter()
        .map(|row| Difference::from_query_result(row, ""))
        .collect::<Result<_, _>>()?;
    Ok(Checked {
        balances: count(read, "balances").await?,
        entries: count(read, "ledger_entries").await?,
        differences,
    })
}

async fn count(read: &DatabaseConnection, table: &str) -> Result<i64, StoreError> {
    let backend = read.get_database_backend();
    let sql = format!("SELECT COUNT(*) FROM {table}");
    let row = read
        .query_one_raw(Statement::from_string(backend, sql))
        .await?;
    match row {
        Some(row) => Ok(row.try_get_by_index(0)?),
        None => Ok(0),
    }
}
