//! Quantities that are reserved. Those of an order are named `order:<order_no>:<kind>` and have no end.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, serde::Serialize)]
#[sea_orm(table_name = "holds")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false, column_type = "Text")]
    pub account: String,
    #[sea_orm(primary_key, auto_increment = false, column_type = "Text")]
    pub hold_no: String,
    #[sea_orm(column_type = "Text")]
    pub kind: String,
    pub quantity: i64,
    pub captured: i64,
    #[sea_orm(column_type = "Text")]
    pub status: String,
    pub expires_at: Option<i64>,
    pub created_at: i64,
    pub updated_at: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
