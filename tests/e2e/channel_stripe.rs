//! Orders that are charged through Stripe, with a double of it on the loopback.

use crate::support::doubles::stripe::{KEY, SECRET, SignedEvent, StripeDouble, Trick, sign, text};
use crate::support::{Answer, MERCHANT, Processor, Shop, Stage, alerts_of, eventually, order};
use oncepay::clock::SystemClock;
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;

const CREATE: &str = "POST /v1/payment_intents";

/// A shop whose orders go to the double; the processor beside it has nothing to do.
pub(crate) async fn open(base_url: &str) -> (Processor, Shop) {
    open_with(base_url, &[SECRET]).await
}

/// The same, with these signing secrets of its endpoint.
pub(crate) async fn open_with(base_url: &str, secrets: &[&str]) -> (Processor, Shop) {
    let processor = Processor::start().await;
    let stage = Stage {
        pending_schedule: r#"["10m"]"#,
        more: section(base_url, KEY, secrets),
        ..Stage::default()
    };
    let shop = Shop::open(&processor, stage).await;
    (processor, shop)
}

/// The same, and nobody asks before this schedule says so.
pub(crate) async fn open_with_schedule(
    base_url: &str,
    schedule: &'static str,
) -> (Processor, Shop) {
    let processor = Processor::start().await;
    let stage = Stage {
        schedule,
        pending_schedule: r#"["10m"]"#,
        more: section(base_url, KEY, &[SECRET]),
        ..Stage::default()
    };
    let shop = Shop::open(&processor, stage).await;
    (processor, shop)
}

fn section(base_url: &str, key: &str, secrets: &[&str]) -> String {
    format!(
        "[channels.stripe]\nkind = \"stripe\"\nbase_url = \"{base_url}\"\nsecret_key = \"{key}\"\n\
         webhook_secrets = {secrets:?}\nread_timeout = \"3s\"\ncircuit = \"off\"\n"
    )
}

/// An order of 19.99 USD.
pub(crate) fn of_stripe(order_no: &str) -> Value {
    let mut body = order(order_no, "VIP+ 月卡");
    body["channel"] = json!("stripe");
    body["currency"] = json!("USD");
    body
}

pub(crate) fn now_s() -> i64 {
    SystemClock::start().wall().0 / 1000
}

pub(crate) fn id(order: &Value) -> &str {
    order["order_id"].as_str().expect("an id")
}

pub(crate) async fn hear(shop: &Shop, event: &SignedEvent) -> Answer {
    let headers = [("stripe-signature", event.signature.clone())];
    shop.notify("stripe", &headers, event.body.clone()).await
}

/// The payer pays the order, and Stripe tells so.
pub(crate) async fn paid(shop: &Shop, double: &StripeDouble, order_no: &str) -> Value {
    let created = shop.create(&of_stripe(order_no)).await;
    assert_eq!(created.text("status"), "PENDING", "{:?}", created.body);
    let event = double.event("payment_intent.succeeded", &double.pay(order_no));
    assert_eq!(hear(shop, &event).await.status, 200);
    shop.becomes(created.text("order_id"), "PAID").await
}

#[tokio::test(flavor = "multi_thread")]
async fn an_order_is_paid_by_its_intent_and_given_back() {
    let double = StripeDouble::start();
    let (_processor, shop) = open(&double.base).await;

    let created = shop.create(&of_stripe("o-1")).await;
    assert_eq!((created.status, created.text("status")), (202, "PENDING"));
    let intent = double.intent("o-1");
    let action = json!({"kind": "client_secret", "value": intent["client_secret"]});
    assert_eq!(created.body["next_action"], action);
    assert_eq!(created.body["live"], false);

    let event = double.event("payment_intent.succeeded", &double.pay("o-1"));
    let heard = hear(&shop, &event).await;
    assert_eq!((heard.status, &heard.body), (200, &json!("received")));
    let order = shop.becomes(created.text("order_id"), "PAID").await;
    assert_eq!(order["channel_trade_no"], intent["id"]);

    let refund = shop.refund(&order, "r-1", 500).await;
    assert_eq!((refund.status, refund.text("status")), (200, "SUCCEEDED"));
    let theirs = text(&double.refunds()[0], "id");
    assert_eq!(refund.text("channel_refund_no"), theirs);
    shop.becomes(id(&order), "PARTIALLY_REFUNDED").await;

    // The payer's bank sends it back.
    let failed = double.change_refund(&theirs, &json!({"status": "failed"}));
    let event = double.event("refund.failed", &failed);
    assert_eq!(hear(&shop, &event).await.status, 200);
    shop.refund_becomes(&order, "r-1", "FAILED").await;
    assert_eq!(shop.becomes(id(&order), "PAID").await["amount_refunded"], 0);

    let rest = shop.refund(&order, "r-2", 1999).await;
    assert_eq!(rest.text("status"), "SUCCEEDED", "{:?}", rest.body);
    shop.becomes(id(&order), "REFUNDED").await;
    assert_eq!(double.posts().len(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_reply_is_found_and_the_order_has_one_intent() {
    let double = StripeDouble::start();
    let (_processor, shop) = open(&double.base).await;
    double.next(CREATE, Trick::DropAfter);
    let lost = shop.create(&of_stripe("lost")).await;
    let order = shop.becomes(lost.text("order_id"), "PENDING").await;
    let intent = double.intent("lost");
    assert_eq!(order["next_action"]["value"], intent["client_secret"]);
    assert_eq!(order["submit_count"], 1);
    assert_eq!(double.posts().len(), 1);

    // It never arrived: the same key goes out again.
    double.next(CREATE, Trick::DropBefore);
    let never = shop.create(&of_stripe("never")).await;
    let order = shop.becomes(never.text("order_id"), "PENDING").await;
    assert_eq!(order["submit_count"], 2);
    double.intent("never");
    let posts = double.posts();
    let keys: Vec<&str> = posts.iter().skip(1).map(|post| &*post.key).collect();
    assert_eq!(keys, ["pay:order:never", "pay:order:never"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_amount_fails_the_order_and_a_refused_key_does_not() {
    let double = StripeDouble::start();
    let (_processor, shop) = open(&double.base).await;
    let refuse = |status, code| {
        double.next(CREATE, Trick::error(status, "invalid_request_error", code));
    };
    refuse(400, "amount_too_small");
    let small = shop.create(&of_stripe("small")).await;
    assert_eq!((small.status, small.text("status")), (200, "FAILED"));
    assert!(small.text("last_error").contains("amount_too_small"));
    refuse(401, "");
    let waits = shop.create(&of_stripe("key")).await;
    shop.becomes(waits.text("order_id"), "PENDING").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_close_cancels_the_intent_and_one_that_is_too_late_pays() {
    let double = StripeDouble::start();
    let (_processor, shop) = open(&double.base).await;
    for (order_no, pays, status) in [("left", false, 200), ("bought", true, 409)] {
        let created = shop.create(&of_stripe(order_no)).await;
        if pays {
            double.pay(order_no);
        }
        let path = format!("/v1/orders/{}/close", created.text("order_id"));
        let closed = shop.ask("POST", &path, MERCHANT, None).await;
        assert_eq!(closed.status, status, "{order_no}: {:?}", closed.body);
    }
    assert_eq!(double.intent("left")["status"], "canceled");
    let bought = shop.find("bought").await.expect("it is there");
    assert_eq!(bought["status"], "PAID");
}

#[tokio::test(flavor = "multi_thread")]
async fn events_that_lie_are_rejected_and_those_that_differ_stop_the_order() {
    let double = StripeDouble::start();
    let (_processor, shop) = open(&double.base).await;
    let created = shop.create(&of_stripe("cheap")).await;
    let order_id = created.text("order_id");
    let genuine = double.event("payment_intent.succeeded", &double.pay("cheap"));

    let mut forged = genuine.clone();
    forged.body = String::from_utf8_lossy(&forged.body)
        .replace("1999", "1998")
        .into_bytes();
    assert_eq!(hear(&shop, &forged).await.status, 401);
    let unsigned = shop.notify("stripe", &[], genuine.body.clone()).await;
    assert_eq!(unsigned.status, 401);
    let three_years_s = 3 * 365 * 86_400;
    let old = sign(SECRET, now_s() - three_years_s, genuine.body);
    assert_eq!(hear(&shop, &old).await.status, 401);
    let untouched = shop.get(order_id).await;
    assert_eq!(untouched["status"], "PENDING");
    assert_eq!(untouched["callback_count"], 0);
    let rows = shop.database.number("SELECT COUNT(*) FROM callbacks");
    assert_eq!((rows.await, shop.alerts().await.len()), (0, 0));

    let five_cents = double.change_intent("cheap", &json!({"amount_received": 5}));
    let event = double.event("payment_intent.succeeded", &five_cents);
    for _ in 0..3 {
        assert_eq!(hear(&shop, &event).await.status, 200);
    }
    let stopped = shop.becomes(order_id, "MANUAL").await;
    assert_eq!(stopped["reason"], "amount_mismatch");
    assert_eq!(stopped["callback_count"], 3);
    let events = shop.events(order_id).await;
    let stops = events.iter().filter(|event| event["to"] == "MANUAL");
    assert_eq!(stops.count(), 1, "{events:?}");
    let alerts = alerts_of(&shop, order_id).await;
    assert_eq!(alerts.len(), 1, "{alerts:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_replayed_event_changes_nothing() {
    let double = StripeDouble::start();
    let (_processor, shop) = open(&double.base).await;
    let created = shop.create(&of_stripe("twice")).await;
    let event = double.event("payment_intent.succeeded", &double.pay("twice"));
    for _ in 0..3 {
        let heard = hear(&shop, &event).await;
        assert_eq!((heard.status, &heard.body), (200, &json!("received")));
    }
    let order = shop.becomes(created.text("order_id"), "PAID").await;
    let history = shop.history(id(&order)).await;
    let callbacks = history.iter().filter(|kind| *kind == "callback");
    assert_eq!(callbacks.count(), 1, "{history:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_begins_at_stripe_finds_its_order_by_the_intent() {
    let double = StripeDouble::start();
    let (_processor, shop) = open(&double.base).await;
    let order = paid(&shop, &double, "told").await;
    let intent = double.intent("told")["id"].clone();

    let by_hand = double.refund_by_hand(intent.as_str().expect("an id"), 700);
    for kind in ["refund.created", "refund.updated"] {
        let event = double.event(kind, &by_hand);
        assert_eq!(hear(&shop, &event).await.status, 200);
    }
    let order = shop.becomes(id(&order), "PARTIALLY_REFUNDED").await;
    assert_eq!(order["amount_refunded"], 700);

    let dispute = |of: &Value| {
        json!({"id": "du_1", "object": "dispute", "status": "needs_response", "reason": "fraudulent",
            "payment_intent": of})
    };
    let event = double.event("charge.dispute.created", &dispute(&intent));
    assert_eq!(hear(&shop, &event).await.status, 200);
    eventually("the dispute is told", || async {
        let alerts = alerts_of(&shop, id(&order)).await;
        let told = alerts.iter().any(|it| it == "dispute action open");
        told.then_some(()).ok_or_else(|| format!("{alerts:?}"))
    })
    .await;

    // Of somebody else who uses the same account.
    let event = double.event("charge.dispute.created", &dispute(&json!("pi_ofAnInvoice")));
    assert_eq!(hear(&shop, &event).await.status, 200);
}

fn run(folder: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_oncepay"))
        .current_dir(folder)
        .env_clear()
        .args(arguments)
        .output()
        .expect("the program runs");
    let text = [output.stdout, output.stderr].concat();
    (
        output.status.code(),
        String::from_utf8_lossy(&text).into_owned(),
    )
}

fn configured(key: &str, secrets: &[&str]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let text = section("https://api.stripe.com", key, secrets);
    let text = text.replace("3s", "120s");
    std::fs::write(folder.path().join("oncepay.toml"), text).expect("it is written");
    folder
}

#[test]
fn a_configuration_with_keys_that_cannot_be_right_is_refused_by_their_names() {
    let (code, said) = run(configured(KEY, &[SECRET]).path(), &["config", "check"]);
    assert_eq!(code, Some(0), "{said}");
    for (key, secrets, part) in [
        (
            "pk_test_abcdefghijkl",
            vec![SECRET],
            "channels.stripe.secret_key",
        ),
        (KEY, vec![], "channels.stripe.webhook_secrets"),
        (
            KEY,
            vec!["sk_test_abcdefghijkl"],
            "channels.stripe.webhook_secrets",
        ),
        (KEY, vec![SECRET, SECRET], "channels.stripe.webhook_secrets"),
    ] {
        let (code, said) = run(configured(key, &secrets).path(), &["config", "check"]);
        assert_eq!(code, Some(1), "{said}");
        assert!(said.contains(part), "{part}: {said}");
        assert!(
            !said.contains("abcdefghijkl") && !said.contains("testOnly"),
            "{said}"
        );
    }
}

#[test]
fn callback_verify_says_of_every_vector_which_rule_it_fails() {
    let folder = configured(KEY, &[SECRET]);
    let vectors = include_str!("../channels/vectors/stripe/webhook.json");
    let vectors: Vec<Value> = serde_json::from_str(vectors).expect("vectors");
    let mut rejected = Vec::new();
    for vector in &vectors {
        let headers = vector["http"]["headers"].as_object().expect("headers");
        let headers = headers.iter().map(|(name, value)| {
            let value = value.as_str().expect("a text");
            format!("{name}: {value}\n")
        });
        std::fs::write(folder.path().join("headers"), headers.collect::<String>())
            .expect("it is written");
        std::fs::write(folder.path().join("body"), text(&vector["http"], "body"))
            .expect("it is written");
        let at = vector["now"].to_string();
        let arguments = [
            "callback",
            "verify",
            "--channel",
            "stripe",
            "--headers",
            "headers",
            "--body",
            "body",
            "--json",
            "--at",
            &at,
        ];
        let (code, said) = run(folder.path(), &arguments);
        let told: Value = serde_json::from_str(&said).expect("JSON");
        if told["accepted"] == true {
            assert_eq!(code, Some(0), "{said}");
            continue;
        }
        assert_eq!(code, Some(1), "{said}");
        let explanation = text(&told, "explanation");
        assert!(explanation.contains("stripe-signature"), "{said}");
        assert_eq!(explanation.lines().count(), 1);
        assert!(!said.contains("whsec_"), "{said}");
        rejected.push((text(vector, "name"), text(&told, "rule")));
    }
    let rejected: Vec<(&str, &str)> = rejected.iter().map(|(a, b)| (&**a, &**b)).collect();
    assert_eq!(
        rejected,
        [
            ("only_v0", "signature"),
            ("old_timestamp", "timestamp"),
            ("future_timestamp", "timestamp"),
            ("wrong_secret", "signature"),
            ("tampered_body", "signature"),
            ("uppercase_hex", "signature"),
            ("header_missing", "missing_header"),
        ]
    );
}
