//! Logs and metrics.

pub mod labels;
pub mod logs;
pub mod metrics;
mod registration;

pub use logs::LogFormat;
pub use metrics::Metrics;
