//! Logs and metrics.

mod fields;
pub mod labels;
mod line;
pub mod logs;
pub mod metrics;
mod panics;
mod registration;

pub use logs::LogFormat;
pub use metrics::Metrics;
