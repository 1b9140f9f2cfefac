//! Alerts: reading them, raising those that belong to no order, and the notifier's claims.

use super::StoreError;
use crate::domain::UnixMillis;
use crate::domain::order::Alert;
use sea_orm::{DatabaseConnection, DbBackend, Statement};

/// An alert as stored. `status` is `open`, `acknowledged` or `resolved`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredAlert {
    pub alert_id: String,
    pub kind: String,
    pub severity: String,
    pub status: String,
    pub order_id: Option<String>,
    pub order_no: Option<String>,
    pub idempotency_key: Option<String>,
    pub channel: Option<String>,
    pub channel_trade_no: Option<String>,
    pub count: i64,
    pub message: String,
    pub created_at: UnixMillis,
    pub acknowledged_by: Option<String>,
    pub resolved_at: Option<UnixMillis>,
    /// Attempts to mail it so far.
    pub mail_attempts: i64,
    /// When it is to be mailed, next; `None`: mailed or given up.
    pub mail_due_at: Option<UnixMillis>,
    /// Stable over retries; set by the claim.
    pub message_id: Option<String>,
}

/// Newest first, after `after` (an alert id).
pub async fn list(
    read: &DatabaseConnection,
    status: Option<&str>,
    after: Option<&str>,
    limit: u64,
) -> Result<Vec<StoredAlert>, StoreError> {
    todo!("{read:?} {status:?} {after:?} {limit}")
}

pub async fn by_id(
    read: &DatabaseConnection,
    alert_id: &str,
) -> Result<Option<StoredAlert>, StoreError> {
    todo!("{read:?} {alert_id}")
}

/// Raises an alert that belongs to no order's write; its key deduplicates for ever (a repeat raises `count`).
pub fn raise(
    backend: DbBackend,
    alert: &Alert,
    channel: Option<&str>,
    at: UnixMillis,
) -> Vec<Statement> {
    todo!("{backend:?} {alert:?} {channel:?} {at:?}")
}

/// Acknowledges an open alert; one row affected if it was open.
pub fn acknowledge(backend: DbBackend, alert_id: &str, by: &str, at: UnixMillis) -> Statement {
    todo!("{backend:?} {alert_id} {by} {at:?}")
}

/// Alerts that are due to be mailed, oldest first.
pub async fn due(
    read: &DatabaseConnection,
    now: UnixMillis,
    limit: u64,
) -> Result<Vec<StoredAlert>, StoreError> {
    todo!("{read:?} {now:?} {limit}")
}

/// The earliest moment at which an alert is due.
pub async fn next_due(read: &DatabaseConnection) -> Result<Option<UnixMillis>, StoreError> {
    todo!("{read:?}")
}

/// Claims one alert for a mail: counts the attempt, fixes its Message-ID (an earlier one stays), sets the moment of
/// the next attempt. One row affected if it was still due as read.
pub fn claim(
    backend: DbBackend,
    alert: &StoredAlert,
    message_id: &str,
    next_attempt_at: UnixMillis,
) -> Statement {
    todo!("{backend:?} {alert:?} {message_id} {next_attempt_at:?}")
}

/// The mail with this Message-ID was handed over.
pub fn mailed(backend: DbBackend, message_id: &str, at: UnixMillis) -> Statement {
    todo!("{backend:?} {message_id} {at:?}")
}
