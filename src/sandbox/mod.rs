//! The sandbox: a scripted processor, a service of its own with its own ledger.
//!
//! It speaks the processor protocol like any processor: it verifies signatures, honours idempotency keys, signs
//! its replies, delivers callbacks until they are acknowledged, expires charges, and keeps what it has done in a
//! file that survives `kill -9`. Without directives it charges at once and sends one callback.
//!
//! # Directives
//!
#![doc = include_str!("directives.md")]
//!
//! # Beside the protocol
//!
//! `GET /sandbox/ledger` shows what was really charged and refunded, and how many calls each key has received
//! since the start. `POST /sandbox/control`, from this machine alone: `{"pay": key}`,
//! `{"notify": {"key": key, "copies": 3}}`, `{"refund": {"key": key, "refund_no": no, "amount": 5, "trade_no": trade}}`
//! (one that begins here), or `{"settle_refund": {"key": key, "refund_no": no, "status": "FAILED"}}`.

mod bills;
mod book;
mod change;
mod change_refund;
mod charges;
mod deliver;
pub mod directives;
mod journal;
mod later;
mod ledger;
mod processor;
pub mod record;
mod refunds;
mod reply;
mod say;
mod serve;
mod submit;

/// The words that script a charge, for people.
pub const DIRECTIVES: &str = include_str!("directives.md");

pub use journal::OpenError;
pub use processor::Sandbox;
pub use serve::{SandboxServe, configure, secret_in, serve, server};
