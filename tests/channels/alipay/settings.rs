//! Keys in every form that merchants get them in, and keys in the wrong place.

use super::{call, configured, opened, opening, word};
use crate::doubles::alipay::{
    ALIPAY_PUBLIC, APP_ID, APP_PRIVATE, APP_PUBLIC, ATTACKER, AlipayDouble,
};
use oncepay::channels::alipay::{self, AlipaySettings, Trust};
use oncepay::channels::{RawNotice, RejectionRule};
use serde_json::Value;
use std::collections::BTreeMap;

const APP_CERT: &str = include_str!("../vectors/alipay/certificates/app.crt");
const ALIPAY_CERT: &str = include_str!("../vectors/alipay/certificates/alipay.crt");
const ROOT_CERT: &str = include_str!("../vectors/alipay/certificates/root.crt");
const APP_PKCS1: &str = include_str!("../vectors/alipay/keys/alipay_app.pkcs1.pem");

/// The base64 alone, as the platform's key tool gives it.
fn bare(pem: &str) -> String {
    pem.lines()
        .filter(|line| !line.starts_with("-----"))
        .collect()
}

fn certificates(app: &str, root: &str, alipay: &str) -> AlipaySettings {
    AlipaySettings {
        trust: Trust::Certificates {
            app: app.to_owned(),
            root: root.to_owned(),
            alipay: alipay.to_owned(),
        },
        ..configured()
    }
}

fn keys(private: &str, public: &str) -> AlipaySettings {
    AlipaySettings {
        app_private_key: private.to_owned().into(),
        trust: Trust::PublicKey(public.to_owned()),
        ..configured()
    }
}

#[test]
fn keys_are_read_in_all_forms() {
    for private in [APP_PRIVATE, APP_PKCS1] {
        for public in [ALIPAY_PUBLIC, &bare(ALIPAY_PUBLIC)] {
            assert!(opened(keys(private, public)).is_ok());
            assert!(opened(keys(&bare(private), public)).is_ok());
        }
    }
}

#[test]
fn a_key_in_the_wrong_place_is_refused_by_its_name_and_never_shown() {
    let (platform, app) = (ALIPAY_CERT, APP_CERT);
    let ec = ROOT_CERT
        .split_inclusive("-----END CERTIFICATE-----")
        .next()
        .unwrap();
    for (settings, key) in [
        (keys("AAAA", ALIPAY_PUBLIC), "app_private_key must"),
        (keys("not base64!", ALIPAY_PUBLIC), "app_private_key must"),
        (keys(ALIPAY_PUBLIC, ALIPAY_PUBLIC), "app_private_key must"),
        (keys(APP_PRIVATE, "AAAA"), "alipay_public_key must"),
        (keys(APP_PRIVATE, APP_PRIVATE), "alipay_public_key must"),
        (keys(APP_PRIVATE, APP_PKCS1), "alipay_public_key must"),
        (
            keys(APP_PRIVATE, APP_PUBLIC),
            "alipay_public_key is the public key of app_private_key",
        ),
        (
            certificates(platform, ROOT_CERT, platform),
            "app_cert is not a certificate of",
        ),
        (
            certificates(app, ROOT_CERT, app),
            "alipay_cert is the app's own",
        ),
        (certificates(app, ROOT_CERT, ec), "alipay_cert must"),
        (
            certificates(app, ec, platform),
            "root_cert has no certificate",
        ),
        (certificates(app, "", platform), "root_cert must"),
        (
            certificates(APP_PUBLIC, ROOT_CERT, platform),
            "app_cert must",
        ),
    ] {
        let told = match opened(settings) {
            Ok(_) => panic!("accepted: {key}"),
            Err(refusal) => refusal.to_string(),
        };
        assert!(
            told.starts_with(&format!("channels.alipay.{key}")),
            "{told}"
        );
        assert!(!told.contains("MII"), "{told}");
    }
}

#[test]
fn settings_and_opening_show_no_key() {
    let shown = format!(
        "{:?} {:?}",
        keys(APP_PRIVATE, ALIPAY_PUBLIC),
        opening("https://x")
    );
    let line = APP_PRIVATE.lines().nth(1).unwrap();
    assert!(!shown.contains(line), "{shown}");
}

#[tokio::test]
async fn certificates_are_named_by_their_numbers_and_an_unknown_one_counts_for_nothing() {
    let numbers: Value =
        serde_json::from_str(include_str!("../vectors/alipay/certificates/numbers.json")).unwrap();
    let double = AlipayDouble::start();
    let settings = certificates(APP_CERT, ROOT_CERT, ALIPAY_CERT);
    let channel = alipay::open(opening(&double.gateway()), settings).unwrap();
    let address = super::action(&channel.submit(&call("C0", "page")).await).1;
    let address = reqwest::Url::parse(&address).unwrap();
    for name in ["app_cert_sn", "alipay_root_cert_sn"] {
        let sent = address.query_pairs().find(|(it, _)| it == name).unwrap().1;
        assert_eq!(sent, numbers[name].as_str().unwrap(), "{name}");
    }
    double.bears_certificate(numbers["alipay_cert_sn"].as_str().unwrap());
    assert_eq!(word(&channel.submit(&call("C1", "qr")).await), "pending");
    double.bears_certificate("ffffffffffffffffffffffffffffffff");
    assert_eq!(word(&channel.submit(&call("C2", "qr")).await), "unreadable");

    double.pay("C1");
    for (number, expected) in [
        (numbers["alipay_cert_sn"].as_str().unwrap(), None),
        (
            "ffffffffffffffffffffffffffffffff",
            Some(RejectionRule::UnknownKey),
        ),
    ] {
        let body = double.notice("C1", "id", &[("alipay_cert_sn", number)]);
        let notice = RawNotice {
            headers: &BTreeMap::new(),
            query: "",
            body: body.as_bytes(),
        };
        let rule = channel
            .verify(&notice, super::NOW)
            .err()
            .map(|rejection| rejection.rule);
        assert_eq!(rule, expected);
    }
}

#[tokio::test]
async fn an_app_that_signs_with_another_key_learns_what_is_wrong() {
    let double = AlipayDouble::start();
    let settings = keys(ATTACKER, ALIPAY_PUBLIC);
    let channel = alipay::open(opening(&double.gateway()), settings).unwrap();
    let answer = channel.submit(&call("C3", "qr")).await;
    assert_eq!(word(&answer), "unreadable");
    assert_eq!(
        answer.summary(),
        "unsigned, code 40002 isv.invalid-signature"
    );
    assert_eq!(channel.account().merchant, APP_ID);
}
