//! What WeChat Pay seals with the APIv3 key: the resources of notices, and its certificates.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ring::aead::{AES_256_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;

const ALGORITHM: &str = "AEAD_AES_256_GCM";

/// The APIv3 key: 32 bytes, as they were typed into the merchant platform.
pub(super) struct Apiv3Key {
    key: LessSafeKey,
}

impl std::fmt::Debug for Apiv3Key {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Apiv3Key(…)")
    }
}

/// A sealed text: AES-256-GCM, the tag at the end of the ciphertext.
#[derive(Debug, Deserialize)]
pub(super) struct Sealed {
    algorithm: String,
    /// 12 bytes.
    nonce: String,
    associated_data: Option<String>,
    /// Base64.
    ciphertext: String,
}

impl Apiv3Key {
    /// `None` if it is not 32 bytes long.
    pub(super) fn new(text: &SecretString) -> Option<Self> {
        let key = UnboundKey::new(&AES_256_GCM, text.expose_secret().as_bytes()).ok()?;
        Some(Self {
            key: LessSafeKey::new(key),
        })
    }

    /// The text, if it was sealed with this key and nobody has touched it; else what is wrong.
    pub(super) fn open(&self, sealed: &Sealed) -> Result<Vec<u8>, &'static str> {
        if sealed.algorithm != ALGORITHM {
            return Err("it is sealed with another algorithm than AEAD_AES_256_GCM");
        }
        let nonce = Nonce::try_assume_unique_for_key(sealed.nonce.as_bytes());
        let nonce = nonce.ok().ok_or("its nonce is not 12 bytes")?;
        let text = STANDARD.decode(&sealed.ciphertext).ok();
        let mut text = text.ok_or("its ciphertext is not base64")?;
        let associated = sealed.associated_data.as_deref().unwrap_or_default();
        let length = self
            .key
            .open_in_place(nonce, Aad::from(associated.as_bytes()), &mut text)
            .map(|plain| plain.len())
            .ok()
            .ok_or("it does not open with apiv3_key")?;
        text.truncate(length);
        Ok(text)
    }
}
