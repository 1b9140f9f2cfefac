//! What a first start keeps in the data folder: keys and the sandbox's secret, each made once.

use super::problem::ConfigError;
use super::section::{Report, Section};
use super::{KeySettings, parse};
use base64::Engine;
use secrecy::{ExposeSecret, SecretString};
use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use toml::Table;

/// The file of the sandbox's secret in the data folder.
pub const SANDBOX_SECRET: &str = "sandbox.secret";

/// Names, roles and scopes of the keys that a first start makes.
const FIRST_KEYS: [(&str, &str, &[&str]); 4] = [
    ("shop", "merchant", &["refunds"]),
    ("ops", "operator", &[]),
    ("viewer", "viewer", &[]),
    ("admin", "admin", &[]),
];

/// The file in which the first keys are kept, readable by its owner alone.
#[must_use]
pub fn keys_file(data_dir: &Path) -> PathBuf {
    data_dir.join("keys")
}

/// A command that only looks makes no secret.
pub(super) fn secret(data_dir: &Path, may_create: bool) -> std::io::Result<Option<SecretString>> {
    if may_create || data_dir.join(SANDBOX_SECRET).exists() {
        return sandbox_secret(data_dir).map(Some);
    }
    Ok(None)
}

/// The sandbox's secret: random, made once, kept in the data folder.
pub fn sandbox_secret(data_dir: &Path) -> std::io::Result<SecretString> {
    let file = data_dir.join(SANDBOX_SECRET);
    match std::fs::read_to_string(&file) {
        Ok(text) => Ok(SecretString::from(text.trim().to_owned())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            let key = base64::prelude::BASE64_STANDARD.encode(random()?);
            let secret = format!("whsec_{key}");
            write_private(&file, &secret)?;
            Ok(SecretString::from(secret))
        }
        Err(error) => Err(error),
    }
}

/// The keys of the data folder, and whether they were made just now.
pub(super) fn keys(data_dir: &Path) -> Result<(Vec<KeySettings>, bool), ConfigError> {
    let file = keys_file(data_dir);
    let failed =
        |error: std::io::Error| ConfigError::one(file.display().to_string(), error.to_string());
    if file.exists() {
        return Ok((read_keys(data_dir)?, false));
    }
    let mut text =
        "# The first keys of this installation. Keep this file to yourself.\n".to_owned();
    for (name, role, scopes) in FIRST_KEYS {
        let key = new_key(role).map_err(failed)?;
        let key = key.expose_secret();
        text.push_str(&format!(
            "\n[[keys]]\nname = \"{name}\"\nrole = \"{role}\"\nscopes = {scopes:?}\nkey = \"{key}\"\n"
        ));
    }
    write_private(&file, &text).map_err(failed)?;
    Ok((read_keys(data_dir)?, true))
}

/// The keys that a first start has left in the data folder; none if there was no such start.
pub fn read_keys(data_dir: &Path) -> Result<Vec<KeySettings>, ConfigError> {
    let file = keys_file(data_dir);
    let at = file.display().to_string();
    let text = match std::fs::read_to_string(&file) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(ConfigError::one(at, format!("cannot be read: {error}"))),
    };
    let table = text
        .parse::<Table>()
        .map_err(|error| ConfigError::one(&at, error.message()))?;
    let nothing = BTreeSet::new();
    let report = Report::new(&nothing, &|_| None);
    let keys = parse::key_list(Section::root(table, &report).listed("keys"));
    let mut problems = report.into_problems();
    for problem in &mut problems {
        problem.path = format!("{at}: {}", problem.path);
    }
    if problems.is_empty() {
        Ok(keys)
    } else {
        Err(ConfigError { problems })
    }
}

/// A fresh API key of this role: its whole `opk_…` text.
pub fn new_key(role: &str) -> std::io::Result<SecretString> {
    Ok(SecretString::from(format!(
        "opk_{role}_{}",
        hex::encode(random()?)
    )))
}

fn random() -> std::io::Result<[u8; 32]> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(std::io::Error::other)?;
    Ok(bytes)
}

/// Writes a file that only its owner can read, and never over another.
fn write_private(file: &Path, text: &str) -> std::io::Result<()> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut opened = options.open(file)?;
    opened.write_all(text.as_bytes())?;
    opened.sync_all()
}
