//! Notices: those that other SDKs have made, and those of the double.

use super::{NOW_S, ORDER, Stage, open_at, settings, settings_without_keys};
use crate::doubles::wechat::seal::{self, Signer};
use crate::doubles::wechat::{WechatDouble, keys};
use oncepay::channels::wechat::WechatSettings;
use oncepay::channels::{Acknowledge, Channel, Notice, RawNotice, Rejection, RejectionRule};
use oncepay::domain::UnixMillis;
use oncepay::domain::order::{Answer, ChargeStatus, RefundAnswer};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

fn vectors() -> Vec<Value> {
    serde_json::from_str(include_str!("../vectors/wechat/notify.json")).unwrap()
}

/// The channel, which needs no gateway for this.
fn channel(settings: WechatSettings) -> Arc<dyn Channel> {
    open_at("http://127.0.0.1:9", super::Hands::new(), settings).unwrap()
}

fn verify(
    channel: &dyn Channel,
    headers: &[(&str, String)],
    body: &[u8],
) -> Result<Notice, Rejection> {
    let headers: BTreeMap<_, _> = headers
        .iter()
        .map(|(name, value)| (name.to_ascii_lowercase(), value.clone()))
        .collect();
    let notice = RawNotice {
        headers: &headers,
        query: "",
        body,
    };
    channel.verify(&notice, UnixMillis(NOW_S * 1000))
}

fn verify_vector(channel: &dyn Channel, vector: &Value) -> Result<Notice, Rejection> {
    let headers = vector["http"]["headers"].as_object().unwrap();
    let headers: Vec<_> = headers
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str().unwrap().to_owned()))
        .collect();
    verify(
        channel,
        &headers,
        vector["http"]["body"].as_str().unwrap().as_bytes(),
    )
}

/// Both a public key and a certificate, as while a merchant moves from one to the other.
fn both() -> WechatSettings {
    WechatSettings {
        platform_certs: vec![keys::PLATFORM_CERTIFICATE.to_owned()],
        ..settings()
    }
}

#[test]
fn every_vector_ends_as_it_should() {
    let channel = channel(both());
    let vectors = vectors();
    assert_eq!(vectors.len(), 12);
    for vector in &vectors {
        let expect = &vector["expect"];
        let verified = verify_vector(channel.as_ref(), vector);
        let rule = match expect["reason"].as_str() {
            None => {
                let resource = &expect["resource"];
                told(verified.expect("it is accepted"), resource);
                continue;
            }
            Some("signature") => RejectionRule::Signature,
            Some("timestamp_skew") => RejectionRule::Timestamp,
            Some("unknown_serial") => RejectionRule::UnknownKey,
            Some("missing_header") => RejectionRule::MissingHeader,
            Some("aead") => RejectionRule::Malformed,
            Some(other) => panic!("{other}"),
        };
        let rejection = verified.expect_err("it is rejected");
        assert_eq!(rejection.rule, rule, "{}: {rejection:?}", vector["name"]);
        assert!(!rejection.explanation.contains('\n'));
        let serial = (rule == RejectionRule::UnknownKey).then(|| {
            vector["http"]["headers"]["Wechatpay-Serial"]
                .as_str()
                .unwrap()
        });
        assert_eq!(rejection.key_id.as_deref(), serial);
        let signed = (rule == RejectionRule::Signature)
            .then(|| vector["string_to_verify"].as_str().unwrap());
        assert_eq!(rejection.signed_text.as_deref(), signed);
    }
}

/// What is verified says what its resource says.
fn told(notice: Notice, resource: &Value) {
    match notice {
        Notice::Charge {
            order_no,
            answer: Answer::Charge(said),
            key,
            status,
        } => {
            assert_eq!(key, "EV-2026113018001200000001");
            assert_eq!(
                (status.as_str(), &said.status),
                ("SUCCESS", &ChargeStatus::Paid)
            );
            assert_eq!(json!(order_no), resource["out_trade_no"]);
            assert_eq!(json!(said.trade_no), resource["transaction_id"]);
            assert_eq!(json!(said.merchant), resource["mchid"]);
            let money = said.money.unwrap();
            assert_eq!(json!(money.amount), resource["amount"]["total"]);
            assert_eq!(money.currency.as_str(), "CNY");
        }
        Notice::Refund {
            order_no,
            news,
            status,
            ..
        } => {
            assert_eq!(status, "SUCCESS");
            assert_eq!(json!(order_no), resource["out_trade_no"]);
            assert_eq!(json!(news.trade_no), resource["transaction_id"]);
            assert_eq!(json!(news.refund_no), resource["out_refund_no"]);
            let RefundAnswer::Succeeded(said) = news.answer else {
                panic!("{:?}", news.answer)
            };
            assert_eq!(json!(said.amount), resource["amount"]["refund"]);
            assert_eq!(json!(said.channel_refund_no), resource["refund_id"]);
        }
        other @ (Notice::Charge { .. }
        | Notice::Dispute { .. }
        | Notice::OfTrade { .. }
        | Notice::RefundBounced(_)
        | Notice::Unrelated { .. }) => {
            panic!("{other:?}")
        }
    }
}

#[test]
fn a_probe_is_refused_as_any_wrong_signature_and_named() {
    let vectors = vectors();
    let probe = vectors
        .iter()
        .find(|it| it["name"] == "signtest_probe")
        .unwrap();
    let rejection = verify_vector(channel(settings()).as_ref(), probe).unwrap_err();
    assert_eq!(rejection.rule, RejectionRule::Signature);
    assert!(
        rejection.explanation.contains("probe"),
        "{}",
        rejection.explanation
    );
}

#[test]
fn the_key_is_the_one_that_the_serial_number_names() {
    let vectors = vectors();
    let by_key = vectors
        .iter()
        .find(|it| it["name"] == "valid_public_key_mode")
        .unwrap();
    let by_certificate = vectors
        .iter()
        .find(|it| it["name"] == "valid_platform_cert_mode")
        .unwrap();
    let certificates = WechatSettings {
        platform_certs: vec![keys::PLATFORM_CERTIFICATE.to_owned()],
        ..settings_without_keys()
    };
    for (settings, notice, accepted) in [
        (settings(), by_key, true),
        (settings(), by_certificate, false),
        (certificates, by_certificate, true),
        (settings_without_keys(), by_key, false),
    ] {
        let verified = verify_vector(channel(settings).as_ref(), notice);
        match verified {
            Ok(_) => assert!(accepted),
            Err(rejection) => {
                assert!(!accepted);
                assert_eq!(rejection.rule, RejectionRule::UnknownKey);
            }
        }
    }
}

/// A notice of the double's about this resource.
fn notice(event_type: &str, resource: &Value) -> (seal::Headers, Vec<u8>) {
    let body = seal::notice("EV-1", event_type, resource);
    let headers = seal::signed(Signer::WechatPay, keys::PUBLIC_KEY_ID, NOW_S, &body);
    (headers, body)
}

fn paid() -> Value {
    json!({"mchid": keys::MCHID, "appid": keys::APPID, "out_trade_no": ORDER, "transaction_id": "4200",
           "trade_state": "SUCCESS", "amount": {"total": 8888, "currency": "CNY"}})
}

fn given_back(number: &str, status: &str) -> Value {
    json!({"mchid": keys::MCHID, "out_trade_no": ORDER, "transaction_id": "4200", "out_refund_no": number,
           "refund_id": "5030", "refund_status": status, "amount": {"total": 8888, "refund": 1000}})
}

#[test]
fn what_is_for_another_merchant_or_app_is_not_ours() {
    let channel = channel(settings());
    for (field, other, resource, event) in [
        ("mchid", "1900000002", paid(), "TRANSACTION.SUCCESS"),
        ("appid", "wx0000000000000002", paid(), "TRANSACTION.SUCCESS"),
        (
            "mchid",
            "1900000002",
            given_back("x", "SUCCESS"),
            "REFUND.SUCCESS",
        ),
    ] {
        let mut resource = resource;
        resource[field] = json!(other);
        let (headers, body) = notice(event, &resource);
        let rejection = verify(channel.as_ref(), &headers, &body).unwrap_err();
        assert_eq!(rejection.rule, RejectionRule::OtherMerchant);
        assert!(rejection.explanation.contains(other));
    }
}

#[test]
fn a_verified_notice_that_cannot_be_read_is_malformed_and_quotes_nobody() {
    let channel = channel(settings());
    let without = |field: &str| {
        let mut resource = paid();
        resource.as_object_mut().unwrap().remove(field);
        notice("TRANSACTION.SUCCESS", &resource)
    };
    let with = |field: &str, value: Value| {
        let mut resource = paid();
        resource[field] = value;
        notice("TRANSACTION.SUCCESS", &resource)
    };
    let signed = |body: &str| {
        let body = body.as_bytes().to_vec();
        let headers = seal::signed(Signer::WechatPay, keys::PUBLIC_KEY_ID, NOW_S, &body);
        (headers, body)
    };
    let mut other_key = json!({"id": "EV-1", "event_type": "TRANSACTION.SUCCESS", "resource_type": "encrypt-resource"});
    other_key["resource"] = seal::sealed_with(&"k".repeat(32), &paid().to_string(), "transaction");
    let mut twice = String::from_utf8(notice("TRANSACTION.SUCCESS", &paid()).1).unwrap();
    twice.insert_str(1, "\"id\":\"EV-2\",");
    for (headers, body) in [
        without("transaction_id"),
        without("amount"),
        without("out_trade_no"),
        with("out_trade_no", json!("")),
        with("amount", json!({"total": 88.88, "currency": "CNY"})),
        with("amount", json!({"total": "8888", "currency": "CNY"})),
        with("amount", json!({"total": 8888})),
        notice("REFUND.SUCCESS", &paid()),
        notice("REFUND.SUCCESS", &{
            let mut refund = given_back("x", "SUCCESS");
            refund["amount"]["refund"] = json!(0);
            refund
        }),
        signed(&other_key.to_string()),
        signed(&twice),
        signed("[]"),
        signed("{"),
    ] {
        let rejection = verify(channel.as_ref(), &headers, &body).unwrap_err();
        assert_eq!(rejection.rule, RejectionRule::Malformed, "{rejection:?}");
        assert!(!rejection.explanation.contains("4200"));
        assert!(!rejection.explanation.contains(keys::APIV3_KEY));
    }
}

#[test]
fn statuses_that_nobody_has_heard_of_are_kept_and_other_events_are_not_ours() {
    let channel = channel(settings());
    let mut frozen = paid();
    frozen["trade_state"] = json!("FROZEN");
    let (headers, body) = notice("TRANSACTION.SUCCESS", &frozen);
    let Notice::Charge {
        answer: Answer::Charge(said),
        ..
    } = verify(channel.as_ref(), &headers, &body).unwrap()
    else {
        panic!("a charge")
    };
    assert_eq!(said.status, ChargeStatus::Unexplained("FROZEN".to_owned()));
    let (headers, body) = notice("PROFITSHARING.SUCCESS", &json!({}));
    let unrelated = Notice::Unrelated {
        kind: "PROFITSHARING.SUCCESS".to_owned(),
    };
    assert_eq!(
        verify(channel.as_ref(), &headers, &body).unwrap(),
        unrelated
    );
}

#[test]
fn a_refund_is_told_by_our_number_where_it_is_ours() {
    let channel = channel(settings());
    let news = |number: &str, status: &str| {
        let event = format!("REFUND.{status}");
        let (headers, body) = notice(&event, &given_back(number, status));
        match verify(channel.as_ref(), &headers, &body).unwrap() {
            Notice::Refund { news, .. } => news,
            other @ (Notice::Charge { .. }
            | Notice::Dispute { .. }
            | Notice::OfTrade { .. }
            | Notice::RefundBounced(_)
            | Notice::Unrelated { .. }) => {
                panic!("{other:?}")
            }
        }
    };
    let ours = news(&format!("{ORDER}@r*1"), "SUCCESS");
    assert_eq!(ours.refund_no, "r.1");
    assert!(ours.ours_by_our_number && !ours.cumulative);
    assert!(matches!(ours.answer, RefundAnswer::Succeeded(_)));
    let of_another_order = news("ORDER20261130000002@r-1", "SUCCESS");
    assert_eq!(of_another_order.refund_no, "ORDER20261130000002@r-1");
    let stuck = news(&format!("{ORDER}@r-1"), "ABNORMAL");
    assert!(matches!(stuck.answer, RefundAnswer::Repeatable { .. }));
    let failed = news(&format!("{ORDER}@r-1"), "CLOSED");
    assert!(matches!(failed.answer, RefundAnswer::Failed(_)));
    let hashed = news(&format!("@@{}", "h".repeat(43)), "SUCCESS");
    assert!(matches!(hashed.answer, RefundAnswer::Unknown(_)));
}

#[test]
fn a_notice_is_signed_within_five_minutes_and_over_every_byte() {
    let channel = channel(settings());
    let body = seal::notice("EV-1", "TRANSACTION.SUCCESS", &paid());
    let at = |at: i64, signer: Signer| {
        let headers = seal::signed(signer, keys::PUBLIC_KEY_ID, at, &body);
        verify(channel.as_ref(), &headers, &body).map_err(|rejection| rejection.rule)
    };
    assert!(at(NOW_S - 300, Signer::WechatPay).is_ok());
    assert!(at(NOW_S + 300, Signer::WechatPay).is_ok());
    assert_eq!(
        at(NOW_S - 301, Signer::WechatPay),
        Err(RejectionRule::Timestamp)
    );
    assert_eq!(
        at(NOW_S + 301, Signer::WechatPay),
        Err(RejectionRule::Timestamp)
    );
    assert_eq!(at(NOW_S, Signer::Attacker), Err(RejectionRule::Signature));

    let spaced = String::from_utf8(body).unwrap().replacen(':', " : ", 1);
    let spaced = spaced
        .replacen('{', "{\"new_field\":\"x\", ", 1)
        .into_bytes();
    let headers = seal::signed(Signer::WechatPay, keys::PUBLIC_KEY_ID, NOW_S, &spaced);
    assert!(verify(channel.as_ref(), &headers, &spaced).is_ok());
    for missing in 0..5 {
        let mut fewer = headers.clone();
        let (name, _) = fewer.remove(missing);
        let verified = verify(channel.as_ref(), &fewer, &spaced);
        if name == "Wechatpay-Signature-Type" {
            assert!(verified.is_ok(), "the algorithm is ours to say");
        } else {
            assert_eq!(verified.unwrap_err().rule, RejectionRule::MissingHeader);
        }
    }
}

#[tokio::test]
async fn the_notice_of_the_double_is_the_channels() {
    let stage = Stage::open().await;
    stage.channel.submit(&super::charge("native")).await;
    let (headers, body) = WechatDouble::pay(&stage.gateway, ORDER);
    let verified = verify(stage.channel.as_ref(), &headers, &body);
    assert!(
        matches!(verified, Ok(Notice::Charge { .. })),
        "{verified:?}"
    );
}

#[test]
fn received_is_an_empty_body_and_the_rest_is_fail() {
    let channel = channel(settings());
    assert_eq!(channel.acknowledgement(Acknowledge::Received).body, "");
    let again = channel.acknowledgement(Acknowledge::SendAgain);
    let body: Value = serde_json::from_str(&again.body).unwrap();
    assert_eq!(body["code"], "FAIL");
    assert!(body["message"].is_string());
}
