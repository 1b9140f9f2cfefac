//! What follows a payment: grants, and webhooks to the merchant. Workers take them from the outbox.
//!
//! The rows are written with what caused them. A worker claims those that are due, by a conditional update with a
//! lease: one that died over its work is followed by another, and what both have done counts once, by the version of
//! the order's row or by the id that the receiver deduplicates by.

mod bell;
mod deliveries;
mod fulfiller;
mod grants;
mod retention;
mod shared;
pub mod sweep;
mod workers;

pub use bell::OutboxBell;
pub use deliveries::{Resolve, Resolving, SystemResolver};
pub use fulfiller::{Fulfiller, FulfillerError, Fulfillers, Fulfilling, Grant, Revocation};
pub(crate) use retention::Retention;
pub use shared::FulfilmentParts;
pub use workers::Fulfilment;
