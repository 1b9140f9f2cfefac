//! Secrets: written as they are, or as `{ file = "…" }` or `{ env = "…" }`.

use base64::Engine;
use secrecy::{ExposeSecret, SecretString};
use toml::Value;

/// What a secret may look like, for messages.
const FORM: &str = "a string, { file = \"…\" } or { env = \"…\" }";

/// Reads the variables of the environment; a test brings its own.
pub type Lookup<'a> = &'a dyn Fn(&str) -> Option<String>;

/// The secret that this value stands for; the error never quotes it.
pub fn resolve(value: &Value, environment: Lookup<'_>) -> Result<SecretString, String> {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Table(table) if table.len() == 1 => match table.iter().next() {
            Some((kind, Value::String(name))) if kind == "file" => read_file(name)?,
            Some((kind, Value::String(name))) if kind == "env" => environment(name)
                .ok_or_else(|| format!("the environment has no variable {name}"))?,
            Some(_) | None => return Err(format!("allowed is {FORM}")),
        },
        Value::Integer(_)
        | Value::Float(_)
        | Value::Boolean(_)
        | Value::Datetime(_)
        | Value::Array(_)
        | Value::Table(_) => return Err(format!("allowed is {FORM}")),
    };
    if text.is_empty() {
        return Err("is empty".to_owned());
    }
    Ok(SecretString::from(text))
}

/// One trailing line break belongs to the editor, not to the secret.
fn read_file(name: &str) -> Result<String, String> {
    let text = std::fs::read_to_string(name)
        .map_err(|error| format!("the file {name} cannot be read: {error}"))?;
    Ok(text.trim_end_matches(['\r', '\n']).to_owned())
}

/// The shortest key that Standard Webhooks permits.
pub const SIGNING_BYTES_MIN: usize = 24;

/// Whether it is `whsec_` and a key of at least [`SIGNING_BYTES_MIN`] bytes in base64.
#[must_use]
pub fn is_signing_key(secret: &SecretString) -> bool {
    let key = secret.expose_secret().strip_prefix("whsec_");
    let bytes = key.and_then(|key| base64::prelude::BASE64_STANDARD.decode(key).ok());
    bytes.is_some_and(|bytes| bytes.len() >= SIGNING_BYTES_MIN)
}
