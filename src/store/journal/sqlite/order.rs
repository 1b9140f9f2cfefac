//! A decision about an order, row by row.

use super::bind::Without;
use super::cells::{Write, text};
use super::ledger;
use crate::store::mapping::{NoticeRow, OrderRows};
use entities::{alerts, audit_log, fulfilments, payments};
use rusqlite::{Error, Result};
use sea_orm::Value;

/// Writes it if the order is as it expects; nothing otherwise.
pub(super) fn write(
    write: &Write<'_>,
    rows: &OrderRows,
    audit: Option<audit_log::Model>,
) -> Result<bool> {
    let stands = match rows.expected_version {
        None => creates(write, rows)?,
        Some(version) => updates(write, rows, version)?,
    };
    if stands {
        history(write, rows)?;
        outbox(write, rows)?;
        write.rows(&write.texts.audit, &audit)?;
        if let Some(notice) = &rows.notice {
            inbox(write, notice)?;
        }
        resolve(write, rows)?;
        for alert in &rows.alerts {
            raise(write, alert)?;
        }
        write.rows(&write.texts.idempotency_key, &rows.idempotency)?;
        ledger::postings(write, &rows.postings)?;
    }
    Ok(stands)
}

fn creates(write: &Write<'_>, rows: &OrderRows) -> Result<bool> {
    let order = &rows.order;
    let written = if order.replaces.is_none() && rows.daily_limit.is_none() {
        write.row(&write.texts.create, order)?
    } else {
        let limit = [
            Value::from(rows.daily_limit.map(|limit| limit.amount)),
            Value::from(rows.daily_limit.map(|limit| limit.since.0)),
        ];
        write.row_and(&write.texts.create_within, order, Without::default(), limit)?
    };
    Ok(written > 0)
}

fn updates(write: &Write<'_>, rows: &OrderRows, version: i64) -> Result<bool> {
    let order = &rows.order;
    let expected = [text(&order.order_id), Value::from(version)];
    let update = if rows.unless_replaced {
        &write.texts.update_unless_replaced
    } else {
        &write.texts.update
    };
    Ok(write.row_and(update, order, write.texts.fixed, expected)? > 0)
}

fn history(write: &Write<'_>, rows: &OrderRows) -> Result<()> {
    write.rows(&write.texts.event, &rows.events)?;
    write.rows(&write.texts.payment, &rows.payments)?;
    for payment in &rows.kept_payments {
        keep(write, payment)?;
    }
    write.rows(&write.texts.refund, &rows.refunds)
}

fn keep(write: &Write<'_>, payment: &payments::Model) -> Result<()> {
    let values = [
        Value::from(payment.own),
        Value::from(payment.amount),
        text(&payment.currency),
        text(&payment.channel),
        text(&payment.trade_no),
        text(&payment.order_id),
    ];
    write.change(&write.texts.kept_payment, values).map(drop)
}

fn outbox(write: &Write<'_>, rows: &OrderRows) -> Result<()> {
    write.rows(&write.texts.queued, &rows.fulfilments.queued)?;
    for row in &rows.fulfilments.done {
        granted(write, row)?;
    }
    write.rows(&write.texts.delivery, &rows.deliveries)
}

fn granted(write: &Write<'_>, row: &fulfilments::Model) -> Result<()> {
    let values = [
        text(&row.status),
        Value::from(row.updated_at),
        text(&row.order_no),
        text(&row.kind),
    ];
    write.change(&write.texts.granted, values).map(drop)
}

fn inbox(write: &Write<'_>, notice: &NoticeRow) -> Result<()> {
    let row = &notice.row;
    if !notice.repeat {
        return write.row(&write.texts.notice, row).map(drop);
    }
    let values = [
        Value::from(row.last_seen_at),
        text(&row.channel),
        text(&row.callback_key),
        text(&row.status),
    ];
    write.change(&write.texts.repeated_notice, values).map(drop)
}

/// The order has left `MANUAL`: its alerts are over, except what this very write raises. Others are over by their keys.
fn resolve(write: &Write<'_>, rows: &OrderRows) -> Result<()> {
    let at = Value::from(rows.at);
    if rows.resolves_alerts {
        let raised: Vec<&str> = rows.alerts.iter().map(|alert| alert.key.as_str()).collect();
        let raised = serde_json::to_string(&raised)
            .map_err(|error| Error::ToSqlConversionFailure(error.into()))?;
        let values = [at.clone(), text(&rows.order.order_id), text(&raised)];
        write.change(&write.texts.resolve, values)?;
    }
    for key in &rows.resolved_alerts {
        write.change(&write.texts.resolve_key, [at.clone(), text(key)])?;
    }
    Ok(())
}

/// A new key is a new alert; one that was ever raised is counted, if its alert is still there.
fn raise(write: &Write<'_>, alert: &alerts::Model) -> Result<()> {
    let key = [text(&alert.key), Value::from(alert.created_at)];
    if write.change(&write.texts.alert_key, key)? > 0 {
        write.row(&write.texts.alert, alert)?;
    } else {
        write.change(&write.texts.alert_again, [text(&alert.key)])?;
    }
    Ok(())
}
