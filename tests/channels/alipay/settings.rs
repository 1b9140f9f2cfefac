//! Keys in every form that merchants get them in, and keys in the wrong place.

use super::{call, configured, opened, opening, word};
use crate::doubles::alipay::{
    ALIPAY_CERT, ALIPAY_PRIVATE, ALIPAY_PUBLIC, APP_CERT, APP_ID, APP_PRIVATE, APP_PUBLIC,
    ATTACKER, AlipayDouble, PREVIOUS_CERT, PREVIOUS_PRIVATE, ROOT_CERT,
};
use oncepay::channels::alipay::{self, AlipaySettings, Certificates, Trust};
use oncepay::channels::opening::Opening;
use oncepay::channels::{RawNotice, RejectionRule};
use oncepay::clock::Clock;
use oncepay::domain::UnixMillis;
use oncepay::domain::order::Fingerprint;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

const PREVIOUS_ROOT: &str = include_str!("../vectors/alipay/certificates/previous_root.crt");
const APP_PKCS1: &str = include_str!("../vectors/alipay/keys/alipay_app.pkcs1.pem");

/// The base64 alone, as the platform's key tool gives it.
fn bare(pem: &str) -> String {
    pem.lines()
        .filter(|line| !line.starts_with("-----"))
        .collect()
}

fn certificates(app: &str, root: &str, alipay: &str) -> AlipaySettings {
    AlipaySettings {
        trust: Trust::Certificates(Certificates {
            app: app.to_owned(),
            root: root.to_owned(),
            alipay: alipay.to_owned(),
            previous: None,
        }),
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

/// The first block of PEM with lines of this width, as Alipay's own files have 76 columns.
fn wrapped(pem: &str, width: usize) -> String {
    let mut lines = pem.lines();
    let begin = lines.next().unwrap();
    let body: String = lines
        .take_while(|line| !line.starts_with("-----"))
        .collect();
    let body: Vec<String> = body
        .as_bytes()
        .chunks(width)
        .map(|line| String::from_utf8_lossy(line).into_owned())
        .collect();
    format!(
        "{begin}\r\n{}\r\n{}\r\n",
        body.join("\r\n"),
        begin.replace("BEGIN", "END")
    )
}

#[test]
fn keys_are_read_in_all_forms() {
    for private in [APP_PRIVATE, APP_PKCS1] {
        for public in [ALIPAY_PUBLIC, &bare(ALIPAY_PUBLIC)] {
            assert!(opened(keys(private, public)).is_ok());
            assert!(opened(keys(&bare(private), public)).is_ok());
        }
    }
    for width in [64, 76, 100_000] {
        let pem = |text: &str| wrapped(text, width);
        assert!(opened(keys(&pem(APP_PRIVATE), &pem(ALIPAY_PUBLIC))).is_ok());
        let root = pem(ROOT_CERT.rsplit("\n\n").next().unwrap());
        let root = format!("{ROOT_CERT}{root}");
        let settings = certificates(&pem(APP_CERT), &root, &pem(ALIPAY_CERT));
        assert!(opened(settings).is_ok(), "{width}");
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
        (
            keys(platform, ALIPAY_PUBLIC),
            "app_private_key must be an RSA private key, and is a certificate",
        ),
        (
            keys(
                "-----BEGIN ENCRYPTED PRIVATE KEY-----\nMIIJ\n-----END ENCRYPTED PRIVATE KEY-----\n",
                ALIPAY_PUBLIC,
            ),
            "app_private_key must be stored without its passphrase",
        ),
        (
            keys(
                "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,00\n\nMIIJ\n\
                 -----END RSA PRIVATE KEY-----\n",
                ALIPAY_PUBLIC,
            ),
            "app_private_key must be stored without its passphrase",
        ),
        (
            keys(APP_PRIVATE, platform),
            "alipay_public_key must be an RSA public key, and is a certificate",
        ),
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
            Some("ffffffffffffffffffffffffffffffff"),
        ),
    ] {
        let body = double.notice("C1", "id", &[("alipay_cert_sn", number)]);
        let notice = RawNotice {
            headers: &BTreeMap::new(),
            query: "",
            body: body.as_bytes(),
        };
        let rejection = channel.verify(&notice, super::NOW).err();
        let rule = rejection.as_ref().map(|it| it.rule);
        assert_eq!(rule, expected.map(|_| RejectionRule::UnknownKey));
        assert_eq!(rejection.and_then(|it| it.key_id).as_deref(), expected);
    }
}

/// While Alipay's certificate changes, the one before it is loaded too.
fn both(alipay: &str, previous: &str) -> AlipaySettings {
    AlipaySettings {
        trust: Trust::Certificates(Certificates {
            app: APP_CERT.to_owned(),
            root: format!("{ROOT_CERT}\n{PREVIOUS_ROOT}"),
            alipay: alipay.to_owned(),
            previous: Some(previous.to_owned()),
        }),
        ..configured()
    }
}

#[tokio::test]
async fn two_certificates_live_at_once_and_each_is_believed_by_its_own_key() {
    let numbers: Value =
        serde_json::from_str(include_str!("../vectors/alipay/certificates/numbers.json")).unwrap();
    let number = |name: &str| numbers[name].as_str().unwrap();
    let [new, old] = [number("alipay_cert_sn"), number("previous_alipay_cert_sn")];
    let double = AlipayDouble::start();
    let settings = both(ALIPAY_CERT, PREVIOUS_CERT);
    let channel = alipay::open(opening(&double.gateway()), settings).unwrap();
    channel.submit(&call("P0", "qr")).await;
    double.pay("P0");
    let (wrong, unknown) = (RejectionRule::Signature, RejectionRule::UnknownKey);
    for (number, key, rule) in [
        (Some(new), ALIPAY_PRIVATE, None),
        (Some(old), PREVIOUS_PRIVATE, None),
        (None, PREVIOUS_PRIVATE, None),
        (Some(new), PREVIOUS_PRIVATE, Some(wrong)),
        (Some(old), ALIPAY_PRIVATE, Some(wrong)),
        (None, ATTACKER, Some(wrong)),
        (Some(APP_ID), ALIPAY_PRIVATE, Some(unknown)),
    ] {
        let named = number.map(|number| ("alipay_cert_sn", number));
        let fields: Vec<_> = named.into_iter().collect();
        let body = double.notice_by(key, "P0", "id", &fields);
        let notice = RawNotice {
            headers: &BTreeMap::new(),
            query: "",
            body: body.as_bytes(),
        };
        let rejected = channel.verify(&notice, super::NOW).err();
        assert_eq!(rejected.as_ref().map(|it| it.rule), rule, "{rejected:?}");
        if rule == Some(unknown) {
            let told = rejected.unwrap().explanation;
            assert!(told.contains(new) && told.contains(old), "{told}");
        }
        if let Some(number) = number {
            double.signs_under(number, key);
            let answer = channel.query(&call("P0", "qr")).await;
            let expected = if rule.is_none() { "paid" } else { "unreadable" };
            assert_eq!(word(&answer), expected, "{answer:?}");
        }
    }
}

/// A moment after the end of every certificate here.
struct InTwentyYears;

impl Clock for InTwentyYears {
    fn wall(&self) -> UnixMillis {
        UnixMillis(2_430_000_000_000)
    }

    fn mono_ms(&self) -> i64 {
        0
    }
}

fn refused(opening: Opening, settings: AlipaySettings) -> Option<String> {
    let refusal = alipay::open(opening, settings).err()?;
    Some(refusal.to_string())
}

#[test]
fn a_certificate_that_has_ended_is_refused_unless_another_has_followed_it() {
    let later = |settings| {
        let opening = Opening {
            clock: Arc::new(InTwentyYears),
            ..opening("https://openapi.alipay.com/gateway.do")
        };
        refused(opening, settings)
    };
    let told = later(certificates(APP_CERT, ROOT_CERT, ALIPAY_CERT)).unwrap();
    assert!(
        told.starts_with("channels.alipay.app_cert has ended"),
        "{told}"
    );
    assert!(opened(both(ALIPAY_CERT, PREVIOUS_CERT)).is_ok());
}

#[test]
fn real_money_is_taken_only_under_a_certificate_that_the_root_leads_to() {
    let live = |settings| {
        let opening = opening("https://openapi.alipay.com/gateway.do");
        let account = Fingerprint {
            live: true,
            ..opening.account.clone()
        };
        refused(Opening { account, ..opening }, settings)
    };
    let end = "-----END CERTIFICATE-----";
    let cut = |text: &str, n: usize| text.split_inclusive(end).nth(n).unwrap().to_owned();
    // Directly, and by way of one that stands beside it.
    assert_eq!(live(both(ALIPAY_CERT, PREVIOUS_CERT)), None);
    assert_eq!(live(both(PREVIOUS_CERT, ALIPAY_CERT)), None);
    let other_root = format!("{}\n{}", cut(ROOT_CERT, 0), cut(ROOT_CERT, 1));
    let alone = cut(PREVIOUS_CERT, 0);
    let forged = forged(ALIPAY_CERT);
    for (settings, setting) in [
        (
            certificates(APP_CERT, &other_root, ALIPAY_CERT),
            "alipay_cert",
        ),
        (certificates(APP_CERT, ROOT_CERT, &forged), "alipay_cert"),
        (both(&alone, ALIPAY_CERT), "alipay_cert"),
        (both(ALIPAY_CERT, &alone), "previous_alipay_cert"),
    ] {
        let told = live(settings).unwrap();
        let expected = format!("channels.alipay.{setting} is signed by nobody that root_cert");
        assert!(told.starts_with(&expected), "{told}");
    }
    // The sandbox's files are not all whole.
    assert!(opened(both(ALIPAY_CERT, &alone)).is_ok());
}

/// The certificate with another name in it: the signature does not know of that.
fn forged(pem: &str) -> String {
    use base64::Engine;
    use base64::engine::general_purpose::STANDARD;
    let mut der = STANDARD.decode(bare(pem)).unwrap();
    let at = der.windows(8).position(|it| it == b"platform").unwrap();
    der[at..at + 8].copy_from_slice(b"Platform");
    let lines: Vec<String> = STANDARD
        .encode(der)
        .as_bytes()
        .chunks(64)
        .map(|line| String::from_utf8_lossy(line).into_owned())
        .collect();
    format!(
        "-----BEGIN CERTIFICATE-----\n{}\n-----END CERTIFICATE-----\n",
        lines.join("\n")
    )
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
