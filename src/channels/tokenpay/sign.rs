//! The gateway's signature: MD5 over the fields and the shared token.
//!
//! Source: LightCountry/TokenPay, `Wiki/docs.md` (its two printed examples) and `HomeController.VerifySignature`.

use md5::{Digest, Md5};
use secrecy::{ExposeSecret, SecretString};
use std::collections::BTreeMap;
use subtle::ConstantTimeEq;

/// The field that carries it, and is not signed itself.
pub(super) const SIGNATURE: &str = "Signature";

/// Fields by their names, as the texts that are signed. The order of a map is the order of the text: by bytes.
pub(super) type Fields = BTreeMap<String, String>;

/// `k=v` joined with `&`, without the signature and without empty values; nothing is URL-encoded. The token that
/// follows it when it is signed is not in it.
pub(super) fn text(fields: &Fields) -> String {
    let signed = fields
        .iter()
        .filter(|(name, value)| *name != SIGNATURE && !value.is_empty());
    let pairs: Vec<String> = signed
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    pairs.join("&")
}

/// Lower-case hexadecimal of the MD5 over the text with the token right behind it.
pub(super) fn signature(text: &str, token: &SecretString) -> String {
    let mut digest = Md5::new();
    digest.update(text.as_bytes());
    digest.update(token.expose_secret().as_bytes());
    hex::encode(digest.finalize())
}

/// Whether this is the signature of the text, letter by letter; the comparison takes constant time.
pub(super) fn verifies(text: &str, token: &SecretString, said: &str) -> bool {
    signature(text, token)
        .as_bytes()
        .ct_eq(said.as_bytes())
        .into()
}
