//! What a request to an account finds, in one query: a balance and what stands under a number are of one moment.

use crate::domain::UnixMillis;
use crate::domain::ledger::{Balance, Entry, Found, Hold, HoldStatus, Request, debit_source};
use crate::store::StoreError;
use crate::store::single::Single;
use entities::balances;
use sea_orm::{
    ConnectionTrait, DatabaseConnection, DbErr, EntityTrait, QueryResult, Statement, Value,
};

/// What a request finds, and where the balance's row stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    pub found: Found,
    /// `None`: the account has no row of this kind yet.
    pub version: Option<i64>,
}

const DEBIT: &str =
    "SELECT b.balance, b.held, b.version, e.entry_id, e.at, e.kind, e.quantity, e.source,
        e.balance_after
    FROM (SELECT 1 AS one) AS here
    LEFT JOIN balances b ON b.account = $1 AND b.kind = $2
    LEFT JOIN ledger_entries e ON e.account = $1 AND e.source = $3";

const HOLD: &str =
    "SELECT b.balance, b.held, b.version, h.hold_no, h.kind, h.quantity, h.captured, h.status,
        h.expires_at, h.created_at
    FROM (SELECT 1 AS one) AS here
    LEFT JOIN balances b ON b.account = $1 AND b.kind = $2
    LEFT JOIN holds h ON h.account = $1 AND h.hold_no = $3";

/// The balance is of the kind that is held.
const END_OF_HOLD: &str =
    "SELECT b.balance, b.held, b.version, h.hold_no, h.kind, h.quantity, h.captured, h.status,
        h.expires_at, h.created_at
    FROM holds h
    LEFT JOIN balances b ON b.account = h.account AND b.kind = h.kind
    WHERE h.account = $1 AND h.hold_no = $2";

/// How the balance of an account stands; what stands under a number is not looked for.
pub async fn standing(
    read: &DatabaseConnection,
    account: &str,
    kind: &str,
) -> Result<Standing, StoreError> {
    let key = (account.to_owned(), kind.to_owned());
    let row = balances::Entity::find_by_id(key).single(read).await?;
    let balance = row.as_ref().map(|row| Balance {
        balance: row.balance,
        held: row.held,
    });
    Ok(Standing {
        found: Found {
            balance: balance.unwrap_or_default(),
            ..Found::default()
        },
        version: row.map(|row| row.version),
    })
}

/// What this request of `account` finds.
pub async fn found(
    read: &DatabaseConnection,
    account: &str,
    request: &Request,
) -> Result<Standing, StoreError> {
    let (sql, values): (&str, Vec<Value>) = match request {
        Request::Debit { debit_no, kind, .. } => (
            DEBIT,
            vec![
                account.into(),
                kind.as_str().into(),
                debit_source(debit_no).into(),
            ],
        ),
        Request::Hold { hold_no, kind, .. } => (
            HOLD,
            vec![
                account.into(),
                kind.as_str().into(),
                hold_no.as_str().into(),
            ],
        ),
        Request::Capture { hold_no, .. }
        | Request::Release { hold_no }
        | Request::Expire { hold_no } => {
            (END_OF_HOLD, vec![account.into(), hold_no.as_str().into()])
        }
    };
    let backend = read.get_database_backend();
    let statement = Statement::from_sql_and_values(backend, sql, values);
    let row = read.query_one_raw(statement).await?;
    let Some(row) = row else {
        return Ok(Standing {
            found: Found::default(),
            version: None,
        });
    };
    let is_debit = matches!(request, Request::Debit { .. });
    Ok(Standing {
        found: Found {
            balance: balance(&row)?,
            entry: if is_debit { entry(&row)? } else { None },
            hold: if is_debit { None } else { hold(&row)? },
        },
        version: row.try_get_by_index(2)?,
    })
}

fn balance(row: &QueryResult) -> Result<Balance, DbErr> {
    Ok(Balance {
        balance: row.try_get_by_index::<Option<i64>>(0)?.unwrap_or_default(),
        held: row.try_get_by_index::<Option<i64>>(1)?.unwrap_or_default(),
    })
}

fn entry(row: &QueryResult) -> Result<Option<Entry>, DbErr> {
    let Some(entry_id) = row.try_get_by_index::<Option<String>>(3)? else {
        return Ok(None);
    };
    Ok(Some(Entry {
        entry_id,
        at: UnixMillis(row.try_get_by_index(4)?),
        kind: row.try_get_by_index(5)?,
        quantity: row.try_get_by_index(6)?,
        source: row.try_get_by_index(7)?,
        balance_after: row.try_get_by_index(8)?,
    }))
}

fn hold(row: &QueryResult) -> Result<Option<Hold>, StoreError> {
    let Some(hold_no) = row.try_get_by_index::<Option<String>>(3)? else {
        return Ok(None);
    };
    let status: String = row.try_get_by_index(7)?;
    Ok(Some(Hold {
        hold_no,
        kind: row.try_get_by_index(4)?,
        quantity: row.try_get_by_index(5)?,
        captured: row.try_get_by_index(6)?,
        status: HoldStatus::parse(&status)
            .ok_or_else(|| StoreError::Row(format!("status holds `{status}`")))?,
        expires_at: row.try_get_by_index::<Option<i64>>(8)?.map(UnixMillis),
        created_at: UnixMillis(row.try_get_by_index(9)?),
    }))
}
