//! `kind = "stripe"`.

use super::{OfKind, base_url, merchant, needed_secret};
use crate::config::section::Section;
use crate::config::{ChannelKind, StripeKeys};
use secrecy::{ExposeSecret, SecretString};

const HOST: &str = "https://api.stripe.com";
/// Stripe may forget a key after 24 h, and none is used that is older than 23: a call that begins with such a one must
/// not wait for its turn, and be open, for so long.
pub(super) const READ_TIMEOUT_BELOW_MS: i64 = 3_600_000;

pub(super) fn read(section: &mut Section<'_>) -> Option<OfKind> {
    let base_url = base_url(section, "base_url", Some(HOST));
    let merchant = merchant(section);
    let secret_key = secret_key(section);
    let webhook_secrets = webhook_secrets(section);
    let secret_key = secret_key?;
    Some(OfKind {
        base_url: base_url?,
        merchant,
        // Wherever it is sent to.
        live: is_live(&secret_key),
        play_on_loopback: false,
        kind: ChannelKind::Stripe(StripeKeys {
            secret_key,
            webhook_secrets: webhook_secrets?,
        }),
    })
}

/// A secret key, or a restricted one.
fn secret_key(section: &mut Section<'_>) -> Option<SecretString> {
    let needed = "the secret key: sk_live_…, sk_test_…, rk_live_… or rk_test_…";
    let key = needed_secret(section, "secret_key", needed)?;
    let is_printable = key.expose_secret().bytes().all(|it| it.is_ascii_graphic());
    if is_live(&key).is_none() || !is_printable {
        section.refuse("secret_key", format!("allowed is {needed}"));
        return None;
    }
    Some(key)
}

/// Test and live are told apart by the key alone.
fn is_live(key: &SecretString) -> Option<bool> {
    let key = key.expose_secret();
    let begins = |prefixes: [&str; 2]| prefixes.iter().any(|prefix| key.starts_with(prefix));
    if begins(["sk_live_", "rk_live_"]) {
        Some(true)
    } else {
        begins(["sk_test_", "rk_test_"]).then_some(false)
    }
}

/// One, or two during a rotation.
fn webhook_secrets(section: &mut Section<'_>) -> Option<Vec<SecretString>> {
    let needed = "the signing secrets of the webhook's endpoint, one or two of whsec_…";
    let secrets = section.secrets("webhook_secrets");
    let Some(secrets) = secrets else {
        if !section.was_refused("webhook_secrets") {
            section.refuse("webhook_secrets", format!("is missing; needed is {needed}"));
        }
        return None;
    };
    let is_one = |secret: &SecretString| secret.expose_secret().trim().starts_with("whsec_");
    if !(1..=2).contains(&secrets.len()) || !secrets.iter().all(is_one) {
        section.refuse("webhook_secrets", format!("allowed is {needed}"));
        return None;
    }
    Some(secrets)
}
