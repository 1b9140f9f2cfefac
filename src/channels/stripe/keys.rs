//! What the configuration of the channel must hold, and what is read of it.

use super::sign::WebhookKey;
use crate::channels::opening::{Opening, SettingRefusal};
use reqwest::header::HeaderValue;
use secrecy::{ExposeSecret, SecretString};

/// Keys of the account, and of its webhook endpoint.
#[derive(Debug)]
pub struct StripeSettings {
    /// `sk_live_…` or `sk_test_…`; `rk_…` where it may write payment intents and refunds and read balance transactions.
    pub secret_key: SecretString,
    /// `whsec_…`, one or, while it is changed, two: a webhook may be signed with either.
    pub webhook_secrets: Vec<SecretString>,
}

/// How a secret key begins, and whether it moves real money: nothing else tells test from live.
const MODES: [(&str, bool); 4] = [
    ("sk_live_", true),
    ("rk_live_", true),
    ("sk_test_", false),
    ("rk_test_", false),
];

/// `None` if it is no secret key.
fn is_live(key: &SecretString) -> Option<bool> {
    let text = key.expose_secret();
    let mode = MODES.iter().find(|(prefix, _)| text.starts_with(prefix));
    mode.map(|(_, live)| *live)
}

/// Whether the key moves real money.
pub(super) fn mode(opening: &Opening, key: &SecretString) -> Result<bool, SettingRefusal> {
    let live = is_live(key).ok_or_else(|| {
        let problem = if key.expose_secret().starts_with("pk_") {
            "is the publishable key; the secret key (sk_live_… or sk_test_…) is needed"
        } else {
            "must be a secret key: sk_live_…, sk_test_…, rk_live_… or rk_test_…"
        };
        opening.refuse("secret_key", problem)
    })?;
    if live != opening.account.live {
        let problem = if live {
            "is a live key, and the channel is not live"
        } else {
            "is a test key, and the channel is live"
        };
        return Err(opening.refuse("secret_key", problem));
    }
    Ok(live)
}

/// The header that every call carries; it is never shown.
pub(super) fn authorization(
    opening: &Opening,
    key: &SecretString,
) -> Result<HeaderValue, SettingRefusal> {
    let text = format!("Bearer {}", key.expose_secret());
    let header = HeaderValue::from_str(&text).ok();
    let mut header = header.ok_or_else(|| opening.refuse("secret_key", "holds odd characters"))?;
    header.set_sensitive(true);
    Ok(header)
}

/// The endpoint's keys.
pub(super) fn webhook_keys(
    opening: &Opening,
    secrets: &[SecretString],
) -> Result<Vec<WebhookKey>, SettingRefusal> {
    let refuse = |problem: &str| opening.refuse("webhook_secrets", problem);
    if !(1..=2).contains(&secrets.len()) {
        return Err(refuse("must be one or two"));
    }
    if let [first, second] = secrets
        && first.expose_secret().trim() == second.expose_secret().trim()
    {
        return Err(refuse("are the same one twice"));
    }
    let keys = secrets.iter().map(|secret| {
        WebhookKey::parse(secret)
            .ok_or_else(|| refuse("must be the signing secrets of the webhook endpoint: whsec_…"))
    });
    keys.collect()
}
