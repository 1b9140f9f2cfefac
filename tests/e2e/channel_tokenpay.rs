//! TokenPay through the whole runtime: a pay page, a hint, a question, and money that only a question proves.

use crate::support::doubles::tokenpay::{Asked, Fault, Gateway};
use crate::support::{
    Answer, MERCHANT, OPERATOR, Processor, Shop, Stage, alerts_of, eventually, is_problem,
};
use serde_json::{Value, json};
use std::process::Command;

/// A shop that takes transfers through this gateway; rare polls, so that a story says what makes it ask.
pub(crate) async fn shop(gateway: &Gateway, pending_schedule: &'static str, more: &str) -> Shop {
    let stage = Stage {
        pending_schedule,
        ..Stage::default()
    };
    shop_with(gateway, stage, more).await
}

pub(crate) async fn shop_with(gateway: &Gateway, mut stage: Stage, more: &str) -> Shop {
    let processor = Processor::start().await;
    stage.more = gateway.section(more);
    Shop::open(&processor, stage).await
}

pub(crate) const RARELY: &str = r#"["10m"]"#;
const OFTEN: &str = r#"["300ms"]"#;

pub(crate) fn order(order_no: &str) -> Value {
    json!({
        "order_no": order_no, "channel": "tokenpay", "amount": 2000, "currency": "CNY", "subject": "VIP+ 月卡",
        "account": "user-42", "entitlements": [{"kind": "credits", "quantity": 1000}],
    })
}

/// An order whose payer has the pay page.
pub(crate) async fn waits(shop: &Shop, order_no: &str) -> String {
    let answer = shop.create(&order(order_no)).await;
    assert_eq!(
        (answer.status, answer.text("status")),
        (202, "PENDING"),
        "{:?}",
        answer.body
    );
    answer.text("order_id").to_owned()
}

/// The gateway's notice about its order as it is now.
pub(crate) async fn tell(shop: &Shop, gateway: &Gateway, order_no: &str) -> Answer {
    shop.notify("tokenpay", &[], gateway.notice(order_no)).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_notice_is_a_hint_and_the_gateway_s_answer_pays_once() {
    let gateway = Gateway::start();
    let shop = shop(&gateway, RARELY, "").await;
    let order_id = waits(&shop, "tp-1").await;
    let pending = shop.get(&order_id).await;
    let page = format!("{}/Pay?Id={}", gateway.base_url(), gateway.order("tp-1").id);
    assert_eq!(
        pending["next_action"],
        json!({"kind": "redirect", "value": page})
    );

    // A notice that is signed and untrue: somebody has the token, or has found how to forge MD5.
    gateway.pay("tp-1");
    let untrue = gateway.notice("tp-1");
    gateway.edit("tp-1", |order| order.status = "Pending".to_owned());
    let told = shop.notify("tokenpay", &[], untrue).await;
    assert_eq!((told.status, &told.body), (200, &json!("ok")));
    eventually("the gateway is asked", || async {
        let (_, queries) = gateway.calls();
        (queries > 0)
            .then_some(())
            .ok_or_else(|| queries.to_string())
    })
    .await;
    assert_eq!(shop.get(&order_id).await["status"], "PENDING");

    let body = order("tp-2");
    let second = shop.create(&body).await.text("order_id").to_owned();
    gateway.pay("tp-2");
    for _ in 0..4 {
        let told = tell(&shop, &gateway, "tp-2").await;
        assert_eq!((told.status, &told.body), (200, &json!("ok")));
    }
    let paid = shop.becomes(&second, "PAID").await;
    assert_eq!(
        paid["channel_trade_no"],
        json!(gateway.order("tp-2").transfer)
    );
    assert_eq!(paid["callback_count"], 4);
    let again = shop.create(&body).await;
    assert_eq!((again.status, again.text("status")), (200, "PAID"));
    assert_eq!(gateway.calls().0, 2, "each order is made once");
    eventually("the credits are there once", || async {
        let path = "/v1/accounts/user-42/balances";
        let balances = shop.ask("GET", path, MERCHANT, None).await;
        let balance = balances.body["data"][0]["balance"].clone();
        (balance == 1000)
            .then_some(())
            .ok_or_else(|| balances.body.to_string())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_any_notice_the_order_is_found_paid() {
    let gateway = Gateway::start();
    let shop = shop(&gateway, OFTEN, "").await;
    let order_id = waits(&shop, "tp-3").await;
    gateway.pay("tp-3");
    let paid = shop.becomes(&order_id, "PAID").await;
    assert_eq!(paid["callback_count"], 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_payment_of_another_amount_waits_for_a_person() {
    let gateway = Gateway::start();
    let shop = shop(&gateway, RARELY, "").await;
    // The gateway's order is for another amount; and one is paid with less than it asked for.
    let other = waits(&shop, "tp-5").await;
    gateway.edit("tp-5", |order| order.actual_amount = "0.05".to_owned());
    gateway.pay("tp-5");
    let less = waits(&shop, "tp-6").await;
    gateway.pay_about("tp-6", "2.50");
    for (order_no, order_id) in [("tp-5", &other), ("tp-6", &less)] {
        tell(&shop, &gateway, order_no).await;
        let manual = shop.becomes(order_id, "MANUAL").await;
        assert_eq!(manual["reason"], "amount_mismatch");
        assert_eq!(
            alerts_of(&shop, order_id).await,
            ["payment_mismatch action open"]
        );
        let denial =
            json!({"decision": "NOT_PAID", "basis": "no", "expected_version": manual["version"]});
        let refused = shop.review(order_id, OPERATOR, &denial).await;
        is_problem(&refused, 422, "evidence-of-payment", order_no);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_reply_leads_to_the_same_order_of_the_gateway() {
    let gateway = Gateway::start();
    let shop = shop(&gateway, OFTEN, "").await;
    gateway.misbehave(Asked::CreateOrder, Fault::DropsAfter);
    let answer = shop.create(&order("tp-7")).await;
    let order_id = answer.text("order_id").to_owned();
    let pending = shop.becomes(&order_id, "PENDING").await;
    assert_eq!(pending["submit_count"], 2);
    assert_eq!(gateway.orders("tp-7").len(), 1);
    gateway.pay("tp-7");
    shop.becomes(&order_id, "PAID").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_order_that_is_refused_fails_at_once() {
    let gateway = Gateway::start();
    let shop = shop(&gateway, RARELY, "").await;
    gateway.misbehave(Asked::CreateOrder, Fault::Refuses("此订单金额过低！"));
    let answer = shop.create(&order("tp-8")).await;
    assert_eq!((answer.status, answer.text("status")), (200, "FAILED"));
    let mut dollars = order("tp-9");
    dollars["currency"] = json!("USD");
    let refused = shop.create(&dollars).await;
    assert_eq!(refused.status, 422, "{:?}", refused.body);
    assert_eq!(refused.body["errors"][0]["field"], "currency");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_transfer_that_is_entered_after_the_end_waits_for_a_person_with_its_proof() {
    let gateway = Gateway::start();
    let shop = shop(&gateway, OFTEN, "").await;
    let order_id = waits(&shop, "tp-10").await;
    gateway.expire("tp-10");
    let closed = shop.becomes(&order_id, "CLOSED").await;
    assert_eq!(closed["reason"], "closed_by_channel");

    // Somebody enters it at the gateway by hand; whether the question that follows is answered or not, a person knows.
    gateway.misbehave(Asked::Query, Fault::DropsBefore);
    gateway.pay("tp-10");
    for _ in 0..3 {
        assert_eq!(tell(&shop, &gateway, "tp-10").await.status, 200);
    }
    let manual = shop.becomes(&order_id, "MANUAL").await;
    assert_eq!(manual["reason"], "late_success");
    assert_eq!(
        alerts_of(&shop, &order_id).await,
        ["late_success action open"]
    );

    let asked = format!("/v1/orders/{order_id}/query");
    shop.ask("POST", &asked, OPERATOR, None).await;
    eventually("the proof is on record", || async {
        let order = shop.get(&order_id).await;
        let review =
            json!({"decision": "NOT_PAID", "basis": "no", "expected_version": order["version"]});
        let refused = shop.review(&order_id, OPERATOR, &review).await;
        (refused.text("code") == "evidence-of-payment")
            .then_some(())
            .ok_or_else(|| refused.body.to_string())
    })
    .await;
    let order = shop.get(&order_id).await;
    let review =
        json!({"decision": "PAID", "basis": "the wallet", "expected_version": order["version"]});
    let reviewed = shop.review(&order_id, OPERATOR, &review).await;
    assert_eq!(reviewed.text("status"), "PAID", "{:?}", reviewed.body);
}

#[tokio::test(flavor = "multi_thread")]
async fn where_people_look_at_every_expired_order_one_is_called() {
    let gateway = Gateway::start();
    let shop = shop(&gateway, OFTEN, "expired = \"manual\"").await;
    let order_id = waits(&shop, "tp-11").await;
    gateway.expire("tp-11");
    let manual = shop.becomes(&order_id, "MANUAL").await;
    assert_eq!(manual["reason"], "unexplained_status");
    assert_eq!(
        alerts_of(&shop, &order_id).await,
        ["order_manual action open"]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_close_holds_once_the_gateway_calls_the_order_expired() {
    let gateway = Gateway::start();
    let shop = shop(&gateway, RARELY, "").await;
    let order_id = waits(&shop, "tp-12").await;
    let path = format!("/v1/orders/{order_id}/close");
    let asked = shop.ask("POST", &path, MERCHANT, None).await;
    assert_eq!(
        (asked.status, asked.text("status")),
        (202, "PENDING"),
        "{:?}",
        asked.body
    );
    gateway.expire("tp-12");
    let query = format!("/v1/orders/{order_id}/query");
    shop.ask("POST", &query, OPERATOR, None).await;
    let closed = shop.becomes(&order_id, "CLOSED").await;
    assert_eq!(closed["reason"], "closed_by_merchant");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refund_says_that_it_is_unsupported_and_a_person_gives_the_money_back() {
    let gateway = Gateway::start();
    let shop = shop(&gateway, OFTEN, "").await;
    let order_id = waits(&shop, "tp-13").await;
    gateway.pay("tp-13");
    let paid = shop.becomes(&order_id, "PAID").await;

    let answer = shop.refund(&paid, "r-1", 2000).await;

    assert_eq!(
        (answer.status, answer.text("status")),
        (202, "MANUAL"),
        "{:?}",
        answer.body
    );
    assert!(
        answer.text("last_error").starts_with("unsupported: "),
        "{:?}",
        answer.body
    );
    let given = json!({"decision": "SUCCEEDED", "basis": "transfer 0xabc", "expected_version": answer.body["version"]});
    let reviewed = shop.review_refund(&paid, "r-1", OPERATOR, &given).await;
    assert_eq!(reviewed.text("status"), "SUCCEEDED", "{:?}", reviewed.body);
    shop.becomes(&order_id, "REFUNDED").await;
}

/// `oncepay` in the shop's folder: its exit status and what it says.
fn oncepay(shop: &Shop, arguments: &[&str]) -> (Option<i32>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_oncepay"))
        .args(arguments)
        .current_dir(shop.folder())
        .output()
        .expect("it runs");
    let said = [output.stdout, output.stderr].concat();
    (
        output.status.code(),
        String::from_utf8_lossy(&said).into_owned(),
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn config_check_names_each_bad_setting() {
    let gateway = Gateway::start();
    let shop = shop(&gateway, RARELY, "").await;
    assert_eq!(oncepay(&shop, &["config", "check"]).0, Some(0));
    let good = std::fs::read_to_string(shop.folder().join("oncepay.toml")).expect("a text");
    for (line, key) in [
        ("base_currency = \"JPY\"", "base_currency"),
        ("expired = \"never\"", "expired"),
        ("late_success = \"refund\"", "late_success"),
        ("late_success = \"fulfil\"", "late_success"),
        ("app_id = \"1\"", "app_id"),
    ] {
        shop.reconfigure(|_| {
            good.replace(
                "kind = \"tokenpay\"",
                &format!("kind = \"tokenpay\"\n{line}"),
            )
        });
        let (code, said) = oncepay(&shop, &["config", "check"]);
        assert!(
            code != Some(0) && said.contains(&format!("channels.tokenpay.{key}")),
            "{line}: {said}"
        );
    }
    for (from, to, key) in [
        ("\"666666\"", "\"\"", "api_token"),
        ("\"666666\"", "\" 666666\"", "api_token"),
        ("\"USDT_TRC20\"", "\"DOGE\"", "token_currency"),
    ] {
        shop.reconfigure(|_| good.replace(from, to));
        let (code, said) = oncepay(&shop, &["config", "check"]);
        assert!(
            code != Some(0) && said.contains(&format!("channels.tokenpay.{key}")),
            "{to}: {said}"
        );
        assert!(!said.contains("666666"), "{said}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn callback_verify_tells_each_rejected_notice_in_a_line() {
    let gateway = Gateway::start();
    let shop = shop(&gateway, RARELY, "").await;
    let vectors = include_str!("../channels/vectors/tokenpay/tokenpay_notify.json");
    let vectors: Vec<Value> = serde_json::from_str(vectors).expect("vectors");
    std::fs::write(
        shop.folder().join("headers"),
        "Content-Type: application/json\n",
    )
    .expect("a file");
    let ours = vectors
        .iter()
        .filter(|vector| vector["api_token"] == "666666");
    let mut rejected = 0;
    for vector in ours {
        let body = vector["http"]["body"].as_str().expect("a body");
        std::fs::write(shop.folder().join("body"), body).expect("a file");
        let (code, said) = oncepay(
            &shop,
            &[
                "callback",
                "verify",
                "--channel",
                "tokenpay",
                "--headers",
                "headers",
                "--body",
                "body",
                "--json",
            ],
        );
        let told: Value = serde_json::from_str(&said).unwrap_or_else(|_| panic!("{said}"));
        let accepted = vector["expect"]["result"]
            .as_str()
            .expect("a result")
            .starts_with("accept");
        assert_eq!(
            (code, told["accepted"].as_bool()),
            (Some(i32::from(!accepted)), Some(accepted)),
            "{told}"
        );
        if !accepted {
            rejected += 1;
            assert_eq!(told["rule"], "signature");
            let explanation = told["explanation"].as_str().expect("a text");
            assert!(!explanation.is_empty() && !explanation.contains('\n'));
            let text = told["signed_text"].as_str().expect("the text");
            assert!(
                text.contains("&OutOrderId=ORDER2026") && !said.contains("666666"),
                "{said}"
            );
        }
    }
    assert!(rejected >= 3, "{rejected}");
}
