//! The rows of oncepay's tables.

pub mod alert_keys;
pub mod alerts;
pub mod api_keys;
pub mod audit_log;
pub mod balances;
pub mod callbacks;
pub mod daily_mails;
pub mod deliveries;
pub mod delivery_attempts;
pub mod ended_endpoints;
pub mod fulfilments;
pub mod holds;
pub mod idempotency_keys;
pub mod ledger_entries;
pub mod metered_keys;
pub mod metered_trades;
pub mod order_events;
pub mod orders;
pub mod orphans;
pub mod payments;
pub mod refunds;
pub mod runtime;
