//! A charge's life: shown, scanned, paid, closed; and the payer's browser.

use super::{action, call, channel, cny, configured, said, word};
use crate::doubles::alipay::{APP_PUBLIC, AlipayDouble, Mishap};
use oncepay::channels::alipay::sign;
use oncepay::channels::rsa::RsaVerifier;
use oncepay::channels::{Admission, CallKind, Channel};
use oncepay::domain::order::ChargeStatus;
use oncepay::domain::{Currency, Money};
use serde_json::json;

#[tokio::test]
async fn a_code_is_shown_scanned_and_paid() {
    let double = AlipayDouble::start();
    let channel = channel(&double);
    let mut call = call("A1", "qr");

    let shown = channel.submit(&call).await;
    let code = (
        "qr_code".to_owned(),
        "https://qr.alipay.example/A1".to_owned(),
    );
    assert_eq!(action(&shown), code);
    let sent = &double.calls("alipay.trade.precreate")[0];
    assert_eq!(
        *sent,
        json!({"out_trade_no": "A1", "total_amount": "88.88", "subject": "VIP+ 月卡",
               "product_code": "QR_CODE_OFFLINE", "time_expire": "2026-11-30 20:00:12"})
    );
    assert_eq!(word(&channel.query(&call).await), "not found");
    assert_eq!(
        word(&channel.submit(&call).await),
        "pending",
        "the same again"
    );

    let trade_no = double.scan("A1");
    assert_eq!(word(&channel.query(&call).await), "pending");
    double.pay("A1");
    let paid = channel.query(&call).await;
    let statement = said(&paid);
    assert_eq!(statement.status, ChargeStatus::Paid);
    assert_eq!(
        (statement.money, statement.trade_no.as_ref()),
        (Some(cny(8888)), Some(&trade_no))
    );
    assert_eq!(
        (statement.order_no.as_str(), statement.summary.as_str()),
        ("A1", "TRADE_SUCCESS")
    );
    assert_eq!(word(&channel.submit(&call).await), "ask at once");
    assert_eq!(word(&channel.close(&call).await), "ask at once");

    call.subject = "another".to_owned();
    double.scan("A1");
    double.change("A1", |trade| trade.status = "TRADE_FINISHED");
    assert_eq!(word(&channel.query(&call).await), "paid");
}

#[tokio::test]
async fn the_same_number_with_other_content_is_a_conflict() {
    let double = AlipayDouble::start();
    let channel = channel(&double);
    let mut call = call("A2", "qr");
    channel.submit(&call).await;
    call.money = cny(8889);
    assert_eq!(word(&channel.submit(&call).await), "conflict");
}

#[tokio::test]
async fn a_close_before_the_scan_ends_nothing_and_after_it_the_trade() {
    let double = AlipayDouble::start();
    let channel = channel(&double);
    let mut call = call("A3", "qr");
    channel.submit(&call).await;
    assert_eq!(word(&channel.close(&call).await), "not found");
    double.scan("A3");
    assert_eq!(word(&channel.close(&call).await), "closed");
    assert_eq!(word(&channel.query(&call).await), "closed");
    assert_eq!(word(&channel.submit(&call).await), "closed");
    // Had we seen it paid, a closed trade is one that was given back in full.
    call.trade_no = Some("T-seen".to_owned());
    assert_eq!(word(&channel.query(&call).await), "paid and refunded");
}

#[tokio::test]
async fn a_closed_trade_with_a_time_of_payment_was_paid_and_given_back() {
    let double = AlipayDouble::start();
    let channel = channel(&double);
    let call = call("A4", "qr");
    channel.submit(&call).await;
    double.pay("A4");
    double.change("A4", |trade| trade.status = "TRADE_CLOSED");
    let answer = channel.query(&call).await;
    assert_eq!(word(&answer), "paid and refunded");
    assert_eq!(said(&answer).money, Some(cny(8888)));
}

#[tokio::test]
async fn what_is_not_listed_or_not_whole_or_about_another_order_is_no_payment() {
    let double = AlipayDouble::start();
    let channel = channel(&double);
    let call = call("A5", "qr");
    let paid = json!({"code": "10000", "out_trade_no": "A5", "trade_no": "T5", "trade_status": "TRADE_SUCCESS",
                      "total_amount": "88.88"});
    for (field, value, expected) in [
        ("trade_status", json!("TRADE_DREAMT"), "unexplained"),
        ("trade_status", json!(""), "unreadable"),
        ("out_trade_no", json!("A6"), "unreadable"),
        ("out_trade_no", json!(null), "unreadable"),
        ("total_amount", json!("8.8e1"), "unreadable"),
        ("total_amount", json!(88.88), "unreadable"),
        ("trade_no", json!("T5"), "paid"),
    ] {
        let mut content = paid.clone();
        content[field] = value.clone();
        double.misbehave("alipay.trade.query", Mishap::Content(content));
        let answer = channel.query(&call).await;
        assert_eq!(word(&answer), expected, "{field} {value}");
        assert!(!answer.summary().contains("buy"), "{answer:?}");
    }
    for without in [
        json!({"code": "10000", "out_trade_no": "A5"}),
        json!({"code": "10000", "qr_code": "https://x"}),
    ] {
        double.misbehave("alipay.trade.precreate", Mishap::Content(without));
        assert_eq!(word(&channel.submit(&call).await), "unreadable");
    }
    double.misbehave(
        "alipay.trade.close",
        Mishap::Content(json!({"code": "10000"})),
    );
    assert_eq!(word(&channel.close(&call).await), "unreadable");
}

/// The parameters of a signed address, and whether the app signed them.
fn parameters(address: &str) -> Vec<(String, String)> {
    let address = reqwest::Url::parse(address).unwrap();
    address.query_pairs().into_owned().collect()
}

fn is_signed(given: &[(String, String)]) -> bool {
    let pairs: Vec<_> = given
        .iter()
        .map(|(n, v)| (n.as_str(), v.as_str()))
        .collect();
    let sign = &given.iter().find(|(name, _)| name == "sign").unwrap().1;
    let verifier = RsaVerifier::parse(APP_PUBLIC).unwrap();
    verifier.verifies(sign::request_text(&pairs).as_bytes(), sign)
}

#[tokio::test]
async fn a_browser_is_sent_to_a_signed_address_and_nothing_is_called() {
    let double = AlipayDouble::start();
    let channel = channel(&double);
    for (method, api, product) in [
        ("page", "alipay.trade.page.pay", "FAST_INSTANT_TRADE_PAY"),
        ("wap", "alipay.trade.wap.pay", "QUICK_WAP_WAY"),
    ] {
        let call = call(&format!("B_{method}"), method);
        // Whether Alipay is up is not known by it.
        assert!(channel.answers_here(CallKind::Submit, &call));
        assert!(!channel.answers_here(CallKind::Query, &call));
        let (kind, address) = action(&channel.submit(&call).await);
        assert_eq!(kind, "redirect");
        assert!(address.starts_with(&double.gateway()), "{address}");
        let given = parameters(&address);
        assert!(is_signed(&given), "{given:?}");
        let value = |name: &str| given.iter().find(|(it, _)| it == name).unwrap().1.clone();
        assert_eq!(value("method"), api);
        assert_eq!(value("sign_type"), "RSA2");
        assert_eq!(value("timestamp"), "2026-11-30 18:00:12");
        assert_eq!(value("notify_url"), call.notify_url);
        assert_eq!(Some(value("return_url")), call.return_url);
        let content: serde_json::Value = serde_json::from_str(&value("biz_content")).unwrap();
        assert_eq!(content["product_code"], product);
        assert_eq!(content["time_expire"], "2026-11-30 20:00:12");
        let quits = content["quit_url"].as_str().map(str::to_owned);
        assert_eq!(quits, call.return_url.filter(|_| method == "wap"));
        assert!(double.calls(api).is_empty());
        // The payer's browser opens it: the trade begins there.
        assert!(reqwest::get(&address).await.unwrap().status().is_success());
        double.pay(&call.order_no);
        let asked = super::call(&call.order_no, method);
        assert_eq!(word(&channel.query(&asked).await), "paid");
    }
}

#[tokio::test]
async fn what_is_too_long_for_an_address_is_a_form_that_sends_itself() {
    let double = AlipayDouble::start();
    let channel = channel(&double);
    let mut call = call("B9", "page");
    call.subject = "\"<月>&".repeat(200);
    let (kind, form) = action(&channel.submit(&call).await);
    assert_eq!(kind, "form");
    let between = |text: &str, from: &str, to: &str| {
        let rest = text.split_once(from).unwrap().1.to_owned();
        let plain = rest.split_once(to).unwrap().0.to_owned();
        plain
            .replace("&quot;", "\"")
            .replace("&lt;", "<")
            .replace("&gt;", ">")
            .replace("&amp;", "&")
    };
    let mut given = parameters(&between(&form, "action=\"", "\""));
    given.push(("biz_content".to_owned(), between(&form, "value=\"", "\"")));
    assert!(is_signed(&given), "{form}");
}

#[test]
fn an_order_that_alipay_cannot_carry_is_refused_with_the_name_of_its_field() {
    let channel = super::opened(configured()).unwrap();
    let good = Admission {
        payer: None,
        order_no: "A_1",
        method: channel.default_method(),
        money: cny(1),
        subject: "VIP",
        expires_in_s: 7_200,
    };
    assert_eq!(
        (channel.default_method(), channel.admits(&good)),
        ("qr", Ok(()))
    );
    let euro = Money::new(100, Currency::parse("EUR").unwrap());
    let long = "9".repeat(65);
    for (bad, field) in [
        (
            Admission {
                order_no: "A-1",
                ..good
            },
            "order_no",
        ),
        (
            Admission {
                order_no: &long,
                ..good
            },
            "order_no",
        ),
        (
            Admission {
                method: "direct",
                ..good
            },
            "method",
        ),
        (
            Admission {
                money: euro,
                ..good
            },
            "currency",
        ),
        (
            Admission {
                money: cny(0),
                ..good
            },
            "amount",
        ),
        (
            Admission {
                money: cny(10_000_000_001),
                ..good
            },
            "amount",
        ),
        (
            Admission {
                subject: "",
                ..good
            },
            "subject",
        ),
        (
            Admission {
                expires_in_s: 59,
                ..good
            },
            "expires_in",
        ),
        (
            Admission {
                expires_in_s: 15 * 86_400 + 1,
                ..good
            },
            "expires_in",
        ),
    ] {
        let refused = channel.admits(&bad).map_err(|refusal| refusal.field);
        assert_eq!(refused, Err(field));
    }
    own_limit_counts(good);
}

fn own_limit_counts(good: Admission<'_>) {
    let mut opening = super::opening("https://openapi.alipay.com/gateway.do");
    opening.amount_max = Some(500);
    let channel: std::sync::Arc<dyn Channel> =
        oncepay::channels::alipay::open(opening, configured()).unwrap();
    let above = Admission {
        payer: None,
        money: cny(501),
        ..good
    };
    let refused = channel
        .admits(&above)
        .map_err(|refusal| refusal.to_string());
    assert_eq!(refused, Err("amount must be 1–500 at Alipay".to_owned()));
}
