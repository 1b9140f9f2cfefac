//! Webhooks to the merchant: reading them, claiming those that are due, and what came of each attempt.
//!
//! The statements are for [`super::Journal::run`]. Conditions on the status are written out and not handed over as
//! parameters, so that both databases know that the index of pending rows will do.

use super::mapping::column_type;
use super::{StoreError, waiting};
use crate::domain::UnixMillis;
use crate::domain::outbox::DeliveryStatus;
use crate::store::single::Single;
use entities::{deliveries, delivery_attempts, ended_endpoints};
use sea_orm::sea_query::{Alias, Expr, Func, InsertStatement, OnConflict, Query, SimpleExpr};
use sea_orm::{
    ActiveModelTrait, ActiveValue, ColumnTrait, DatabaseConnection, DbBackend, EntityTrait,
    ExprTrait, IntoActiveModel, QueryFilter, QueryOrder, QuerySelect, QueryTrait, Statement,
    StatementBuilder,
};
use std::collections::HashMap;

/// One webhook, as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredDelivery {
    pub delivery_id: String,
    /// Stable over all attempts: what the receiver deduplicates by.
    pub webhook_id: String,
    /// Its type, such as `order.paid`.
    pub kind: String,
    pub order_id: String,
    pub order_no: String,
    /// The whole JSON body, as it is sent.
    pub body: String,
    pub status: DeliveryStatus,
    /// Attempts that were begun.
    pub attempts: i64,
    /// Since it was last queued.
    pub first_attempt_at: Option<UnixMillis>,
    /// The next attempt; while one is under way, when it counts as lost.
    pub due_at: UnixMillis,
}

/// One attempt. Neither status nor error: it is under way, or a stop has interrupted it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredAttempt {
    pub at: UnixMillis,
    pub http_status: Option<i64>,
    pub error: Option<String>,
}

/// Which webhooks a list shows; newest first.
#[derive(Debug, Clone, Default)]
pub struct DeliveryFilter {
    pub status: Option<DeliveryStatus>,
    pub order_no: Option<String>,
    /// The `delivery_id` after which the page begins.
    pub after: Option<String>,
    pub limit: u64,
}

/// A webhook that this token has claimed, and its attempts since it was last queued, the present one among them.
#[derive(Debug, Clone)]
pub struct Claimed {
    pub delivery: StoredDelivery,
    pub tries: i64,
}

/// An attempt that has ended.
#[derive(Debug, Clone)]
pub struct Ended<'a> {
    pub delivery_id: &'a str,
    /// The number of the attempt.
    pub n: i64,
    /// What the claim was made with.
    pub token: &'a str,
    pub http_status: Option<u16>,
    pub error: Option<&'a str>,
    pub at: UnixMillis,
}

pub async fn list(
    read: &DatabaseConnection,
    filter: &DeliveryFilter,
) -> Result<Vec<StoredDelivery>, StoreError> {
    let mut query = deliveries::Entity::find()
        .order_by_desc(deliveries::Column::DeliveryId)
        .limit(filter.limit);
    if let Some(status) = filter.status {
        query = query.filter(is_in(status));
    }
    if let Some(order_no) = &filter.order_no {
        query = query.filter(deliveries::Column::OrderNo.eq(order_no.as_str()));
    }
    if let Some(after) = &filter.after {
        query = query.filter(deliveries::Column::DeliveryId.lt(after.as_str()));
    }
    query.all(read).await?.into_iter().map(stored).collect()
}

/// Nearly all were delivered. The few that were not are found by their own index first: in the order of the list they
/// might be far away, behind all the others.
fn is_in(status: DeliveryStatus) -> SimpleExpr {
    match status {
        DeliveryStatus::Delivered => deliveries::Column::Status.eq(status.as_str()),
        DeliveryStatus::Pending | DeliveryStatus::Failed | DeliveryStatus::Ended => {
            let standing = Query::select()
                .column(deliveries::Column::DeliveryId)
                .from(deliveries::Entity)
                .and_where(Expr::cust(format!("status = '{}'", status.as_str())))
                .to_owned();
            deliveries::Column::DeliveryId.in_subquery(standing)
        }
    }
}

pub async fn by_id(
    read: &DatabaseConnection,
    delivery_id: &str,
) -> Result<Option<StoredDelivery>, StoreError> {
    let row = deliveries::Entity::find_by_id(delivery_id)
        .single(read)
        .await?;
    row.map(stored).transpose()
}

/// The attempts of these webhooks, oldest first.
pub async fn attempts(
    read: &DatabaseConnection,
    delivery_ids: &[&str],
) -> Result<HashMap<String, Vec<StoredAttempt>>, StoreError> {
    let mut found: HashMap<String, Vec<StoredAttempt>> = HashMap::new();
    if delivery_ids.is_empty() {
        return Ok(found);
    }
    let rows = delivery_attempts::Entity::find()
        .filter(delivery_attempts::Column::DeliveryId.is_in(delivery_ids.iter().copied()))
        .order_by_asc(delivery_attempts::Column::N)
        .all(read)
        .await?;
    for row in rows {
        let attempt = StoredAttempt {
            at: UnixMillis(row.at),
            http_status: row.http_status,
            error: row.error,
        };
        found.entry(row.delivery_id).or_default().push(attempt);
    }
    Ok(found)
}

/// Whether this endpoint has answered that it is gone.
pub async fn is_ended(read: &DatabaseConnection, url: &str) -> Result<bool, StoreError> {
    let row = ended_endpoints::Entity::find_by_id(url)
        .single(read)
        .await?;
    Ok(row.is_some())
}

/// The earliest moment at which a webhook is due, or a claim runs out.
pub async fn next_due(read: &DatabaseConnection) -> Result<Option<UnixMillis>, StoreError> {
    let open = deliveries::Entity::find().filter(is_pending());
    waiting::next_due(read, open, deliveries::Column::DueAt).await
}

/// How many webhooks wait, counted up to `most`, and when the oldest of them was written.
pub async fn waiting(
    read: &DatabaseConnection,
    most: u64,
) -> Result<(usize, Option<UnixMillis>), StoreError> {
    let open = deliveries::Entity::find().filter(is_pending());
    let (due, created) = (deliveries::Column::DueAt, deliveries::Column::CreatedAt);
    waiting::counted(read, open, due, created, most).await
}

/// Claims up to `limit` due webhooks for one attempt each, to be ended by `until`; the second statement writes the
/// attempts down.
pub fn claim(
    backend: DbBackend,
    token: &str,
    now: UnixMillis,
    until: UnixMillis,
    limit: u64,
) -> Vec<Statement> {
    let due = || is_pending().and(Expr::col(deliveries::Column::DueAt).lte(now.0));
    let first = Query::select()
        .column(deliveries::Column::DeliveryId)
        .from(deliveries::Entity)
        .and_where(due())
        .order_by(deliveries::Column::DueAt, sea_orm::Order::Asc)
        .limit(limit)
        .to_owned();
    let begun = Func::coalesce([
        Expr::col(deliveries::Column::FirstAttemptAt),
        Expr::value(now.0).cast_as(Alias::new("bigint")),
    ]);
    // The condition stands twice: PostgreSQL looks at a row again that another claim has just changed.
    let claim = deliveries::Entity::update_many()
        .col_expr(deliveries::Column::LeasedBy, Expr::value(token))
        .col_expr(deliveries::Column::DueAt, Expr::value(until.0))
        .col_expr(deliveries::Column::UpdatedAt, Expr::value(now.0))
        .col_expr(deliveries::Column::FirstAttemptAt, begun.into())
        .col_expr(
            deliveries::Column::Attempts,
            Expr::col(deliveries::Column::Attempts).add(1),
        )
        .filter(due())
        .filter(deliveries::Column::DeliveryId.in_subquery(first))
        .build(backend);
    vec![claim, begin_attempts(backend, token, now)]
}

fn begin_attempts(backend: DbBackend, token: &str, now: UnixMillis) -> Statement {
    let at = column_type(&delivery_attempts::Column::At);
    let claimed = Query::select()
        .column(deliveries::Column::DeliveryId)
        .column(deliveries::Column::Attempts)
        .expr(Expr::value(now.0).cast_as(Alias::new(at)))
        .from(deliveries::Entity)
        .and_where(deliveries::Column::LeasedBy.eq(token))
        .to_owned();
    let mut insert: InsertStatement = Query::insert();
    insert.into_table(delivery_attempts::Entity).columns([
        delivery_attempts::Column::DeliveryId,
        delivery_attempts::Column::N,
        delivery_attempts::Column::At,
    ]);
    // It fails only where columns and values are not equally many.
    drop(insert.select_from(claimed).map(|_| ()));
    insert.on_conflict(OnConflict::new().do_nothing().to_owned());
    StatementBuilder::build(&insert, &backend)
}

/// What this token has claimed.
pub async fn claimed(read: &DatabaseConnection, token: &str) -> Result<Vec<Claimed>, StoreError> {
    let rows = deliveries::Entity::find()
        .filter(deliveries::Column::LeasedBy.eq(token))
        .order_by_asc(deliveries::Column::DeliveryId)
        .all(read)
        .await?;
    let ids: Vec<&str> = rows.iter().map(|row| row.delivery_id.as_str()).collect();
    let made = attempts(read, &ids).await?;
    let claimed = |row: deliveries::Model| {
        let since = row.first_attempt_at.unwrap_or_default();
        let all = made.get(&row.delivery_id).map(Vec::as_slice);
        let tries = all
            .unwrap_or_default()
            .iter()
            .filter(|attempt| attempt.at.0 >= since)
            .count();
        Ok(Claimed {
            delivery: stored(row)?,
            tries: i64::try_from(tries).unwrap_or(i64::MAX),
        })
    };
    rows.into_iter().map(claimed).collect()
}

/// Claims of earlier runs are void: nobody works on what they took. `run` is what tokens of this run begin with.
pub fn release(backend: DbBackend, run: &str, now: UnixMillis) -> Statement {
    deliveries::Entity::update_many()
        .set(deliveries::ActiveModel {
            due_at: ActiveValue::Set(now.0),
            leased_by: ActiveValue::Set(None),
            ..Default::default()
        })
        .filter(is_pending())
        .filter(deliveries::Column::LeasedBy.is_not_null())
        .filter(Expr::col(deliveries::Column::LeasedBy).not_like(format!("{run}%")))
        .build(backend)
}

/// It was taken. That is so also when the claim has run out meanwhile.
pub fn delivered(backend: DbBackend, ended: &Ended<'_>) -> Vec<Statement> {
    let update = deliveries::Entity::update_many()
        .set(deliveries::ActiveModel {
            status: ActiveValue::Set(DeliveryStatus::Delivered.as_str().to_owned()),
            leased_by: ActiveValue::Set(None),
            updated_at: ActiveValue::Set(ended.at.0),
            ..Default::default()
        })
        .filter(deliveries::Column::DeliveryId.eq(ended.delivery_id))
        .build(backend);
    vec![end_attempt(backend, ended), update]
}

/// It was not taken, and is due again at `next`; `None` gives it up.
pub fn missed(backend: DbBackend, ended: &Ended<'_>, next: Option<UnixMillis>) -> Vec<Statement> {
    let mut row = deliveries::ActiveModel {
        leased_by: ActiveValue::Set(None),
        updated_at: ActiveValue::Set(ended.at.0),
        ..Default::default()
    };
    match next {
        Some(next) => row.due_at = ActiveValue::Set(next.0),
        None => {
            row.status = ActiveValue::Set(DeliveryStatus::Failed.as_str().to_owned());
        }
    }
    let update = deliveries::Entity::update_many()
        .set(row)
        .filter(deliveries::Column::DeliveryId.eq(ended.delivery_id))
        .filter(deliveries::Column::LeasedBy.eq(ended.token))
        .filter(is_pending())
        .build(backend);
    vec![end_attempt(backend, ended), update]
}

/// The endpoint is gone: nothing is sent there any more.
pub fn end_endpoint(backend: DbBackend, url: &str, ended: &Ended<'_>) -> Vec<Statement> {
    let row = ended_endpoints::Model {
        url: url.to_owned(),
        ended_at: ended.at.0,
    };
    let endpoint = ended_endpoints::Entity::insert(row.into_active_model().reset_all())
        .on_conflict(OnConflict::new().do_nothing().to_owned())
        .build(backend);
    vec![
        end_attempt(backend, ended),
        endpoint,
        end_all(backend, ended.at),
    ]
}

/// Ends every webhook that waits: its endpoint is gone.
pub fn end_all(backend: DbBackend, now: UnixMillis) -> Statement {
    deliveries::Entity::update_many()
        .set(deliveries::ActiveModel {
            status: ActiveValue::Set(DeliveryStatus::Ended.as_str().to_owned()),
            leased_by: ActiveValue::Set(None),
            updated_at: ActiveValue::Set(now.0),
            ..Default::default()
        })
        .filter(is_pending())
        .build(backend)
}

/// Queues a webhook anew, whatever became of it; no row affected if it is not there or under way at this moment.
pub fn redeliver(backend: DbBackend, delivery_id: &str, now: UnixMillis) -> Statement {
    let under_way = is_pending()
        .and(Expr::col(deliveries::Column::LeasedBy).is_not_null())
        .and(Expr::col(deliveries::Column::DueAt).gt(now.0));
    deliveries::Entity::update_many()
        .set(deliveries::ActiveModel {
            status: ActiveValue::Set(DeliveryStatus::Pending.as_str().to_owned()),
            due_at: ActiveValue::Set(now.0),
            first_attempt_at: ActiveValue::Set(None),
            leased_by: ActiveValue::Set(None),
            updated_at: ActiveValue::Set(now.0),
            ..Default::default()
        })
        .filter(deliveries::Column::DeliveryId.eq(delivery_id))
        .filter(under_way.not())
        .build(backend)
}

fn end_attempt(backend: DbBackend, ended: &Ended<'_>) -> Statement {
    delivery_attempts::Entity::update_many()
        .set(delivery_attempts::ActiveModel {
            http_status: ActiveValue::Set(ended.http_status.map(i64::from)),
            error: ActiveValue::Set(ended.error.map(str::to_owned)),
            ..Default::default()
        })
        .filter(delivery_attempts::Column::DeliveryId.eq(ended.delivery_id))
        .filter(delivery_attempts::Column::N.eq(ended.n))
        .build(backend)
}

fn is_pending() -> SimpleExpr {
    Expr::cust("status = 'PENDING'")
}

fn stored(row: deliveries::Model) -> Result<StoredDelivery, StoreError> {
    let status = DeliveryStatus::parse(&row.status)
        .ok_or_else(|| StoreError::Row(format!("status holds `{}`", row.status)))?;
    Ok(StoredDelivery {
        delivery_id: row.delivery_id,
        webhook_id: row.webhook_id,
        kind: row.kind,
        order_id: row.order_id,
        order_no: row.order_no,
        body: row.body,
        status,
        attempts: row.attempts,
        first_attempt_at: row.first_attempt_at.map(UnixMillis),
        due_at: UnixMillis(row.due_at),
    })
}
