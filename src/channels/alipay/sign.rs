//! The texts that are signed: `name=value` of the fields, sorted by name and joined with `&`, nothing encoded.

use std::collections::BTreeMap;

/// The field that holds a signature.
pub const SIGN: &str = "sign";
/// The field that names the algorithm; it is never believed.
pub const SIGN_TYPE: &str = "sign_type";
/// RSA with SHA-256, the only algorithm that is used or accepted.
pub const RSA2: &str = "RSA2";

/// The text of a request: every parameter but `sign`; those without a value are not part of it.
/// (Open platform, "自行实现签名".)
#[must_use]
pub fn request_text(parameters: &[(&str, &str)]) -> String {
    let sorted: BTreeMap<&str, &str> = parameters
        .iter()
        .filter(|(name, value)| *name != SIGN && !value.is_empty())
        .copied()
        .collect();
    let pairs: Vec<String> = sorted
        .iter()
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    pairs.join("&")
}

/// The text of a notice: every field that arrived but `sign` and `sign_type`, also unknown ones, and also those without
/// a value. (The official SDKs read it so: `rsaCheckV1`, `getSignCheckContentV1`, `checkNotifySignV2`.)
#[must_use]
pub fn notice_text(fields: &BTreeMap<Vec<u8>, Vec<u8>>) -> Vec<u8> {
    let mut text = Vec::new();
    let signed = fields
        .iter()
        .filter(|(name, _)| ![SIGN.as_bytes(), SIGN_TYPE.as_bytes()].contains(&name.as_slice()));
    for (name, value) in signed {
        if !text.is_empty() {
            text.push(b'&');
        }
        text.extend_from_slice(name);
        text.push(b'=');
        text.extend_from_slice(value);
    }
    text
}
