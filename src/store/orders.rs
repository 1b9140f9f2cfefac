//! Reading orders and their history.

use super::{Database, StoreError};
use crate::domain::order::{Order, OrderStatus};
use crate::domain::{OrderId, OrderNo, UnixMillis};
use sea_orm::DatabaseConnection;

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
    todo!("{read:?} {order_no}")
}

pub async fn by_id(
    read: &DatabaseConnection,
    order_id: &OrderId,
) -> Result<Option<Order>, StoreError> {
    todo!("{read:?} {order_id}")
}

pub async fn list(
    read: &DatabaseConnection,
    filter: &OrderFilter,
) -> Result<Vec<Order>, StoreError> {
    todo!("{read:?} {filter:?}")
}

/// Oldest first.
pub async fn events(
    read: &DatabaseConnection,
    order_id: &OrderId,
) -> Result<Vec<StoredEvent>, StoreError> {
    todo!("{read:?} {order_id}")
}

/// The status of the newest order that replaces this one and is not ended, if there is one.
pub async fn open_successor(
    read: &DatabaseConnection,
    order_no: &OrderNo,
) -> Result<Option<OrderStatus>, StoreError> {
    todo!("{read:?} {order_no}")
}

/// Hands every row with a `wake_at` to `each`, by key, in pages.
pub async fn stream_in_flight(
    database: &Database,
    each: &mut (dyn FnMut(InFlight) + Send),
) -> Result<u64, StoreError> {
    let _ = each;
    todo!("{database:?}")
}

/// What an `Idempotency-Key` of this owner and route stands for: payload digest and order number.
pub async fn idempotency(
    read: &DatabaseConnection,
    owner: &str,
    route: &str,
    key: &str,
) -> Result<Option<(String, OrderNo)>, StoreError> {
    todo!("{read:?} {owner} {route} {key}")
}

/// How many orders stand in each status, and the age of the oldest, for `/metrics` and the doors.
pub async fn count_by_status(
    read: &DatabaseConnection,
) -> Result<Vec<(OrderStatus, i64)>, StoreError> {
    todo!("{read:?}")
}

/// Channels that have orders in flight or in `MANUAL`, with the merchant ids that those name.
pub async fn accounts_in_flight(
    read: &DatabaseConnection,
) -> Result<Vec<crate::domain::order::Fingerprint>, StoreError> {
    todo!("{read:?}")
}

/// A statement that keeps what an `Idempotency-Key` stands for, unless it stands for something already.
pub fn remember_idempotency(
    backend: sea_orm::DbBackend,
    record: &super::journal::IdempotencyRecord,
    at: UnixMillis,
) -> sea_orm::Statement {
    todo!("{backend:?} {record:?} {at:?}")
}
