//! The inbox of callbacks: what was notified, how often, and orphans (verified, ours by number, and unknown).

use super::StoreError;
use crate::domain::{OrderId, UnixMillis};
use sea_orm::{DatabaseConnection, DbBackend, Statement};

/// At most so many orphans are kept; more are counted and answered the same.
pub const ORPHANS_MAX: u64 = 10_000;

/// A verified notice about an order number that we do not know.
#[derive(Debug, Clone)]
pub struct Orphan {
    pub channel: String,
    pub key: String,
    pub status: String,
    pub order_no: String,
    pub channel_trade_no: Option<String>,
    pub digest: String,
    pub at: UnixMillis,
}

/// The (key, status) of every notice on record for this order.
pub async fn seen(
    read: &DatabaseConnection,
    order_id: &OrderId,
) -> Result<Vec<(String, String)>, StoreError> {
    todo!("{read:?} {order_id}")
}

/// The order numbers that orphans bear.
pub async fn orphan_order_nos(read: &DatabaseConnection) -> Result<Vec<String>, StoreError> {
    todo!("{read:?}")
}

/// Statements that keep an orphan (raising the count of one that is there) and raise its one alert.
pub fn keep_orphan(backend: DbBackend, orphan: &Orphan) -> Vec<Statement> {
    todo!("{backend:?} {orphan:?}")
}
