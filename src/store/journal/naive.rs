//! One decision in one write, through entities, a statement for each thing: slow, plain, and the reference.

mod ledger;
mod outbox;

use super::rows::REFUND_FIXED_AT_CREATION;
use super::strategy::{begin, epoch_stands};
use super::verdict::{may_replace, open_successor, taken, version_of, within_daily_limit};
use crate::store::mapping::{NoticeRow, OrderRows, Prepared};
use crate::store::single::Single;
use entities::{
    alert_keys, alerts, audit_log, callbacks, idempotency_keys, order_events, orders, payments,
    refunds,
};
use sea_orm::sea_query::Expr;
use sea_orm::{
    ActiveModelTrait, ActiveValue, ColumnTrait, DatabaseConnection, DatabaseTransaction, DbErr,
    EntityTrait, ExprTrait, IdenStatic, IntoActiveModel, Iterable, QueryFilter,
};

/// Writes the decision if the order, or the account, is as it expects; nothing otherwise. `audit` is sealed already.
pub(super) async fn write(
    connection: &DatabaseConnection,
    epoch: i64,
    decision: &Prepared,
    audit: Option<audit_log::Model>,
) -> Result<bool, DbErr> {
    let write = begin(connection).await?;
    let written = epoch_stands(&write, epoch).await?
        && match decision {
            Prepared::Order(rows) => of_order(&write, rows, audit).await?,
            Prepared::Account(rows) => ledger::of_account(&write, rows).await?,
        };
    if written {
        write.commit().await?;
    } else {
        write.rollback().await?;
    }
    Ok(written)
}

async fn of_order(
    write: &DatabaseTransaction,
    decision: &OrderRows,
    audit: Option<audit_log::Model>,
) -> Result<bool, DbErr> {
    if !fits(write, decision).await? {
        return Ok(false);
    }
    order(write, decision).await?;
    history(write, decision).await?;
    refunds(write, decision).await?;
    ledger::postings(write, &decision.postings).await?;
    outbox::rows(write, decision).await?;
    if let Some(row) = audit {
        audit_log::Entity::insert(row.into_active_model().reset_all())
            .exec_without_returning(write)
            .await?;
    }
    if let Some(notice) = &decision.notice {
        inbox(write, notice).await?;
    }
    if let Some(row) = &decision.idempotency {
        idempotency(write, row).await?;
    }
    resolve(write, decision).await?;
    for alert in &decision.alerts {
        raise(write, alert).await?;
    }
    Ok(true)
}

/// Whether the database is as the decision expects.
async fn fits(write: &DatabaseTransaction, decision: &OrderRows) -> Result<bool, DbErr> {
    let order = &decision.order;
    let Some(version) = decision.expected_version else {
        return Ok(!taken(write, decision).await?
            && may_replace(write, order).await?
            && within_daily_limit(write, decision).await?);
    };
    let found = version_of(write, &order.order_id).await?;
    if found != Some(version) {
        return Ok(false);
    }
    if !decision.unless_replaced {
        return Ok(true);
    }
    let successor = open_successor(write, &order.order_no)
        .await
        .map_err(|error| DbErr::Custom(error.to_string()))?;
    Ok(successor.is_none())
}

async fn order(write: &DatabaseTransaction, decision: &OrderRows) -> Result<(), DbErr> {
    let row = decision.order.clone().into_active_model().reset_all();
    if decision.expected_version.is_none() {
        orders::Entity::insert(row)
            .exec_without_returning(write)
            .await?;
        return Ok(());
    }
    let mut changes = row;
    for column in super::rows::FIXED_AT_CREATION {
        changes.not_set(*column);
    }
    orders::Entity::update_many()
        .set(changes)
        .filter(orders::Column::OrderId.eq(decision.order.order_id.as_str()))
        .exec(write)
        .await?;
    Ok(())
}

async fn history(write: &DatabaseTransaction, decision: &OrderRows) -> Result<(), DbErr> {
    for event in &decision.events {
        order_events::Entity::insert(event.clone().into_active_model().reset_all())
            .exec_without_returning(write)
            .await?;
    }
    for payment in &decision.payments {
        payments::Entity::insert(payment.clone().into_active_model().reset_all())
            .exec_without_returning(write)
            .await?;
    }
    for payment in &decision.kept_payments {
        payments::Entity::update_many()
            .set(payments::ActiveModel {
                own: ActiveValue::Set(payment.own),
                amount: ActiveValue::Set(payment.amount),
                currency: ActiveValue::Set(payment.currency.clone()),
                ..Default::default()
            })
            .filter(payments::Column::Channel.eq(payment.channel.as_str()))
            .filter(payments::Column::TradeNo.eq(payment.trade_no.as_str()))
            .filter(payments::Column::OrderId.eq(payment.order_id.as_str()))
            .exec(write)
            .await?;
    }
    Ok(())
}

async fn refunds(write: &DatabaseTransaction, decision: &OrderRows) -> Result<(), DbErr> {
    for refund in &decision.refunds {
        let row = refund.clone().into_active_model().reset_all();
        let known = refunds::Entity::find_by_id(refund.refund_id.as_str())
            .single(write)
            .await?;
        if known.is_none() {
            refunds::Entity::insert(row)
                .exec_without_returning(write)
                .await?;
            continue;
        }
        let mut changes = row;
        for column in refunds::Column::iter() {
            if REFUND_FIXED_AT_CREATION.contains(&column.as_str()) {
                changes.not_set(column);
            }
        }
        refunds::Entity::update_many()
            .set(changes)
            .filter(refunds::Column::RefundId.eq(refund.refund_id.as_str()))
            .exec(write)
            .await?;
    }
    Ok(())
}

async fn inbox(write: &DatabaseTransaction, notice: &NoticeRow) -> Result<(), DbErr> {
    let row = &notice.row;
    if !notice.repeat {
        callbacks::Entity::insert(row.clone().into_active_model().reset_all())
            .exec_without_returning(write)
            .await?;
        return Ok(());
    }
    callbacks::Entity::update_many()
        .col_expr(
            callbacks::Column::SeenCount,
            Expr::col(callbacks::Column::SeenCount).add(1),
        )
        .col_expr(callbacks::Column::LastSeenAt, Expr::value(row.last_seen_at))
        .filter(callbacks::Column::Channel.eq(row.channel.as_str()))
        .filter(callbacks::Column::CallbackKey.eq(row.callback_key.as_str()))
        .filter(callbacks::Column::Status.eq(row.status.as_str()))
        .exec(write)
        .await?;
    Ok(())
}

/// The same payload under the same key is fine; another one breaks the constraint.
async fn idempotency(
    write: &DatabaseTransaction,
    row: &idempotency_keys::Model,
) -> Result<(), DbErr> {
    let key = (row.owner.clone(), row.route.clone(), row.key.clone());
    let found = idempotency_keys::Entity::find_by_id(key)
        .single(write)
        .await?;
    if found.is_some_and(|found| found.payload_digest == row.payload_digest) {
        return Ok(());
    }
    idempotency_keys::Entity::insert(row.clone().into_active_model().reset_all())
        .exec_without_returning(write)
        .await?;
    Ok(())
}

/// The order has left `MANUAL`: its alerts are over, except what this very write raises. Others are over by their keys.
async fn resolve(write: &DatabaseTransaction, decision: &OrderRows) -> Result<(), DbErr> {
    alerts::Entity::update_many()
        .set(alerts::ActiveModel {
            status: ActiveValue::Set("resolved".to_owned()),
            resolved_at: ActiveValue::Set(Some(decision.at)),
            ..Default::default()
        })
        .filter(alerts::Column::Status.ne("resolved"))
        .filter(alerts::Column::Key.is_in(decision.resolved_alerts.iter().map(String::as_str)))
        .exec(write)
        .await?;
    if !decision.resolves_alerts {
        return Ok(());
    }
    let raised = decision.alerts.iter().map(|alert| alert.key.as_str());
    alerts::Entity::update_many()
        .set(alerts::ActiveModel {
            status: ActiveValue::Set("resolved".to_owned()),
            resolved_at: ActiveValue::Set(Some(decision.at)),
            ..Default::default()
        })
        .filter(alerts::Column::OrderId.eq(decision.order.order_id.as_str()))
        .filter(alerts::Column::Status.ne("resolved"))
        .filter(alerts::Column::Severity.eq("action"))
        .filter(alerts::Column::Kind.is_in(super::rows::OVER_WITH_MANUAL.map(|kind| kind.as_str())))
        .filter(alerts::Column::Key.is_not_in(raised))
        .exec(write)
        .await?;
    Ok(())
}

/// A new key is a new alert; one that was ever raised is counted, if its alert is still there.
async fn raise(write: &DatabaseTransaction, alert: &alerts::Model) -> Result<(), DbErr> {
    let known = alert_keys::Entity::find_by_id(alert.key.as_str())
        .single(write)
        .await?;
    if known.is_none() {
        let key = alert_keys::ActiveModel {
            key: ActiveValue::Set(alert.key.clone()),
            at: ActiveValue::Set(alert.created_at),
        };
        alert_keys::Entity::insert(key)
            .exec_without_returning(write)
            .await?;
        alerts::Entity::insert(alert.clone().into_active_model().reset_all())
            .exec_without_returning(write)
            .await?;
        return Ok(());
    }
    alerts::Entity::update_many()
        .col_expr(
            alerts::Column::SeenCount,
            Expr::col(alerts::Column::SeenCount).add(1),
        )
        .filter(alerts::Column::Key.eq(alert.key.as_str()))
        .exec(write)
        .await?;
    Ok(())
}
