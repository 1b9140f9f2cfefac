//! The shapes of lists: newest first, and where the next page begins.

use crate::web::refund_view::RefundView;
use crate::web::routes::accounts::view::{BalanceView, EntryView};
use crate::web::routes::alerts::AlertView;
use crate::web::routes::deliveries::DeliveryView;
use crate::web::routes::keys::view::KeyView;
use crate::web::routes::orders::events::EventView;
use crate::web::view::OrderView;
use serde::Serialize;
use utoipa::ToSchema;

/// A page of orders.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct OrderList {
    pub(crate) data: Vec<OrderView>,
    /// Give it as `cursor` for the next page; null on the last.
    #[schema(required = true)]
    pub(crate) next_cursor: Option<String>,
}

/// The history of an order, oldest first; always whole.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct EventList {
    pub(crate) data: Vec<EventView>,
    #[schema(required = true)]
    pub(crate) next_cursor: Option<String>,
}

/// A page of an order's refunds.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct RefundList {
    pub(crate) data: Vec<RefundView>,
    /// Give it as `cursor` for the next page; null on the last.
    #[schema(required = true)]
    pub(crate) next_cursor: Option<String>,
}

/// A page of alerts.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct AlertList {
    pub(crate) data: Vec<AlertView>,
    #[schema(required = true)]
    pub(crate) next_cursor: Option<String>,
}

/// A page of webhooks.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct DeliveryList {
    pub(crate) data: Vec<DeliveryView>,
    #[schema(required = true)]
    pub(crate) next_cursor: Option<String>,
}

/// All keys.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct KeyList {
    pub(crate) data: Vec<KeyView>,
    #[schema(required = true)]
    pub(crate) next_cursor: Option<String>,
}

/// What an account has, by kind.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct BalanceList {
    pub(crate) data: Vec<BalanceView>,
}

/// A page of an account's entries.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct EntryList {
    pub(crate) data: Vec<EntryView>,
    #[schema(required = true)]
    pub(crate) next_cursor: Option<String>,
}
