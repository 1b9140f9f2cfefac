//! Reading orders and their history.

use super::journal::open_successor as find_open_successor;
use super::mapping::{self, order_from_row, stored_event};
use super::{Database, StoreError};
use crate::domain::order::{Fingerprint, Order, OrderStatus};
use crate::domain::{OrderId, OrderNo, UnixMillis};
use entities::{idempotency_keys, order_events, orders, payments};
use sea_orm::{
    ColumnTrait, DatabaseConnection, EntityTrait, ExprTrait, QueryFilter, QueryOrder, QuerySelect,
    Select,
};
use std::collections::HashMap;

/// Rows of a page of the start-up's stream: large enough to cost little, small enough to be held.
const STREAM_PAGE: u64 = 20_000;

/// Which orders a list shows; newest first.
#[derive(Debug, Clone, Default)]
pub struct OrderFilter {
    pub order_no: Option<String>,
    pub status: Option<OrderStatus>,
    pub channel: Option<String>,
    pub created_from: Option<UnixMillis>,
    pub created_to: Option<UnixMillis>,
    /// The `order_id` after which the page begins.
    pub after: Option<OrderId>,
    pub limit: u64,
}

/// One line of an order's history, as stored.
#[derive(Debug, Clone)]
pub struct StoredEvent {
    pub seq: i64,
    pub event_id: String,
    pub at: UnixMillis,
    pub kind: String,
    pub by: String,
    pub from: Option<String>,
    pub to: String,
    /// JSON.
    pub detail: String,
    pub digest: Option<String>,
}

/// A row that the runtime must look at by itself.
#[derive(Debug, Clone)]
pub struct InFlight {
    pub order_no: String,
    pub status: OrderStatus,
    pub wake_at: UnixMillis,
}

pub async fn by_no(
    read: &DatabaseConnection,
    order_no: &OrderNo,
) -> Result<Option<Order>, StoreError> {
    one(
        read,
        orders::Entity::find().filter(orders::Column::OrderNo.eq(order_no.as_str())),
    )
    .await
}

pub async fn by_id(
    read: &DatabaseConnection,
    order_id: &OrderId,
) -> Result<Option<Order>, StoreError> {
    one(read, orders::Entity::find_by_id(order_id.as_str())).await
}

pub async fn list(
    read: &DatabaseConnection,
    filter: &OrderFilter,
) -> Result<Vec<Order>, StoreError> {
    let mut query = orders::Entity::find()
        .order_by_desc(orders::Column::OrderId)
        .limit(filter.limit);
    if let Some(order_no) = &filter.order_no {
        query = query.filter(orders::Column::OrderNo.eq(order_no.as_str()));
    }
    if let Some(status) = filter.status {
        query = query.filter(orders::Column::Status.eq(status.as_str()));
    }
    if let Some(channel) = &filter.channel {
        query = query.filter(orders::Column::Channel.eq(channel.as_str()));
    }
    if let Some(from) = filter.created_from {
        query = query.filter(orders::Column::CreatedAt.gte(from.0));
    }
    if let Some(to) = filter.created_to {
        query = query.filter(orders::Column::CreatedAt.lt(to.0));
    }
    if let Some(after) = &filter.after {
        query = query.filter(orders::Column::OrderId.lt(after.as_str()));
    }
    with_payments(read, query.all(read).await?).await
}

/// Oldest first.
pub async fn events(
    read: &DatabaseConnection,
    order_id: &OrderId,
) -> Result<Vec<StoredEvent>, StoreError> {
    let rows = order_events::Entity::find()
        .filter(order_events::Column::OrderId.eq(order_id.as_str()))
        .order_by_asc(order_events::Column::Seq)
        .all(read)
        .await?;
    Ok(rows.into_iter().map(stored_event).collect())
}

/// The status of the newest order that replaces this one and is not ended, if there is one.
pub async fn open_successor(
    read: &DatabaseConnection,
    order_no: &OrderNo,
) -> Result<Option<OrderStatus>, StoreError> {
    find_open_successor(read, order_no.as_str()).await
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

/// What an `Idempotency-Key` of this owner and route stands for: payload digest and order number.
pub async fn idempotency(
    read: &DatabaseConnection,
    owner: &str,
    route: &str,
    key: &str,
) -> Result<Option<(String, OrderNo)>, StoreError> {
    let id = (owner.to_owned(), route.to_owned(), key.to_owned());
    let row = idempotency_keys::Entity::find_by_id(id).one(read).await?;
    Ok(row.map(|row| (row.payload_digest, OrderNo(row.order_no))))
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
pub async fn accounts_in_flight(read: &DatabaseConnection) -> Result<Vec<Fingerprint>, StoreError> {
    let standing = orders::Column::WakeAt
        .is_not_null()
        .or(orders::Column::Status.eq(OrderStatus::Manual.as_str()));
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
    Ok(rows
        .into_iter()
        .map(|(channel, merchant, live)| Fingerprint {
            channel,
            merchant,
            live,
        })
        .collect())
}

async fn one(
    read: &DatabaseConnection,
    query: Select<orders::Entity>,
) -> Result<Option<Order>, StoreError> {
    let row = query.one(read).await?;
    let orders = with_payments(read, row.into_iter().collect()).await?;
    Ok(orders.into_iter().next())
}

async fn with_payments(
    read: &DatabaseConnection,
    rows: Vec<orders::Model>,
) -> Result<Vec<Order>, StoreError> {
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let ids = rows.iter().map(|row| row.order_id.as_str());
    let kept = payments::Entity::find()
        .filter(payments::Column::OrderId.is_in(ids))
        .order_by_asc(payments::Column::Position)
        .all(read)
        .await?;
    let mut by_order: HashMap<String, Vec<payments::Model>> = HashMap::new();
    for payment in kept {
        by_order
            .entry(payment.order_id.clone())
            .or_default()
            .push(payment);
    }
    rows.into_iter()
        .map(|row| {
            let payments = by_order.remove(&row.order_id).unwrap_or_default();
            order_from_row(row, payments)
        })
        .collect()
}

/// A statement that keeps what an `Idempotency-Key` stands for, unless it stands for something already.
pub fn remember_idempotency(
    backend: sea_orm::DbBackend,
    record: &super::journal::IdempotencyRecord,
    at: UnixMillis,
) -> sea_orm::Statement {
    todo!("{backend:?} {record:?} {at:?}")
}
