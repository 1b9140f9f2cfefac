//! HMAC-SHA256 signatures in the form of Standard Webhooks: `v1,<base64>`, several separated by spaces.

use crate::domain::UnixMillis;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use secrecy::{ExposeSecret, SecretString};
use sha2::Sha256;

/// How far a signed timestamp may be from our clock, either way, in seconds: what Standard Webhooks asks for.
pub const TOLERANCE_S: i64 = 300;

/// The shortest key that Standard Webhooks permits.
const KEY_BYTES_MIN: usize = 24;

/// More signatures than any rotation needs; what is beyond is not looked at.
const SIGNATURES_MAX: usize = 16;

/// What is wrong with a secret in the configuration; never the secret itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SecretRefusal {
    #[error("must begin with `whsec_`")]
    Prefix,
    #[error("must be `whsec_` and base64 of the key")]
    Base64,
    #[error("must be `whsec_` and base64 of at least 24 bytes")]
    TooShort,
}

/// A key that signs and verifies. It is expanded once; using it costs two hashes.
#[derive(Clone)]
pub struct SigningKey {
    mac: Hmac<Sha256>,
}

impl std::fmt::Debug for SigningKey {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("SigningKey(…)")
    }
}

impl SigningKey {
    /// The key in `secret`: `whsec_` and base64 of at least 24 bytes.
    ///
    /// # Errors
    /// When it has another form.
    pub fn parse(secret: &SecretString) -> Result<Self, SecretRefusal> {
        let text = secret.expose_secret();
        let encoded = text.strip_prefix("whsec_").ok_or(SecretRefusal::Prefix)?;
        let key = STANDARD.decode(encoded).ok().ok_or(SecretRefusal::Base64)?;
        if key.len() < KEY_BYTES_MIN {
            return Err(SecretRefusal::TooShort);
        }
        let mac = Hmac::new_from_slice(&key).ok();
        mac.map(|mac| Self { mac }).ok_or(SecretRefusal::TooShort)
    }

    /// The signature of a text that is given in parts: `v1,<base64>`.
    #[must_use]
    pub fn sign(&self, text: &[&[u8]]) -> String {
        let mut signature = String::with_capacity(47);
        signature.push_str("v1,");
        STANDARD.encode_string(self.over(text).finalize().into_bytes(), &mut signature);
        signature
    }

    /// Whether any of the `signatures` is ours over this text. Each comparison takes constant time.
    #[must_use]
    pub fn verifies(&self, text: &[&[u8]], signatures: &str) -> bool {
        signatures
            .split(' ')
            .take(SIGNATURES_MAX)
            .filter_map(|signature| signature.strip_prefix("v1,"))
            .filter_map(|encoded| STANDARD.decode(encoded).ok())
            .any(|signature| self.over(text).verify_slice(&signature).is_ok())
    }

    fn over(&self, text: &[&[u8]]) -> Hmac<Sha256> {
        let mut mac = self.mac.clone();
        for part in text {
            mac.update(part);
        }
        mac
    }
}

/// Whether a timestamp header (Unix seconds, digits alone) is within [`TOLERANCE_S`] of now.
#[must_use]
pub fn is_fresh(timestamp: &str, now: UnixMillis) -> bool {
    let digits = !timestamp.is_empty() && timestamp.bytes().all(|byte| byte.is_ascii_digit());
    let seconds: Option<i64> = timestamp.parse().ok().filter(|_| digits);
    seconds.is_some_and(|at| {
        let now_s = now.0.div_euclid(1000);
        now_s.abs_diff(at) <= TOLERANCE_S.unsigned_abs()
    })
}

/// The timestamp header of a message that is signed now.
#[must_use]
pub fn timestamp(now: UnixMillis) -> String {
    now.0.div_euclid(1000).to_string()
}
