//! What ops must know, once.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, serde::Serialize)]
#[sea_orm(table_name = "alerts")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false, column_type = "Text")]
    pub alert_id: String,
    #[sea_orm(column_type = "Text")]
    pub key: String,
    #[sea_orm(column_type = "Text")]
    pub kind: String,
    #[sea_orm(column_type = "Text")]
    pub severity: String,
    #[sea_orm(column_type = "Text")]
    pub status: String,
    #[sea_orm(column_type = "Text", nullable)]
    pub order_id: Option<String>,
    #[sea_orm(column_type = "Text", nullable)]
    pub order_no: Option<String>,
    #[sea_orm(column_type = "Text", nullable)]
    pub idempotency_key: Option<String>,
    #[sea_orm(column_type = "Text", nullable)]
    pub channel: Option<String>,
    #[sea_orm(column_type = "Text", nullable)]
    pub channel_trade_no: Option<String>,
    pub seen_count: i64,
    #[sea_orm(column_type = "Text")]
    pub message: String,
    pub created_at: i64,
    #[sea_orm(column_type = "Text", nullable)]
    pub acknowledged_by: Option<String>,
    pub acknowledged_at: Option<i64>,
    pub resolved_at: Option<i64>,
    pub mail_attempts: i64,
    pub mail_due_at: Option<i64>,
    pub mailed_at: Option<i64>,
    #[sea_orm(column_type = "Text", nullable)]
    pub message_id: Option<String>,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
