//! The store: one writer (the journal), a pool of readers, and the mapping between rows and the domain.

pub mod alerts;
pub mod audit;
pub mod audit_check;
pub mod connect;
pub mod daily;
pub mod deliveries;
pub mod figures;
mod file;
pub mod fulfilments;
pub mod inbox;
mod insert;
pub mod journal;
pub mod keys;
pub mod ledger;
mod lifetime;
pub mod lock;
pub mod mapping;
pub mod metered;
pub mod orders;
mod place;
pub mod retention;
mod session;
mod single;
mod survey;
pub mod sweep;
mod waiting;

pub use connect::{Database, DatabaseSettings};
pub use journal::{Committed, Conflict, Journal, JournalError, Urgency, Write};
pub use lock::ProcessLock;

use thiserror::Error;

/// A read that failed: the database is away, or a row cannot be understood.
#[derive(Debug, Error)]
pub enum StoreError {
    #[error("the database does not answer: {0}")]
    Database(#[from] sea_orm::DbErr),
    #[error("a row cannot be understood: {0}")]
    Row(String),
    #[error("the database is in use by another runtime: {0}")]
    InUse(String),
    #[error("{0}")]
    Unusable(String),
}
