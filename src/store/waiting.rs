//! What waits in a table of work: when the next of it is due, how much there is, and since when.

use super::StoreError;
use super::single::Single;
use crate::domain::UnixMillis;
use sea_orm::{ColumnTrait, DatabaseConnection, EntityTrait, QueryOrder, QuerySelect, Select};

/// The earliest moment in the column `due` of these rows, if there are any.
pub(super) async fn next_due<E: EntityTrait>(
    read: &DatabaseConnection,
    rows: Select<E>,
    due: E::Column,
) -> Result<Option<UnixMillis>, StoreError> {
    let next: Option<Option<i64>> = rows
        .select_only()
        .column_as(due.min(), "due")
        .into_tuple()
        .single(read)
        .await?;
    Ok(next.flatten().map(UnixMillis))
}

/// How many of these rows there are, counted up to `most` in the order of `due`, and the earliest `created` of them.
pub(super) async fn counted<E: EntityTrait>(
    read: &DatabaseConnection,
    rows: Select<E>,
    due: E::Column,
    created: E::Column,
    most: u64,
) -> Result<(usize, Option<UnixMillis>), StoreError> {
    let created: Vec<i64> = rows
        .select_only()
        .column(created)
        .order_by_asc(due)
        .limit(most)
        .into_tuple()
        .all(read)
        .await?;
    let oldest = created.iter().min().copied();
    Ok((created.len(), oldest.map(UnixMillis)))
}
