//! Pay per use: trades that were paid. `answer_body` is base64 of what was delivered, and `answer_headers` a list of names
//! and values in JSON, for as long as it may be asked for again.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, serde::Serialize)]
#[sea_orm(table_name = "metered_trades")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false, column_type = "Text")]
    pub channel: String,
    #[sea_orm(primary_key, auto_increment = false, column_type = "Text")]
    pub trade_no: String,
    #[sea_orm(column_type = "Text", nullable)]
    pub out_trade_no: Option<String>,
    #[sea_orm(column_type = "Text")]
    pub resource_id: String,
    pub amount: i64,
    #[sea_orm(column_type = "Text")]
    pub currency: String,
    #[sea_orm(column_type = "Text")]
    pub proof_digest: String,
    #[sea_orm(column_type = "Text")]
    pub status: String,
    pub answer_status: Option<i64>,
    #[sea_orm(column_type = "Text", nullable)]
    pub answer_headers: Option<String>,
    #[sea_orm(column_type = "Text", nullable)]
    pub answer_body: Option<String>,
    pub confirm_count: i64,
    pub due_at: Option<i64>,
    #[sea_orm(column_type = "Text", nullable)]
    pub last_error: Option<String>,
    pub paid_at: i64,
    pub delivered_at: Option<i64>,
    pub confirmed_at: Option<i64>,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
