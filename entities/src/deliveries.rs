//! Webhooks to the merchant, each as it was when what it tells was committed.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, serde::Serialize)]
#[sea_orm(table_name = "deliveries")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false, column_type = "Text")]
    pub delivery_id: String,
    #[sea_orm(column_type = "Text")]
    pub webhook_id: String,
    #[sea_orm(column_type = "Text")]
    pub kind: String,
    #[sea_orm(column_type = "Text")]
    pub order_id: String,
    #[sea_orm(column_type = "Text")]
    pub order_no: String,
    #[sea_orm(column_type = "Text")]
    pub body: String,
    #[sea_orm(column_type = "Text")]
    pub status: String,
    pub attempts: i64,
    pub first_attempt_at: Option<i64>,
    pub due_at: i64,
    #[sea_orm(column_type = "Text", nullable)]
    pub leased_by: Option<String>,
    pub created_at: i64,
    pub updated_at: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
