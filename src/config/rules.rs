//! What decisions read of the configuration, and where a sandbox is to be mounted.

use super::{ChannelKind, Settings, address};
use crate::domain::order::Fingerprint;
use crate::domain::schedule::{Capabilities, LateSuccess, Rules};
use secrecy::SecretString;

impl Settings {
    /// The rules of orders of this channel. `fingerprint` is the account of calls made now; a channel that is not
    /// configured here (one of the merchant's own, or one that is gone) has the defaults of a channel.
    #[must_use]
    pub fn rules_for(
        &self,
        channel: &str,
        capabilities: Capabilities,
        fingerprint: Option<Fingerprint>,
    ) -> Rules {
        let configured = self.channels.get(channel);
        let checks = &self.checks;
        Rules {
            capabilities,
            fingerprint,
            late_success: configured.map_or(LateSuccess::Manual, |channel| channel.late_success),
            on_refund: self.ledger.on_refund,
            ui_deadline_ms: self.server.ui_deadline_ms,
            submit_timeout_ms: checks.submit_timeout_ms,
            query_timeout_ms: checks.query_timeout_ms,
            read_timeout_ms: configured.map_or(super::defaults::READ_TIMEOUT_MS, |channel| {
                channel.read_timeout_ms
            }),
            schedule_ms: checks.schedule_ms.clone(),
            pending_schedule_ms: checks.pending_schedule_ms.clone(),
            expiry_attempts: checks.expiry_attempts,
            expiry_margin_ms: checks.expiry_margin_ms,
            startup_grace_ms: checks.startup_grace_ms,
            not_found_grace_ms: configured
                .and_then(|channel| channel.not_found_grace_ms)
                .unwrap_or(checks.not_found_grace_ms),
            max_submits: checks.max_submits,
            second_person_above: self.second_person_above.clone(),
        }
    }

    /// The channel whose base URL is `/sandbox` of this very server, and its secret, which is the mounted sandbox's.
    #[must_use]
    pub fn sandbox_channel(&self) -> Option<(&str, &SecretString)> {
        self.channels
            .iter()
            .find_map(|(name, channel)| match &channel.kind {
                ChannelKind::Http { secret, .. } if self.is_our_sandbox(&channel.base_url) => {
                    Some((name.as_str(), secret))
                }
                ChannelKind::Http { .. }
                | ChannelKind::Alipay(_)
                | ChannelKind::Wechat(_)
                | ChannelKind::Stripe(_)
                | ChannelKind::Tokenpay(_) => None,
            })
    }

    fn is_our_sandbox(&self, base_url: &str) -> bool {
        let Some(url) = address::web(base_url) else {
            return false;
        };
        url.path().trim_end_matches('/') == "/sandbox"
            && url.port_or_known_default() == Some(self.server.listen.port())
            && address::is_loopback(base_url)
    }

    /// A channel that points at a sandbox here wants one to be here.
    pub(super) fn with_sandbox_where_named(mut self) -> Self {
        self.sandbox.mounted = self.sandbox.mounted || self.sandbox_channel().is_some();
        self
    }
}
