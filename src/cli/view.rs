//! Rows as data: the names of the API.

use crate::config::KeySettings;
use crate::domain::order::{AlertKind, Severity};
use crate::moment::rfc3339;
use crate::store::alerts::StoredAlert;
use crate::store::keys::StoredKey;
use crate::store::orders::StoredEvent;
use serde_json::{Value, json};

pub(super) fn event(event: &StoredEvent) -> Value {
    json!({
        "seq": event.seq,
        "event_id": event.event_id,
        "at": rfc3339(event.at),
        "kind": event.kind,
        "by": event.by,
        "from": event.from,
        "to": event.to,
        "detail": serde_json::from_str::<Value>(&event.detail).unwrap_or_default(),
        "digest": event.digest,
    })
}

pub(super) fn alert(alert: &StoredAlert) -> Value {
    let action = AlertKind::parse(&alert.kind)
        .zip(Severity::parse(&alert.severity))
        .map(|(kind, severity)| kind.suggested_action(severity));
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
        "suggested_action": action,
        "created_at": rfc3339(alert.created_at),
        "acknowledged_by": alert.acknowledged_by,
        "resolved_at": alert.resolved_at.map(rfc3339),
    })
}

pub(super) fn key(key: &StoredKey) -> Value {
    json!({
        "name": key.name,
        "role": key.role,
        "scopes": key.scopes,
        "created_at": rfc3339(key.created_at),
        "revoked_at": key.revoked_at.map(rfc3339),
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
