//! Keys and signatures as another implementation makes them, straight from HMAC: what ours are held against.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

pub(crate) const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
/// What was signed with before a rotation.
pub(crate) const PREVIOUS: &str = "whsec_bmV3LXNlY3JldC1uZXctc2VjcmV0LW5ldy1zZWNyZXQ=";
/// Nobody's here.
pub(crate) const FOREIGN: &str = "whsec_Zm9yZWlnbi1mb3JlaWduLWZvcmVpZ24tZm9yZWlnbg==";

/// `v1,<base64>` over the text.
pub(crate) fn signature(secret: &str, text: &[u8]) -> String {
    let key = secret.strip_prefix("whsec_").unwrap();
    let key = STANDARD.decode(key).unwrap();
    let mut mac = Hmac::<Sha256>::new_from_slice(&key).unwrap();
    mac.update(text);
    format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()))
}

/// `{id}.{timestamp}.{body}`
pub(crate) fn notice_text(id: &str, timestamp: &str, body: &[u8]) -> Vec<u8> {
    [id.as_bytes(), timestamp.as_bytes(), body].join(&b'.')
}

/// The same bytes but for one of them; `None` where there is none to change.
pub(crate) fn one_byte_off(bytes: &[u8], at: usize, by: u8) -> Option<Vec<u8>> {
    let mut other = bytes.to_vec();
    let place = at.checked_rem(bytes.len())?;
    let byte = other.get_mut(place)?;
    *byte ^= by.max(1);
    Some(other)
}
