//! Verified notices, ours by their number, about an order that is unknown.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, serde::Serialize)]
#[sea_orm(table_name = "orphans")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false, column_type = "Text")]
    pub channel: String,
    #[sea_orm(primary_key, auto_increment = false, column_type = "Text")]
    pub callback_key: String,
    #[sea_orm(primary_key, auto_increment = false, column_type = "Text")]
    pub status: String,
    #[sea_orm(column_type = "Text")]
    pub order_no: String,
    #[sea_orm(column_type = "Text", nullable)]
    pub channel_trade_no: Option<String>,
    #[sea_orm(column_type = "Text")]
    pub digest: String,
    pub seen_count: i64,
    pub first_seen_at: i64,
    pub last_seen_at: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
