//! `kind = "alipay"`.

use super::{OfKind, base_url, needed, needed_secret};
use crate::config::section::Section;
use crate::config::{AlipayKeys, AlipayTrust, ChannelKind};
use reqwest::Url;
use secrecy::{ExposeSecret, SecretString};

const GATEWAY: &str = "https://openapi.alipay.com/gateway.do";
/// Of the sandbox's hosts, the newer one and the older one.
const SANDBOX_DOMAIN: &str = ".alipaydev.com";

pub(super) fn read(section: &mut Section<'_>) -> Option<OfKind> {
    let gateway = base_url(section, "gateway", Some(GATEWAY));
    let app_id = needed(
        section,
        "app_id",
        "the app's number, 16–32 digits",
        |text| is_number(text, 16, 32),
    );
    let allowed = "the seller's number, 16 digits that begin with 2088";
    let seller_id = section.parsed("seller_id", allowed, |text| {
        (is_number(text, 16, 16) && text.starts_with("2088")).then(|| text.to_owned())
    });
    let app_private_key = needed_secret(
        section,
        "app_private_key",
        "the app's RSA private key, in PEM or its base64 alone",
    );
    let trust = trust(section);
    let product_code = section.parsed("product_code", "1–64 of A-Z a-z 0-9 _", |text| {
        let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        ((1..=64).contains(&text.len()) && text.bytes().all(is_word)).then(|| text.to_owned())
    });
    let gateway = gateway?;
    let sandbox = Url::parse(&gateway)
        .ok()
        .and_then(|url| Some(url.host_str()?.ends_with(SANDBOX_DOMAIN)));
    let app_id = app_id?;
    Some(OfKind {
        live: Some(sandbox != Some(true))
            .filter(|_| !crate::config::address::is_loopback(&gateway)),
        play_on_loopback: true,
        base_url: gateway,
        merchant: Some(app_id.clone()),
        kind: ChannelKind::Alipay(AlipayKeys {
            app_id,
            seller_id,
            app_private_key: app_private_key?,
            trust: trust?,
            product_code,
        }),
    })
}

/// Either the public key, or the three certificates and, while Alipay's changes, the previous one.
fn trust(section: &mut Section<'_>) -> Option<AlipayTrust> {
    let key = section.secret("alipay_public_key");
    let mut certificate = |name| section.secret(name).as_ref().map(text);
    let certificates = [
        certificate("app_cert"),
        certificate("root_cert"),
        certificate("alipay_cert"),
    ];
    let previous = certificate("previous_alipay_cert");
    let given = certificates.iter().chain([&previous]).flatten().count();
    match (key, certificates) {
        (Some(key), _) if given == 0 => Some(AlipayTrust::PublicKey(text(&key))),
        (None, [Some(app), Some(root), Some(alipay)]) => Some(AlipayTrust::Certificates {
            app,
            root,
            alipay,
            previous,
        }),
        (Some(_), _) => {
            section.refuse(
                "alipay_public_key",
                "stands beside certificates; allowed is the key, or app_cert, root_cert and alipay_cert",
            );
            None
        }
        (None, _) => {
            let refused = ["alipay_public_key", "app_cert", "root_cert", "alipay_cert"]
                .iter()
                .any(|key| section.was_refused(key));
            if !refused {
                section.refuse(
                    "alipay_public_key",
                    "is missing; needed is Alipay's public key, or app_cert, root_cert and alipay_cert",
                );
            }
            None
        }
    }
}

/// It is read as secrets are, from a file or the environment, and is none.
fn text(public: &SecretString) -> String {
    public.expose_secret().to_owned()
}

fn is_number(text: &str, least: usize, most: usize) -> bool {
    (least..=most).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
}
