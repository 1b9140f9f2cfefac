//! Money that a channel says it has moved, by the channel's trade number.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, serde::Serialize)]
#[sea_orm(table_name = "payments")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false, column_type = "Text")]
    pub channel: String,
    #[sea_orm(primary_key, auto_increment = false, column_type = "Text")]
    pub trade_no: String,
    #[sea_orm(column_type = "Text")]
    pub order_id: String,
    pub own: bool,
    pub amount: i64,
    #[sea_orm(column_type = "Text")]
    pub currency: String,
    pub at: i64,
    /// Its place among the payments of its order.
    pub position: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
