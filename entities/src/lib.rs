//! The rows of oncepay's tables.

pub mod alert_keys;
pub mod alerts;
pub mod api_keys;
pub mod callbacks;
pub mod idempotency_keys;
pub mod order_events;
pub mod orders;
pub mod orphans;
pub mod payments;
pub mod runtime;
