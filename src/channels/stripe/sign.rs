//! The signature of a webhook: `Stripe-Signature: t=<Unix seconds>,v1=<64 hex>[,v1=…][,v0=…]`.
//!
//! Source: docs.stripe.com/webhooks/signature, and the verifiers of stripe-python 16.1.0 and stripe-node 23.1.0. The key
//! is the whole secret as a text, `whsec_` included; the message is `t`, a dot and the raw body; hex is lower case. Those
//! verifiers take a time ahead of the clock; here it may be as far ahead as it may be behind.

use crate::channels::signing::{self, TOLERANCE_S};
use crate::channels::{RawNotice, Rejection, RejectionRule};
use crate::domain::UnixMillis;
use hmac::{Hmac, KeyInit, Mac};
use secrecy::{ExposeSecret, SecretString};
use sha2::Sha256;
use subtle::ConstantTimeEq;

const HEADER: &str = "stripe-signature";
/// Stripe signs with every secret that is active; what is beyond is not looked at.
const SIGNATURES_MAX: usize = 16;

/// A signing secret of the endpoint.
#[derive(Clone)]
pub(super) struct WebhookKey {
    mac: Hmac<Sha256>,
}

impl std::fmt::Debug for WebhookKey {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("WebhookKey(…)")
    }
}

impl WebhookKey {
    /// The key in this secret, without the line break that a paste leaves; `None` if it is no `whsec_…`.
    pub(super) fn parse(secret: &SecretString) -> Option<Self> {
        let text = secret.expose_secret().trim();
        text.strip_prefix("whsec_")
            .filter(|rest| !rest.is_empty())?;
        let mac = Hmac::new_from_slice(text.as_bytes()).ok()?;
        Some(Self { mac })
    }

    /// Lower-case hex over `timestamp.body`.
    fn sign(&self, timestamp: &str, body: &[u8]) -> String {
        let mut mac = self.mac.clone();
        mac.update(timestamp.as_bytes());
        mac.update(b".");
        mac.update(body);
        hex::encode(mac.finalize().into_bytes())
    }

    fn made(&self, signature: &str, timestamp: &str, body: &[u8]) -> bool {
        let ours = self.sign(timestamp, body);
        ours.as_bytes().ct_eq(signature.as_bytes()).into()
    }
}

/// The header's parts: when it was signed, and the signatures of scheme `v1`. Others are not looked at: `v0` is none.
struct Signed<'a> {
    timestamp: &'a str,
    signatures: Vec<&'a str>,
}

impl<'a> Signed<'a> {
    fn parse(header: &'a str) -> Result<Self, Rejection> {
        let parts = || {
            let parts = header.split(',').filter_map(|part| part.split_once('='));
            parts.map(|(name, value)| (name.trim(), value.trim()))
        };
        let of = |wanted: &'static str| {
            let parts = parts().filter(move |(name, _)| *name == wanted);
            parts.map(|(_, value)| value)
        };
        let mut times = of("t");
        let (Some(timestamp), None) = (times.next(), times.next()) else {
            let explanation = format!("{HEADER} does not have one `t`");
            return Err(reject(RejectionRule::Timestamp, explanation));
        };
        Ok(Self {
            timestamp,
            signatures: of("v1").take(SIGNATURES_MAX).collect(),
        })
    }
}

/// Checks the header over the raw body. `keys`: a notice may be signed with any of them.
pub(super) fn verify(
    keys: &[WebhookKey],
    notice: &RawNotice<'_>,
    now: UnixMillis,
) -> Result<(), Rejection> {
    let header = notice.headers.get(HEADER).filter(|text| !text.is_empty());
    let header = header.ok_or_else(|| {
        let explanation = format!("{HEADER} is missing");
        reject(RejectionRule::MissingHeader, explanation)
    })?;
    let signed = Signed::parse(header)?;
    if !signing::is_fresh(signed.timestamp, now) {
        let explanation = format!(
            "`t` of {HEADER} is not Unix seconds within {TOLERANCE_S} s of {}",
            signing::timestamp(now)
        );
        return Err(reject(RejectionRule::Timestamp, explanation));
    }
    let is_ours = |signature: &&str| {
        keys.iter()
            .any(|key| key.made(signature, signed.timestamp, notice.body))
    };
    if signed.signatures.iter().any(is_ours) {
        return Ok(());
    }
    let why = if signed.signatures.is_empty() {
        "has no `v1`, the only scheme that counts"
    } else {
        "has no `v1` that is ours: another endpoint's secret, or another body than was signed"
    };
    let mut rejection = reject(RejectionRule::Signature, format!("{HEADER} {why}"));
    rejection.signed_text = Some(signed_text(signed.timestamp, notice.body));
    Err(rejection)
}

/// What was to be signed, but for the secrets with which a payer could go on paying.
fn signed_text(timestamp: &str, body: &[u8]) -> String {
    const MARK: &str = "_secret_";
    let body = String::from_utf8_lossy(body);
    let mut pieces = body.split(MARK);
    let mut text = format!("{timestamp}.{}", pieces.next().unwrap_or_default());
    for piece in pieces {
        text.push_str(MARK);
        text.push('…');
        text.push_str(piece.trim_start_matches(|letter: char| letter.is_ascii_alphanumeric()));
    }
    text
}

pub(super) fn reject(rule: RejectionRule, explanation: String) -> Rejection {
    Rejection {
        rule,
        explanation,
        key_id: None,
        signed_text: None,
    }
}
