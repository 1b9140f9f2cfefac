//! The history of orders. `actor` is who caused an event; `detail` is JSON.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, serde::Serialize)]
#[sea_orm(table_name = "order_events")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false, column_type = "Text")]
    pub order_id: String,
    #[sea_orm(primary_key, auto_increment = false)]
    pub seq: i64,
    #[sea_orm(column_type = "Text")]
    pub event_id: String,
    #[sea_orm(column_type = "Text")]
    pub decision_id: String,
    pub at: i64,
    #[sea_orm(column_type = "Text")]
    pub kind: String,
    #[sea_orm(column_type = "Text")]
    pub actor: String,
    #[sea_orm(column_type = "Text", nullable)]
    pub from_status: Option<String>,
    #[sea_orm(column_type = "Text")]
    pub to_status: String,
    #[sea_orm(column_type = "Text")]
    pub detail: String,
    #[sea_orm(column_type = "Text", nullable)]
    pub digest: Option<String>,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
