//! The shapes of lists: newest first, and where the next page begins.

use crate::web::routes::alerts::AlertView;
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

/// A page of alerts.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct AlertList {
    pub(crate) data: Vec<AlertView>,
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
