//! WeChat Pay through the whole runtime: a payment's life, lost replies, notices that lie, and keys that do not fit.

use crate::support::doubles::wechat::seal::{self, Headers, Signer};
use crate::support::doubles::wechat::{Mishap, Op, WechatDouble, keys};
use crate::support::{Answer, OPERATOR, Processor, Shop, Stage, alerts_of, eventually};
use oncepay::clock::SystemClock;
use serde_json::{Value, json};

/// The channel's section, with WeChat Pay's public key.
pub(crate) fn section(gateway: &WechatDouble) -> String {
    format!(
        r#"
[channels.wechat]
kind = "wechat"
base_url = "{}"
mchid = "{}"
appid = "{}"
merchant_serial = "{}"
merchant_private_key = """{}"""
apiv3_key = "{}"
public_key_id = "{}"
public_key = """{}"""
"#,
        gateway.base_url(),
        keys::MCHID,
        keys::APPID,
        keys::MERCHANT_SERIAL,
        keys::MERCHANT_KEY,
        keys::APIV3_KEY,
        keys::PUBLIC_KEY_ID,
        keys::PLATFORM_PUBLIC_KEY,
    )
}

/// Beside the times of a stage.
pub(crate) const TIMES: &str = "read_timeout = \"6s\"\ncircuit = \"off\"\n";

/// Times for a gateway whose every message is signed with RSA on a busy machine.
pub(crate) fn stage(more: String) -> Stage {
    Stage {
        ui_deadline: "5s",
        submit_timeout: "4s",
        query_timeout: "3s",
        read_timeout: "6s",
        schedule: r#"["500ms", "3s", "6s"]"#,
        pending_schedule: r#"["1s", "2s", "4s", "8s"]"#,
        more,
        ..Stage::default()
    }
}

pub(crate) async fn open() -> (Shop, WechatDouble, Processor) {
    let gateway = WechatDouble::start(SystemClock::start(), keys::PUBLIC_KEY_ID).await;
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, stage(section(&gateway) + TIMES)).await;
    (shop, gateway, processor)
}

pub(crate) fn order(order_no: &str) -> Value {
    json!({"order_no": order_no, "channel": "wechat", "amount": 8888, "currency": "CNY", "subject": "测试商品",
           "account": "user-42", "entitlements": [{"kind": "credits", "quantity": 100}]})
}

pub(crate) async fn tell(shop: &Shop, told: &(Headers, Vec<u8>)) -> Answer {
    shop.notify("wechat", &told.0, told.1.clone()).await
}

/// An order that waits for its payer.
pub(crate) async fn pending(shop: &Shop, order_no: &str) -> String {
    let answer = shop.create(&order(order_no)).await;
    assert_eq!(
        (answer.status, answer.text("status")),
        (202, "PENDING"),
        "{:?}",
        answer.body
    );
    assert_eq!(answer.body["next_action"]["kind"], "qr_code");
    answer.text("order_id").to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_order_is_shown_paid_told_and_given_back() {
    let (shop, gateway, _processor) = open().await;
    let order_id = pending(&shop, "WX-ORDER-1").await;

    let told = gateway.pay("WX-ORDER-1");
    let answer = tell(&shop, &told).await;
    assert_eq!((answer.status, &answer.body), (200, &json!("")));
    let paid = shop.becomes(&order_id, "PAID").await;
    assert!(
        paid["channel_trade_no"]
            .as_str()
            .is_some_and(|number| number.starts_with("4200"))
    );
    assert_eq!(tell(&shop, &told).await.status, 200, "the same again");
    let paid = shop.becomes(&order_id, "PAID").await;
    assert_eq!(paid["callback_count"], 2);
    assert_eq!(
        shop.history(&order_id)
            .await
            .iter()
            .filter(|kind| *kind == "callback")
            .count(),
        1
    );

    let refund = shop.refund(&paid, "r-1", 3000).await;
    assert_eq!(
        (refund.status, refund.text("status")),
        (202, "PROCESSING"),
        "{:?}",
        refund.body
    );
    let told = gateway.end_refund("WX-ORDER-1@r-1", "SUCCESS");
    assert_eq!(tell(&shop, &told).await.status, 200);
    shop.refund_becomes(&paid, "r-1", "SUCCEEDED").await;
    shop.becomes(&order_id, "PARTIALLY_REFUNDED").await;

    gateway.inside().book.refund_status = Some("SUCCESS".to_owned());
    shop.refund(&paid, "r-2", 5888).await;
    shop.becomes(&order_id, "REFUNDED").await;
    assert_eq!(gateway.inside().book.refunds.len(), 2);
    assert_eq!(gateway.inside().book.charges["WX-ORDER-1"].submits, 1);
    let log = shop.running.log();
    assert!(
        !log.contains(keys::APIV3_KEY) && !log.contains("oUpF8uMuAJO"),
        "{log}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_code_that_was_lost_with_its_reply_comes_again_and_the_charge_is_one() {
    let (shop, gateway, _processor) = open().await;
    gateway.next(Op::Submit, Mishap::LostReply);
    let answer = shop.create_async(&order("WX-ORDER-2")).await;
    let order_id = answer.text("order_id").to_owned();

    let pending = shop.becomes(&order_id, "PENDING").await;
    assert_eq!(pending["next_action"]["kind"], "qr_code");
    assert_eq!(
        pending["next_action"]["value"],
        "weixin://wxpay/bizpayurl?pr=p4lpSuKzz"
    );
    assert_eq!(pending["submit_count"], 2);
    let history = shop.history(&order_id).await;
    let asked = history.iter().position(|kind| kind == "query_reply");
    let again = history.iter().rposition(|kind| kind == "submit");
    assert!(asked.is_some() && asked < again, "{history:?}");
    assert_eq!(gateway.inside().book.charges.len(), 1);
    assert_eq!(gateway.inside().book.charges["WX-ORDER-2"].submits, 2);
    // Nobody tells of it.
    drop(gateway.pay("WX-ORDER-2"));
    let paid = shop.becomes(&order_id, "PAID").await;
    assert_eq!(
        (&paid["submit_count"], &paid["callback_count"]),
        (&json!(2), &json!(0))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_payment_that_is_heard_of_only_when_some_of_it_went_back_is_a_persons() {
    let (shop, gateway, _processor) = open().await;
    let order_id = pending(&shop, "WX-ORDER-10").await;
    // Its notices are lost, and the merchant gives money back at the platform.
    drop(gateway.pay("WX-ORDER-10"));
    gateway.stands_at("WX-ORDER-10", "REFUND");

    let manual = shop.becomes(&order_id, "MANUAL").await;
    assert_eq!(manual["reason"], "unexplained_status");
    assert!(
        manual["channel_trade_no"]
            .as_str()
            .is_some_and(|number| number.starts_with("4200")),
        "the payment is on record"
    );
    assert_eq!(manual["entitlements"][0]["status"], "PENDING");
    assert_eq!(
        alerts_of(&shop, &order_id).await,
        ["order_manual action open"]
    );
    // A notice of the payment that was late says nothing of what went back.
    let told = {
        let mut paid = gateway.inside().book.transaction("WX-ORDER-10");
        paid["trade_state"] = json!("SUCCESS");
        gateway.notice("TRANSACTION.SUCCESS", &paid)
    };
    assert_eq!(tell(&shop, &told).await.status, 200);
    let order = shop.get(&order_id).await;
    assert_eq!(
        (&order["status"], &order["entitlements"][0]["status"]),
        (&json!("MANUAL"), &json!("PENDING"))
    );
    let review = json!({"decision": "PAID", "basis": "a part alone went back", "expected_version": order["version"]});
    let reviewed = shop.review(&order_id, OPERATOR, &review).await;
    assert_eq!(reviewed.text("status"), "PAID", "{:?}", reviewed.body);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refund_of_the_platforms_that_does_not_reach_the_payer_is_told_to_a_person() {
    let (shop, gateway, _processor) = open().await;
    let order_id = pending(&shop, "WX-ORDER-11").await;
    tell(&shop, &gateway.pay("WX-ORDER-11")).await;
    let paid = shop.becomes(&order_id, "PAID").await;
    let stuck = json!({"mchid": keys::MCHID, "out_trade_no": "WX-ORDER-11", "transaction_id": paid["channel_trade_no"],
                       "out_refund_no": "PLATFORM-1", "refund_id": "5030", "refund_status": "ABNORMAL",
                       "amount": {"total": 8888, "refund": 1000}});
    let told = gateway.notice("REFUND.ABNORMAL", &stuck);
    for _ in 0..2 {
        assert_eq!(tell(&shop, &told).await.status, 200);
    }
    assert_eq!(shop.get(&order_id).await["status"], "PAID");
    assert_eq!(
        alerts_of(&shop, &order_id).await,
        ["external_refund action open"]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_that_never_arrived_goes_out_again_under_the_same_number() {
    let (shop, gateway, _processor) = open().await;
    gateway.next(Op::Submit, Mishap::LostRequest);
    let answer = shop.create_async(&order("WX-ORDER-3")).await;
    let order_id = answer.text("order_id").to_owned();

    let pending = shop.becomes(&order_id, "PENDING").await;
    assert_eq!(pending["submit_count"], 2);
    assert_eq!(pending["next_action"]["kind"], "qr_code");
    assert_eq!(gateway.inside().book.charges["WX-ORDER-3"].submits, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refund_whose_reply_is_lost_is_one_refund() {
    let (shop, gateway, _processor) = open().await;
    let order_id = pending(&shop, "WX-ORDER-4").await;
    tell(&shop, &gateway.pay("WX-ORDER-4")).await;
    let paid = shop.becomes(&order_id, "PAID").await;

    gateway.inside().book.refund_status = Some("SUCCESS".to_owned());
    gateway.next(Op::Refund, Mishap::LostReply);
    shop.refund(&paid, "r-1", 8888).await;
    shop.refund_becomes(&paid, "r-1", "SUCCEEDED").await;
    assert_eq!(gateway.inside().book.refunds.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_notice_that_lies_does_not_pay() {
    let (shop, gateway, _processor) = open().await;
    let order_id = pending(&shop, "WX-ORDER-5").await;
    // Nothing is paid there, so that no query pays it meanwhile.
    let mut right = gateway.inside().book.transaction("WX-ORDER-5");
    right["trade_state"] = json!("SUCCESS");
    right["transaction_id"] = json!("4200002026113012345678901234");
    let now = SystemClock::start().wall().0.div_euclid(1000);

    let body = seal::notice("EV-X", "TRANSACTION.SUCCESS", &right);
    let mut unsigned = seal::signed(Signer::WechatPay, keys::PUBLIC_KEY_ID, now, &body);
    unsigned.retain(|(name, _)| *name != "Wechatpay-Signature");
    let answer = shop.notify("wechat", &unsigned, body.clone()).await;
    assert_eq!(answer.status, 401, "{:?}", answer.body);
    let untouched = shop.get(&order_id).await;
    assert_eq!(
        (&untouched["status"], &untouched["callback_count"]),
        (&json!("PENDING"), &json!(0))
    );
    let rows = "SELECT COUNT(*) FROM callbacks";
    assert_eq!(shop.database.number(rows).await, 0);
    assert_eq!(shop.alerts().await, [json!(null); 0]);
    for (signer, serial, at) in [
        (Signer::Attacker, keys::PUBLIC_KEY_ID, now),
        (Signer::Probe, keys::PUBLIC_KEY_ID, now),
        (Signer::WechatPay, keys::PUBLIC_KEY_ID, now - 600),
        (Signer::WechatPay, keys::PLATFORM_SERIAL, now),
    ] {
        let headers = seal::signed(signer, serial, at, &body);
        let answer = shop.notify("wechat", &headers, body.clone()).await;
        assert_eq!(answer.status, 401, "{signer:?} {:?}", answer.body);
    }
    let mut other_app = right.clone();
    other_app["appid"] = json!("wx0000000000000002");
    let answer = tell(&shop, &gateway.notice("TRANSACTION.SUCCESS", &other_app)).await;
    assert_eq!(answer.status, 401);
    let kinds: Vec<_> = shop
        .alerts()
        .await
        .iter()
        .map(|it| it["kind"].clone())
        .collect();
    assert_eq!(kinds, [json!("unknown_key")], "a probe raises none");

    let mut little = right;
    little["amount"]["total"] = json!(1);
    let answer = tell(&shop, &gateway.notice("TRANSACTION.SUCCESS", &little)).await;
    assert_eq!(answer.status, 200);
    let manual = shop.becomes(&order_id, "MANUAL").await;
    assert_eq!(manual["reason"], "amount_mismatch");
    assert_eq!(
        alerts_of(&shop, &order_id).await,
        ["payment_mismatch action open"]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_order_that_nobody_paid_is_closed_at_wechat_pay() {
    let (shop, gateway, _processor) = open().await;
    let order_id = pending(&shop, "WX-ORDER-6").await;
    let path = format!("/v1/orders/{order_id}/close");
    let answer = shop
        .ask("POST", &path, crate::support::MERCHANT, None)
        .await;
    assert!(matches!(answer.status, 200 | 202), "{:?}", answer.body);
    shop.becomes(&order_id, "CLOSED").await;
    assert_eq!(gateway.inside().book.charges["WX-ORDER-6"].state, "CLOSED");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_order_that_it_cannot_carry_names_its_field() {
    let (shop, gateway, _processor) = open().await;
    for (change, field) in [
        (json!({"order_no": "short"}), "order_no"),
        (json!({"currency": "USD"}), "currency"),
        (json!({"method": "app"}), "method"),
        (json!({"method": "jsapi"}), "payer"),
        (json!({"expires_in": 30}), "expires_in"),
    ] {
        let mut body = order("WX-ORDER-7");
        for (name, value) in change.as_object().expect("an object") {
            body[name] = value.clone();
        }
        let answer = shop.create(&body).await;
        assert_eq!(answer.status, 422, "{:?}", answer.body);
        assert_eq!(
            answer.body["errors"][0]["field"], field,
            "{:?}",
            answer.body
        );
    }
    assert_eq!(gateway.count(Op::Submit), 0);
    let mut body = order("WX-ORDER-8");
    body["method"] = json!("jsapi");
    body["payer"] = json!("oUpF8uMuAJO_M2pxb1Q9zNjWeS6o");
    let answer = shop.create(&body).await;
    assert_eq!(
        answer.body["next_action"]["kind"], "app_params",
        "{:?}",
        answer.body
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_public_key_the_certificates_are_downloaded() {
    let gateway = WechatDouble::start(SystemClock::start(), keys::PLATFORM_SERIAL).await;
    let processor = Processor::start().await;
    let section = section(&gateway);
    let section = section.split("public_key_id").next().expect("a part");
    let more = format!("{section}{TIMES}");
    let shop = Shop::open(&processor, stage(more.clone())).await;

    let order_id = pending(&shop, "WX-ORDER-9").await;
    assert_eq!(tell(&shop, &gateway.pay("WX-ORDER-9")).await.status, 200);
    shop.becomes(&order_id, "PAID").await;
    assert_eq!(gateway.count(Op::Certificates), 1);
    // A notice that is the first message of all is refused, looked into, and taken when it comes again.
    drop(shop);
    let shop = Shop::open(&processor, stage(more)).await;
    let told = gateway.notice("PROFITSHARING", &json!({}));
    assert_eq!(tell(&shop, &told).await.status, 401);
    eventually("the notice is taken", || async {
        let answer = tell(&shop, &told).await;
        if answer.status == 200 {
            Ok(())
        } else {
            Err(answer.status.to_string())
        }
    })
    .await;
}
