//! The texts that WeChat Pay signs and verifies, byte for byte as they are on the wire.
//!
//! Source: the signature rules of APIv3 in the merchants' documentation, and `wechatpay-go` and `wechatpay-php`, which
//! agree with it. Each line ends with a line break, the last one too.

use crate::channels::rsa::RsaSigner;

/// The only scheme that is spoken. What a message says of its own is not looked at.
const SCHEME: &str = "WECHATPAY2-SHA256-RSA2048";

/// Names of the headers that sign a notice or a reply, in lower case.
pub(super) const TIMESTAMP: &str = "wechatpay-timestamp";
pub(super) const NONCE: &str = "wechatpay-nonce";
pub(super) const SIGNATURE: &str = "wechatpay-signature";
pub(super) const SERIAL: &str = "wechatpay-serial";

/// A signature that begins so is wrong on purpose: WeChat Pay probes whether it is checked.
const PROBE: &str = "WECHATPAY/SIGNTEST/";

/// A request as it is signed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Outgoing<'a> {
    pub(super) method: &'a str,
    /// Path and query as sent.
    pub(super) target: &'a str,
    pub(super) body: &'a [u8],
}

/// The merchant as its requests name it.
#[derive(Debug, Clone)]
pub(super) struct Merchant {
    pub(super) mchid: String,
    /// Of the merchant's own certificate, in upper case.
    pub(super) serial: String,
}

/// When a message is signed, in Unix seconds, and its nonce.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stamp<'a> {
    pub(super) timestamp: &'a str,
    pub(super) nonce: &'a str,
}

/// `METHOD\ntarget\ntimestamp\nnonce\nbody\n`.
pub(super) fn request_text(request: Outgoing<'_>, stamp: Stamp<'_>) -> Vec<u8> {
    lines(&[
        request.method.as_bytes(),
        request.target.as_bytes(),
        stamp.timestamp.as_bytes(),
        stamp.nonce.as_bytes(),
        request.body,
    ])
}

/// `timestamp\nnonce\nbody\n`, of notices and replies; the body is raw.
pub(super) fn message_text(stamp: Stamp<'_>, body: &[u8]) -> Vec<u8> {
    lines(&[stamp.timestamp.as_bytes(), stamp.nonce.as_bytes(), body])
}

/// `appId\ntimeStamp\nnonceStr\npackage\n`, which a payer's WeChat checks before it pays.
pub(super) fn pay_text(appid: &str, stamp: Stamp<'_>, package: &str) -> Vec<u8> {
    lines(&[
        appid.as_bytes(),
        stamp.timestamp.as_bytes(),
        stamp.nonce.as_bytes(),
        package.as_bytes(),
    ])
}

/// The header `Authorization` of a request. `None` if it cannot be signed.
pub(super) fn authorization(
    merchant: &Merchant,
    key: &RsaSigner,
    request: Outgoing<'_>,
    stamp: Stamp<'_>,
) -> Option<String> {
    let signature = key.sign(&request_text(request, stamp))?;
    Some(format!(
        "{SCHEME} mchid=\"{}\",nonce_str=\"{}\",signature=\"{signature}\",timestamp=\"{}\",serial_no=\"{}\"",
        merchant.mchid, stamp.nonce, stamp.timestamp, merchant.serial
    ))
}

/// 32 letters and digits that were never used before.
pub(super) fn nonce() -> String {
    uuid_of(&crate::clock::new_id("n")).to_ascii_uppercase()
}

fn uuid_of(id: &str) -> &str {
    id.strip_prefix("n_").unwrap_or(id)
}

/// Whether WeChat Pay only probes.
pub(super) fn is_probe(signature: &str) -> bool {
    signature.starts_with(PROBE)
}

fn lines(lines: &[&[u8]]) -> Vec<u8> {
    let length = lines
        .iter()
        .fold(0, |sum: usize, line| sum.saturating_add(line.len() + 1));
    let mut text = Vec::with_capacity(length);
    for line in lines {
        text.extend_from_slice(line);
        text.push(b'\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::channels::rsa::RsaVerifier;
    use secrecy::SecretString;
    use serde_json::Value;

    macro_rules! vector {
        ($name:literal) => {
            include_str!(concat!("../../../tests/channels/vectors/wechat/", $name))
        };
    }

    fn vectors(kind: &str) -> Vec<Value> {
        let all: Vec<Value> = serde_json::from_str(vector!("request_response.json")).unwrap();
        all.into_iter().filter(|it| it["kind"] == kind).collect()
    }

    fn key() -> RsaSigner {
        RsaSigner::parse(&SecretString::from(vector!(
            "keys/wechat_merchant.pkcs8.pem"
        )))
        .unwrap()
    }

    #[test]
    fn requests_are_signed_as_another_sdk_signs_them() {
        let vectors = vectors("request_sign");
        assert_eq!(vectors.len(), 4);
        for vector in vectors {
            let text = |field: &str| vector[field].as_str().unwrap();
            let merchant = Merchant {
                mchid: text("mchid").to_owned(),
                serial: text("serial_no").to_owned(),
            };
            let stamp = Stamp {
                timestamp: text("timestamp"),
                nonce: text("nonce"),
            };
            let request = Outgoing {
                method: text("method"),
                target: text("url"),
                body: text("body").as_bytes(),
            };
            let signed = request_text(request, stamp);
            assert_eq!(signed, text("string_to_sign").as_bytes());
            let header = authorization(&merchant, &key(), request, stamp);
            assert_eq!(header.as_deref(), Some(text("authorization")));
        }
    }

    #[test]
    fn a_payment_is_signed_as_another_sdk_signs_it() {
        for vector in vectors("jsapi_pay_sign") {
            let text = |field: &str| vector["client_params"][field].as_str().unwrap();
            let stamp = Stamp {
                timestamp: text("timeStamp"),
                nonce: text("nonceStr"),
            };
            let signed = pay_text(text("appId"), stamp, text("package"));
            assert_eq!(
                signed,
                vector["string_to_sign"].as_str().unwrap().as_bytes()
            );
            assert_eq!(key().sign(&signed).as_deref(), Some(text("paySign")));
        }
    }

    #[test]
    fn replies_are_verified_as_another_sdk_signs_them() {
        let platform = RsaVerifier::parse(vector!("keys/wechat_platform.pub.pem")).unwrap();
        let vectors = vectors("response_verify");
        assert_eq!(vectors.len(), 2);
        for vector in vectors {
            let header = |name: &str| vector["headers"][name].as_str().unwrap();
            let stamp = Stamp {
                timestamp: header("Wechatpay-Timestamp"),
                nonce: header("Wechatpay-Nonce"),
            };
            let text = message_text(stamp, vector["body"].as_str().unwrap().as_bytes());
            assert_eq!(
                text,
                vector["string_to_verify"].as_str().unwrap().as_bytes()
            );
            assert!(platform.verifies(&text, header("Wechatpay-Signature")));
        }
    }

    #[test]
    fn every_nonce_is_another() {
        let (one, other) = (nonce(), nonce());
        assert_ne!(one, other);
        assert_eq!(one.len(), 32);
        assert!(one.bytes().all(|byte| byte.is_ascii_alphanumeric()));
    }
}
