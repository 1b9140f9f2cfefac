//! What is allowed, and perhaps not what was meant.

use super::Settings;

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
        warnings
    }
}
