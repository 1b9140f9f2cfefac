//! Many decisions in one write on PostgreSQL: a fixed text in one round trip, and one array of rows for each thing that is
//! written. There are two texts: one for what most batches write, and one for everything.
//!
//! The guards stand inside the text. A decision's order is written only as it was expected, and everything else of it
//! only if its id stands in the order then. So what did not match writes nothing, and needs no second round trip.

mod arrays;
mod ledger;
mod table;
mod text;

use crate::store::mapping::Prepared;
use arrays::Arrays;
use entities::audit_log;
use sea_orm::{ConnectionTrait, DatabaseConnection, DbBackend, DbErr, Statement};
use std::collections::HashSet;

/// Writes these decisions, and says of each whether its order was as it expects.
pub(super) async fn write(
    connection: &DatabaseConnection,
    epoch: i64,
    decisions: &[&Prepared],
    audit: Option<audit_log::Model>,
) -> Result<Vec<bool>, DbErr> {
    let arrays = Arrays::of(decisions, audit)?;
    let extent = arrays.extent();
    let (text, values) = (text::text(extent), arrays.values(epoch, extent));
    let statement = Statement::from_sql_and_values(DbBackend::Postgres, text, values);
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
