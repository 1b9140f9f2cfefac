//! What is allowed, and perhaps not what was meant.

use super::{ChannelKind, ChannelSettings, Settings, address};

impl Settings {
    /// What a person should hear at a start and from `config check`, each in one line.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        if self.keys.is_empty() {
            warnings.push(
                "the configuration has no [[keys]]: nobody can order but with keys made by `oncepay keys create`, \
                 which works while the server is stopped"
                    .to_owned(),
            );
        }
        if self.channels.is_empty() {
            warnings.push(
                "the configuration has no [channels.NAME]: no order can be created".to_owned(),
            );
        }
        if self.fulfilment.url.is_none() && !self.fulfilment.secrets.is_empty() {
            warnings.push(
                "fulfilment.secrets is set and fulfilment.url is not: no webhook is sent"
                    .to_owned(),
            );
        }
        let live = self.channels.iter().find(|(_, channel)| channel.live);
        if let Some((name, _)) = live
            && self.alerts.smtp_url.is_none()
        {
            warnings.push(format!(
                "channels.{name} is live and alerts.smtp_url is not set: alerts go to files in {}, and nobody is told",
                self.data_dir.join("mail").display()
            ));
        }
        let channels = self.channels.iter();
        warnings.extend(channels.filter_map(|(name, channel)| of_account(name, channel)));
        warnings
    }
}

/// What a channel's keys do not say of its account, and nothing else does.
fn of_account(name: &str, channel: &ChannelSettings) -> Option<String> {
    match channel.kind {
        ChannelKind::Stripe(_) if channel.live && channel.merchant == name => Some(format!(
            "channels.{name}.merchant is not set: give the account (acct_…), which keys do not tell; else orders of one \
             account would be asked about at another when the keys are changed for those of another"
        )),
        ChannelKind::Tokenpay(_) if !channel.live && address::is_loopback(&channel.base_url) => {
            Some(format!(
                "channels.{name} is on this machine and counts as play money; if its gateway takes real transfers, set \
                 channels.{name}.live = true"
            ))
        }
        ChannelKind::Http { .. }
        | ChannelKind::Alipay(_)
        | ChannelKind::Wechat(_)
        | ChannelKind::Stripe(_)
        | ChannelKind::Tokenpay(_) => None,
    }
}
