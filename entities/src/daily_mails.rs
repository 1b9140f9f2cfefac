//! Mails of each day: the row is there before the mail is sent.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, serde::Serialize)]
#[sea_orm(table_name = "daily_mails")]
pub struct Model {
    /// The day on which it is sent, such as `2026-08-01`.
    #[sea_orm(primary_key, auto_increment = false, column_type = "Text")]
    pub day: String,
    /// The same in every attempt.
    #[sea_orm(column_type = "Text")]
    pub message_id: String,
    pub attempts: i64,
    /// When it is tried next; `None`: it was sent, or there is nothing to send.
    pub due_at: Option<i64>,
    pub sent_at: Option<i64>,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
