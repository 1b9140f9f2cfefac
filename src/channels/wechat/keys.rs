//! The keys that WeChat Pay signs with, by their exact serial number.
//!
//! While a merchant moves from certificates to the public key, messages come signed with either: all of them are loaded
//! at once, and the message says which one it means. No other key is ever tried.

use crate::channels::rsa::{self, KeyRefusal, RsaVerifier};
use crate::domain::UnixMillis;
use std::sync::{PoisonError, RwLock};
use x509_cert::Certificate;

/// A key and the number that messages name it by.
#[derive(Debug, Clone)]
pub(super) struct NamedKey {
    /// `PUB_KEY_ID_…`, or a certificate's serial number in upper-case hexadecimal digits.
    pub(super) serial: String,
    pub(super) key: RsaVerifier,
    /// From then on it counts no more. `None`: the public key, which ends when WeChat Pay changes it.
    pub(super) expires_at: Option<UnixMillis>,
}

impl NamedKey {
    pub(super) fn has_expired(&self, now: UnixMillis) -> bool {
        self.expires_at.is_some_and(|at| now > at)
    }
}

/// Every key that is loaded.
#[derive(Debug)]
pub(super) struct KeyRing {
    /// Of the configuration.
    configured: Vec<NamedKey>,
    /// Of the newest download; the next one replaces them.
    downloaded: RwLock<Vec<NamedKey>>,
}

impl KeyRing {
    pub(super) const fn new(configured: Vec<NamedKey>) -> Self {
        Self {
            configured,
            downloaded: RwLock::new(Vec::new()),
        }
    }

    /// Whether no key is left that counts now.
    pub(super) fn is_empty(&self, now: UnixMillis) -> bool {
        let all_over = |keys: &[NamedKey]| keys.iter().all(|named| named.has_expired(now));
        all_over(&self.configured) && self.with_downloaded(all_over)
    }

    /// The key of this name that counts now.
    pub(super) fn find(&self, serial: &str, now: UnixMillis) -> Option<RsaVerifier> {
        find(&self.configured, serial, now)
            .or_else(|| self.with_downloaded(|downloaded| find(downloaded, serial, now)))
    }

    /// Replaces what was downloaded before: a certificate that is not offered any more does not count any more.
    pub(super) fn replace_downloaded(&self, keys: Vec<NamedKey>) {
        *self
            .downloaded
            .write()
            .unwrap_or_else(PoisonError::into_inner) = keys;
    }

    fn with_downloaded<T>(&self, look: impl FnOnce(&[NamedKey]) -> T) -> T {
        look(
            &self
                .downloaded
                .read()
                .unwrap_or_else(PoisonError::into_inner),
        )
    }
}

fn find(keys: &[NamedKey], serial: &str, now: UnixMillis) -> Option<RsaVerifier> {
    keys.iter()
        .find(|named| named.serial == serial && !named.has_expired(now))
        .map(|named| named.key.clone())
}

/// The keys of a bundle of certificates in PEM.
pub(super) fn of_certificates(bundle: &str) -> Result<Vec<NamedKey>, KeyRefusal> {
    let certificates = rsa::certificates(bundle)?;
    let keys = certificates.iter().map(of_certificate);
    keys.collect::<Option<_>>()
        .ok_or(KeyRefusal::NotACertificate)
}

pub(super) fn of_certificate(certificate: &Certificate) -> Option<NamedKey> {
    let inside = certificate.tbs_certificate();
    Some(NamedKey {
        serial: serial_of(inside.serial_number().as_bytes()),
        key: RsaVerifier::of_info(inside.subject_public_key_info())?,
        expires_at: Some(expiry_of(certificate)),
    })
}

/// As messages write it: DER puts a zero byte before a number whose first bit is set, which is no part of the number.
fn serial_of(der: &[u8]) -> String {
    match der {
        [0, rest @ ..] if !rest.is_empty() => hex::encode_upper(rest),
        whole => hex::encode_upper(whole),
    }
}

fn expiry_of(certificate: &Certificate) -> UnixMillis {
    let not_after = certificate.tbs_certificate().validity().not_after;
    let until_ms = i64::try_from(not_after.to_unix_duration().as_millis());
    UnixMillis(until_ms.unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_serial_number_has_no_sign() {
        assert_eq!(serial_of(&[0x00, 0xf1, 0x0a]), "F10A");
        assert_eq!(serial_of(&[0x51, 0x00]), "5100");
        assert_eq!(serial_of(&[0x00]), "00");
    }
}
