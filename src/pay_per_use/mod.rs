//! Pay per use over HTTP 402, around any resource of an actix-web app: first an offer, then a proof, then the resource,
//! once.
//!
//! * [`header`] is what travels in `Payment-Needed`, `Payment-Proof` and `Payment-Validation`.
//! * [`offer`] makes offers. None is stored, since anybody can ask for as many as they like: its number carries a code
//!   over what it offers, and what was paid is held against that.
//! * [`decide`] says what is released for what the channel says was paid.
//! * [`counter`] is where a proof is taken, and [`ticket`] the right to deliver for it once: a row before the resource is
//!   made, a row before it goes out. Whatever crashes in between, an answer goes out for one row once, and every delivery
//!   is confirmed. [`desk`] is what the counters share.
//! * [`middleware`] wraps the resource; [`confirm`] tells the channel afterwards, and [`told`] is what people are told.

mod answers;
mod confirm;
mod counter;
mod decide;
mod desk;
mod header;
mod middleware;
mod offer;
mod terms;
#[cfg(test)]
mod tests;
mod ticket;
mod told;

pub(crate) use confirm::Confirmer;
pub use desk::Desk;
pub(crate) use desk::DeskParts;
pub use middleware::{PayPerUse, Paywall};
pub use terms::{PayPerUseError, PayPerUseTerms};
