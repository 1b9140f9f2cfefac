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

    pub(super) fn is_empty(&self) -> bool {
        self.configured.is_empty() && self.with_downloaded(<[NamedKey]>::is_empty)
    }

    pub(super) fn find(&self, serial: &str) -> Option<RsaVerifier> {
        find(&self.configured, serial)
            .or_else(|| self.with_downloaded(|downloaded| find(downloaded, serial)))
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

pub(super) fn find(keys: &[NamedKey], serial: &str) -> Option<RsaVerifier> {
    keys.iter()
        .find(|named| named.serial == serial)
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
        serial: hex::encode_upper(inside.serial_number().as_bytes()),
        key: RsaVerifier::of_info(inside.subject_public_key_info())?,
    })
}

/// Whether its time is over.
pub(super) fn has_expired(certificate: &Certificate, now: UnixMillis) -> bool {
    let not_after = certificate.tbs_certificate().validity().not_after;
    let until_ms = i64::try_from(not_after.to_unix_duration().as_millis()).unwrap_or(i64::MAX);
    now.0 > until_ms
}
