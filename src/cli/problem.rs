//! Why a command failed, for the person who typed it.

use crate::config::ConfigError;
use crate::store::StoreError;
use serde_json::{Value, json};
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

    /// For programs: in words, and what is wrong with which key of a configuration.
    pub(super) fn as_json(&self) -> Value {
        let refused = match self {
            Self::Config(error) => error.problems.as_slice(),
            Self::Store(_) | Self::Plain(_) => &[],
        };
        let refused = refused
            .iter()
            .map(|problem| json!({"key": problem.path, "message": problem.message}));
        json!({"error": self.to_string(), "refused": refused.collect::<Vec<_>>()})
    }

    /// Something about a file.
    pub(super) fn file(path: &Path, error: &std::io::Error) -> Self {
        Self::Plain(format!("{}: {error}", path.display()))
    }
}
