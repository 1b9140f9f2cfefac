//! Refunds. `last_sent`, `last_ended`, `not_found_since` and `proposal` are JSON; `actor` is who asked for it.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, serde::Serialize)]
#[sea_orm(table_name = "refunds")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false, column_type = "Text")]
    pub refund_id: String,
    #[sea_orm(column_type = "Text")]
    pub order_id: String,
    #[sea_orm(column_type = "Text")]
    pub refund_no: String,
    #[sea_orm(column_type = "Text")]
    pub channel: String,
    #[sea_orm(column_type = "Text")]
    pub trade_no: String,
    pub amount: i64,
    #[sea_orm(column_type = "Text")]
    pub currency: String,
    #[sea_orm(column_type = "Text")]
    pub status: String,
    #[sea_orm(column_type = "Text")]
    pub source: String,
    #[sea_orm(column_type = "Text")]
    pub actor: String,
    #[sea_orm(column_type = "Text", nullable)]
    pub note: Option<String>,
    #[sea_orm(column_type = "Text", nullable)]
    pub channel_refund_no: Option<String>,
    pub version: i64,
    pub send_count: i64,
    pub first_sent_at: Option<i64>,
    #[sea_orm(column_type = "Text", nullable)]
    pub last_sent: Option<String>,
    #[sea_orm(column_type = "Text", nullable)]
    pub last_ended: Option<String>,
    pub accepted: bool,
    pub check_count: i64,
    pub next_check_at: Option<i64>,
    #[sea_orm(column_type = "Text", nullable)]
    pub not_found_since: Option<String>,
    #[sea_orm(column_type = "Text", nullable)]
    pub proposal: Option<String>,
    #[sea_orm(column_type = "Text", nullable)]
    pub last_error: Option<String>,
    pub created_at: i64,
    pub updated_at: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
