//! Reading orders and their history.

use super::StoreError;
use super::journal::open_successor as find_open_successor;
use super::mapping::{order_from_row, stored_event};
pub use super::survey::{InFlight, accounts_in_flight, count_by_status, stream_in_flight};
use crate::domain::order::{Order, OrderStatus};
use crate::domain::{OrderId, OrderNo, UnixMillis};
use crate::store::single::Single;
use entities::{idempotency_keys, order_events, orders, payments, refunds};
use sea_orm::sea_query::{Expr, OnConflict, SimpleExpr};
use sea_orm::{
    ActiveModelTrait, ColumnTrait, DatabaseConnection, EntityTrait, ExprTrait, IntoActiveModel,
    QueryFilter, QueryOrder, QuerySelect, QueryTrait, Select,
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

/// The number of the order that has this payment on record; or else of the one whose charge the channel calls so, which
/// may be paid and not known to be.
pub async fn number_by_trade(
    read: &DatabaseConnection,
    channel: &str,
    trade_no: &str,
) -> Result<Option<String>, StoreError> {
    let key = (channel.to_owned(), trade_no.to_owned());
    let payment = payments::Entity::find_by_id(key).single(read).await?;
    let order = match payment {
        Some(payment) => orders::Entity::find_by_id(payment.order_id),
        None => orders::Entity::find()
            .filter(orders::Column::Channel.eq(channel))
            .filter(orders::Column::ChannelRef.eq(trade_no)),
    };
    let number = order
        .select_only()
        .column(orders::Column::OrderNo)
        .into_tuple();
    Ok(number.single(read).await?)
}

pub async fn list(
    read: &DatabaseConnection,
    filter: &OrderFilter,
) -> Result<Vec<Order>, StoreError> {
    let bounded = filter.created_from.is_some() || filter.created_to.is_some();
    let mut query = match filter.status {
        // Few orders are unsettled: they are found by their status.
        Some(status) if !bounded || !status.is_settled() => {
            by_id_from(filter).filter(orders::Column::Status.eq(status.as_str()))
        }
        Some(status) => by_moment_from(read, filter).await?.filter(hidden(status)),
        None if bounded => by_moment_from(read, filter).await?,
        None => by_id_from(filter),
    };
    if let Some(order_no) = &filter.order_no {
        query = query.filter(orders::Column::OrderNo.eq(order_no.as_str()));
    }
    if let Some(channel) = &filter.channel {
        query = query.filter(orders::Column::Channel.eq(channel.as_str()));
    }
    with_payments(read, query.limit(filter.limit).all(read).await?).await
}

/// In the order of ids, which go by time.
fn by_id_from(filter: &OrderFilter) -> Select<orders::Entity> {
    let query = created(filter.created_from, filter.created_to);
    let query = query.order_by_desc(orders::Column::OrderId);
    match &filter.after {
        Some(after) => query.filter(orders::Column::OrderId.lt(after.as_str())),
        None => query,
    }
}

/// Orders that were created from one moment until before another.
fn created(from: Option<UnixMillis>, to: Option<UnixMillis>) -> Select<orders::Entity> {
    let mut query = orders::Entity::find();
    if let Some(from) = from {
        query = query.filter(orders::Column::CreatedAt.gte(from.0));
    }
    if let Some(to) = to {
        query = query.filter(orders::Column::CreatedAt.lt(to.0));
    }
    query
}

/// In the order of the moments of creation, which are bounded: by id, a page of last year would be behind all orders
/// of this one.
async fn by_moment_from(
    read: &DatabaseConnection,
    filter: &OrderFilter,
) -> Result<Select<orders::Entity>, StoreError> {
    let newest_first = |query: Select<orders::Entity>| {
        query
            .order_by_desc(orders::Column::CreatedAt)
            .order_by_desc(orders::Column::OrderId)
    };
    let (from, to) = (filter.created_from, filter.created_to);
    let Some(after) = &filter.after else {
        return Ok(newest_first(created(from, to)));
    };
    let seen: Option<i64> = orders::Entity::find_by_id(after.as_str())
        .select_only()
        .column(orders::Column::CreatedAt)
        .into_tuple()
        .single(read)
        .await?;
    let is_after = orders::Column::OrderId.lt(after.as_str());
    Ok(newest_first(match seen {
        Some(at) => {
            // One bound: of two SQLite would take either, and walk from the other one to the page.
            let next = UnixMillis(at).plus(1);
            let to = to.map_or(next, |to| Ord::min(to, next));
            created(from, Some(to)).filter(orders::Column::CreatedAt.ne(at).or(is_after))
        }
        None => created(from, to).filter(is_after),
    }))
}

/// This status, as no index has it: SQLite would go by that of statuses, through nearly all orders.
fn hidden(status: OrderStatus) -> SimpleExpr {
    Expr::cust(format!("orders.status || '' = '{}'", status.as_str()))
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
    let row = idempotency_keys::Entity::find_by_id(id)
        .single(read)
        .await?;
    Ok(row.map(|row| (row.payload_digest, OrderNo(row.order_no))))
}

async fn one(
    read: &DatabaseConnection,
    query: Select<orders::Entity>,
) -> Result<Option<Order>, StoreError> {
    let row = query.single(read).await?;
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
    let ids: Vec<_> = rows.iter().map(|row| row.order_id.clone()).collect();
    let kept = payments::Entity::find()
        .filter(payments::Column::OrderId.is_in(&ids))
        .order_by_asc(payments::Column::Position)
        .all(read)
        .await?;
    let mut payments = by_order(kept, |row| &row.order_id);
    let paid = rows.iter().any(|row| payments.contains_key(&row.order_id));
    // What was never paid was never refunded.
    let asked = if paid {
        refunds::Entity::find()
            .filter(refunds::Column::OrderId.is_in(&ids))
            .order_by_asc(refunds::Column::RefundId)
            .all(read)
            .await?
    } else {
        Vec::new()
    };
    let mut refunds = by_order(asked, |row| &row.order_id);
    rows.into_iter()
        .map(|row| {
            let payments = payments.remove(&row.order_id).unwrap_or_default();
            let refunds = refunds.remove(&row.order_id).unwrap_or_default();
            order_from_row(row, payments, refunds)
        })
        .collect()
}

fn by_order<T>(rows: Vec<T>, order_id: impl Fn(&T) -> &String) -> HashMap<String, Vec<T>> {
    let mut by_order: HashMap<String, Vec<T>> = HashMap::new();
    for row in rows {
        by_order
            .entry(order_id(&row).clone())
            .or_default()
            .push(row);
    }
    by_order
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
