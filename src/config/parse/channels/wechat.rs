//! `kind = "wechat"`: WeChat Pay v3.

use super::{OfKind, base_url, needed, needed_secret};
use crate::config::section::Section;
use crate::config::{ChannelKind, WechatKeys};
use reqwest::Url;
use secrecy::ExposeSecret;

const HOST: &str = "https://api.mch.weixin.qq.com";
/// WeChat Pay's own hosts. APIv3 has no sandbox: whatever answers there moves real money.
const DOMAINS: [&str; 2] = [".weixin.qq.com", ".wechatpay.cn"];
const APIV3_KEY_BYTES: usize = 32;

pub(super) fn read(section: &mut Section<'_>) -> Option<OfKind> {
    let base_url = base_url(section, "base_url", Some(HOST));
    let mchid = needed(
        section,
        "mchid",
        "the merchant's number, 8–32 digits",
        |text| (8..=32).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit()),
    );
    let appid = needed(
        section,
        "appid",
        "the app's id, 1–32 of A-Z a-z 0-9",
        |text| {
            (1..=32).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
        },
    );
    let merchant_private_key = needed_secret(
        section,
        "merchant_private_key",
        "the merchant's RSA private key, in PEM or its base64 alone",
    );
    let merchant_serial = needed(
        section,
        "merchant_serial",
        "the serial number of the merchant's certificate, 1–64 hexadecimal digits",
        |text| (1..=64).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit()),
    );
    let apiv3_key = needed_secret(section, "apiv3_key", "the APIv3 key, 32 bytes");
    if let Some(key) = &apiv3_key
        && key.expose_secret().len() != APIV3_KEY_BYTES
    {
        section.refuse("apiv3_key", "allowed are exactly 32 bytes");
    }
    let public_key = public_key(section);
    let platform_certs = section.secrets("platform_certs").unwrap_or_default();
    let base_url = base_url?;
    Some(OfKind {
        live: is_live(&base_url),
        base_url,
        merchant: mchid.clone(),
        play_on_loopback: true,
        kind: ChannelKind::Wechat(WechatKeys {
            mchid: mchid?,
            appid: appid?,
            merchant_private_key: merchant_private_key?,
            merchant_serial: merchant_serial?.to_ascii_uppercase(),
            apiv3_key: apiv3_key.filter(|key| key.expose_secret().len() == APIV3_KEY_BYTES)?,
            public_key,
            platform_certs: platform_certs
                .iter()
                .map(|it| it.expose_secret().to_owned())
                .collect(),
        }),
    })
}

/// `None`: a host that is not WeChat Pay's, such as a double's, does not say.
fn is_live(base_url: &str) -> Option<bool> {
    let url = Url::parse(base_url).ok()?;
    let host = url.host_str()?.trim_end_matches('.');
    let theirs = DOMAINS.iter().any(|domain| host.ends_with(domain));
    theirs.then_some(true)
}

/// The id and the key, both or none: without them the platform's certificates are used.
fn public_key(section: &mut Section<'_>) -> Option<(String, String)> {
    let allowed = "PUB_KEY_ID_ and 1–64 of A-Z a-z 0-9";
    let id = section.parsed("public_key_id", allowed, |text| {
        let rest = text.strip_prefix("PUB_KEY_ID_")?;
        let is_id =
            (1..=64).contains(&rest.len()) && rest.bytes().all(|byte| byte.is_ascii_alphanumeric());
        is_id.then(|| text.to_owned())
    });
    let key = section.secret("public_key");
    match (id, key) {
        (Some(id), Some(key)) => Some((id, key.expose_secret().to_owned())),
        (Some(_), None) => {
            if !section.was_refused("public_key") {
                section.refuse("public_key", "is missing beside public_key_id");
            }
            None
        }
        (None, Some(_)) => {
            if !section.was_refused("public_key_id") {
                section.refuse("public_key_id", "is missing beside public_key");
            }
            None
        }
        (None, None) => None,
    }
}
