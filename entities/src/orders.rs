//! Orders. `entitlements`, `metadata`, `submits`, `next_action`, `not_found_since`, `proposal` and `refund_proposal` are JSON.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, serde::Serialize)]
#[sea_orm(table_name = "orders")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false, column_type = "Text")]
    pub order_id: String,
    #[sea_orm(column_type = "Text")]
    pub order_no: String,
    #[sea_orm(column_type = "Text")]
    pub idempotency_key: String,
    #[sea_orm(column_type = "Text")]
    pub channel: String,
    #[sea_orm(column_type = "Text")]
    pub merchant: String,
    pub live: bool,
    #[sea_orm(column_type = "Text")]
    pub method: String,
    pub amount: i64,
    #[sea_orm(column_type = "Text")]
    pub currency: String,
    #[sea_orm(column_type = "Text")]
    pub subject: String,
    #[sea_orm(column_type = "Text", nullable)]
    pub account: Option<String>,
    #[sea_orm(column_type = "Text")]
    pub entitlements: String,
    #[sea_orm(column_type = "Text")]
    pub metadata: String,
    #[sea_orm(column_type = "Text", nullable)]
    pub return_url: Option<String>,
    #[sea_orm(column_type = "Text")]
    pub notify_url: String,
    #[sea_orm(column_type = "Text", nullable)]
    pub payer: Option<String>,
    #[sea_orm(column_type = "Text", nullable)]
    pub channel_ref: Option<String>,
    #[sea_orm(column_type = "Text", nullable)]
    pub replaces: Option<String>,
    #[sea_orm(column_type = "Text")]
    pub status: String,
    #[sea_orm(column_type = "Text", nullable)]
    pub reason: Option<String>,
    pub version: i64,
    pub created_at: i64,
    pub updated_at: i64,
    pub paid_at: Option<i64>,
    pub expires_at: i64,
    pub deadline_passed_at: Option<i64>,
    pub ask_first: bool,
    #[sea_orm(column_type = "Text")]
    pub submits: String,
    pub extra_submits: i64,
    pub check_count: i64,
    pub next_check_at: Option<i64>,
    pub ask_due: bool,
    #[sea_orm(column_type = "Text", nullable)]
    pub not_found_since: Option<String>,
    pub close_requested_at: Option<i64>,
    #[sea_orm(column_type = "Text", nullable)]
    pub close_by: Option<String>,
    pub expiry_count: i64,
    pub proof_in_conflict: bool,
    pub amount_refunded: i64,
    #[sea_orm(column_type = "Text", nullable)]
    pub next_action: Option<String>,
    pub withheld: bool,
    #[sea_orm(column_type = "Text", nullable)]
    pub proposal: Option<String>,
    #[sea_orm(column_type = "Text", nullable)]
    pub refund_proposal: Option<String>,
    pub callback_count: i64,
    pub event_seq: i64,
    #[sea_orm(column_type = "Text", nullable)]
    pub last_error: Option<String>,
    #[sea_orm(column_type = "Text")]
    pub last_decision: String,
    pub wake_at: Option<i64>,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
