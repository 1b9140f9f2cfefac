//! Figures of a day, and what stands open. Each has an index: a table that has grown for years is not walked through.

use super::StoreError;
use crate::domain::UnixMillis;
use crate::domain::order::{OrderStatus, RefundStatus};
use entities::{deliveries, fulfilments, orders, payments, refunds};
use sea_orm::sea_query::{Expr, SimpleExpr};
use sea_orm::{
    ColumnTrait, DatabaseConnection, EntityTrait, FromQueryResult, PaginatorTrait, QueryFilter,
    QueryOrder, QuerySelect,
};

/// Open cases that are read; a mail that tells of more is about something else.
const CASES_MAX: u64 = 10_000;
/// So many attempts do not fail by chance.
const ATTEMPTS_FAILING: i64 = 3;

/// Money of one channel and currency.
#[derive(Debug, Clone, PartialEq, Eq, FromQueryResult)]
pub struct Sum {
    pub channel: String,
    pub currency: String,
    pub count: i64,
    /// Minor units.
    pub amount: i64,
}

/// An order or a refund that waits, and since when.
#[derive(Debug, Clone, PartialEq, Eq, FromQueryResult)]
pub struct Case {
    pub order_id: String,
    pub order_no: String,
    pub refund_no: Option<String>,
    pub since: i64,
}

/// How much of the outbox fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Failing {
    /// Tried three times or more, and tried again.
    pub retried: u64,
    pub given_up: u64,
}

const AMOUNT: &str = "CAST(SUM(amount) AS BIGINT)";
const COUNT: &str = "COUNT(*)";

/// Orders that were paid from `from` until before `until`.
///
/// # Errors
/// When the database does not answer. So do the others here.
pub async fn paid(
    read: &DatabaseConnection,
    from: UnixMillis,
    until: UnixMillis,
) -> Result<Vec<Sum>, StoreError> {
    let sums = orders::Entity::find()
        .select_only()
        .columns([orders::Column::Channel, orders::Column::Currency])
        .column_as(Expr::cust(COUNT), "count")
        .column_as(Expr::cust(AMOUNT), "amount")
        .filter(orders::Column::PaidAt.gte(from.0))
        .filter(orders::Column::PaidAt.lt(until.0))
        .group_by(orders::Column::Channel)
        .group_by(orders::Column::Currency)
        .order_by_asc(orders::Column::Channel)
        .order_by_asc(orders::Column::Currency)
        .into_model()
        .all(read)
        .await?;
    Ok(sums)
}

/// Refunds that succeeded.
pub async fn refunded(
    read: &DatabaseConnection,
    from: UnixMillis,
    until: UnixMillis,
) -> Result<Vec<Sum>, StoreError> {
    let sums = refunds::Entity::find()
        .select_only()
        .columns([refunds::Column::Channel, refunds::Column::Currency])
        .column_as(Expr::cust(COUNT), "count")
        .column_as(Expr::cust(AMOUNT), "amount")
        .filter(refunds::Column::Status.eq(RefundStatus::Succeeded.as_str()))
        .filter(refunds::Column::UpdatedAt.gte(from.0))
        .filter(refunds::Column::UpdatedAt.lt(until.0))
        .group_by(refunds::Column::Channel)
        .group_by(refunds::Column::Currency)
        .order_by_asc(refunds::Column::Channel)
        .order_by_asc(refunds::Column::Currency)
        .into_model()
        .all(read)
        .await?;
    Ok(sums)
}

/// Payments that came and paid no order: second ones, and those that did not match.
pub async fn second_payments(
    read: &DatabaseConnection,
    from: UnixMillis,
    until: UnixMillis,
) -> Result<Vec<Sum>, StoreError> {
    let sums = payments::Entity::find()
        .select_only()
        .columns([payments::Column::Channel, payments::Column::Currency])
        .column_as(Expr::cust(COUNT), "count")
        .column_as(Expr::cust(AMOUNT), "amount")
        // As the index has it.
        .filter(Expr::cust("NOT own"))
        .filter(payments::Column::At.gte(from.0))
        .filter(payments::Column::At.lt(until.0))
        .group_by(payments::Column::Channel)
        .group_by(payments::Column::Currency)
        .order_by_asc(payments::Column::Channel)
        .order_by_asc(payments::Column::Currency)
        .into_model()
        .all(read)
        .await?;
    Ok(sums)
}

/// Orders that stand in this status, the one that has longest first.
pub async fn orders_in(
    read: &DatabaseConnection,
    status: OrderStatus,
) -> Result<Vec<Case>, StoreError> {
    // The order's row moves with every notice: its history says since when.
    let since = "COALESCE((SELECT MAX(e.at) FROM order_events e WHERE e.order_id = orders.order_id \
         AND e.to_status = orders.status AND (e.from_status IS NULL OR e.from_status <> e.to_status)), updated_at)";
    let mut cases: Vec<Case> = orders::Entity::find()
        .select_only()
        .columns([orders::Column::OrderId, orders::Column::OrderNo])
        .column_as(nothing(), "refund_no")
        .column_as(Expr::cust(since), "since")
        .filter(orders::Column::Status.eq(status.as_str()))
        .order_by_asc(orders::Column::OrderId)
        .limit(CASES_MAX)
        .into_model()
        .all(read)
        .await?;
    cases.sort_by_key(|case| case.since);
    Ok(cases)
}

/// Refunds in `MANUAL`, the one that has stood there longest first.
pub async fn refunds_in_manual(read: &DatabaseConnection) -> Result<Vec<Case>, StoreError> {
    let order_no = "(SELECT o.order_no FROM orders o WHERE o.order_id = refunds.order_id)";
    let cases = refunds::Entity::find()
        .select_only()
        .column(refunds::Column::OrderId)
        .column_as(Expr::cust(order_no), "order_no")
        .column(refunds::Column::RefundNo)
        .column_as(refunds::Column::UpdatedAt, "since")
        .filter(refunds::Column::Status.eq(RefundStatus::Manual.as_str()))
        .order_by_asc(refunds::Column::UpdatedAt)
        .limit(CASES_MAX)
        .into_model()
        .all(read)
        .await?;
    Ok(cases)
}

fn nothing() -> SimpleExpr {
    Expr::cust("CAST(NULL AS TEXT)")
}

/// The status as it stands in the conditions of the partial indexes.
fn status(word: &str) -> SimpleExpr {
    Expr::cust(format!("status = '{word}'"))
}

/// Webhooks that fail.
pub async fn failing_deliveries(read: &DatabaseConnection) -> Result<Failing, StoreError> {
    let retried = deliveries::Entity::find()
        .filter(status("PENDING"))
        .filter(deliveries::Column::Attempts.gte(ATTEMPTS_FAILING));
    let failed = deliveries::Entity::find().filter(status("FAILED"));
    // What an endpoint that is gone has left undelivered is given up too.
    let ended = deliveries::Entity::find().filter(status("ENDED"));
    let (failed, ended) = (failed.count(read).await?, ended.count(read).await?);
    Ok(Failing {
        retried: retried.count(read).await?,
        given_up: failed.saturating_add(ended),
    })
}

/// Grants that fail.
pub async fn failing_grants(read: &DatabaseConnection) -> Result<Failing, StoreError> {
    let retried = fulfilments::Entity::find()
        .filter(status("PENDING"))
        // As the index has it: `PENDING` alone does not tell SQLite that it serves.
        .filter(Expr::cust("status <> 'DONE'"))
        .filter(fulfilments::Column::Attempts.gte(ATTEMPTS_FAILING));
    let given_up = fulfilments::Entity::find().filter(status("FAILED"));
    Ok(Failing {
        retried: retried.count(read).await?,
        given_up: given_up.count(read).await?,
    })
}
