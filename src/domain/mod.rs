//! The payment logic: pure functions over plain values. No IO, no clock, no randomness.

pub mod ids;
pub mod ledger;
pub mod money;
pub mod order;
pub mod outbox;
pub mod schedule;
pub mod time;
mod words;

pub use ids::{EventId, OrderId, OrderNo};
pub use money::{Currency, Money};
pub use time::{Now, Stamp, UnixMillis};
