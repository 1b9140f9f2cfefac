//! Grants in the ledger that their orders do not explain, page by page: the database holds the two against each other.

use super::Suspect;
use super::walk::paid_words;
use crate::domain::UnixMillis;
use crate::store::StoreError;
use sea_orm::{DatabaseConnection, DbBackend, FromQueryResult, Statement};

/// Grants of a page: some hundredths of a second of one reader. While a page is read, SQLite's log cannot begin anew.
const PAGE: i64 = 2_500;

/// As it stands in the condition of the index that grants are walked by.
const IS_GRANT: &str = "substr(source, 1, 6) = 'order:'";

/// What is left after refunds of the entitlement `e.kind` of the order `o`.
const ENTITLED_SQLITE: &str = "(SELECT json_extract(j.value, '$.quantity') - coalesce(json_extract(j.value, '$.revoked'), 0) \
     FROM json_each(o.entitlements) j WHERE json_extract(j.value, '$.kind') = e.kind)";
const ENTITLED_POSTGRES: &str = "(SELECT CAST(j.value ->> 'quantity' AS bigint) - coalesce(CAST(j.value ->> 'revoked' AS bigint), 0) \
     FROM json_array_elements(CAST(o.entitlements AS json)) AS j(value) WHERE j.value ->> 'kind' = e.kind)";

/// What refunds have moved of the grant `g`; reversed ones move it back. SQLite takes cross joins in the order in which
/// they are written: it must not look through all of an account.
const TAKEN: &str = "(SELECT coalesce(sum(t.quantity), 0) FROM orders o CROSS JOIN refunds r CROSS JOIN ledger_entries t \
     WHERE o.order_no = g.order_no AND r.order_id = o.order_id AND t.account = g.account AND t.kind = g.kind AND t.source IN \
     ('refund:' || o.order_no || ':' || r.refund_no, 'refund:' || o.order_no || ':' || r.refund_no || ':reversed'))";

/// Grants that were booked after `after` and whose orders do not explain them at first sight, and the moment that the
/// next page begins after; `None` at the end.
///
/// # Errors
/// When the database does not answer.
pub async fn unexplained(
    read: &DatabaseConnection,
    after: UnixMillis,
) -> Result<(Vec<Suspect>, Option<UnixMillis>), StoreError> {
    let backend = read.get_database_backend();
    let end = end_of_page(backend, after);
    let end = Moment::find_by_statement(end).one(read).await?;
    // All grants of one moment are in one page: it may be somewhat longer.
    let end = end.map(|end| UnixMillis(end.at));
    let until = end.unwrap_or(UnixMillis(i64::MAX));
    let page = Row::find_by_statement(page(backend, after, until))
        .all(read)
        .await?;
    let suspects = page.into_iter().map(|row| Suspect {
        order_no: row.order_no,
        account: Some(row.account),
    });
    Ok((suspects.collect(), end))
}

#[derive(FromQueryResult)]
struct Moment {
    at: i64,
}

#[derive(FromQueryResult)]
struct Row {
    account: String,
    order_no: String,
}

fn end_of_page(backend: DbBackend, after: UnixMillis) -> Statement {
    let sql = format!(
        "SELECT at FROM ledger_entries WHERE {IS_GRANT} AND at > $1 ORDER BY at LIMIT 1 OFFSET $2"
    );
    let offset = PAGE.saturating_sub(1);
    Statement::from_sql_and_values(backend, sql, [after.0.into(), offset.into()])
}

/// A subquery for each grant, and no join: PostgreSQL would read the whole table of orders for one page.
fn page(backend: DbBackend, after: UnixMillis, until: UnixMillis) -> Statement {
    let entitled = if backend == DbBackend::Sqlite {
        ENTITLED_SQLITE
    } else {
        ENTITLED_POSTGRES
    };
    let paid = paid_words().join("', '");
    let sql = format!(
        "WITH g AS MATERIALIZED (SELECT e.account, e.kind, e.quantity, substr(e.source, 7) AS order_no, \
         (SELECT CASE WHEN o.status IN ('{paid}') AND NOT o.withheld AND o.account = e.account THEN {entitled} END \
         FROM orders o WHERE o.order_no = substr(e.source, 7)) AS entitled \
         FROM ledger_entries e WHERE {IS_GRANT} AND e.at > $1 AND e.at <= $2) \
         SELECT g.account, g.order_no FROM g WHERE g.entitled IS NULL \
         OR (g.quantity > g.entitled AND g.quantity + {TAKEN} > g.entitled)"
    );
    Statement::from_sql_and_values(backend, sql, [after.0.into(), until.0.into()])
}
