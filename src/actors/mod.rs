//! The actors: one for each in-flight order, their supervisor, the notifier; and the gateway that faces ask.

pub mod gateway;
pub mod notifier;

pub use gateway::{Answered, Gateway, GatewayError, NewOrder, Received, Wait};
pub use notifier::Notifier;
