//! Alerts: reading them, raising those that belong to no order, and the notifier's claims.

use super::insert::insert_where;
use super::mapping::{alert_from_row, new_alert};
use super::{StoreError, waiting};
use crate::domain::UnixMillis;
use crate::domain::order::{Alert, AlertKind};
use crate::scrub::scrub;
use crate::store::single::Single;
use entities::{alert_keys, alerts};
use sea_orm::sea_query::{Expr, OnConflict, Query, SimpleExpr};
use sea_orm::{
    ActiveValue, ColumnTrait, DatabaseConnection, DbBackend, EntityTrait, ExprTrait,
    IntoActiveModel, QueryFilter, QueryOrder, QuerySelect, QueryTrait, Statement,
};

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
    let mut query = alerts::Entity::find()
        .order_by_desc(alerts::Column::AlertId)
        .limit(limit);
    if let Some(status) = status {
        query = query.filter(is_in(status));
    }
    if let Some(after) = after {
        query = query.filter(alerts::Column::AlertId.lt(after));
    }
    let rows = query.all(read).await?;
    Ok(rows.into_iter().map(alert_from_row).collect())
}

/// How many are open, counted up to `most`.
///
/// # Errors
/// When the database does not answer.
pub async fn open(read: &DatabaseConnection, most: u64) -> Result<usize, StoreError> {
    let open: Vec<String> = alerts::Entity::find()
        .select_only()
        .column(alerts::Column::AlertId)
        // As it stands in the condition of the index.
        .filter(Expr::cust("status <> 'resolved'"))
        .filter(alerts::Column::Status.eq("open"))
        .limit(most)
        .into_tuple()
        .all(read)
        .await?;
    Ok(open.len())
}

/// Nearly all are resolved in the end: the few that stand are found by their index.
fn is_in(status: &str) -> SimpleExpr {
    if status == "resolved" {
        return alerts::Column::Status.eq(status);
    }
    let standing = Query::select()
        .column(alerts::Column::AlertId)
        .from(alerts::Entity)
        .and_where(Expr::cust("status <> 'resolved'"))
        .and_where(alerts::Column::Status.eq(status))
        .to_owned();
    alerts::Column::AlertId.in_subquery(standing)
}

pub async fn by_id(
    read: &DatabaseConnection,
    alert_id: &str,
) -> Result<Option<StoredAlert>, StoreError> {
    let row = alerts::Entity::find_by_id(alert_id).single(read).await?;
    Ok(row.map(alert_from_row))
}

/// What an alert that belongs to no order's write is about, as far as that is known: people look it up by these, and
/// what is named here is never scrubbed from its mail.
#[derive(Debug, Clone, Default)]
pub struct About {
    pub order_id: Option<String>,
    pub channel: Option<String>,
    pub order_no: Option<String>,
    pub channel_trade_no: Option<String>,
}

/// The words of an alert without cards, secrets and people; what it is about may stand in them.
fn scrubbed(alert: &Alert, about: &About) -> String {
    let named = [
        &about.order_id,
        &about.channel,
        &about.order_no,
        &about.channel_trade_no,
    ];
    let mut keep: Vec<&str> = named.into_iter().filter_map(|it| it.as_deref()).collect();
    keep.push(&alert.subject);
    keep.extend(alert.subject.split(['/', '|']));
    scrub(&alert.message, &keep)
}

/// Raises an alert that belongs to no order's write; its key deduplicates for ever (a repeat raises `count`).
pub fn raise(backend: DbBackend, alert: &Alert, about: &About, at: UnixMillis) -> Vec<Statement> {
    let row = alerts::Model {
        order_id: about.order_id.clone(),
        channel: about.channel.clone(),
        order_no: about.order_no.clone(),
        channel_trade_no: about.channel_trade_no.clone(),
        message: scrubbed(alert, about),
        ..new_alert(alert, at)
    };
    let key = alert_keys::ActiveModel {
        key: ActiveValue::Set(row.key.clone()),
        at: ActiveValue::Set(at.0),
    };
    vec![
        count_again(backend, &row.key),
        insert_if_new(backend, row),
        alert_keys::Entity::insert(key)
            .on_conflict(OnConflict::new().do_nothing().to_owned())
            .build(backend),
    ]
}

/// The condition of the alert with this key is over; one row affected if it stood.
pub fn resolve(backend: DbBackend, key: &str, at: UnixMillis) -> Statement {
    alerts::Entity::update_many()
        .set(alerts::ActiveModel {
            status: ActiveValue::Set("resolved".to_owned()),
            resolved_at: ActiveValue::Set(Some(at.0)),
            ..Default::default()
        })
        .filter(alerts::Column::Key.eq(key))
        .filter(alerts::Column::Status.ne("resolved"))
        .build(backend)
}

/// Acknowledges an open alert; one row affected if it was open.
pub fn acknowledge(backend: DbBackend, alert_id: &str, by: &str, at: UnixMillis) -> Statement {
    alerts::Entity::update_many()
        .set(alerts::ActiveModel {
            status: ActiveValue::Set("acknowledged".to_owned()),
            acknowledged_by: ActiveValue::Set(Some(by.to_owned())),
            acknowledged_at: ActiveValue::Set(Some(at.0)),
            ..Default::default()
        })
        .filter(alerts::Column::AlertId.eq(alert_id))
        .filter(alerts::Column::Status.eq("open"))
        .build(backend)
}

/// The condition of this kind at this channel is over.
pub fn resolve_channel(
    backend: DbBackend,
    kind: AlertKind,
    channel: &str,
    at: UnixMillis,
) -> Statement {
    alerts::Entity::update_many()
        .set(alerts::ActiveModel {
            status: ActiveValue::Set("resolved".to_owned()),
            resolved_at: ActiveValue::Set(Some(at.0)),
            ..Default::default()
        })
        .filter(alerts::Column::Kind.eq(kind.as_str()))
        .filter(alerts::Column::Channel.eq(channel))
        .filter(alerts::Column::Status.ne("resolved"))
        .build(backend)
}

/// Alerts that are due to be mailed, oldest first.
pub async fn due(
    read: &DatabaseConnection,
    now: UnixMillis,
    limit: u64,
) -> Result<Vec<StoredAlert>, StoreError> {
    let rows = alerts::Entity::find()
        .filter(alerts::Column::MailDueAt.lte(now.0))
        .order_by_asc(alerts::Column::MailDueAt)
        .order_by_asc(alerts::Column::AlertId)
        .limit(limit)
        .all(read)
        .await?;
    Ok(rows.into_iter().map(alert_from_row).collect())
}

/// The earliest moment at which an alert is due.
pub async fn next_due(read: &DatabaseConnection) -> Result<Option<UnixMillis>, StoreError> {
    let due = alerts::Entity::find().filter(alerts::Column::MailDueAt.is_not_null());
    waiting::next_due(read, due, alerts::Column::MailDueAt).await
}

/// Claims one alert for a mail: counts the attempt, fixes its Message-ID (an earlier one stays), sets the moment of
/// the next attempt. One row affected if it was still due as read.
pub fn claim(
    backend: DbBackend,
    alert: &StoredAlert,
    message_id: &str,
    next_attempt_at: UnixMillis,
) -> Statement {
    let fixed = alert.message_id.as_deref().unwrap_or(message_id);
    alerts::Entity::update_many()
        .set(alerts::ActiveModel {
            mail_attempts: ActiveValue::Set(alert.mail_attempts.saturating_add(1)),
            mail_due_at: ActiveValue::Set(Some(next_attempt_at.0)),
            message_id: ActiveValue::Set(Some(fixed.to_owned())),
            ..Default::default()
        })
        .filter(alerts::Column::AlertId.eq(alert.alert_id.as_str()))
        .filter(alerts::Column::MailDueAt.is_not_null())
        .filter(alerts::Column::MailAttempts.eq(alert.mail_attempts))
        .build(backend)
}

/// The mail with this Message-ID was handed over.
pub fn mailed(backend: DbBackend, message_id: &str, at: UnixMillis) -> Statement {
    alerts::Entity::update_many()
        .set(alerts::ActiveModel {
            mailed_at: ActiveValue::Set(Some(at.0)),
            mail_due_at: ActiveValue::Set(None),
            ..Default::default()
        })
        .filter(alerts::Column::MessageId.eq(message_id))
        .build(backend)
}

fn count_again(backend: DbBackend, key: &str) -> Statement {
    alerts::Entity::update_many()
        .col_expr(
            alerts::Column::SeenCount,
            Expr::col(alerts::Column::SeenCount).add(1),
        )
        .filter(alerts::Column::Key.eq(key))
        .build(backend)
}

/// Inserts the alert unless its key was ever raised.
fn insert_if_new(backend: DbBackend, row: alerts::Model) -> Statement {
    let known = Query::select()
        .expr(Expr::value(1))
        .from(alert_keys::Entity)
        .and_where(alert_keys::Column::Key.eq(row.key.as_str()))
        .to_owned();
    insert_where(row.into_active_model(), Expr::exists(known).not(), backend)
}
