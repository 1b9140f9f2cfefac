//! `kind = "http"`: a processor that speaks the protocol.

use super::{OfKind, base_url, merchant, needed_secret};
use crate::config::ChannelKind;
use crate::config::secret::{SIGNING_BYTES_MIN, is_signing_key};
use crate::config::section::Section;
use secrecy::SecretString;

pub(super) fn read(section: &mut Section<'_>) -> Option<OfKind> {
    let base_url = base_url(section, "base_url", None);
    let secret = needed_secret(section, "secret", "whsec_ and the key in base64")
        .and_then(|secret| signing_key(section, "secret", secret));
    let previous_secret = section
        .secret("previous_secret")
        .and_then(|secret| signing_key(section, "previous_secret", secret));
    let merchant = merchant(section);
    Some(OfKind {
        base_url: base_url?,
        kind: ChannelKind::Http {
            secret: secret?,
            previous_secret,
        },
        merchant,
        live: None,
        play_on_loopback: true,
    })
}

fn signing_key(
    section: &mut Section<'_>,
    key: &'static str,
    secret: SecretString,
) -> Option<SecretString> {
    if !is_signing_key(&secret) {
        let message = format!("allowed is whsec_ and at least {SIGNING_BYTES_MIN} bytes in base64");
        section.refuse(key, message);
        return None;
    }
    Some(secret)
}
