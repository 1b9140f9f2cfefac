//! Why a decision found nothing to change, and whether one stands after all.

use super::types::Committed;
use crate::domain::order::OrderStatus;
use crate::store::StoreError;
use crate::store::mapping::{OrderRows, Prepared, status};
use crate::store::single::Single;
use entities::{balances, order_events, orders, runtime};
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
    let outcome = match write {
        Prepared::Order(rows) => why_order(db, rows).await?,
        Prepared::Account(_) => Committed::Stale,
    };
    Ok(Verdict::Became(outcome))
}

async fn why_order<C: ConnectionTrait>(db: &C, write: &OrderRows) -> Result<Committed, DbErr> {
    let order = &write.order;
    let Some(version) = write.expected_version else {
        return Ok(if taken(db, write).await? {
            Committed::OrderExists
        } else if may_replace(db, order).await? {
            Committed::DailyLimit
        } else {
            Committed::ReplacedOrderOpen
        });
    };
    let found = version_of(db, &order.order_id).await?;
    Ok(if found == Some(version) && write.unless_replaced {
        Committed::ReplacedOrderOpen
    } else {
        Committed::Stale
    })
}

/// Whether what the order replaces, if anything, is definitely not charged.
pub(super) async fn may_replace<C: ConnectionTrait>(
    db: &C,
    order: &orders::Model,
) -> Result<bool, DbErr> {
    let Some(replaced) = &order.replaces else {
        return Ok(true);
    };
    let ended: Option<String> = orders::Entity::find()
        .select_only()
        .column(orders::Column::OrderId)
        .filter(orders::Column::OrderNo.eq(replaced.as_str()))
        .filter(orders::Column::Status.is_in(ended()))
        .into_tuple()
        .single(db)
        .await?;
    if ended.is_none() {
        return Ok(false);
    }
    // One purchase is paid once: another order that replaces it must have ended too.
    let other = open_successor(db, replaced)
        .await
        .map_err(|error| DbErr::Custom(error.to_string()))?;
    Ok(other.is_none())
}

/// Whether the account's orders of the day leave room for this one.
pub(super) async fn within_daily_limit<C: ConnectionTrait>(
    db: &C,
    write: &OrderRows,
) -> Result<bool, DbErr> {
    let order = &write.order;
    let (Some(limit), Some(account)) = (write.daily_limit, &order.account) else {
        return Ok(true);
    };
    let amounts: Vec<i64> = orders::Entity::find()
        .select_only()
        .column(orders::Column::Amount)
        .filter(orders::Column::Account.eq(account.as_str()))
        .filter(orders::Column::Currency.eq(order.currency.as_str()))
        .filter(orders::Column::CreatedAt.gte(limit.since.0))
        .filter(orders::Column::Status.is_not_in(ended()))
        .into_tuple()
        .all(db)
        .await?;
    let sum = amounts.into_iter().fold(order.amount, i64::saturating_add);
    Ok(sum <= limit.amount)
}

/// Whether this very decision is committed: its id stands in the order, or in an event if others came after it; that
/// of a movement in its balance.
pub(super) async fn stands<C: ConnectionTrait>(db: &C, write: &Prepared) -> Result<bool, DbErr> {
    match write {
        Prepared::Order(rows) => order_stands(db, rows).await,
        Prepared::Account(rows) => {
            let row = &rows.movement.row;
            let key = (row.account.clone(), row.kind.clone());
            let found = balances::Entity::find_by_id(key).single(db).await?;
            Ok(found.is_some_and(|found| found.last_decision == row.last_decision))
        }
    }
}

async fn order_stands<C: ConnectionTrait>(db: &C, write: &OrderRows) -> Result<bool, DbErr> {
    let (order_id, decision) = (&write.order.order_id, &write.order.last_decision);
    let last: Option<String> = orders::Entity::find_by_id(order_id.clone())
        .select_only()
        .column(orders::Column::LastDecision)
        .into_tuple()
        .single(db)
        .await?;
    if last.as_ref() == Some(decision) {
        return Ok(true);
    }
    let event: Option<i64> = order_events::Entity::find()
        .select_only()
        .column(order_events::Column::Seq)
        .filter(order_events::Column::OrderId.eq(order_id.as_str()))
        .filter(order_events::Column::DecisionId.eq(decision.as_str()))
        .into_tuple()
        .single(db)
        .await?;
    Ok(event.is_some())
}

/// Whether the `runtime` row still bears our epoch.
pub(super) async fn epoch_is<C: ConnectionTrait>(db: &C, epoch: i64) -> Result<bool, DbErr> {
    let row = runtime::Entity::find_by_id(1).single(db).await?;
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
        .single(db)
        .await
}

/// Whether one of the order's unique numbers is in use.
pub(super) async fn taken<C: ConnectionTrait>(db: &C, write: &OrderRows) -> Result<bool, DbErr> {
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
        .single(db)
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
