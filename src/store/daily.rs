//! The daily mails: which were made, and their claims.

use super::StoreError;
use crate::domain::UnixMillis;
use entities::daily_mails;
use sea_orm::sea_query::OnConflict;
use sea_orm::{
    ActiveModelTrait, ActiveValue, ColumnTrait, DatabaseConnection, DbBackend, EntityTrait,
    IntoActiveModel, QueryFilter, QueryOrder, QuerySelect, QueryTrait, Statement,
};

/// A daily mail that is to be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredDaily {
    /// The day on which it is due, such as `2026-08-01`; it tells of the one before.
    pub day: String,
    pub message_id: String,
    pub attempts: i64,
}

/// The newest day that has a row; `None` in a database that never had one.
///
/// # Errors
/// When the database does not answer.
pub async fn newest_day(read: &DatabaseConnection) -> Result<Option<String>, StoreError> {
    let day = daily_mails::Entity::find()
        .select_only()
        .column(daily_mails::Column::Day)
        .order_by_desc(daily_mails::Column::Day)
        .limit(1)
        .into_tuple()
        .one(read)
        .await?;
    Ok(day)
}

/// Mails that are due at `now`, the oldest first.
///
/// # Errors
/// When the database does not answer.
pub async fn due(
    read: &DatabaseConnection,
    now: UnixMillis,
) -> Result<Vec<StoredDaily>, StoreError> {
    let rows = daily_mails::Entity::find()
        .filter(daily_mails::Column::DueAt.lte(now.0))
        .order_by_asc(daily_mails::Column::Day)
        .all(read)
        .await?;
    let rows = rows.into_iter().map(|row| StoredDaily {
        day: row.day,
        message_id: row.message_id,
        attempts: row.attempts,
    });
    Ok(rows.collect())
}

/// Makes the mail of a day, unless it is made already. Without `due_at` there is nothing to send.
pub fn open(
    backend: DbBackend,
    day: &str,
    message_id: &str,
    due_at: Option<UnixMillis>,
) -> Statement {
    let row = daily_mails::Model {
        day: day.to_owned(),
        message_id: message_id.to_owned(),
        attempts: 0,
        due_at: due_at.map(|at| at.0),
        sent_at: None,
    };
    daily_mails::Entity::insert(row.into_active_model().reset_all())
        .on_conflict(OnConflict::new().do_nothing().to_owned())
        .build(backend)
}

/// Claims one attempt; one row affected if it was still to be had.
pub fn claim(backend: DbBackend, mail: &StoredDaily, next_attempt_at: UnixMillis) -> Statement {
    daily_mails::Entity::update_many()
        .set(daily_mails::ActiveModel {
            attempts: ActiveValue::Set(mail.attempts.saturating_add(1)),
            due_at: ActiveValue::Set(Some(next_attempt_at.0)),
            ..Default::default()
        })
        .filter(daily_mails::Column::Day.eq(mail.day.as_str()))
        .filter(daily_mails::Column::Attempts.eq(mail.attempts))
        .filter(daily_mails::Column::DueAt.is_not_null())
        .build(backend)
}

/// The mail of this day was handed over.
pub fn sent(backend: DbBackend, day: &str, at: UnixMillis) -> Statement {
    daily_mails::Entity::update_many()
        .set(daily_mails::ActiveModel {
            due_at: ActiveValue::Set(None),
            sent_at: ActiveValue::Set(Some(at.0)),
            ..Default::default()
        })
        .filter(daily_mails::Column::Day.eq(day))
        .build(backend)
}
