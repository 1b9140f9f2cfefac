//! Keys that cannot be what they are called are refused at start, by their name, and never quoted.

use super::{Hands, open_at, settings};
use crate::doubles::wechat::keys;
use oncepay::channels::wechat::WechatSettings;
use secrecy::SecretString;
use std::sync::Arc;

fn refused(settings: WechatSettings) -> (&'static str, String) {
    refused_at(Hands::new(), settings)
}

fn refused_at(hands: Arc<Hands>, settings: WechatSettings) -> (&'static str, String) {
    match open_at("http://127.0.0.1:9", hands, settings) {
        Ok(_) => panic!("it is opened"),
        Err(refusal) => (refusal.key, refusal.to_string()),
    }
}

#[test]
fn keys_of_every_form_are_read() {
    let bare = |pem: &str| {
        let lines = pem.lines().filter(|line| !line.starts_with("-----"));
        lines.collect::<String>()
    };
    for merchant in [
        keys::MERCHANT_KEY.to_owned(),
        keys::MERCHANT_KEY_PKCS1.to_owned(),
        bare(keys::MERCHANT_KEY),
        bare(keys::MERCHANT_KEY_PKCS1),
    ] {
        let mut settings = settings();
        settings.merchant_private_key = SecretString::from(merchant);
        settings.public_key = Some(("PUB_KEY_ID_1".to_owned(), bare(keys::PLATFORM_PUBLIC_KEY)));
        assert!(open_at("http://127.0.0.1:9", Hands::new(), settings).is_ok());
    }
}

/// Refused under this key, with these words in it, and nothing of a key.
fn is_refused(settings: WechatSettings, key: &str, why: &str) {
    let (named, words) = refused(settings);
    assert_eq!(named, key, "{words}");
    assert!(words.contains(why), "{words}");
    let begins = format!("channels.wechat.{key} ");
    assert!(words.starts_with(&begins), "{words}");
    assert!(!words.contains("MII") && !words.contains("kkk"), "{words}");
}

fn with_private(key: &str) -> WechatSettings {
    WechatSettings {
        merchant_private_key: SecretString::from(key),
        ..settings()
    }
}

fn with_certificate(pem: &str) -> WechatSettings {
    WechatSettings {
        platform_certs: vec![pem.to_owned()],
        ..settings()
    }
}

#[test]
fn a_key_that_is_none_is_named() {
    let public = |key: &str| WechatSettings {
        public_key: Some((keys::PUBLIC_KEY_ID.to_owned(), key.to_owned())),
        ..settings()
    };
    let apiv3 = |key: &str| WechatSettings {
        apiv3_key: SecretString::from(key),
        ..settings()
    };
    let private = "merchant_private_key";
    is_refused(
        with_private(keys::PLATFORM_PUBLIC_KEY),
        private,
        "private key",
    );
    is_refused(with_private("no key"), private, "PEM");
    is_refused(public(keys::MERCHANT_KEY), "public_key", "public key");
    is_refused(
        public(keys::PLATFORM_CERTIFICATE),
        "public_key",
        "public key",
    );
    is_refused(
        public(keys::MERCHANT_PUBLIC_KEY),
        "public_key",
        "merchant's own",
    );
    for pem in [keys::PLATFORM_PUBLIC_KEY, keys::PLATFORM_KEY] {
        is_refused(with_certificate(pem), "platform_certs", "certificate");
    }
    is_refused(apiv3("short"), "apiv3_key", "32 bytes");
    is_refused(apiv3(&"k".repeat(33)), "apiv3_key", "32 bytes");
}

#[test]
fn keys_that_do_not_fit_each_other_are_named() {
    let platforms = with_private(keys::PLATFORM_KEY);
    is_refused(platforms, "public_key", "merchant's own");
    let own_certificate = WechatSettings {
        public_key: None,
        platform_certs: vec![keys::PLATFORM_CERTIFICATE.to_owned()],
        ..with_private(keys::PLATFORM_KEY)
    };
    is_refused(own_certificate, "platform_certs", "merchant's own");
    let platforms_serial = WechatSettings {
        merchant_serial: keys::PLATFORM_SERIAL.to_owned(),
        ..with_certificate(keys::PLATFORM_CERTIFICATE)
    };
    is_refused(platforms_serial, "merchant_serial", "platform_certs");
}

#[test]
fn a_certificate_that_has_expired_is_named() {
    let bundle = [keys::SECOND_CERTIFICATE, keys::PLATFORM_CERTIFICATE].concat();
    let hands = Hands::new();
    let open = || {
        let settings = with_certificate(&bundle);
        open_at("http://127.0.0.1:9", hands.clone(), settings)
    };
    assert!(open().is_ok());
    // On the day on which one of them ends, and some hours later.
    hands.pass(1_825 * 86_400);
    assert!(open().is_ok());
    hands.pass(43_200);
    let (key, words) = refused_at(hands.clone(), with_certificate(&bundle));
    assert_eq!(key, "platform_certs");
    assert!(words.contains("expired"), "{words}");
    assert!(words.contains(keys::PLATFORM_SERIAL), "{words}");
}

#[test]
fn secrets_are_not_printed() {
    let printed = format!("{:?}", settings());
    let secret = keys::MERCHANT_KEY.lines().nth(1).unwrap_or_default();
    assert!(!printed.contains(secret) && !printed.contains(keys::APIV3_KEY));
}
