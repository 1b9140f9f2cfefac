//! What a first start keeps in the data folder: keys and the sandbox's secret, each made once.

use super::problem::ConfigError;
use super::section::{Report, Section};
use super::{KeySettings, parse};
use crate::store::audit::AuditKey;
use base64::Engine;
use secrecy::{ExposeSecret, SecretString};
use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use toml::Table;

/// The file of the sandbox's secret in the data folder.
pub const SANDBOX_SECRET: &str = "sandbox.secret";

/// The file of the audit log's key in the data folder.
pub const AUDIT_KEY: &str = "audit.key";

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

/// The key of the audit log's chain: random, made once, kept in the data folder. Who has it can forge the log. `rows`
/// are those of the log: once it has some, no other key will do.
///
/// # Errors
/// When the file cannot be read or made, holds something else, or is lost.
pub fn audit_key(data_dir: &Path, rows: i64) -> std::io::Result<AuditKey> {
    if let Some(key) = read_audit_key(data_dir)? {
        return Ok(key);
    }
    if rows > 0 {
        return Err(lost(&data_dir.join(AUDIT_KEY), rows));
    }
    super::private::folder(data_dir)?;
    let key = random()?;
    write_private(&data_dir.join(AUDIT_KEY), &hex::encode(key))?;
    Ok(AuditKey::new(key))
}

/// A new key would break the chain, as a forger does: whoever knows that the key is lost must say so.
fn lost(file: &Path, rows: i64) -> std::io::Error {
    let file = file.display();
    std::io::Error::other(format!(
        "{file} is missing, and the rows of the audit log ({rows}) were sealed with it. Put the file back from your \
         backup. If it is lost for good, copy the table audit_log to a safe place and empty it: the next start makes a \
         new key and begins a new chain"
    ))
}

/// The key of the audit log's chain, if one was made here: who only looks makes none.
///
/// # Errors
/// As [`audit_key`].
pub fn read_audit_key(data_dir: &Path) -> std::io::Result<Option<AuditKey>> {
    let file = data_dir.join(AUDIT_KEY);
    let text = match std::fs::read_to_string(&file) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let mut bytes = [0; 32];
    hex::decode_to_slice(text.trim(), &mut bytes).map_err(|error| {
        std::io::Error::other(format!("{} holds no key: {error}", file.display()))
    })?;
    Ok(Some(AuditKey::new(bytes)))
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
        .map_err(|error| ConfigError::syntax(&at, &text, &error))?;
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
