//! What channels with keys of their own are opened with.

use crate::clock::SharedClock;
use crate::domain::order::Fingerprint;

/// What every channel is opened with, beside its keys.
#[derive(Clone)]
pub struct Opening {
    pub account: Fingerprint,
    /// Without a slash at its end.
    pub base_url: String,
    pub loopback: bool,
    /// The largest amount that the merchant takes, in minor units.
    pub amount_max: Option<i64>,
    pub clock: SharedClock,
}

impl std::fmt::Debug for Opening {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Opening")
            .field("account", &self.account)
            .field("base_url", &self.base_url)
            .finish_non_exhaustive()
    }
}

/// A setting that a channel refuses: its key, and why. It never quotes a secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("channels.{channel}.{key} {problem}")]
pub struct SettingRefusal {
    pub channel: String,
    pub key: &'static str,
    pub problem: String,
}

impl Opening {
    /// This key of the channel's section is refused.
    pub fn refuse(&self, key: &'static str, problem: impl std::fmt::Display) -> SettingRefusal {
        SettingRefusal {
            channel: self.account.channel.clone(),
            key,
            problem: problem.to_string(),
        }
    }
}
