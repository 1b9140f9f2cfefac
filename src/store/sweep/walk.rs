//! Orders whose grants are missing: those that wait in the outbox, and, page by page, those that are not even there.

use super::Suspect;
use crate::domain::UnixMillis;
use crate::domain::order::OrderStatus;
use crate::store::StoreError;
use entities::{fulfilments, orders};
use sea_orm::sea_query::Expr;
use sea_orm::{ColumnTrait, DatabaseConnection, EntityTrait, QueryFilter, QueryOrder, QuerySelect};

/// Orders of a page: some hundredths of a second of one reader. Only those with something pending are handed over.
const PAGE: u64 = 2_500;

/// Orders whose grants are in the outbox since before `before` and not made: the oldest, at most `limit` of each status.
///
/// # Errors
/// When the database does not answer.
pub async fn waiting(
    read: &DatabaseConnection,
    before: UnixMillis,
    limit: u64,
) -> Result<Vec<Suspect>, StoreError> {
    let mut suspects = Vec::new();
    for (status, by) in [
        ("PENDING", fulfilments::Column::DueAt),
        ("FAILED", fulfilments::Column::CreatedAt),
    ] {
        let rows: Vec<String> = fulfilments::Entity::find()
            .select_only()
            .column(fulfilments::Column::OrderNo)
            // As it stands in the conditions of the partial indexes: what is done is not walked through.
            .filter(Expr::cust(format!(
                "status = '{status}' AND status <> 'DONE'"
            )))
            .filter(fulfilments::Column::CreatedAt.lt(before.0))
            .order_by_asc(by)
            .limit(limit)
            .into_tuple()
            .all(read)
            .await?;
        suspects.extend(rows.into_iter().map(Suspect::order));
    }
    Ok(suspects)
}

/// The id before the first order that was created at `since` or later: ids go by time. `None` if there is no such order.
///
/// # Errors
/// When the database does not answer.
pub async fn before_those_since(
    read: &DatabaseConnection,
    since: UnixMillis,
) -> Result<Option<String>, StoreError> {
    let first: Option<String> = orders::Entity::find()
        .select_only()
        .column(orders::Column::OrderId)
        .filter(orders::Column::CreatedAt.gte(since.0))
        .order_by_asc(orders::Column::CreatedAt)
        .limit(1)
        .into_tuple()
        .one(read)
        .await?;
    let Some(first) = first else {
        return Ok(None);
    };
    let before: Option<String> = orders::Entity::find()
        .select_only()
        .column(orders::Column::OrderId)
        .filter(orders::Column::OrderId.lt(first))
        .order_by_desc(orders::Column::OrderId)
        .limit(1)
        .into_tuple()
        .one(read)
        .await?;
    Ok(Some(before.unwrap_or_default()))
}

/// Paid orders after `after` (an order's id) that entitle to something which is pending since before `before`, and
/// where the next page begins; `None` at the end.
///
/// # Errors
/// When the database does not answer.
pub async fn pending(
    read: &DatabaseConnection,
    after: &str,
    before: UnixMillis,
) -> Result<(Vec<Suspect>, Option<String>), StoreError> {
    let end: Option<String> = orders::Entity::find()
        .select_only()
        .column(orders::Column::OrderId)
        .filter(orders::Column::OrderId.gt(after))
        .order_by_asc(orders::Column::OrderId)
        .offset(PAGE.saturating_sub(1))
        .limit(1)
        .into_tuple()
        .one(read)
        .await?;
    let mut page = orders::Entity::find()
        .select_only()
        .column(orders::Column::OrderNo)
        .filter(orders::Column::OrderId.gt(after))
        .filter(orders::Column::Status.is_in(paid_words()))
        .filter(orders::Column::Withheld.eq(false))
        .filter(orders::Column::PaidAt.lt(before.0))
        .filter(orders::Column::Entitlements.contains("\"PENDING\""));
    if let Some(end) = &end {
        page = page.filter(orders::Column::OrderId.lte(end.as_str()));
    }
    let found: Vec<String> = page.into_tuple().all(read).await?;
    Ok((found.into_iter().map(Suspect::order).collect(), end))
}

pub(super) fn paid_words() -> Vec<&'static str> {
    let paid = OrderStatus::ALL.iter().filter(|status| status.is_paid());
    paid.map(|status| status.as_str()).collect()
}
