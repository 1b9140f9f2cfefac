//! What the ledger itself must be looked after for: holds whose time is over, and balances below zero.

use crate::domain::UnixMillis;
use crate::domain::ledger::HoldStatus;
use crate::domain::order::AlertKind;
use crate::store::StoreError;
use entities::{alerts, balances, holds};
use sea_orm::sea_query::Expr;
use sea_orm::{
    ActiveValue, ColumnTrait, DatabaseConnection, DbBackend, EntityTrait, QueryFilter, QueryOrder,
    QuerySelect, QueryTrait, Statement,
};

/// A hold whose time is over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueHold {
    pub account: String,
    pub hold_no: String,
}

/// Holds that keep something back although their time is over, those that are late the longest first.
pub async fn due_holds(
    read: &DatabaseConnection,
    now: UnixMillis,
    limit: u64,
) -> Result<Vec<DueHold>, StoreError> {
    let rows: Vec<(String, String)> = holds::Entity::find()
        .select_only()
        .column(holds::Column::Account)
        .column(holds::Column::HoldNo)
        .filter(is_held())
        .filter(holds::Column::ExpiresAt.lte(now.0))
        .order_by_asc(holds::Column::ExpiresAt)
        .limit(limit)
        .into_tuple()
        .all(read)
        .await?;
    let due = rows
        .into_iter()
        .map(|(account, hold_no)| DueHold { account, hold_no });
    Ok(due.collect())
}

/// The earliest moment at which a hold expires.
pub async fn next_expiry(read: &DatabaseConnection) -> Result<Option<UnixMillis>, StoreError> {
    let next: Option<i64> = holds::Entity::find()
        .select_only()
        .column(holds::Column::ExpiresAt)
        .filter(is_held())
        .filter(holds::Column::ExpiresAt.is_not_null())
        .order_by_asc(holds::Column::ExpiresAt)
        .limit(1)
        .into_tuple()
        .one(read)
        .await?;
    Ok(next.map(UnixMillis))
}

/// As the index has it: a parameter would hide from the planner that the index serves.
fn is_held() -> sea_orm::sea_query::SimpleExpr {
    Expr::cust(format!("holds.status = '{}'", HoldStatus::Held))
}

/// A balance below zero.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NegativeBalance {
    pub account: String,
    pub kind: String,
    pub balance: i64,
    pub since: UnixMillis,
}

/// The key of the alert about a negative balance: its kind, its subject and its episode.
const ALERT_KEY: &str = "'balance_negative|' || balances.account || '/' || balances.kind || '|' || balances.negative_since";

/// Balances below zero that nobody was told of yet.
pub async fn negative_unknown(
    read: &DatabaseConnection,
    limit: u64,
) -> Result<Vec<NegativeBalance>, StoreError> {
    let told = format!("EXISTS (SELECT 1 FROM alert_keys WHERE alert_keys.key = {ALERT_KEY})");
    let rows = balances::Entity::find()
        .filter(balances::Column::NegativeSince.is_not_null())
        .filter(Expr::cust(format!("NOT {told}")))
        .order_by_asc(balances::Column::NegativeSince)
        .limit(limit)
        .all(read)
        .await?;
    let unknown = rows.into_iter().filter_map(|row| {
        Some(NegativeBalance {
            since: UnixMillis(row.negative_since?),
            account: row.account,
            kind: row.kind,
            balance: row.balance,
        })
    });
    Ok(unknown.collect())
}

/// Alerts about balances that are not below zero any more.
pub async fn negative_alerts_over(
    read: &DatabaseConnection,
    limit: u64,
) -> Result<Vec<String>, StoreError> {
    let stands = format!(
        "EXISTS (SELECT 1 FROM balances WHERE balances.negative_since IS NOT NULL AND alerts.key = {ALERT_KEY})"
    );
    // The index of alerts that stand is by order, and these are of none.
    let ids: Vec<String> = alerts::Entity::find()
        .select_only()
        .column(alerts::Column::AlertId)
        .filter(alerts::Column::OrderId.is_null())
        .filter(Expr::cust("alerts.status <> 'resolved'"))
        .filter(alerts::Column::Kind.eq(AlertKind::BalanceNegative.as_str()))
        .filter(Expr::cust(format!("NOT {stands}")))
        .limit(limit)
        .into_tuple()
        .all(read)
        .await?;
    Ok(ids)
}

/// Resolves these alerts.
pub fn resolve_alerts(backend: DbBackend, ids: &[String], at: UnixMillis) -> Statement {
    alerts::Entity::update_many()
        .set(alerts::ActiveModel {
            status: ActiveValue::Set("resolved".to_owned()),
            resolved_at: ActiveValue::Set(Some(at.0)),
            ..Default::default()
        })
        .filter(alerts::Column::AlertId.is_in(ids))
        .filter(alerts::Column::Status.ne("resolved"))
        .build(backend)
}
