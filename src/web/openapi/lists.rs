//! The shapes of lists: newest first, and where the next page begins.

use crate::web::routes::alerts::AlertView;
use crate::web::routes::keys::KeyView;
use crate::web::routes::orders::events::EventView;
use crate::web::view::OrderView;
use serde::Serialize;
use utoipa::ToSchema;

/// A page of orders.
#[derive(Debug, Serialize, ToSchema)]
pub struct OrderList {
    pub data: Vec<OrderView>,
    /// Give it as `cursor` for the next page; null on the last.
    #[schema(required = true)]
    pub next_cursor: Option<String>,
}

/// The history of an order, oldest first; always whole.
#[derive(Debug, Serialize, ToSchema)]
pub struct EventList {
    pub data: Vec<EventView>,
    #[schema(required = true)]
    pub next_cursor: Option<String>,
}

/// A page of alerts.
#[derive(Debug, Serialize, ToSchema)]
pub struct AlertList {
    pub data: Vec<AlertView>,
    #[schema(required = true)]
    pub next_cursor: Option<String>,
}

/// All keys.
#[derive(Debug, Serialize, ToSchema)]
pub struct KeyList {
    pub data: Vec<KeyView>,
    #[schema(required = true)]
    pub next_cursor: Option<String>,
}
