//! Logs and metrics.

pub mod labels;
pub mod logs;
pub mod metrics;

pub use logs::LogFormat;
pub use metrics::Metrics;
