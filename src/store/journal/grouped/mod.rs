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
    let arrays = Arrays::of(decisions)?;
    let text = if backend == DbBackend::Sqlite {
        text::sqlite(arrays.present()).to_string()
    } else {
        text::postgres().to_owned()
    };
    let statement = Statement::from_sql_and_values(backend, text, arrays.values(epoch, backend));
    // All rows, though there is one: a driver that has what it was asked for leaves the rest of the text, and with it
    // the COMMIT.
    let rows = connection.query_all_raw(statement).await?;
    let mut ids = String::new();
    for row in rows {
        ids.push_str(&row.try_get_by_index::<String>(0)?);
    }
    let standing: HashSet<&str> = ids.split(' ').collect();
    Ok(decisions
        .iter()
        .map(|decision| standing.contains(decision.decision()))
        .collect())
}
