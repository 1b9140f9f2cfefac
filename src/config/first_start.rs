//! A start without a configuration: an embedded database, a sandbox, and keys that are made once.

use super::load::{Loaded, Sources, from_table, overlay};
use super::problem::ConfigError;
use super::{KeySettings, Settings, defaults, kept, private};
use secrecy::{ExposeSecret, SecretString};
use std::path::{Path, PathBuf};
use toml::{Table, Value};

/// What a start without a configuration file has found or made.
#[derive(Debug, Clone)]
pub struct FirstStart {
    pub data_dir: PathBuf,
    /// The keys, if this start has made them: the one time at which they are shown.
    pub new_keys: Option<Vec<KeySettings>>,
}

impl Settings {
    /// The settings of a start without a configuration: everything below `data_dir`, nothing from outside.
    pub fn first_start(data_dir: &Path) -> Result<Loaded, ConfigError> {
        let sources = Sources {
            flags: vec![("server.data_dir".to_owned(), data_dir.display().to_string())],
            may_create: true,
            ..Sources::default()
        };
        load(&sources)
    }
}

pub(super) fn load(sources: &Sources) -> Result<Loaded, ConfigError> {
    let mut outside = Table::new();
    overlay(&mut outside, sources)?;
    let data_dir = text_at(&outside, "server", "data_dir")
        .map_or_else(|| PathBuf::from(defaults::DATA_DIR), PathBuf::from);
    let failed =
        |error: std::io::Error| ConfigError::one(data_dir.display().to_string(), error.to_string());
    if sources.may_create {
        private::folder(&data_dir).map_err(failed)?;
    }
    let secret = kept::secret(&data_dir, sources.may_create).map_err(failed)?;
    let table = base(&outside, &data_dir, secret);
    let (keys, new) = if sources.may_create {
        kept::keys(&data_dir)?
    } else {
        (kept::read_keys(&data_dir)?, false)
    };
    let mut settings = from_table(table, sources)?;
    settings.keys.extend(keys.clone());
    Ok(Loaded {
        settings,
        first_start: Some(FirstStart {
            data_dir,
            new_keys: new.then_some(keys),
        }),
    })
}

fn text_at<'a>(table: &'a Table, section: &str, key: &str) -> Option<&'a str> {
    table.get(section)?.as_table()?.get(key)?.as_str()
}

/// The configuration that is not there. A whole channel from outside replaces the sandbox.
fn base(outside: &Table, data_dir: &Path, secret: Option<SecretString>) -> Table {
    let mut table = Table::new();
    let file = data_dir.join("oncepay.db");
    table.insert(
        "database".to_owned(),
        one("url", format!("sqlite://{}", file.display())),
    );
    let Some(secret) = secret.filter(|_| !brings_a_channel(outside)) else {
        return table;
    };
    let listen = text_at(outside, "server", "listen").unwrap_or("127.0.0.1:8080");
    let mut sandbox = Table::new();
    for (key, value) in [
        ("kind", "http".to_owned()),
        ("base_url", format!("http://{}/sandbox", reachable(listen))),
        ("secret", secret.expose_secret().to_owned()),
    ] {
        sandbox.insert(key.to_owned(), Value::String(value));
    }
    let mut channels = Table::new();
    channels.insert("sandbox".to_owned(), Value::Table(sandbox));
    table.insert("channels".to_owned(), Value::Table(channels));
    table
}

/// A channel that names its kind; a single setting is one of the sandbox.
fn brings_a_channel(outside: &Table) -> bool {
    let channels = outside.get("channels").and_then(Value::as_table);
    channels.is_some_and(|channels| {
        channels
            .values()
            .any(|channel| channel.get("kind").is_some())
    })
}

fn one(key: &str, value: String) -> Value {
    let mut table = Table::new();
    table.insert(key.to_owned(), Value::String(value));
    Value::Table(table)
}

/// A listener on every address is reached at loopback.
fn reachable(listen: &str) -> String {
    match listen.parse::<std::net::SocketAddr>() {
        Ok(address) if address.ip().is_unspecified() => format!("127.0.0.1:{}", address.port()),
        Ok(_) | Err(_) => listen.to_owned(),
    }
}
