//! Alerts and events, and their rows.

use crate::clock::new_id;
use crate::domain::UnixMillis;
use crate::domain::order::Alert;
use crate::store::alerts::StoredAlert;
use crate::store::orders::StoredEvent;
use entities::{alerts, order_events};

/// The row of an alert that is raised now and due to be mailed at once; what it is about is still to be filled in.
pub(in crate::store) fn new_alert(alert: &Alert, at: UnixMillis) -> alerts::Model {
    alerts::Model {
        alert_id: new_id("alr"),
        key: alert.key(),
        kind: alert.kind.as_str().to_owned(),
        severity: alert.severity.as_str().to_owned(),
        status: "open".to_owned(),
        order_id: None,
        order_no: None,
        idempotency_key: None,
        channel: None,
        channel_trade_no: None,
        seen_count: 1,
        message: alert.message.clone(),
        created_at: at.0,
        acknowledged_by: None,
        acknowledged_at: None,
        resolved_at: None,
        mail_attempts: 0,
        mail_due_at: Some(at.0),
        mailed_at: None,
        message_id: None,
    }
}

pub(in crate::store) fn alert_from_row(row: alerts::Model) -> StoredAlert {
    StoredAlert {
        alert_id: row.alert_id,
        kind: row.kind,
        severity: row.severity,
        status: row.status,
        order_id: row.order_id,
        order_no: row.order_no,
        idempotency_key: row.idempotency_key,
        channel: row.channel,
        channel_trade_no: row.channel_trade_no,
        count: row.seen_count,
        message: row.message,
        created_at: UnixMillis(row.created_at),
        acknowledged_by: row.acknowledged_by,
        resolved_at: row.resolved_at.map(UnixMillis),
        mail_attempts: row.mail_attempts,
        mail_due_at: row.mail_due_at.map(UnixMillis),
        message_id: row.message_id,
    }
}

pub(in crate::store) fn stored_event(row: order_events::Model) -> StoredEvent {
    StoredEvent {
        seq: row.seq,
        event_id: row.event_id,
        at: UnixMillis(row.at),
        kind: row.kind,
        by: row.actor,
        from: row.from_status,
        to: row.to_status,
        detail: row.detail,
        digest: row.digest,
    }
}
