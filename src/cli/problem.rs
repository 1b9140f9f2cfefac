//! Why a command failed, for the person who typed it.

use crate::config::ConfigError;
use crate::store::StoreError;
use std::path::Path;
use thiserror::Error;

#[derive(Debug, Error)]
pub(super) enum Problem {
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("{0}")]
    Plain(String),
}

impl Problem {
    pub(super) fn plain(text: impl Into<String>) -> Self {
        Self::Plain(text.into())
    }

    /// Something about a file.
    pub(super) fn file(path: &Path, error: &std::io::Error) -> Self {
        Self::Plain(format!("{}: {error}", path.display()))
    }
}
