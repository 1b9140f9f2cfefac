//! Stages that many stories need.

use super::{Proxy, Stage};

impl Stage {
    /// The ladder of checks is over in a second; nothing is submitted twice.
    pub fn with_a_short_ladder() -> Self {
        Self {
            ui_deadline: "300ms",
            submit_timeout: "100ms",
            query_timeout: "2s",
            read_timeout: "600ms",
            schedule: r#"["200ms", "300ms", "400ms"]"#,
            max_submits: 1,
            ..Self::default()
        }
    }

    /// No clock of ours ends a call: only what the test does.
    pub fn with_patience() -> Self {
        Self {
            ui_deadline: "40s",
            submit_timeout: "30s",
            read_timeout: "60s",
            schedule: r#"["500ms", "1500ms", "60s"]"#,
            ..Self::default()
        }
    }

    /// Its calls go through this wire.
    #[must_use]
    pub fn through(mut self, proxy: &Proxy) -> Self {
        self.environment.push(proxy.environment());
        self
    }

    /// With one more variable in its environment.
    #[must_use]
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.environment.push((name.to_owned(), value.to_owned()));
        self
    }
}
