//! What WeChat Pay does with its keys: it signs what it says, and seals what it tells.

use super::keys::{APIV3_KEY, ATTACKERS_KEY, PLATFORM_KEY, SECOND_KEY};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use oncepay::channels::rsa::RsaSigner;
use ring::aead::{AES_256_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use secrecy::SecretString;
use serde_json::{Value, json};

/// Headers by their names.
pub type Headers = Vec<(&'static str, String)>;

pub const NONCE: &str = "593BEC0C930BF1AFEB40B4A08C8FB242";

/// Whose key signs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signer {
    WechatPay,
    /// WeChat Pay's other key.
    SecondKey,
    Attacker,
    /// Deliberately wrong.
    Probe,
}

/// The headers that sign this body at this moment, in Unix seconds.
pub fn signed(signer: Signer, serial: &str, at: i64, body: &[u8]) -> Headers {
    let text = [at.to_string().as_bytes(), NONCE.as_bytes(), body].join(&b'\n');
    let text = [text.as_slice(), b"\n"].concat();
    let key = match signer {
        Signer::WechatPay | Signer::Probe => PLATFORM_KEY,
        Signer::SecondKey => SECOND_KEY,
        Signer::Attacker => ATTACKERS_KEY,
    };
    let key = RsaSigner::parse(&SecretString::from(key)).expect("a key");
    let mut signature = key.sign(&text).expect("a signature");
    if signer == Signer::Probe {
        let rest = signature.split_off(19);
        signature = format!("WECHATPAY/SIGNTEST/{rest}");
    }
    vec![
        ("Wechatpay-Serial", serial.to_owned()),
        ("Wechatpay-Timestamp", at.to_string()),
        ("Wechatpay-Nonce", NONCE.to_owned()),
        (
            "Wechatpay-Signature-Type",
            "WECHATPAY2-SHA256-RSA2048".to_owned(),
        ),
        ("Wechatpay-Signature", signature),
    ]
}

/// A text sealed with the APIv3 key.
pub fn sealed(text: &str, associated_data: &str) -> Value {
    sealed_with(APIV3_KEY, text, associated_data)
}

pub fn sealed_with(key: &str, text: &str, associated_data: &str) -> Value {
    let nonce = *b"fdasflkja484";
    let key = UnboundKey::new(&AES_256_GCM, key.as_bytes()).expect("32 bytes");
    let mut bytes = text.as_bytes().to_vec();
    LessSafeKey::new(key)
        .seal_in_place_append_tag(
            Nonce::assume_unique_for_key(nonce),
            Aad::from(associated_data.as_bytes()),
            &mut bytes,
        )
        .expect("it is sealed");
    json!({
        "algorithm": "AEAD_AES_256_GCM", "nonce": "fdasflkja484", "associated_data": associated_data,
        "ciphertext": STANDARD.encode(bytes),
    })
}

/// The body of a notice about this resource.
pub fn notice(id: &str, event_type: &str, resource: &Value) -> Vec<u8> {
    let mut sealed = sealed(&resource.to_string(), "transaction");
    sealed["original_type"] = json!("transaction");
    let notice = json!({
        "id": id, "create_time": "2026-11-30T18:00:12+08:00", "resource_type": "encrypt-resource",
        "event_type": event_type, "summary": "支付成功", "resource": sealed,
    });
    notice.to_string().into_bytes()
}
