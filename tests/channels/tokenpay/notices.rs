//! Notices: what is signed is what arrived, and *paid* in one is a hint.

use super::{call, channel, cny};
use crate::doubles::tokenpay::{Gateway, TOKEN, signed};
use oncepay::channels::{Acknowledge, Channel, Notice, RawNotice, Rejection, RejectionRule};
use oncepay::domain::UnixMillis;
use oncepay::domain::order::{Answer, ChargeStatus, Hint, Hinted};
use std::collections::BTreeMap;
use std::sync::Arc;

const ID: &str = "\"66f9d5a8-d9c7-0224-004f-a16a1c068e08\"";

fn verify(channel: &Arc<dyn Channel>, body: &[u8]) -> Result<Notice, Rejection> {
    let notice = RawNotice {
        headers: &BTreeMap::new(),
        query: "",
        body,
    };
    channel.verify(&notice, UnixMillis(0))
}

/// The fields of a notice of a paid order, each as it stands in JSON.
fn paid() -> BTreeMap<&'static str, String> {
    BTreeMap::from([
        ("Id", ID.to_owned()),
        ("OutOrderId", "\"4001\"".to_owned()),
        ("Currency", format!("\"{TOKEN}\"")),
        ("ActualAmount", "\"20.00\"".to_owned()),
        ("BaseCurrency", "\"CNY\"".to_owned()),
        ("Status", "1".to_owned()),
    ])
}

fn body(fields: &BTreeMap<&'static str, String>) -> Vec<u8> {
    let fields: Vec<_> = fields
        .iter()
        .map(|(k, v)| ((*k).to_owned(), v.clone()))
        .collect();
    signed(&fields)
}

#[actix_web::test]
async fn a_notice_of_the_gateway_makes_it_be_asked() {
    let gateway = Gateway::start();
    let channel = channel(&gateway);
    channel.submit(&call("4001")).await;
    gateway.pay("4001");
    let notice = verify(&channel, &gateway.notice("4001")).unwrap();
    let expected = Notice::Charge {
        key: gateway.order("4001").id,
        status: "Paid".to_owned(),
        order_no: "4001".to_owned(),
        answer: hint(Hinted::Paid, &gateway.order("4001").id),
    };
    assert_eq!(notice, expected);
}

fn hint(says: Hinted, id: &str) -> Answer {
    let reference = id.to_owned();
    Answer::Hint(Hint { says, reference })
}

#[test]
fn every_field_that_arrives_is_signed_as_it_reads() {
    let channel = super::open("http://127.0.0.1:1", super::settings()).unwrap();
    let more = [
        ("Amount", "15.00"),
        ("New", "\"a\\u002Bb \\u9644\\/加\""),
        ("Empty", "\"\""),
        ("Nothing", "null"),
        ("Zero", "0"),
    ];
    let mut fields = paid();
    fields.extend(more.map(|(name, value)| (name, value.to_owned())));
    assert!(verify(&channel, &body(&fields)).is_ok());
    // Other spacing and order of the same fields: the same text.
    let spaced = String::from_utf8(body(&fields))
        .unwrap()
        .replace(",\"", " ,\n \"");
    assert!(verify(&channel, spaced.as_bytes()).is_ok());
    // Another spelling of the same number is another text.
    let other = String::from_utf8(body(&fields))
        .unwrap()
        .replace("15.00", "15.0");
    assert_eq!(
        verify(&channel, other.as_bytes()).unwrap_err().rule,
        RejectionRule::Signature
    );
}

#[test]
fn what_cannot_be_verified_is_rejected_and_raises_nothing() {
    let channel = super::open("http://127.0.0.1:1", super::settings()).unwrap();
    let good = String::from_utf8(body(&paid())).unwrap();
    let twice = good.replacen('{', "{\"Status\":1,", 1);
    let nested = good.replacen('{', "{\"More\":{\"a\":1},", 1);
    let unsigned = good.replace("Signature", "Signatures");
    let upper = {
        let (before, signature) = good.split_once("\"Signature\":").unwrap();
        format!("{before}\"Signature\":{}", signature.to_uppercase())
    };
    let bodies = [
        "",
        "{}",
        "[]",
        "null",
        "Status=1&Id=2",
        &twice,
        &nested,
        &unsigned,
        &upper,
        good.strip_suffix('}').unwrap(),
    ];
    for body in bodies {
        let rejection = verify(&channel, body.as_bytes()).unwrap_err();
        assert_eq!(rejection.rule, RejectionRule::Signature, "{body}");
        assert!(!rejection.explanation.is_empty() && !rejection.explanation.contains('\n'));
        let said = format!("{rejection:?}");
        assert!(!said.contains("666666"), "{said}");
    }
}

#[test]
fn a_notice_about_another_token_is_another_channel_s() {
    let channel = super::open("http://127.0.0.1:1", super::settings()).unwrap();
    let mut fields = paid();
    fields.insert("Currency", "\"TRX\"".to_owned());
    let rejection = verify(&channel, &body(&fields)).unwrap_err();
    assert_eq!(rejection.rule, RejectionRule::OtherMerchant);
}

#[test]
fn a_verified_notice_without_what_it_is_about_is_malformed() {
    let channel = super::open("http://127.0.0.1:1", super::settings()).unwrap();
    for (name, value) in [
        ("Id", "\"../Query\""),
        ("Id", "null"),
        ("OutOrderId", "\"\""),
        ("Status", "null"),
        ("Currency", "null"),
    ] {
        let mut fields = paid();
        fields.insert(name, value.to_owned());
        let rejection = verify(&channel, &body(&fields)).unwrap_err();
        let rule = if name == "Currency" {
            RejectionRule::OtherMerchant
        } else {
            RejectionRule::Malformed
        };
        assert_eq!(rejection.rule, rule, "{name} {value}");
    }
}

#[test]
fn an_order_that_is_called_expired_is_asked_about() {
    let channel = super::open("http://127.0.0.1:1", super::settings()).unwrap();
    let mut fields = paid();
    fields.insert("Status", "2".to_owned());
    let Ok(Notice::Charge { answer, status, .. }) = verify(&channel, &body(&fields)) else {
        panic!("it is verified");
    };
    assert_eq!(status, "Expired");
    assert_eq!(answer, hint(Hinted::Over, ID.trim_matches('"')));
}

#[test]
fn what_is_not_over_is_told_with_its_amount() {
    let channel = super::open("http://127.0.0.1:1", super::settings()).unwrap();
    for (word, status) in [
        ("0", ChargeStatus::Pending { next_action: None }),
        ("7", ChargeStatus::Unexplained("7".to_owned())),
    ] {
        let mut fields = paid();
        fields.insert("Status", word.to_owned());
        match verify(&channel, &body(&fields)) {
            Ok(Notice::Charge {
                answer: Answer::Charge(said),
                ..
            }) => {
                assert_eq!((said.status, said.money), (status, Some(cny(2000))));
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn ok_and_nothing_else_is_its_acknowledgement() {
    let channel = super::open("http://127.0.0.1:1", super::settings()).unwrap();
    assert_eq!(channel.acknowledgement(Acknowledge::Received).body, "ok");
    assert_ne!(channel.acknowledgement(Acknowledge::SendAgain).body, "ok");
}
