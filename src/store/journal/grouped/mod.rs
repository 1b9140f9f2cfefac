//! Many decisions in one write: one fixed text for each backend, and one array of rows for each thing that is written.
//!
//! The guards stand inside the text. A decision's order is written only as it was expected, and everything else of it
//! only if its id stands in the order then. So what did not match writes nothing, and needs no second round trip.

mod arrays;
mod table;
mod text;

use crate::store::mapping::Prepared;
use arrays::Arrays;
use sea_orm::{ConnectionTrait, DatabaseConnection, DbBackend, DbErr, Statement};
use std::collections::HashSet;

/// Writes these decisions, and says of each whether its order was as it expects.
pub(super) async fn write(
    connection: &DatabaseConnection,
    epoch: i64,
    decisions: &[&Prepared],
) -> Result<Vec<bool>, DbErr> {
    let backend = connection.get_database_backend();
    let text = if backend == DbBackend::Sqlite {
        text::sqlite()
    } else {
        text::postgres()
    };
    let values = Arrays::of(decisions)?.values(epoch, backend);
    let statement = Statement::from_sql_and_values(backend, text, values);
    let rows = connection.query_all_raw(statement).await?;
    let mut standing = HashSet::with_capacity(rows.len());
    for row in rows {
        standing.insert(row.try_get_by_index::<String>(0)?);
    }
    Ok(decisions
        .iter()
        .map(|decision| standing.contains(decision.decision()))
        .collect())
}
