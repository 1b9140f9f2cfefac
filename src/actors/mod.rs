//! The actors: one for each in-flight order, their supervisor, the notifier; and the gateway that faces ask.

mod asks;
mod calls;
mod create;
mod effects;
pub mod gateway;
mod messages;
mod new_order;
pub mod notifier;
mod order;
mod receive;
mod redact;
mod shared;
pub mod start;
mod supervisor;
mod timers;
mod turn;
mod waits;

pub use gateway::{Answered, Gateway, GatewayError, NewOrder, Received, Wait};
pub use shared::Parts;
pub use start::{Found, start};
