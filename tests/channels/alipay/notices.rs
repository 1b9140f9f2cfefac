//! Notices: whose they are, whether they are whole, and what they are about.

use super::{NOW, call, channel, cny, configured, opened, said, word};
use crate::doubles::alipay::{ALIPAY_PRIVATE, ATTACKER, AlipayDouble, signed_form};
use oncepay::channels::{Acknowledge, Notice, RawNotice, Rejection, RejectionRule};
use oncepay::domain::order::{RefundAnswer, RefundNews};
use std::collections::BTreeMap;

fn heard(body: &str) -> Result<Notice, Rejection> {
    let notice = RawNotice {
        headers: &BTreeMap::new(),
        query: "",
        body: body.as_bytes(),
    };
    opened(configured()).unwrap().verify(&notice, NOW)
}

async fn paid(order_no: &str) -> AlipayDouble {
    let double = AlipayDouble::start();
    channel(&double).submit(&call(order_no, "qr")).await;
    double.pay(order_no);
    double
}

fn news(notice: Result<Notice, Rejection>) -> RefundNews {
    match notice {
        Ok(Notice::Refund { news, .. }) => news,
        other => panic!("not about a refund: {other:?}"),
    }
}

#[tokio::test]
async fn a_payment_is_told_with_all_that_it_is_compared_by() {
    let double = paid("N1").await;
    let Ok(Notice::Charge {
        key,
        status,
        order_no,
        answer,
    }) = heard(&double.notice("N1", "id-1", &[]))
    else {
        panic!("not about a charge")
    };
    assert_eq!(
        (key.as_str(), status.as_str(), order_no.as_str()),
        ("id-1", "TRADE_SUCCESS", "N1")
    );
    let statement = said(&answer);
    assert_eq!(word(&answer), "paid");
    assert_eq!(statement.money, Some(cny(8888)));
    assert_eq!(
        statement.trade_no,
        double.trade("N1").map(|trade| trade.trade_no)
    );
    assert_eq!(statement.merchant.as_deref(), Some(super::APP_ID));
    assert_eq!(statement.summary, "TRADE_SUCCESS", "nothing of the payer");
    for (status, expected) in [
        ("WAIT_BUYER_PAY", "pending"),
        ("TRADE_FINISHED", "paid"),
        ("TRADE_CLOSED", "closed"),
        ("TRADE_DREAMT", "unexplained"),
    ] {
        match heard(&double.notice("N1", "id-2", &[("trade_status", status)])) {
            Ok(Notice::Charge { answer, .. }) => assert_eq!(word(&answer), expected, "{status}"),
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn a_refund_is_never_a_payment_and_tells_the_sum_of_all() {
    let double = paid("N2").await;
    let trade_no = double.trade("N2").unwrap().trade_no;
    double.change("N2", |trade| {
        trade.refunds.insert("r-1".to_owned(), 1000);
    });
    let first = news(heard(&double.notice("N2", "id", &[])));
    assert_eq!((first.refund_no.as_str(), first.cumulative), ("r-1", true));
    assert_eq!(first.trade_no.as_ref(), Some(&trade_no));
    double.change("N2", |trade| {
        trade.refunds.insert("r-2".to_owned(), 7888);
        trade.status = "TRADE_CLOSED";
    });
    let all = news(heard(&double.notice("N2", "id", &[])));
    match &all.answer {
        RefundAnswer::Succeeded(said) => {
            assert_eq!((all.refund_no.as_str(), said.amount), ("r-2", Some(8888)))
        }
        other => panic!("{other:?}"),
    }
    // Without a number of a refund, all of it is a fact about the trade, and a part is told by the trade's number.
    match heard(&double.notice("N2", "id", &[("out_biz_no", "")])) {
        Ok(Notice::Charge { answer, .. }) => assert_eq!(word(&answer), "paid and refunded"),
        other => panic!("{other:?}"),
    }
    let part = [
        ("out_biz_no", ""),
        ("refund_fee", "1.00"),
        ("trade_status", "TRADE_SUCCESS"),
    ];
    assert_eq!(
        news(heard(&double.notice("N2", "id", &part))).refund_no,
        trade_no
    );
    let silent = [
        ("out_biz_no", ""),
        ("refund_fee", ""),
        ("trade_status", "TRADE_SUCCESS"),
    ];
    match news(heard(&double.notice("N2", "id", &silent))).answer {
        RefundAnswer::Succeeded(said) => assert_eq!(said.amount, None, "how much is not said"),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn each_rule_rejects_with_one_line_that_says_why() {
    use RejectionRule::{Malformed, MissingHeader, OtherMerchant, Signature};
    let double = paid("N3").await;
    let good = double.notice("N3", "id", &[]);
    let changed = |fields: &[(&str, &str)]| double.notice("N3", "id", fields);
    let forged: BTreeMap<&str, &str> = [("app_id", super::APP_ID)].into();
    for (body, rule, words) in [
        (String::new(), MissingHeader, "sign is missing"),
        (
            good.split("&sign=").next().unwrap().to_owned(),
            MissingHeader,
            "sign is missing",
        ),
        (format!("{good}&sign=x"), Signature, "sign is there twice"),
        (
            format!("{good}&total_amount=0.01"),
            Signature,
            "total_amount is there twice",
        ),
        (good.replace("88.88", "0.01"), Signature, "not Alipay's"),
        (
            good.replace("RSA2", "RSA").replace("88.88", "1.00"),
            Signature,
            "not RSA2",
        ),
        (format!("{good}&x=%"), Signature, "no form"),
        (signed_form(&forged, ATTACKER), Signature, "not Alipay's"),
        (
            changed(&[("app_id", "2021000000000002")]),
            OtherMerchant,
            "app_id is 2021000000000002",
        ),
        (
            changed(&[("seller_id", "2088000000000009")]),
            OtherMerchant,
            "seller_id is 2088000000000009",
        ),
        (
            changed(&[("seller_id", "")]),
            Malformed,
            "seller_id is missing",
        ),
        (
            changed(&[("notify_id", "")]),
            Malformed,
            "notify_id is missing",
        ),
        (
            changed(&[("trade_no", "")]),
            Malformed,
            "trade_no is missing",
        ),
        (
            changed(&[("out_trade_no", "a\nb")]),
            Malformed,
            "control characters",
        ),
        (
            changed(&[("trade_status", "")]),
            Malformed,
            "trade_status is missing",
        ),
        (
            changed(&[("total_amount", "88.888")]),
            Malformed,
            "no amount",
        ),
        (changed(&[("refund_fee", "x")]), Malformed, "no amount"),
        (
            changed(&[("notify_type", "")]),
            Malformed,
            "notify_type is missing",
        ),
    ] {
        let rejection = heard(&body).expect_err(&body);
        assert_eq!(rejection.rule, rule, "{}", rejection.explanation);
        assert!(
            rejection.explanation.contains(words),
            "{}",
            rejection.explanation
        );
        assert!(!rejection.explanation.contains('\n'));
    }
    let rejected = heard(&good.replace("88.88", "0.01")).unwrap_err();
    assert!(
        rejected
            .signed_text
            .unwrap()
            .contains("&total_amount=0.01&")
    );
}

#[tokio::test]
async fn what_sign_type_says_and_fields_that_nobody_knows_change_nothing() {
    let double = paid("N4").await;
    let more = double.notice("N4", "id", &[("new_field", "a+b c&d=e"), ("body", "")]);
    for body in [
        more.clone(),
        more.replace("sign_type=RSA2", "sign_type=RSA"),
        more.replace("sign_type=RSA2&", ""),
        more.split('&').rev().collect::<Vec<_>>().join("&"),
    ] {
        assert!(heard(&body).is_ok(), "{body}");
    }
}

#[tokio::test]
async fn a_notice_that_is_signed_as_a_request_would_be_is_rejected() {
    let double = paid("N6").await;
    let good = double.notice("N6", "id", &[]);
    assert!(heard(&good).is_ok());
    let form = reqwest::Url::parse(&format!("http://form?{good}")).unwrap();
    let pairs: Vec<(String, String)> = form.query_pairs().into_owned().collect();
    let text: Vec<_> = pairs
        .iter()
        .map(|(n, v)| (n.as_str(), v.as_str()))
        .collect();
    assert!(text.contains(&("sign_type", "RSA2")));
    let text = oncepay::channels::alipay::sign::request_text(&text);
    let sign = crate::doubles::alipay::signer(ALIPAY_PRIVATE).sign(text.as_bytes());
    let mut signed = form.clone();
    let unsigned = pairs.iter().filter(|(name, _)| name != "sign");
    signed
        .query_pairs_mut()
        .clear()
        .extend_pairs(unsigned)
        .append_pair("sign", &sign.unwrap());
    let rejection = heard(signed.query().unwrap()).unwrap_err();
    assert_eq!(rejection.rule, RejectionRule::Signature);
}

#[test]
fn a_notice_in_gbk_is_verified_as_the_bytes_that_it_is() {
    let subject = [0xd6_u8, 0xd0, 0xce, 0xc4];
    let fields: [(&str, &[u8]); 10] = [
        ("app_id", super::APP_ID.as_bytes()),
        ("seller_id", super::SELLER_ID.as_bytes()),
        ("charset", b"GBK"),
        ("notify_id", b"id"),
        ("notify_type", b"trade_status_sync"),
        ("out_trade_no", b"N5"),
        ("trade_no", b"T5"),
        ("trade_status", b"TRADE_SUCCESS"),
        ("total_amount", b"88.88"),
        ("subject", &subject),
    ];
    let map = fields
        .iter()
        .map(|(name, value)| (name.as_bytes().to_vec(), value.to_vec()));
    let text = oncepay::channels::alipay::sign::notice_text(&map.collect());
    let sign = crate::doubles::alipay::signer(ALIPAY_PRIVATE)
        .sign(&text)
        .unwrap();
    let encoded = |value: &[u8]| {
        value
            .iter()
            .map(|byte| format!("%{byte:02X}"))
            .collect::<String>()
    };
    let mut body: Vec<String> = fields
        .iter()
        .map(|(name, value)| format!("{name}={}", encoded(value)))
        .collect();
    body.push(format!("sign={}", encoded(sign.as_bytes())));
    assert!(matches!(heard(&body.join("&")), Ok(Notice::Charge { .. })));
}

/// A signed form of these fields.
fn told(fields: &[(&str, &str)]) -> Result<Notice, Rejection> {
    heard(&signed_form(
        &fields.iter().copied().collect(),
        ALIPAY_PRIVATE,
    ))
}

const BOUNCE: (&str, &str) = ("msg_method", "alipay.trade.refund.depositback.completed");

#[test]
fn a_refund_that_the_bank_has_not_taken_is_told_with_its_numbers() {
    let app = ("app_id", super::APP_ID);
    let content = |status: &str| {
        serde_json::json!({"trade_no": "T1", "out_trade_no": "N7", "out_request_no": "r-1", "dback_status": status})
            .to_string()
    };
    match told(&[app, BOUNCE, ("biz_content", &content("F"))]) {
        Ok(Notice::RefundBounced(bounce)) => {
            let numbers = [&bounce.order_no, &bounce.trade_no, &bounce.refund_no];
            assert_eq!(numbers, ["N7", "T1", "r-1"]);
            assert!(bounce.summary.contains("the payer's account"), "{bounce:?}");
        }
        other => panic!("{other:?}"),
    }
    // Taken by the bank it is no news; anything else is for a person.
    let taken = told(&[app, BOUNCE, ("biz_content", &content("S"))]);
    let kind = BOUNCE.1.to_owned();
    assert_eq!(taken, Ok(Notice::Unrelated { kind }));
    let unheard = told(&[app, BOUNCE, ("biz_content", &content("X"))]);
    assert!(
        matches!(unheard, Ok(Notice::RefundBounced(_))),
        "{unheard:?}"
    );
    for holed in ["", "[]", "{}", r#"{"trade_no": "T1", "dback_status": "F"}"#] {
        let rejection = told(&[app, BOUNCE, ("biz_content", holed)]).unwrap_err();
        assert_eq!(rejection.rule, RejectionRule::Malformed, "{holed}");
    }
}

#[test]
fn what_is_about_no_trade_is_acknowledged_and_left_alone() {
    for (fields, kind) in [
        // An agreement names no seller, though one is configured.
        (
            vec![("app_id", super::APP_ID), ("notify_type", "dut_user_sign")],
            "dut_user_sign",
        ),
        (
            vec![("notify_type", "dut_user_unsign"), ("notify_id", "id")],
            "dut_user_unsign",
        ),
        (
            vec![("msg_method", "alipay.open.auth.notify")],
            "alipay.open.auth.notify",
        ),
    ] {
        let kind = kind.to_owned();
        assert_eq!(told(&fields), Ok(Notice::Unrelated { kind }));
        // Where it names whose it is, that is compared.
        let other = [fields, vec![("app_id", "2021000000000002")]].concat();
        let rejection = told(&other).unwrap_err();
        assert_eq!(rejection.rule, RejectionRule::OtherMerchant);
    }
    let channel = opened(configured()).unwrap();
    let word = channel.acknowledgement(Acknowledge::Received);
    assert_eq!(
        (word.content_type, word.body.as_str()),
        ("text/plain; charset=utf-8", "success")
    );
    assert_ne!(
        channel.acknowledgement(Acknowledge::SendAgain).body,
        "success"
    );
}
