//! The platform's certificates: downloaded before they are needed, renewed, and never taken from anybody else.

use super::{NOW_S, ORDER, Stage, charge, settings, settings_without_keys};
use crate::doubles::wechat::seal::{self, Headers, Signer};
use crate::doubles::wechat::{Mishap, Op, keys};
use oncepay::channels::wechat::WechatSettings;
use oncepay::channels::{RawNotice, Rejection, RejectionRule};
use oncepay::clock::Clock;
use oncepay::domain::order::Answer;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::Duration;

async fn certificate_mode() -> Stage {
    Stage::with(settings_without_keys(), keys::PLATFORM_SERIAL).await
}

/// The rule that a good notice of the double's fails by, if it does.
fn tell(stage: &Stage) -> Option<RejectionRule> {
    told(stage).map(|rejection| rejection.rule)
}

fn told(stage: &Stage) -> Option<Rejection> {
    let (headers, body) = stage.gateway.notice("TRANSACTION.SUCCESS", &paid());
    heard(stage, headers, &body)
}

fn paid() -> Value {
    json!({"mchid": keys::MCHID, "appid": keys::APPID, "out_trade_no": ORDER, "transaction_id": "4200",
           "trade_state": "SUCCESS", "amount": {"total": 8888, "currency": "CNY"}})
}

fn heard(stage: &Stage, headers: Headers, body: &[u8]) -> Option<Rejection> {
    let headers: BTreeMap<_, _> = headers
        .into_iter()
        .map(|(name, value)| (name.to_ascii_lowercase(), value))
        .collect();
    let notice = RawNotice {
        headers: &headers,
        query: "",
        body,
    };
    stage.channel.verify(&notice, stage.hands.wall()).err()
}

/// Waits until so many downloads were asked for and what came of them is in use.
async fn downloads(stage: &Stage, count: usize) {
    for _ in 0..500 {
        if stage.gateway.count(Op::Certificates) == count {
            tokio::time::sleep(Duration::from_millis(100)).await;
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("{} downloads", stage.gateway.count(Op::Certificates));
}

#[tokio::test]
async fn the_first_call_downloads_them_and_every_later_one_uses_them() {
    let stage = certificate_mode().await;
    for _ in 0..3 {
        let answer = stage.channel.submit(&charge("native")).await;
        assert!(matches!(answer, Answer::Charge(_)), "{answer:?}");
    }
    assert_eq!(stage.gateway.count(Op::Certificates), 1);
    assert_eq!(
        stage.gateway.last(Op::Submit).header("wechatpay-serial"),
        ""
    );
    assert_eq!(tell(&stage), None);
}

#[tokio::test]
async fn many_calls_at_once_download_them_once() {
    let stage = certificate_mode().await;
    let call = charge("native");
    let all = futures_util::future::join_all((0..8).map(|_| stage.channel.query(&call))).await;
    assert!(
        all.iter().all(|answer| *answer == Answer::NotFound),
        "{all:?}"
    );
    assert_eq!(stage.gateway.count(Op::Certificates), 1);
}

#[tokio::test]
async fn without_them_nothing_is_sent() {
    let stage = certificate_mode().await;
    stage
        .gateway
        .next_code(Op::Certificates, 500, "SYSTEM_ERROR");
    for _ in 0..2 {
        let answer = stage.channel.submit(&charge("native")).await;
        let Answer::NotSent { summary } = answer else {
            panic!("{answer:?}")
        };
        assert!(summary.contains("certificates"), "{summary}");
    }
    assert_eq!(stage.gateway.count(Op::Submit), 0);
    assert_eq!(stage.gateway.count(Op::Certificates), 1, "once a minute");
    stage.hands.pass(60);
    let answer = stage.channel.submit(&charge("native")).await;
    assert!(matches!(answer, Answer::Charge(_)), "{answer:?}");
}

#[tokio::test]
async fn a_notice_under_an_unknown_serial_is_rejected_looked_into_and_taken_when_it_comes_again() {
    let stage = certificate_mode().await;
    assert_eq!(tell(&stage), Some(RejectionRule::UnknownKey));
    downloads(&stage, 1).await;
    assert_eq!(tell(&stage), None);
}

#[tokio::test]
async fn a_download_that_fails_in_the_background_is_told_with_the_next_notice() {
    let stage = certificate_mode().await;
    stage.gateway.next(Op::Certificates, Mishap::Unsigned);
    assert_eq!(tell(&stage), Some(RejectionRule::UnknownKey));
    downloads(&stage, 1).await;
    let explanation = told(&stage).expect("it is rejected").explanation;
    assert!(
        explanation.ends_with("failed: the reply is unsigned"),
        "{explanation}"
    );
    stage.hands.pass(60);
    assert_eq!(tell(&stage), Some(RejectionRule::UnknownKey));
    downloads(&stage, 2).await;
    assert_eq!(tell(&stage), None);
}

#[tokio::test]
async fn a_flood_of_unknown_serials_is_one_download_a_minute() {
    let stage = certificate_mode().await;
    stage.channel.query(&charge("native")).await;
    stage.gateway.inside().serial = "0000000000000000000000000000000000000000".to_owned();
    for _ in 0..50 {
        assert_eq!(tell(&stage), Some(RejectionRule::UnknownKey));
    }
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert_eq!(stage.gateway.count(Op::Certificates), 1);
    stage.hands.pass(60);
    for _ in 0..50 {
        assert_eq!(tell(&stage), Some(RejectionRule::UnknownKey));
    }
    downloads(&stage, 2).await;
    assert_eq!(stage.gateway.count(Op::Certificates), 2);
}

#[tokio::test]
async fn they_are_renewed_within_twelve_hours_while_calls_go_on() {
    let stage = certificate_mode().await;
    let call = charge("native");
    stage.channel.query(&call).await;
    stage.hands.pass(10 * 3600);
    assert_eq!(stage.channel.query(&call).await, Answer::NotFound);
    assert_eq!(stage.gateway.count(Op::Certificates), 1);
    stage.hands.pass(3601);
    assert_eq!(stage.channel.query(&call).await, Answer::NotFound);
    downloads(&stage, 2).await;
}

#[tokio::test]
async fn a_download_that_does_not_vouch_for_itself_is_not_believed() {
    let sealed = |text: &str, data: &str| json!({"serial_no": keys::PLATFORM_SERIAL, "encrypt_certificate": seal::sealed(text, data)});
    let certificate = keys::PLATFORM_CERTIFICATE;
    let mut altered = sealed(certificate, "certificate");
    altered["encrypt_certificate"]["associated_data"] = json!("other");
    let mut renamed = sealed(certificate, "certificate");
    renamed["serial_no"] = json!("00");
    let foreign_key = json!({"serial_no": keys::PLATFORM_SERIAL,
        "encrypt_certificate": seal::sealed_with(&"k".repeat(32), certificate, "certificate")});
    let says = |item| Mishap::Says((200, Some(json!({"data": [item]}))));
    for (mishap, why) in [
        (Mishap::Unsigned, "unsigned"),
        (Mishap::SignedBy(Signer::Attacker), "wrong signature"),
        (Mishap::SignedBy(Signer::Probe), "probe"),
        (Mishap::SignedAt(NOW_S - 301), "too long ago"),
        (Mishap::SignedAs("0000"), "not loaded"),
        (says(altered), "apiv3_key"),
        (says(foreign_key), "apiv3_key"),
        (says(renamed), "another serial"),
        (says(sealed("no certificate", "certificate")), "certificate"),
        (
            Mishap::Says((200, Some(json!({"data": []})))),
            "still valid",
        ),
        (
            Mishap::Says((404, Some(json!({"code": "RESOURCE_NOT_EXISTS"})))),
            "HTTP 404",
        ),
    ] {
        let stage = certificate_mode().await;
        stage.gateway.next(Op::Certificates, mishap.clone());
        let answer = stage.channel.query(&charge("native")).await;
        let Answer::NotSent { summary } = answer else {
            panic!("{mishap:?}: {answer:?}")
        };
        assert!(summary.contains(why), "{mishap:?}: {summary}");
        assert!(!summary.contains(keys::APIV3_KEY));
    }
}

#[tokio::test]
async fn while_a_merchant_moves_to_the_public_key_both_count() {
    let both = WechatSettings {
        platform_certs: vec![keys::PLATFORM_CERTIFICATE.to_owned()],
        ..settings()
    };
    let stage = Stage::with(both, keys::PUBLIC_KEY_ID).await;
    assert_eq!(
        stage.channel.query(&charge("native")).await,
        Answer::NotFound
    );
    stage.gateway.inside().serial = keys::PLATFORM_SERIAL.to_owned();
    assert_eq!(
        stage.channel.query(&charge("native")).await,
        Answer::NotFound
    );
    assert_eq!(tell(&stage), None);
}

#[tokio::test]
async fn with_the_public_key_alone_none_are_downloaded() {
    let stage = Stage::with(settings(), keys::PLATFORM_SERIAL).await;
    assert_eq!(tell(&stage), Some(RejectionRule::UnknownKey));
    let answer = stage.channel.query(&charge("native")).await;
    assert!(matches!(answer, Answer::Unknown(_)), "{answer:?}");
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert_eq!(stage.gateway.count(Op::Certificates), 0);
}

#[tokio::test]
async fn a_serial_number_whose_first_bit_is_set_is_found() {
    let certificates = [keys::PLATFORM_CERTIFICATE, keys::SECOND_CERTIFICATE];
    let two = WechatSettings {
        platform_certs: certificates.map(str::to_owned).to_vec(),
        ..settings_without_keys()
    };
    let stage = Stage::with(two, keys::PLATFORM_SERIAL).await;
    let body = seal::notice("EV-1", "TRANSACTION.SUCCESS", &paid());
    for (signer, serial, accepted) in [
        (Signer::WechatPay, keys::PLATFORM_SERIAL, true),
        (Signer::SecondKey, keys::SECOND_SERIAL, true),
        (Signer::SecondKey, keys::PLATFORM_SERIAL, false),
        (Signer::WechatPay, keys::SECOND_SERIAL, false),
    ] {
        let headers = seal::signed(signer, serial, NOW_S, &body);
        let rule = heard(&stage, headers, &body).map(|rejection| rejection.rule);
        let expected = (!accepted).then_some(RejectionRule::Signature);
        assert_eq!(rule, expected, "{signer:?} as {serial}");
    }
}

/// Beyond the end of the double's certificate.
const FIVE_YEARS_S: i64 = 1_826 * 86_400;

#[tokio::test]
async fn a_certificate_whose_time_is_over_verifies_nothing_more() {
    let both = WechatSettings {
        platform_certs: vec![keys::PLATFORM_CERTIFICATE.to_owned()],
        ..settings()
    };
    let stage = Stage::with(both, keys::PLATFORM_SERIAL).await;
    assert_eq!(tell(&stage), None);
    stage.hands.pass(FIVE_YEARS_S);
    assert_eq!(tell(&stage), Some(RejectionRule::UnknownKey));
    let answer = stage.channel.query(&charge("native")).await;
    assert!(matches!(answer, Answer::Unknown(_)), "{answer:?}");
    stage.gateway.inside().serial = keys::PUBLIC_KEY_ID.to_owned();
    assert_eq!(tell(&stage), None, "the public key has no end of its own");
}

#[tokio::test]
async fn where_every_certificate_is_over_nothing_is_sent() {
    let stage = certificate_mode().await;
    stage.channel.query(&charge("native")).await;
    stage.hands.pass(FIVE_YEARS_S);
    let answer = stage.channel.submit(&charge("native")).await;
    let Answer::NotSent { summary } = answer else {
        panic!("{answer:?}")
    };
    assert!(summary.contains("still valid"), "{summary}");
    assert_eq!(stage.gateway.count(Op::Submit), 0);
}
