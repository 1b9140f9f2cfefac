//! Grants that are to be made: claiming those that are due, and what is kept of those that could not be made.
//!
//! A row is `DONE` by the order's own write, and by nothing here.

use super::{StoreError, waiting};
use crate::domain::UnixMillis;
use entities::fulfilments;
use sea_orm::sea_query::{Expr, Query, SimpleExpr};
use sea_orm::{
    ActiveValue, ColumnTrait, DatabaseConnection, DbBackend, EntityTrait, ExprTrait, QueryFilter,
    QueryTrait, Statement,
};

/// A grant that this token has claimed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimedGrant {
    pub order_no: String,
    pub order_id: String,
    pub kind: String,
    /// Attempts so far, this one among them.
    pub attempts: i64,
}

/// An attempt to grant that has failed.
#[derive(Debug, Clone, Copy)]
pub struct NotGranted<'a> {
    pub grant: &'a ClaimedGrant,
    /// What the claim was made with.
    pub token: &'a str,
    pub error: &'a str,
    /// A person has been told.
    pub is_overdue: bool,
    pub next_at: UnixMillis,
    pub at: UnixMillis,
}

/// Claims up to `limit` due grants for one attempt each, to be ended by `until`.
pub fn claim(
    backend: DbBackend,
    token: &str,
    now: UnixMillis,
    until: UnixMillis,
    limit: u64,
) -> Statement {
    let due = || is_open().and(Expr::col(fulfilments::Column::DueAt).lte(now.0));
    let first = Query::select()
        .column(fulfilments::Column::OrderNo)
        .column(fulfilments::Column::Kind)
        .from(fulfilments::Entity)
        .and_where(due())
        .order_by(fulfilments::Column::DueAt, sea_orm::Order::Asc)
        .limit(limit)
        .to_owned();
    let key = Expr::tuple([
        Expr::col(fulfilments::Column::OrderNo),
        Expr::col(fulfilments::Column::Kind),
    ]);
    // The condition stands twice: PostgreSQL looks at a row again that another claim has just changed.
    fulfilments::Entity::update_many()
        .col_expr(fulfilments::Column::LeasedBy, Expr::value(token))
        .col_expr(fulfilments::Column::DueAt, Expr::value(until.0))
        .col_expr(fulfilments::Column::UpdatedAt, Expr::value(now.0))
        .col_expr(
            fulfilments::Column::Attempts,
            Expr::col(fulfilments::Column::Attempts).add(1),
        )
        .filter(due())
        .filter(key.in_subquery(first))
        .build(backend)
}

/// What this token has claimed and is not done yet.
pub async fn claimed(
    read: &DatabaseConnection,
    token: &str,
) -> Result<Vec<ClaimedGrant>, StoreError> {
    let rows = fulfilments::Entity::find()
        .filter(fulfilments::Column::LeasedBy.eq(token))
        .filter(is_open())
        .all(read)
        .await?;
    let grants = rows.into_iter().map(|row| ClaimedGrant {
        order_no: row.order_no,
        order_id: row.order_id,
        kind: row.kind,
        attempts: row.attempts,
    });
    Ok(grants.collect())
}

/// Claims of earlier runs are void: nobody works on what they took. `run` is what tokens of this run begin with.
pub fn release(backend: DbBackend, run: &str, now: UnixMillis) -> Statement {
    fulfilments::Entity::update_many()
        .set(fulfilments::ActiveModel {
            due_at: ActiveValue::Set(now.0),
            leased_by: ActiveValue::Set(None),
            ..Default::default()
        })
        .filter(is_open())
        .filter(fulfilments::Column::LeasedBy.is_not_null())
        .filter(Expr::col(fulfilments::Column::LeasedBy).not_like(format!("{run}%")))
        .build(backend)
}

/// It could not be made, and is due again later.
pub fn not_granted(backend: DbBackend, failed: &NotGranted<'_>) -> Statement {
    let status = if failed.is_overdue {
        "FAILED"
    } else {
        "PENDING"
    };
    fulfilments::Entity::update_many()
        .set(fulfilments::ActiveModel {
            status: ActiveValue::Set(status.to_owned()),
            due_at: ActiveValue::Set(failed.next_at.0),
            leased_by: ActiveValue::Set(None),
            last_error: ActiveValue::Set(Some(failed.error.to_owned())),
            updated_at: ActiveValue::Set(failed.at.0),
            ..Default::default()
        })
        .filter(fulfilments::Column::OrderNo.eq(failed.grant.order_no.as_str()))
        .filter(fulfilments::Column::Kind.eq(failed.grant.kind.as_str()))
        .filter(fulfilments::Column::LeasedBy.eq(failed.token))
        .filter(is_open())
        .build(backend)
}

/// It is not to be made yet, which is nobody's fault: it waits, and the attempt does not count.
pub fn waits(
    backend: DbBackend,
    grant: &ClaimedGrant,
    token: &str,
    next_at: UnixMillis,
    at: UnixMillis,
) -> Statement {
    fulfilments::Entity::update_many()
        .set(fulfilments::ActiveModel {
            attempts: ActiveValue::Set(grant.attempts.saturating_sub(1)),
            due_at: ActiveValue::Set(next_at.0),
            leased_by: ActiveValue::Set(None),
            updated_at: ActiveValue::Set(at.0),
            ..Default::default()
        })
        .filter(fulfilments::Column::OrderNo.eq(grant.order_no.as_str()))
        .filter(fulfilments::Column::Kind.eq(grant.kind.as_str()))
        .filter(fulfilments::Column::LeasedBy.eq(token))
        .filter(is_open())
        .build(backend)
}

/// The earliest moment at which a grant is due, or a claim runs out.
pub async fn next_due(read: &DatabaseConnection) -> Result<Option<UnixMillis>, StoreError> {
    let open = fulfilments::Entity::find().filter(is_open());
    waiting::next_due(read, open, fulfilments::Column::DueAt).await
}

/// How many grants wait, counted up to `most`, and when the oldest of them was queued.
pub async fn waiting(
    read: &DatabaseConnection,
    most: u64,
) -> Result<(usize, Option<UnixMillis>), StoreError> {
    let open = fulfilments::Entity::find().filter(is_open());
    let (due, created) = (fulfilments::Column::DueAt, fulfilments::Column::CreatedAt);
    waiting::counted(read, open, due, created, most).await
}

fn is_open() -> SimpleExpr {
    Expr::cust("status <> 'DONE'")
}
