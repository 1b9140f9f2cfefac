//! Grants of orders: written with the payment, `DONE` where it made them, else made by a worker.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, serde::Serialize)]
#[sea_orm(table_name = "fulfilments")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false, column_type = "Text")]
    pub order_no: String,
    #[sea_orm(primary_key, auto_increment = false, column_type = "Text")]
    pub kind: String,
    #[sea_orm(column_type = "Text")]
    pub order_id: String,
    #[sea_orm(column_type = "Text")]
    pub status: String,
    pub attempts: i64,
    pub due_at: i64,
    #[sea_orm(column_type = "Text", nullable)]
    pub leased_by: Option<String>,
    #[sea_orm(column_type = "Text", nullable)]
    pub last_error: Option<String>,
    pub created_at: i64,
    pub updated_at: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
