//! The runtime: a placeholder until its parts are put together.

use crate::config::{FirstStart, Settings};
use thiserror::Error;

/// Why a runtime could not start, or had to stop.
#[derive(Debug, Error)]
#[error("{0}")]
pub struct RuntimeError(String);

/// Serves until it is told to stop.
pub async fn serve(
    settings: Settings,
    first_start: Option<FirstStart>,
) -> Result<(), RuntimeError> {
    if let Some(first_start) = &first_start {
        crate::cli::welcome(first_start, &settings);
    }
    std::future::ready(Err(RuntimeError(
        "the runtime is not put together yet".to_owned(),
    )))
    .await
}
