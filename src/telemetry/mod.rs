//! Logs and metrics.
#[derive(Debug, Clone, Default)]
pub struct Metrics {}
impl Metrics {
    pub fn channel_call(
        &self,
        _channel: &str,
        _call: &str,
        _outcome: &str,
        _took: std::time::Duration,
    ) {
    }
}
