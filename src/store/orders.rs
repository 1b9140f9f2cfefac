//! Reading orders and their history.

use super::StoreError;
use super::journal::open_successor as find_open_successor;
use super::mapping::{order_from_row, stored_event};
pub use super::survey::{InFlight, accounts_in_flight, count_by_status, stream_in_flight};
use crate::domain::order::{Order, OrderStatus};
use crate::domain::{OrderId, OrderNo, UnixMillis};
use entities::{idempotency_keys, order_events, orders, payments};
use sea_orm::sea_query::OnConflict;
use sea_orm::{
    ActiveModelTrait, ColumnTrait, DatabaseConnection, EntityTrait, IntoActiveModel, QueryFilter,
    QueryOrder, QuerySelect, QueryTrait, Select,
};
use std::collections::HashMap;

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
    let row = idempotency_keys::Model {
        owner: record.owner.clone(),
        route: record.route.clone(),
        key: record.key.clone(),
        payload_digest: record.payload_digest.clone(),
        order_no: record.order_no.0.clone(),
        created_at: at.0,
    };
    idempotency_keys::Entity::insert(row.into_active_model().reset_all())
        .on_conflict(OnConflict::new().do_nothing().to_owned())
        .build(backend)
}
