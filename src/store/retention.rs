//! What nobody needs any more, and the statements that delete it, for [`super::Journal::run`].
//!
//! Each statement says again what may go: what has moved since it was read stays.

use super::StoreError;
use crate::domain::UnixMillis;
use crate::domain::outbox::DeliveryStatus;
use entities::{deliveries, delivery_attempts, orphans};
use sea_orm::sea_query::{Expr, Query, SimpleExpr};
use sea_orm::{
    ColumnTrait, DatabaseConnection, DbBackend, EntityTrait, ExprTrait, QueryFilter, QueryOrder,
    QuerySelect, QueryTrait, Statement,
};

/// Rows that one write deletes: some milliseconds, between the decisions of orders.
const BATCH: u64 = 200;

/// A page of webhooks in the order in which they were written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Page {
    /// Those that are over since before the moment.
    pub over: Vec<String>,
    /// Where the next page begins; `None` at the end, and where the page has ended with one that is too new.
    pub next: Option<String>,
}

/// Webhooks after `after` that were over before `before`.
///
/// # Errors
/// When the database does not answer.
pub async fn deliveries_over(
    read: &DatabaseConnection,
    after: &str,
    before: UnixMillis,
) -> Result<Page, StoreError> {
    let rows: Vec<(String, String, i64, i64)> = deliveries::Entity::find()
        .select_only()
        .columns([
            deliveries::Column::DeliveryId,
            deliveries::Column::Status,
            deliveries::Column::CreatedAt,
            deliveries::Column::UpdatedAt,
        ])
        .filter(deliveries::Column::DeliveryId.gt(after))
        .order_by_asc(deliveries::Column::DeliveryId)
        .limit(BATCH)
        .into_tuple()
        .all(read)
        .await?;
    let full = u64::try_from(rows.len()).is_ok_and(|rows| rows >= BATCH);
    let old = |row: &&(String, String, i64, i64)| row.2 < before.0;
    let next = rows.last().filter(|_| full).filter(old);
    let next = next.map(|(id, ..)| id.clone());
    let over = rows.into_iter().filter(|(_, status, _, updated_at)| {
        let ended = DeliveryStatus::parse(status).is_some_and(is_over);
        ended && *updated_at < before.0
    });
    Ok(Page {
        over: over.map(|(id, ..)| id).collect(),
        next,
    })
}

/// What has failed waits for a person.
const fn is_over(status: DeliveryStatus) -> bool {
    match status {
        DeliveryStatus::Delivered | DeliveryStatus::Ended => true,
        DeliveryStatus::Pending | DeliveryStatus::Failed => false,
    }
}

/// Deletes these webhooks where they are still over, and then the attempts of those that are gone.
#[must_use]
pub fn forget_deliveries(
    backend: DbBackend,
    delivery_ids: &[String],
    before: UnixMillis,
) -> Vec<Statement> {
    let over = [DeliveryStatus::Delivered, DeliveryStatus::Ended].map(DeliveryStatus::as_str);
    let rows = deliveries::Entity::delete_many()
        .filter(deliveries::Column::DeliveryId.is_in(delivery_ids))
        .filter(deliveries::Column::Status.is_in(over))
        .filter(deliveries::Column::UpdatedAt.lt(before.0))
        .build(backend);
    let attempts = delivery_attempts::Entity::delete_many()
        .filter(delivery_attempts::Column::DeliveryId.is_in(delivery_ids))
        .filter(is_gone())
        .build(backend);
    vec![rows, attempts]
}

fn is_gone() -> SimpleExpr {
    let attempt = (
        delivery_attempts::Entity,
        delivery_attempts::Column::DeliveryId,
    );
    let webhook = Query::select()
        .expr(Expr::value(1))
        .from(deliveries::Entity)
        .and_where(Expr::col((deliveries::Entity, deliveries::Column::DeliveryId)).equals(attempt))
        .to_owned();
    Expr::exists(webhook).not()
}

/// Order numbers of orphans that were last told of before `before`.
///
/// # Errors
/// When the database does not answer.
pub async fn old_orphans(
    read: &DatabaseConnection,
    before: UnixMillis,
) -> Result<Vec<String>, StoreError> {
    let numbers = orphans::Entity::find()
        .select_only()
        .column(orphans::Column::OrderNo)
        .distinct()
        .filter(orphans::Column::LastSeenAt.lt(before.0))
        .limit(BATCH)
        .into_tuple()
        .all(read)
        .await?;
    Ok(numbers)
}

/// Deletes the orphans of these numbers that have not been told of since.
#[must_use]
pub fn forget_orphans(
    backend: DbBackend,
    order_nos: &[String],
    before: UnixMillis,
) -> Vec<Statement> {
    let rows = orphans::Entity::delete_many()
        .filter(orphans::Column::OrderNo.is_in(order_nos))
        .filter(orphans::Column::LastSeenAt.lt(before.0))
        .build(backend);
    vec![rows]
}

/// Which of these numbers orphans still bear.
///
/// # Errors
/// When the database does not answer.
pub async fn still_orphans(
    read: &DatabaseConnection,
    order_nos: &[String],
) -> Result<Vec<String>, StoreError> {
    let numbers = orphans::Entity::find()
        .select_only()
        .column(orphans::Column::OrderNo)
        .distinct()
        .filter(orphans::Column::OrderNo.is_in(order_nos))
        .into_tuple()
        .all(read)
        .await?;
    Ok(numbers)
}
