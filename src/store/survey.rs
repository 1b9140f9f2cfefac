//! Looking over many orders at once: the start-up's stream, and counts.

use super::{Database, StoreError, mapping};
use crate::domain::UnixMillis;
use crate::domain::order::{Fingerprint, OrderStatus};
use entities::orders;
use sea_orm::{ColumnTrait, DatabaseConnection, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use std::collections::BTreeSet;

/// Rows of a page of the start-up's stream: large enough to cost little, small enough to be held.
const STREAM_PAGE: u64 = 20_000;

/// A row that the runtime must look at by itself.
#[derive(Debug, Clone)]
pub struct InFlight {
    pub order_no: String,
    pub status: OrderStatus,
    pub wake_at: UnixMillis,
}

/// Hands every row with a `wake_at` to `each`, by key, in pages.
pub async fn stream_in_flight(
    database: &Database,
    each: &mut (dyn FnMut(InFlight) + Send),
) -> Result<u64, StoreError> {
    let mut after = String::new();
    let mut count: u64 = 0;
    loop {
        let page: Vec<(String, String, i64)> = orders::Entity::find()
            .select_only()
            .column(orders::Column::OrderNo)
            .column(orders::Column::Status)
            .column(orders::Column::WakeAt)
            .filter(orders::Column::WakeAt.is_not_null())
            .filter(orders::Column::OrderNo.gt(after.as_str()))
            .order_by_asc(orders::Column::OrderNo)
            .limit(STREAM_PAGE)
            .into_tuple()
            .all(&database.read)
            .await?;
        let Some((last, ..)) = page.last() else {
            return Ok(count);
        };
        after.clone_from(last);
        for (order_no, status, wake_at) in page {
            count = count.saturating_add(1);
            each(InFlight {
                order_no,
                status: mapping::status(&status)?,
                wake_at: UnixMillis(wake_at),
            });
        }
    }
}

/// How many orders stand in each status. It walks the index of statuses: seconds for tens of millions of orders.
///
/// # Errors
/// `Database` when it does not answer, `Row` for a status that is none.
pub async fn count_by_status(
    read: &DatabaseConnection,
) -> Result<Vec<(OrderStatus, i64)>, StoreError> {
    let rows: Vec<(String, i64)> = orders::Entity::find()
        .select_only()
        .column(orders::Column::Status)
        .column_as(orders::Column::OrderId.count(), "orders")
        .group_by(orders::Column::Status)
        .into_tuple()
        .all(read)
        .await?;
    rows.into_iter()
        .map(|(status, count)| Ok((mapping::status(&status)?, count)))
        .collect()
}

/// Channels that have orders in flight or in `MANUAL`, with the merchant ids that those name.
///
/// Two questions, each of which has an index: SQLite answers one about both with a walk over every order there is.
pub async fn accounts_in_flight(read: &DatabaseConnection) -> Result<Vec<Fingerprint>, StoreError> {
    let mut accounts = BTreeSet::new();
    for standing in [
        orders::Column::WakeAt.is_not_null(),
        orders::Column::Status.eq(OrderStatus::Manual.as_str()),
    ] {
        let rows: Vec<(String, String, bool)> = orders::Entity::find()
            .select_only()
            .column(orders::Column::Channel)
            .column(orders::Column::Merchant)
            .column(orders::Column::Live)
            .distinct()
            .filter(standing)
            .into_tuple()
            .all(read)
            .await?;
        accounts.extend(rows);
    }
    Ok(accounts
        .into_iter()
        .map(|(channel, merchant, live)| Fingerprint {
            channel,
            merchant,
            live,
        })
        .collect())
}
