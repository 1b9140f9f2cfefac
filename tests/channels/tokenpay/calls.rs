//! Answers that are refusals, and those that are none: what had no effect is told from what is not known.

use super::{call, call_about, channel, doubt, open, settings, statement, status};
use crate::doubles::tokenpay::{Asked, Fault, Gateway};
use oncepay::channels::tokenpay::TokenpaySettings;
use oncepay::domain::order::{Answer, ChargeStatus, Reason};
use secrecy::SecretString;
use std::net::TcpListener;
use std::time::Duration;

#[actix_web::test]
async fn each_listed_refusal_made_nothing() {
    let gateway = Gateway::start();
    let channel = channel(&gateway);
    for sentence in [
        "签名验证失败！",
        "不支持的币种【X】！\n当前支持的币种参数有：TRX",
        "金额有误！",
        "此订单金额过低！",
        "汇率有误！",
        "动态地址需传递用户标识！",
        "未配置收款地址！",
        "无可用收款地址！",
    ] {
        gateway.misbehave(Asked::CreateOrder, Fault::Refuses(sentence));
        let answer = channel.submit(&call("2001")).await;
        assert_eq!(status(&answer), &ChargeStatus::Declined, "{sentence}");
        assert!(statement(&answer).summary.is_ascii());
        assert_eq!(statement(&answer).order_no, "2001");
    }
    assert!(gateway.orders("2001").is_empty());
}

#[actix_web::test]
async fn another_token_is_refused_and_is_not_in_what_is_said() {
    let gateway = Gateway::start();
    let other = TokenpaySettings {
        api_token: SecretString::from("another-secret"),
        ..settings()
    };
    let channel = open(&gateway.base_url(), other.clone()).unwrap();
    let answer = channel.submit(&call("2002")).await;
    assert_eq!(status(&answer), &ChargeStatus::Declined);
    assert!(!format!("{answer:?}{other:?}").contains("another-secret"));
}

#[actix_web::test]
async fn any_other_refusal_is_unknown_also_of_an_order_that_the_gateway_lost() {
    let gateway = Gateway::start();
    let channel = channel(&gateway);
    gateway.misbehave(Asked::CreateOrder, Fault::Refuses("外部订单号为必传参数"));
    assert_eq!(
        doubt(&channel.submit(&call("2003")).await),
        Reason::UnreadableReply
    );
    channel.submit(&call("2003")).await;
    let about = call_about(&gateway, "2003");
    for sentence in ["订单不存在！", "签名验证失败！", "something new"] {
        gateway.misbehave(Asked::Query, Fault::Refuses(sentence));
        assert_eq!(
            doubt(&channel.query(&about).await),
            Reason::UnreadableReply,
            "{sentence}"
        );
    }
}

#[actix_web::test]
async fn what_the_gateway_did_not_write_is_unknown() {
    let gateway = Gateway::start();
    let channel = channel(&gateway);
    channel.submit(&call("2004")).await;
    let about = call_about(&gateway, "2004");
    let id = gateway.order("2004").id;
    let paid = format!(
        r#"{{"success":true,"data":{{"id":"{id}","outOrderId":"2004","actualAmount":20.00,"currency":"USDT_TRC20","status":"Paid","amount":2.7764,"blockTransactionId":"t1"}}}}"#
    );
    let bodies = [
        (500, paid.clone(), Reason::ChannelUnavailable),
        (
            502,
            "<html>bad gateway</html>".to_owned(),
            Reason::ChannelUnavailable,
        ),
        (404, paid.clone(), Reason::UnreadableReply),
        (
            200,
            "<html>log in</html>".to_owned(),
            Reason::UnreadableReply,
        ),
        (
            200,
            r#"{"success":true}"#.to_owned(),
            Reason::UnreadableReply,
        ),
        (
            200,
            r#"{"success":"true"}"#.to_owned(),
            Reason::UnreadableReply,
        ),
        (
            200,
            paid.replace("20.00", "20.001"),
            Reason::UnreadableReply,
        ),
        (200, paid.replace("20.00", "2e1"), Reason::UnreadableReply),
        (200, paid.replace("20.00", "-20"), Reason::UnreadableReply),
    ];
    for (http, body, reason) in bodies {
        gateway.misbehave(Asked::Query, Fault::Answers(http, body.clone()));
        assert_eq!(doubt(&channel.query(&about).await), reason, "{http} {body}");
    }
    // The same as a reply of the gateway's: a word of its own.
    gateway.misbehave(Asked::Query, Fault::Answers(200, paid));
    assert_eq!(status(&channel.query(&about).await), &ChargeStatus::Paid);
}

#[actix_web::test]
async fn a_lost_or_late_answer_is_unknown_and_a_refused_connection_was_not_sent() {
    let gateway = Gateway::start();
    let channel = channel(&gateway);
    gateway.misbehave(Asked::CreateOrder, Fault::DropsBefore);
    assert_eq!(
        doubt(&channel.submit(&call("2005")).await),
        Reason::ChannelUnavailable
    );
    gateway.misbehave(Asked::CreateOrder, Fault::Late(Duration::from_secs(1)));
    assert_eq!(
        doubt(&channel.submit(&call("2005")).await),
        Reason::SubmitTimeout
    );
    assert_eq!(gateway.calls().0, 2, "each submit goes out once");

    let nobody = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let channel = open(&format!("http://{nobody}"), settings()).unwrap();
    let answer = channel.submit(&call("2006")).await;
    assert!(matches!(answer, Answer::NotSent { .. }), "{answer:?}");
}
