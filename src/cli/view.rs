//! Rows as data: the names of the API.

use crate::config::KeySettings;
use crate::domain::UnixMillis;
use crate::domain::order::{AlertKind, Order};
use crate::store::alerts::StoredAlert;
use crate::store::keys::StoredKey;
use crate::store::orders::StoredEvent;
use serde_json::{Value, json};
use time::OffsetDateTime;
use time::macros::format_description;

/// RFC 3339 in UTC with milliseconds.
pub(super) fn moment(at: UnixMillis) -> String {
    let format =
        format_description!("[year]-[month]-[day]T[hour]:[minute]:[second].[subsecond digits:3]Z");
    let nanos = i128::from(at.0).saturating_mul(1_000_000);
    OffsetDateTime::from_unix_timestamp_nanos(nanos)
        .ok()
        .and_then(|moment| moment.format(format).ok())
        .unwrap_or_default()
}

pub(super) fn order(order: &Order) -> Value {
    json!({
        "order_id": order.order_id,
        "order_no": order.order_no,
        "idempotency_key": order.idempotency_key,
        "live": order.fingerprint.live,
        "channel": order.fingerprint.channel,
        "method": order.method,
        "amount": order.money.amount,
        "amount_refunded": order.amount_refunded,
        "currency": order.money.currency,
        "subject": order.subject,
        "status": order.status,
        "reason": order.reason,
        "channel_trade_no": order.channel_trade_no(),
        "next_action": order.next_action,
        "submit_count": order.submit_count(),
        "check_count": order.check_count,
        "callback_count": order.callback_count,
        "next_check_at": order.next_check_at.map(moment),
        "last_error": order.last_error,
        "expires_at": moment(order.expires_at),
        "account": order.account,
        "entitlements": order.entitlements,
        "metadata": order.metadata,
        "version": order.version,
        "created_at": moment(order.created_at),
        "updated_at": moment(order.updated_at),
        "paid_at": order.paid_at.map(moment),
    })
}

pub(super) fn event(event: &StoredEvent) -> Value {
    json!({
        "seq": event.seq,
        "event_id": event.event_id,
        "at": moment(event.at),
        "kind": event.kind,
        "by": event.by,
        "from": event.from,
        "to": event.to,
        "detail": serde_json::from_str::<Value>(&event.detail).unwrap_or_default(),
        "digest": event.digest,
    })
}

pub(super) fn alert(alert: &StoredAlert) -> Value {
    json!({
        "alert_id": alert.alert_id,
        "kind": alert.kind,
        "severity": alert.severity,
        "status": alert.status,
        "order_id": alert.order_id,
        "order_no": alert.order_no,
        "channel": alert.channel,
        "count": alert.count,
        "message": alert.message,
        "suggested_action": AlertKind::parse(&alert.kind).map(AlertKind::suggested_action),
        "created_at": moment(alert.created_at),
        "acknowledged_by": alert.acknowledged_by,
        "resolved_at": alert.resolved_at.map(moment),
    })
}

pub(super) fn key(key: &StoredKey) -> Value {
    json!({
        "name": key.name,
        "role": key.role,
        "scopes": key.scopes,
        "created_at": moment(key.created_at),
        "revoked_at": key.revoked_at.map(moment),
    })
}

/// A key of the configuration: it has no moment of creation.
pub(super) fn configured_key(key: &KeySettings) -> Value {
    json!({
        "name": key.name,
        "role": key.role,
        "scopes": key.scopes,
        "created_at": null,
        "revoked_at": null,
    })
}
