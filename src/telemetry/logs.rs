//! Log lines: structured, to standard error, filtered by `ONCEPAY_LOG`.

use super::line::Line;
use super::panics;
use std::io::IsTerminal;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::util::TryInitError;
use tracing_subscriber::{Layer, fmt, layer::SubscriberExt, util::SubscriberInitExt};

/// How log lines look.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LogFormat {
    /// One JSON object a line.
    Json,
    /// For a person at a terminal.
    #[default]
    Human,
}

impl LogFormat {
    /// The format with this name: `json` or `human`.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "json" => Some(Self::Json),
            "human" => Some(Self::Human),
            _ => None,
        }
    }
}

/// The variable that filters the log, such as `info` or `oncepay=debug,warn`.
pub const FILTER_VARIABLE: &str = "ONCEPAY_LOG";

/// Starts logging for the whole process. Fails if something else logs already.
pub fn init(format: LogFormat) -> Result<(), TryInitError> {
    let filter = EnvFilter::try_from_env(FILTER_VARIABLE)
        .unwrap_or_else(|_absent_or_wrong| EnvFilter::new("info"));
    let filter = without_parse_errors(filter);
    let colours = std::io::stderr().is_terminal() && format == LogFormat::Human;
    let lines = fmt::layer()
        .with_writer(std::io::stderr)
        .with_ansi(colours)
        .event_format(Line(format));
    tracing_subscriber::registry()
        .with(lines.with_filter(filter))
        .try_init()?;
    panics::log_them();
    Ok(())
}

/// actix reports each request that is no HTTP as an error, a line each: anybody could fill the disk with them. They are
/// silent unless the filter names their target.
fn without_parse_errors(filter: EnvFilter) -> EnvFilter {
    const TARGET: &str = "actix_http";
    if filter.to_string().contains(TARGET) {
        return filter;
    }
    match format!("{TARGET}=off").parse() {
        Ok(directive) => filter.add_directive(directive),
        Err(_) => filter,
    }
}
