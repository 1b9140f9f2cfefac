//! Orders through Alipay, from the code that the payer scans to the money that goes back, with the real binary.

use crate::support::doubles::alipay::{AlipayDouble, Mishap};
use crate::support::{MERCHANT, Processor, Shop, Stage, alerts_of, doubles, eventually};
use serde_json::{Value, json};
use std::path::Path;
use std::process::{Command, Output};

pub(super) async fn open(double: &AlipayDouble, stage: Stage) -> (Processor, Shop) {
    open_with(&double.section(), stage).await
}

/// With this section of the channel, which stands open at its end.
pub(super) async fn open_with(section: &str, stage: Stage) -> (Processor, Shop) {
    let processor = Processor::start().await;
    let times = "read_timeout = \"3s\"\nnot_found_grace = \"300ms\"\ncircuit = \"off\"\n";
    let stage = Stage {
        more: format!("{section}{times}{}", stage.more),
        ..stage
    };
    let shop = Shop::open(&processor, stage).await;
    (processor, shop)
}

pub(super) fn order(order_no: &str) -> Value {
    json!({"order_no": order_no, "channel": "alipay", "amount": 8888, "currency": "CNY", "subject": "VIP+ 月卡"})
}

/// The body of a notice posted to the callback address; status and body of the answer.
pub(super) async fn tell(shop: &Shop, body: String) -> (u16, Value) {
    let headers = [(
        "content-type",
        "application/x-www-form-urlencoded; charset=utf-8".to_owned(),
    )];
    let answer = shop.notify("alipay", &headers, body.into_bytes()).await;
    (answer.status, answer.body)
}

pub(super) const RECEIVED: &str = "success";

/// An order whose code was shown, scanned and paid, and told so.
pub(super) async fn paid(double: &AlipayDouble, shop: &Shop, order_no: &str) -> String {
    let created = shop.create(&order(order_no)).await;
    assert_eq!(
        (created.status, created.text("status")),
        (202, "PENDING"),
        "{:?}",
        created.body
    );
    let action = &created.body["next_action"];
    assert_eq!(action["kind"], "qr_code");
    assert_eq!(
        action["value"],
        format!("https://qr.alipay.example/{order_no}")
    );
    double.pay(order_no);
    let told = tell(
        shop,
        double.notice(order_no, &format!("paid-{order_no}"), &[]),
    )
    .await;
    assert_eq!(told, (200, json!(RECEIVED)));
    let order_id = created.text("order_id").to_owned();
    shop.becomes(&order_id, "PAID").await;
    order_id
}

async fn refund(shop: &Shop, order_id: &str, number: &str, amount: i64) -> Value {
    let body = json!({"refund_no": number, "amount": amount, "reason": "returned"});
    let path = format!("/v1/orders/{order_id}/refunds");
    shop.ask("POST", &path, MERCHANT, Some(&body)).await.body
}

#[tokio::test(flavor = "multi_thread")]
async fn a_code_is_scanned_paid_told_and_given_back_in_two_parts() {
    let double = AlipayDouble::start();
    let (_processor, shop) = open(&double, Stage::default()).await;
    let order_id = paid(&double, &shop, "ali_1").await;
    let trade_no = double.trade("ali_1").unwrap().trade_no;
    assert_eq!(shop.get(&order_id).await["channel_trade_no"], trade_no);
    let sent = &double.calls("alipay.trade.precreate")[0];
    assert_eq!(sent["total_amount"], "88.88");

    let part = refund(&shop, &order_id, "r.1", 3000).await;
    assert_eq!(part["status"], "SUCCEEDED", "{part}");
    shop.becomes(&order_id, "PARTIALLY_REFUNDED").await;
    // Alipay tells of it too, and its sum is no news.
    let told = double.notice("ali_1", "refund-1", &[]);
    assert_eq!(tell(&shop, told).await, (200, json!(RECEIVED)));
    let rest = refund(&shop, &order_id, "r.2", 5888).await;
    assert_eq!(rest["status"], "SUCCEEDED", "{rest}");
    let told = double.notice("ali_1", "refund-2", &[]);
    assert_eq!(tell(&shop, told).await, (200, json!(RECEIVED)));
    let order = shop.becomes(&order_id, "REFUNDED").await;
    assert_eq!(order["amount_refunded"], 8888);
    assert_eq!(double.trade("ali_1").unwrap().refunded(), 8888);
    assert_eq!(alerts_of(&shop, &order_id).await, [""; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reply_that_was_lost_is_submitted_again_and_is_the_same_trade() {
    let double = AlipayDouble::start();
    let (_processor, shop) = open(&double, Stage::default()).await;
    double.misbehave("alipay.trade.precreate", Mishap::DropAfter);

    let created = shop.create_async(&order("ali_2")).await;
    let order_id = created.text("order_id").to_owned();
    let pending = shop.becomes(&order_id, "PENDING").await;
    assert_eq!(pending["submit_count"], 2);
    let sent = double.calls("alipay.trade.precreate");
    assert_eq!(
        sent[0], sent[1],
        "the same values, or Alipay refuses the number"
    );
    double.pay("ali_2");
    shop.becomes(&order_id, "PAID").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refund_whose_answer_was_lost_is_asked_about_and_made_once() {
    let double = AlipayDouble::start();
    let (_processor, shop) = open(&double, Stage::default()).await;
    let order_id = paid(&double, &shop, "ali_3").await;
    double.misbehave("alipay.trade.refund", Mishap::DropAfter);

    refund(&shop, &order_id, "r", 8888).await;
    let order = shop.becomes(&order_id, "REFUNDED").await;
    assert_eq!(order["amount_refunded"], 8888);
    assert_eq!(double.calls("alipay.trade.refund").len(), 1);
    assert_eq!(double.trade("ali_3").unwrap().refunded(), 8888);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_payment_of_another_amount_is_for_a_person_and_a_forged_one_for_nobody() {
    let double = AlipayDouble::start();
    let (_processor, shop) = open(&double, Stage::default()).await;
    let created = shop.create(&order("ali_4")).await;
    let order_id = created.text("order_id").to_owned();
    double.scan("ali_4");
    let paid = [("trade_status", "TRADE_SUCCESS")];

    let good = double.notice("ali_4", "n", &paid);
    for forged in [
        good.replace("88.88", "0.01"),
        good.replace("sign=", "signed="),
        format!("{good}&trade_no=T"),
        double.notice("ali_4", "n", &[("app_id", "2021000000000009")]),
        double.notice("ali_4", "n", &[("seller_id", "2088000000000009")]),
    ] {
        assert_eq!(tell(&shop, forged).await.0, 401);
    }
    let holed = double.notice("ali_4", "n", &[("trade_no", "")]);
    assert_eq!(tell(&shop, holed).await.0, 400);
    assert_eq!(shop.get(&order_id).await["callback_count"], 0);

    let cheap = double.notice("ali_4", "n", &[paid[0], ("total_amount", "0.05")]);
    assert_eq!(tell(&shop, cheap).await, (200, json!(RECEIVED)));
    let manual = shop.becomes(&order_id, "MANUAL").await;
    assert_eq!(manual["reason"], "amount_mismatch");
    assert_eq!(
        alerts_of(&shop, &order_id).await,
        ["payment_mismatch action open"]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_notice_that_comes_again_is_acknowledged_and_changes_nothing() {
    let double = AlipayDouble::start();
    let (_processor, mut shop) = open(&double, Stage::default()).await;
    let order_id = paid(&double, &shop, "ali_5").await;
    let history = shop.history(&order_id).await;
    let notice = double.notice("ali_5", "paid-ali_5", &[]);
    let finished = double.notice(
        "ali_5",
        "three-months-later",
        &[("trade_status", "TRADE_FINISHED")],
    );
    for _ in 0..2 {
        for body in [&notice, &finished] {
            assert_eq!(tell(&shop, body.clone()).await, (200, json!(RECEIVED)));
        }
        shop.crash_and_start_again().await;
    }
    assert_eq!(shop.get(&order_id).await["status"], "PAID");
    assert_eq!(shop.history(&order_id).await, history);
    let unknown = double.notice("ali_5", "n", &[("out_trade_no", "nobody")]);
    assert_eq!(tell(&shop, unknown).await.0, 404, "it is to come again");
}

#[tokio::test(flavor = "multi_thread")]
async fn money_that_went_back_at_alipay_itself_is_kept_and_told() {
    let double = AlipayDouble::start();
    let (_processor, shop) = open(&double, Stage::default()).await;
    let order_id = paid(&double, &shop, "ali_6").await;
    double.change("ali_6", |trade| {
        trade.refunds.insert("by-hand".to_owned(), 888);
    });
    let told = double.notice("ali_6", "n", &[]);
    assert_eq!(tell(&shop, told).await, (200, json!(RECEIVED)));
    let order = shop.becomes(&order_id, "PARTIALLY_REFUNDED").await;
    assert_eq!(order["amount_refunded"], 888);
    assert_eq!(
        alerts_of(&shop, &order_id).await,
        ["external_refund info open"]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_close_is_confirmed_once_the_payer_has_scanned_and_refuted_once_he_paid() {
    let double = AlipayDouble::start();
    // An answer that comes too late would be asked for again only after a minute.
    let patient = Stage {
        query_timeout: "10s",
        ..Stage::default()
    };
    let (_processor, shop) = open(&double, patient).await;
    let close = async |order_id: &str| {
        let path = format!("/v1/orders/{order_id}/close");
        shop.ask("POST", &path, MERCHANT, None).await
    };
    for order_no in ["ali_7", "ali_8"] {
        shop.create(&order(order_no)).await;
    }
    let seven = shop.find("ali_7").await.unwrap()["order_id"]
        .as_str()
        .unwrap()
        .to_owned();
    let eight = shop.find("ali_8").await.unwrap()["order_id"]
        .as_str()
        .unwrap()
        .to_owned();
    // Nobody scanned: the code on the wall can still be paid, so that the order stays open until it cannot.
    let answer = close(&seven).await;
    assert_eq!(answer.status, 202, "{:?}", answer.body);
    assert_eq!(shop.get(&seven).await["status"], "PENDING");
    double.pay("ali_7");
    let told = double.notice("ali_7", "n", &[]);
    assert_eq!(tell(&shop, told).await.0, 200);
    shop.becomes(&seven, "PAID").await;

    double.scan("ali_8");
    close(&eight).await;
    shop.becomes(&eight, "CLOSED").await;
    assert_eq!(double.trade("ali_8").unwrap().status, "TRADE_CLOSED");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_browser_is_sent_to_alipay_and_the_query_finds_what_it_paid() {
    let double = AlipayDouble::start();
    let (_processor, shop) = open(&double, Stage::default()).await;
    let mut body = order("ali_9");
    body["method"] = json!("page");
    let created = shop.create(&body).await;
    assert_eq!(
        created.body["next_action"]["kind"], "redirect",
        "{:?}",
        created.body
    );
    let address = created.body["next_action"]["value"].as_str().unwrap();
    assert!(reqwest::get(address).await.unwrap().status().is_success());
    double.pay("ali_9");
    shop.becomes(created.text("order_id"), "PAID").await;
    for (field, value) in [
        ("order_no", json!("a-b")),
        ("currency", json!("USD")),
        ("method", json!("direct")),
    ] {
        let mut refused = order("ali_10");
        refused[field] = value;
        let answer = shop.create(&refused).await;
        assert_eq!(answer.status, 422, "{:?}", answer.body);
        assert_eq!(answer.body["errors"][0]["field"], field);
    }
}

/// The binary with these arguments, where `oncepay.toml` holds this.
fn run(folder: &Path, configuration: &str, arguments: &[&str]) -> Output {
    std::fs::write(folder.join("oncepay.toml"), configuration).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_oncepay"));
    command
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap()
}

#[test]
fn a_configuration_with_a_key_in_the_wrong_place_is_refused_by_its_name() {
    let double = AlipayDouble::start();
    let folder = tempfile::tempdir().unwrap();
    let good = double.section();
    let check = |text: &str| run(folder.path(), text, &["config", "check"]);
    let checked = check(&good);
    assert!(checked.status.success(), "{checked:?}");
    for (text, key) in [
        (
            good.replace(doubles::alipay::ALIPAY_PUBLIC, doubles::alipay::APP_PUBLIC),
            "alipay_public_key",
        ),
        (
            good.replace(doubles::alipay::APP_PRIVATE, doubles::alipay::ALIPAY_PUBLIC),
            "app_private_key",
        ),
        (good.replace("app_id = \"2021", "app_id = \"x"), "app_id"),
        (
            good.replace("alipay_public_key", "app_cert"),
            "alipay_public_key",
        ),
    ] {
        let checked = check(&text);
        let told = String::from_utf8_lossy(&checked.stderr).into_owned();
        assert!(!checked.status.success(), "{told}");
        assert!(told.contains(&format!("channels.alipay.{key}")), "{told}");
        assert!(!told.contains("MII"), "{told}");
    }
}

#[test]
fn callback_verify_says_in_one_line_what_is_wrong_with_each_notice() {
    let double = AlipayDouble::start();
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("headers"), "").unwrap();
    let vectors: Vec<Value> =
        serde_json::from_str(include_str!("../channels/vectors/alipay/notify.json")).unwrap();
    for vector in vectors {
        let body = vector["http"]["body"].as_str().unwrap();
        std::fs::write(folder.path().join("body"), body).unwrap();
        let arguments = [
            "callback",
            "verify",
            "--channel",
            "alipay",
            "--headers",
            "headers",
            "--body",
            "body",
            "--json",
        ];
        let verified = run(folder.path(), &double.section(), &arguments);
        let told: Value = serde_json::from_slice(&verified.stdout).unwrap();
        let valid = vector["expect"]["signature"] == "valid";
        assert_eq!(told["accepted"], valid, "{}: {told}", vector["name"]);
        assert_eq!(verified.status.success(), valid);
        if valid {
            assert_eq!(told["order_no"], vector["decoded_params"]["out_trade_no"]);
            continue;
        }
        let explanation = told["explanation"].as_str().unwrap();
        assert!(
            explanation.len() > 20 && !explanation.contains('\n'),
            "{explanation}"
        );
        let text = told["signed_text"].as_str().unwrap_or_default();
        let rule = told["rule"].as_str().unwrap();
        assert_eq!(
            rule == "signature",
            text.contains("out_trade_no=ORDER2026"),
            "{told}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_order_that_nobody_scanned_is_closed_when_its_code_has_run_out() {
    let double = AlipayDouble::start();
    let stage = Stage {
        checks: "expiry_margin = \"1s\"".to_owned(),
        ..Stage::default()
    };
    let (_processor, mut shop) = open(&double, stage).await;
    let created = shop.create(&order("ali_11")).await;
    let order_id = created.text("order_id").to_owned();
    shop.crash();
    // What a clock would do in two hours.
    let sql = "UPDATE orders SET created_at = created_at - 8000000, expires_at = expires_at - 8000000, \
               next_check_at = created_at WHERE order_no = 'ali_11'";
    shop.database.alter(sql).await;
    shop.start_again().await;
    let closed = shop.becomes(&order_id, "CLOSED").await;
    assert_eq!(closed["reason"], "expired");
    double.pay("ali_11");
    let late = double.notice("ali_11", "late", &[]);
    assert_eq!(
        tell(&shop, late).await.0,
        200,
        "money that comes late is kept, and a person told"
    );
    eventually("it is with a person", || async {
        match shop.get(&order_id).await["status"].as_str() {
            Some("MANUAL") => Ok(()),
            other => Err(format!("{other:?}")),
        }
    })
    .await;
}
