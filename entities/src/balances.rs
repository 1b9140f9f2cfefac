//! What an account has of a kind: the sum of its entries, and how much of it is held back.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, serde::Serialize)]
#[sea_orm(table_name = "balances")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false, column_type = "Text")]
    pub account: String,
    #[sea_orm(primary_key, auto_increment = false, column_type = "Text")]
    pub kind: String,
    pub balance: i64,
    pub held: i64,
    pub valid_until: Option<i64>,
    pub negative_since: Option<i64>,
    pub version: i64,
    #[sea_orm(column_type = "Text")]
    pub last_decision: String,
    pub updated_at: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
