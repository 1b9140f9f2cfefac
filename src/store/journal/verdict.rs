//! Why a decision found nothing to change, and whether one stands after all.

use super::types::Committed;
use crate::domain::order::OrderStatus;
use crate::store::StoreError;
use crate::store::mapping::{Prepared, status};
use entities::{order_events, orders, runtime};
use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QuerySelect};

/// What became of a decision that matched nothing.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    EpochLost,
    Became(Committed),
}

/// Statuses of orders that are definitely not charged: what replaces them may be open.
pub(super) fn ended() -> impl Iterator<Item = &'static str> {
    OrderStatus::ALL
        .iter()
        .filter(|status| status.is_ended())
        .map(|status| status.as_str())
}

/// Finds out why `write` matched nothing. Nobody else writes, so the reason is still there.
pub(super) async fn why<C: ConnectionTrait>(
    db: &C,
    epoch: i64,
    write: &Prepared,
) -> Result<Verdict, DbErr> {
    if !epoch_is(db, epoch).await? {
        return Ok(Verdict::EpochLost);
    }
    if stands(db, write).await? {
        return Ok(Verdict::Became(Committed::Done));
    }
    let outcome = match write.expected_version {
        None if taken(db, write).await? => Committed::OrderExists,
        None => Committed::ReplacedOrderOpen,
        Some(version) => {
            let found = version_of(db, &write.order.order_id).await?;
            if found == Some(version) && write.unless_replaced {
                Committed::ReplacedOrderOpen
            } else {
                Committed::Stale
            }
        }
    };
    Ok(Verdict::Became(outcome))
}

/// Whether this very decision is committed: its id stands in the order, or in an event if others came after it.
pub(super) async fn stands<C: ConnectionTrait>(db: &C, write: &Prepared) -> Result<bool, DbErr> {
    let order_id = &write.order.order_id;
    let last: Option<String> = orders::Entity::find_by_id(order_id.clone())
        .select_only()
        .column(orders::Column::LastDecision)
        .into_tuple()
        .one(db)
        .await?;
    if last.as_deref() == Some(write.decision()) {
        return Ok(true);
    }
    let event: Option<i64> = order_events::Entity::find()
        .select_only()
        .column(order_events::Column::Seq)
        .filter(order_events::Column::OrderId.eq(order_id.as_str()))
        .filter(order_events::Column::DecisionId.eq(write.decision()))
        .into_tuple()
        .one(db)
        .await?;
    Ok(event.is_some())
}

/// Whether the `runtime` row still bears our epoch.
pub(super) async fn epoch_is<C: ConnectionTrait>(db: &C, epoch: i64) -> Result<bool, DbErr> {
    let row = runtime::Entity::find_by_id(1).one(db).await?;
    Ok(row.is_some_and(|row| row.epoch == epoch))
}

/// The version at which this order stands.
pub(super) async fn version_of<C: ConnectionTrait>(
    db: &C,
    order_id: &str,
) -> Result<Option<i64>, DbErr> {
    orders::Entity::find_by_id(order_id)
        .select_only()
        .column(orders::Column::Version)
        .into_tuple()
        .one(db)
        .await
}

/// Whether one of the order's unique numbers is in use.
pub(super) async fn taken<C: ConnectionTrait>(db: &C, write: &Prepared) -> Result<bool, DbErr> {
    let order = &write.order;
    let found: Option<String> = orders::Entity::find()
        .select_only()
        .column(orders::Column::OrderId)
        .filter(
            sea_orm::Condition::any()
                .add(orders::Column::OrderNo.eq(order.order_no.as_str()))
                .add(orders::Column::OrderId.eq(order.order_id.as_str()))
                .add(orders::Column::IdempotencyKey.eq(order.idempotency_key.as_str())),
        )
        .into_tuple()
        .one(db)
        .await?;
    Ok(found.is_some())
}

/// The status of the newest order that replaces `order_no` and is not ended.
pub(in crate::store) async fn open_successor<C: ConnectionTrait>(
    db: &C,
    order_no: &str,
) -> Result<Option<OrderStatus>, StoreError> {
    use sea_orm::QueryOrder;
    let found: Option<String> = orders::Entity::find()
        .select_only()
        .column(orders::Column::Status)
        .filter(orders::Column::Replaces.eq(order_no))
        .filter(orders::Column::Status.is_not_in(ended()))
        .order_by_desc(orders::Column::OrderId)
        .into_tuple()
        .one(db)
        .await?;
    found.as_deref().map(status).transpose()
}
