//! The actors: one for each in-flight order, their supervisor, the notifier; and the gateway that faces ask.

mod accounts;
mod calls;
mod circuit;
mod create;
mod effects;
pub mod gateway;
mod guard;
mod idempotency;
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
mod turns;

pub use accounts::{AccountError, Moved};
pub(crate) use gateway::ForgetError;
pub use gateway::{Answered, Gateway, GatewayError, NewOrder, NewRefund, Received, Wait};
pub use guard::ChannelLimits;
pub use shared::{Parts, WebhookData};
pub use start::{Found, start};
