//! Why a runtime cannot start or go on.

use crate::channels::http::HttpChannelError;
use crate::channels::opening::SettingRefusal;
use crate::config::ConfigError;
use crate::mail::MailError;
use crate::store::StoreError;
use thiserror::Error;

/// Why a runtime cannot start or go on. Each says what a person can do about it.
#[derive(Debug, Error)]
pub enum RuntimeError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error(transparent)]
    Channel(#[from] HttpChannelError),
    #[error(transparent)]
    Setting(#[from] SettingRefusal),
    #[error(transparent)]
    Mail(#[from] MailError),
    #[error("the mark of a restore: {0}")]
    Restored(std::io::Error),
    #[error("the audit log cannot go on: {0}")]
    AuditKey(std::io::Error),
    #[error("the sandbox cannot be opened: {0}")]
    Sandbox(String),
    #[error("cannot listen on {address}: {error}")]
    Listen {
        address: std::net::SocketAddr,
        error: std::io::Error,
    },
    #[error("the server failed: {0}")]
    Server(std::io::Error),
    /// A fault of ours. A new process starts from the rows.
    #[error("{0} has died; this runtime has stopped, start it again")]
    Broken(&'static str),
    #[error(
        "the database's log was cut under this process, and with it what was committed last; start it again: it will \
         ask the channels before it submits, and the merchant asks again for what is gone"
    )]
    LogCut,
    #[error("another runtime has taken the database; this one has stopped")]
    Lost,
}
