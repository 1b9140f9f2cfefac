//! A configuration without its secrets: what a deployment's files are made from, wherever they are made.

use super::load::{Sources, overlay, read};
use super::problem::ConfigError;
use super::{Settings, parse};
use std::collections::BTreeSet;
use toml::{Table, Value};

/// Settings whose secrets from elsewhere are stand-ins, and where those secrets are.
#[derive(Debug, Clone)]
pub struct Outline {
    pub settings: Settings,
    /// Variables of the environment that the configuration names.
    pub variables: BTreeSet<String>,
    /// Files of secrets that the configuration names, as it spells them.
    pub files: BTreeSet<String>,
}

impl Outline {
    /// Reads and checks the configuration as `Settings::load` does, but looks up no secret that stands elsewhere.
    ///
    /// # Errors
    /// When anything but such a secret is wrong.
    pub fn load(sources: &Sources) -> Result<Self, ConfigError> {
        let Some(file) = sources.file_in_use() else {
            return Ok(Self {
                settings: Settings::load(sources)?.settings,
                variables: BTreeSet::new(),
                files: BTreeSet::new(),
            });
        };
        let mut table = read(&file)?;
        let overlaid = overlay(&mut table, sources)?;
        let mut found = Found::default();
        found.channels(&mut table);
        found.keys(&mut table);
        found.one(&mut table, "alerts", "smtp_url", "smtp://127.0.0.1");
        found.one(&mut table, "fulfilment", "secrets", SIGNING_KEY);
        found.one(
            &mut table,
            "database",
            "url",
            "postgres://127.0.0.1/oncepay",
        );
        Ok(Self {
            settings: parse::settings(table, &overlaid, &|_| None)?,
            variables: found.variables,
            files: found.files,
        })
    }
}

/// Zeros of the least length: nobody is served with them.
const SIGNING_KEY: &str = "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

/// What a channel may name a file or a variable for, and what has its shape. Whether a key is one, and matches its other
/// half, is known where it stands.
const OF_CHANNELS: [(&str, &str); 14] = [
    ("secret", SIGNING_KEY),
    ("previous_secret", SIGNING_KEY),
    ("app_private_key", "-"),
    ("alipay_public_key", "-"),
    ("app_cert", "-"),
    ("root_cert", "-"),
    ("alipay_cert", "-"),
    ("previous_alipay_cert", "-"),
    ("merchant_private_key", "-"),
    ("apiv3_key", "00000000000000000000000000000000"),
    ("public_key", "-"),
    ("platform_certs", "-"),
    ("webhook_secrets", SIGNING_KEY),
    ("api_token", "-"),
];

/// Secrets that stand elsewhere, as far as they were found.
#[derive(Default)]
struct Found {
    variables: BTreeSet<String>,
    files: BTreeSet<String>,
}

impl Found {
    fn channels(&mut self, table: &mut Table) {
        let channels = table.get_mut("channels").and_then(Value::as_table_mut);
        for (_, channel) in channels.into_iter().flatten() {
            for (key, stand_in) in OF_CHANNELS {
                self.replace(channel, key, stand_in);
            }
            // Such a key tells live from test.
            let test = channel.get("live").and_then(Value::as_bool) == Some(false);
            let secret_key = if test { "sk_test_0" } else { "sk_live_0" };
            self.replace(channel, "secret_key", secret_key);
        }
    }

    fn keys(&mut self, table: &mut Table) {
        let keys = table.get_mut("keys").and_then(Value::as_array_mut);
        for key in keys.into_iter().flatten() {
            let role = key.get("role").and_then(Value::as_str).unwrap_or_default();
            let stand_in = format!("opk_{role}_{}", "0".repeat(32));
            self.replace(key, "key", &stand_in);
        }
    }

    fn one(&mut self, table: &mut Table, section: &str, key: &str, stand_in: &str) {
        if let Some(section) = table.get_mut(section) {
            self.replace(section, key, stand_in);
        }
    }

    /// Notes where the secret stands, or each of several, and puts the stand-in into its place.
    fn replace(&mut self, section: &mut Value, key: &str, stand_in: &str) {
        match section.get_mut(key) {
            Some(Value::Array(several)) => {
                for value in several {
                    self.replace_one(value, stand_in);
                }
            }
            Some(value) => self.replace_one(value, stand_in),
            None => {}
        }
    }

    fn replace_one(&mut self, value: &mut Value, stand_in: &str) {
        let Some(table) = value.as_table().filter(|table| table.len() == 1) else {
            return;
        };
        let text = |kind: &str| table.get(kind).and_then(Value::as_str).map(str::to_owned);
        let (variable, file) = (text("env"), text("file"));
        if variable.is_none() && file.is_none() {
            return;
        }
        self.variables.extend(variable);
        self.files.extend(file);
        *value = Value::String(stand_in.to_owned());
    }
}
