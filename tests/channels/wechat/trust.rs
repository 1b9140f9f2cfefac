//! Whose word counts: replies that are lost, late, unsigned or signed by others.

use super::{NOW_S, Stage, charge, open_at, refund, settings};
use crate::doubles::wechat::seal::Signer;
use crate::doubles::wechat::{Mishap, Op, code};
use oncepay::domain::order::{Answer, Reason, RefundAnswer};
use serde_json::json;
use std::time::Duration;

fn unknown(answer: Answer) -> (Reason, String) {
    let Answer::Unknown(unknown) = &answer else {
        panic!("it counts: {answer:?}")
    };
    (unknown.reason, unknown.summary.clone())
}

#[tokio::test]
async fn a_request_that_never_left_had_no_effect() {
    let stage = Stage::open().await;
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let free = port.local_addr().unwrap().port();
    drop(port);
    let nobody = format!("http://127.0.0.1:{free}");
    let channel = open_at(&nobody, stage.hands.clone(), settings()).unwrap();

    for answer in [
        channel.submit(&charge("native")).await,
        channel.query(&charge("native")).await,
        channel.close(&charge("native")).await,
    ] {
        assert!(matches!(answer, Answer::NotSent { .. }), "{answer:?}");
    }
    let answer = channel.refund(&refund("4200")).await;
    assert!(matches!(answer, RefundAnswer::NotSent { .. }), "{answer:?}");
}

#[tokio::test]
async fn a_reply_that_is_lost_or_late_is_unknown_and_the_charge_is_there() {
    let stage = Stage::open().await;
    let mut call = charge("native");
    stage.gateway.next(Op::Submit, Mishap::LostRequest);
    let (reason, _) = unknown(stage.channel.submit(&call).await);
    assert_eq!(reason, Reason::ChannelUnavailable);
    assert!(stage.gateway.inside().book.charges.is_empty());

    stage.gateway.next(Op::Submit, Mishap::LostReply);
    let (reason, _) = unknown(stage.channel.submit(&call).await);
    assert_eq!(reason, Reason::ChannelUnavailable);
    assert_eq!(stage.gateway.inside().book.charges.len(), 1);

    stage
        .gateway
        .next(Op::Query, Mishap::Late(Duration::from_secs(30)));
    call.timeout = Duration::from_millis(400);
    let (reason, summary) = unknown(stage.channel.query(&call).await);
    assert_eq!(reason, Reason::SubmitTimeout);
    assert_eq!(summary, "no answer in time");
}

#[tokio::test]
async fn only_what_wechat_pay_has_signed_counts() {
    let stage = Stage::open().await;
    let call = charge("native");
    stage.channel.submit(&call).await;
    for (mishap, why) in [
        (Mishap::Unsigned, "unsigned"),
        (
            Mishap::SaysUnsigned(code(404, "ORDER_NOT_EXIST")),
            "HTTP 404, unsigned",
        ),
        (Mishap::SaysUnsigned(code(400, "ORDER_CLOSED")), "unsigned"),
        (Mishap::SignedBy(Signer::Attacker), "wrong signature"),
        (Mishap::SignedBy(Signer::Probe), "a probe of WeChat Pay"),
        (Mishap::SignedAt(NOW_S - 301), "too long ago"),
        (Mishap::SignedAt(NOW_S + 301), "ahead of our clock"),
        (Mishap::SignedAs("PUB_KEY_ID_0"), "a key that is not loaded"),
        (
            Mishap::Altered(json!({"trade_state": "SUCCESS"})),
            "wrong signature",
        ),
        (
            Mishap::Says((200, Some(json!({"code_url": "x"})))),
            "not a reply",
        ),
        (Mishap::Says((200, Some(json!(["SUCCESS"])))), "not a reply"),
        (Mishap::Says((200, None)), "not a reply"),
    ] {
        stage.gateway.next(Op::Query, mishap.clone());
        let (reason, summary) = unknown(stage.channel.query(&call).await);
        assert_eq!(reason, Reason::UnreadableReply, "{mishap:?}");
        assert!(summary.contains(why), "{mishap:?}: {summary}");
    }
    stage.gateway.next(Op::Query, Mishap::SignedAt(NOW_S - 300));
    let answer = stage.channel.query(&call).await;
    assert!(matches!(answer, Answer::Charge(_)), "{answer:?}");
}

#[tokio::test]
async fn a_probed_submit_is_unknown_and_its_repetition_is_the_same_charge() {
    let stage = Stage::open().await;
    let call = charge("native");
    stage
        .gateway
        .next(Op::Submit, Mishap::SignedBy(Signer::Probe));
    unknown(stage.channel.submit(&call).await);
    assert_eq!(stage.gateway.inside().book.charges.len(), 1);

    let answer = stage.channel.submit(&call).await;
    assert!(matches!(answer, Answer::Charge(_)), "{answer:?}");
}

#[tokio::test]
async fn a_close_counts_only_as_a_signed_204() {
    let stage = Stage::open().await;
    let call = charge("native");
    stage.channel.submit(&call).await;
    for mishap in [
        Mishap::SaysUnsigned((204, None)),
        Mishap::Says((200, Some(json!({})))),
        Mishap::Says((202, None)),
        Mishap::SignedBy(Signer::Attacker),
    ] {
        stage.gateway.next(Op::Close, mishap);
        unknown(stage.channel.close(&call).await);
    }
}

#[tokio::test]
async fn a_merchant_whose_clock_is_wrong_has_sent_nothing_that_counts() {
    let stage = Stage::open().await;
    let late = super::Hands::new();
    late.pass(-400);
    let channel = open_at(&stage.gateway.base_url(), late, settings()).unwrap();
    let (_, summary) = unknown(channel.submit(&charge("native")).await);
    assert_eq!(summary, "HTTP 401, unsigned");
    assert!(stage.gateway.inside().book.charges.is_empty());
}
