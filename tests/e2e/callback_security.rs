//! Callbacks that nobody should believe: each is refused by its rule, writes no row and touches no order.

use crate::support::{Answer, Contract, Notice, Processor, Shop, Stage, is_problem, order};
use serde_json::{Value, json};

/// A second processor's secret.
const OTHER: &str = "whsec_YW5vdGhlci1zZWNyZXQtb2YtYW5vdGhlci1tZXJjaGFudA==";

/// Removes, adds or replaces headers of a signed notice.
fn changed(
    headers: &[(&'static str, String)],
    name: &str,
    value: Option<&str>,
) -> Vec<(&'static str, String)> {
    let mut headers = headers.to_vec();
    match value {
        None => headers.retain(|(header, _)| *header != name),
        Some(value) => headers
            .iter_mut()
            .filter(|(header, _)| *header == name)
            .for_each(|(_, old)| *old = value.to_owned()),
    }
    headers
}

fn rejected(answer: &Answer, what: &str) {
    is_problem(answer, 401, "callback-rejected", what);
    assert!(!answer.header("www-authenticate").is_empty(), "{what}");
}

/// Rows that callbacks have left.
async fn rows(shop: &Shop) -> i64 {
    let callbacks = shop.database.number("SELECT COUNT(*) FROM callbacks").await;
    callbacks + shop.database.number("SELECT COUNT(*) FROM orphans").await
}

/// An order that waits for its payer, so that a notice that were believed would pay it.
async fn waiting(shop: &Shop, order_no: &str) -> Value {
    let subject = "VIP+ 月卡 #pending #no-callback";
    let answer = shop.create(&order(order_no, subject)).await;
    assert_eq!(answer.text("status"), "PENDING", "{:?}", answer.body);
    answer.body
}

async fn untouched(shop: &Shop, before: &Value) {
    let order_id = before["order_id"].as_str().expect("an id");
    let now = shop.get(order_id).await;
    assert_eq!(now["status"], "PENDING");
    assert_eq!(now["callback_count"], 0);
    let history = shop.history(order_id).await;
    assert!(!history.contains(&"callback".to_owned()), "{history:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn forged_old_and_broken_notices_are_refused_without_a_trace_in_the_database() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, quiet()).await;
    let contract = Contract::of(&shop).await;
    let before = waiting(&shop, "forged").await;
    let notice = Notice::paid("msg-1", "forged", &json!({}));
    let signed = notice.signed(&processor.secret);
    let signature = signed[2].1.clone();
    let body = notice.body.clone();

    let mut forgeries: Vec<(&str, Vec<(&str, String)>, Vec<u8>)> = vec![
        ("no header", Vec::new(), body.clone()),
        ("another secret", notice.signed(OTHER), body.clone()),
        (
            "a truncated body",
            signed.clone(),
            body[..body.len() - 1].to_vec(),
        ),
        ("an empty body", signed.clone(), Vec::new()),
        (
            "a blank more",
            signed.clone(),
            [body.clone(), b" ".to_vec()].concat(),
        ),
        (
            "another id",
            changed(&signed, "webhook-id", Some("msg-2")),
            body.clone(),
        ),
        (
            "another time",
            changed(
                &signed,
                "webhook-timestamp",
                Some(&(notice.timestamp + 1).to_string()),
            ),
            body.clone(),
        ),
        (
            "no version",
            changed(
                &signed,
                "webhook-signature",
                Some(signature.trim_start_matches("v1,")),
            ),
            body.clone(),
        ),
        (
            "another version",
            changed(
                &signed,
                "webhook-signature",
                Some(&signature.replace("v1,", "v2,")),
            ),
            body.clone(),
        ),
        (
            "half a signature",
            changed(&signed, "webhook-signature", Some(&signature[..20])),
            body.clone(),
        ),
        (
            "no base64",
            changed(&signed, "webhook-signature", Some("v1,!!!")),
            body.clone(),
        ),
        (
            "an empty signature",
            changed(&signed, "webhook-signature", Some("v1,")),
            body.clone(),
        ),
        (
            "a list of nonsense",
            changed(&signed, "webhook-signature", Some(&"v1,AAAA ".repeat(500))),
            body.clone(),
        ),
    ];
    for name in ["webhook-id", "webhook-timestamp", "webhook-signature"] {
        forgeries.push((
            "a missing header",
            changed(&signed, name, None),
            body.clone(),
        ));
        forgeries.push((
            "an empty header",
            changed(&signed, name, Some("")),
            body.clone(),
        ));
    }
    let twice = [signed.clone(), notice.signed(OTHER)].concat();
    forgeries.push(("two of each header", twice, body.clone()));
    let other_amount = String::from_utf8_lossy(&body).replace("1999", "1");
    forgeries.push(("another amount", signed.clone(), other_amount.into_bytes()));
    for seconds in [-3600 * 24 * 365 * 3, -301, 301, 3600 * 24] {
        let stale = Notice {
            timestamp: notice.timestamp.saturating_add_signed(seconds),
            ..notice.clone()
        };
        // A slow machine may be a second late; the bound itself is a unit's story.
        let margin = if seconds == 301 { 60 } else { 0 };
        let stale = Notice {
            timestamp: stale.timestamp + margin,
            ..stale
        };
        forgeries.push((
            "a signed time out of bounds",
            stale.signed(&processor.secret),
            body.clone(),
        ));
    }
    for time in [
        "-1",
        "0",
        "1e9",
        "99999999999999999999",
        "now",
        "1700000000.5",
        " ",
    ] {
        let odd = changed(&signed, "webhook-timestamp", Some(time));
        forgeries.push(("an odd time", odd, body.clone()));
    }
    for (what, headers, body) in forgeries {
        let answer = shop.notify("sandbox", &headers, body).await;
        rejected(&answer, what);
        contract.covers("POST", "/v1/callbacks/sandbox", &answer);
    }
    assert_eq!(rows(&shop).await, 0);
    assert!(shop.alerts().await.is_empty());
    untouched(&shop, &before).await;

    // The same notice as it was signed is believed: the refusals were about the forgery.
    let answer = shop.notify("sandbox", &signed, body).await;
    assert_eq!((answer.status, &answer.body), (200, &json!("success")));
    contract.covers("POST", "/v1/callbacks/sandbox", &answer);
    shop.becomes(before["order_id"].as_str().expect("an id"), "PAID")
        .await;
}

/// A shop that asks nothing while a story looks.
fn quiet() -> Stage {
    Stage {
        pending_schedule: r#"["10m"]"#,
        ..Stage::default()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_notice_signed_for_another_merchant_does_not_touch_our_order() {
    let processor = Processor::start().await;
    let more = format!(
        "[channels.other]\nkind = \"http\"\nbase_url = \"{}\"\nsecret = \"{OTHER}\"\nread_timeout = \"3s\"\n",
        processor.base_url()
    );
    let shop = Shop::open(&processor, Stage { more, ..quiet() }).await;
    let before = waiting(&shop, "ours").await;
    let notice = Notice::paid("msg-1", "ours", &json!({}));

    // Signed by the other merchant, posted at our channel: not authentic.
    rejected(
        &shop.tell("sandbox", OTHER, &notice).await,
        "another merchant's notice",
    );
    assert_eq!(rows(&shop).await, 0);

    // Authentic at the other channel, about an order of this one: that channel has no such order.
    let answer = shop.tell("other", OTHER, &notice).await;
    is_problem(&answer, 404, "unknown-order", "another channel's notice");
    untouched(&shop, &before).await;
    let kinds: Vec<_> = shop
        .alerts()
        .await
        .iter()
        .map(|alert| alert["kind"].clone())
        .collect();
    assert_eq!(kinds, ["orphan_callback"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn bodies_over_the_limit_unknown_channels_and_other_types() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, quiet()).await;
    let contract = Contract::of(&shop).await;
    let path = "/v1/callbacks/sandbox";

    let big = Notice::of("msg-big", "x".repeat(64 * 1024 + 1));
    let answer = shop.tell("sandbox", &processor.secret, &big).await;
    is_problem(&answer, 413, "body-too-large", "a body over 64 KiB");
    contract.covers("POST", path, &answer);
    // A body of exactly 64 KiB is read and verified.
    let padding = " ".repeat(64 * 1024 - r#"{"type": "ping"}"#.len());
    let full = Notice::of("msg-full", format!(r#"{{"type": "ping"}}{padding}"#));
    assert_eq!(
        shop.tell("sandbox", &processor.secret, &full).await.status,
        200
    );

    let answer = shop.tell("nobody", &processor.secret, &full).await;
    is_problem(&answer, 404, "not-found", "a channel that does not exist");
    contract.covers("POST", "/v1/callbacks/nobody", &answer);

    for (n, kind) in ["payout.created", "", "charge.updated ", "CHARGE.UPDATED"]
        .iter()
        .enumerate()
    {
        let body = json!({"type": kind, "data": {"order_no": "x"}}).to_string();
        let answer = shop
            .tell(
                "sandbox",
                &processor.secret,
                &Notice::of(&format!("msg-{n}"), body),
            )
            .await;
        assert_eq!(
            (answer.status, &answer.body),
            (200, &json!("success")),
            "{kind}"
        );
    }
    assert_eq!(rows(&shop).await, 0);
    assert!(shop.alerts().await.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn verified_notices_that_cannot_be_read_are_400_and_one_alert_a_day() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, quiet()).await;
    let contract = Contract::of(&shop).await;
    let before = waiting(&shop, "unread").await;
    let whole = Notice::paid("msg", "unread", &json!({}));
    let text = String::from_utf8(whole.body.clone()).expect("text");
    let mut bodies: Vec<Vec<u8>> = vec![
        b"".to_vec(),
        b"{".to_vec(),
        b"[]".to_vec(),
        b"null".to_vec(),
        b"\xff\xfe".to_vec(),
        b"{\"type\": \"charge.updated\"}".to_vec(),
        b"{\"type\": \"charge.updated\", \"data\": []}".to_vec(),
        b"{\"type\": \"charge.updated\", \"data\": \"x\"}".to_vec(),
        b"{\"data\": {}}".to_vec(),
        text.replace("1999", "19.99").into_bytes(),
        text.replace("1999", "1e3").into_bytes(),
        text.replace("1999", "9223372036854775808").into_bytes(),
        text.replace("1999", "\"1999\"").into_bytes(),
        "[".repeat(60_000).into_bytes(),
    ];
    for field in [
        "trade_no",
        "order_no",
        "idempotency_key",
        "amount",
        "currency",
        "status",
    ] {
        let mut body: Value = serde_json::from_slice(&whole.body).expect("JSON");
        body["data"]
            .as_object_mut()
            .expect("an object")
            .remove(field);
        bodies.push(body.to_string().into_bytes());
    }
    for (field, value) in [
        ("trade_no", json!("")),
        ("order_no", json!("a\u{0}b")),
        ("trade_no", json!("t".repeat(300))),
        ("status", json!(5)),
    ] {
        bodies.push(Notice::paid("msg", "unread", &json!({field: value})).body);
    }
    for (n, body) in bodies.into_iter().enumerate() {
        let what = String::from_utf8_lossy(&body[..body.len().min(200)]).into_owned();
        let answer = shop
            .tell(
                "sandbox",
                &processor.secret,
                &Notice::of(&format!("m-{n}"), body),
            )
            .await;
        is_problem(&answer, 400, "malformed-callback", &what);
        contract.covers("POST", "/v1/callbacks/sandbox", &answer);
    }
    untouched(&shop, &before).await;
    let alerts = shop.alerts().await;
    assert_eq!(alerts.len(), 1, "{alerts:?}");
    assert_eq!(alerts[0]["kind"], "malformed_callback");
    assert_eq!(alerts[0]["channel"], "sandbox");
}

#[tokio::test(flavor = "multi_thread")]
async fn one_address_is_limited_and_cannot_pretend_to_be_many() {
    let processor = Processor::start().await;
    let stage = Stage {
        callbacks_per_address: "1/s",
        ..quiet()
    };
    let shop = Shop::open(&processor, stage).await;
    let contract = Contract::of(&shop).await;
    let posts = (0..60).map(|n| {
        let request = shop.client.post(shop.url("/v1/callbacks/sandbox"));
        shop.send(request.header("x-forwarded-for", format!("10.0.0.{n}")))
    });
    let answers = futures_util::future::join_all(posts).await;
    let limited: Vec<_> = answers
        .iter()
        .filter(|answer| answer.status == 429)
        .collect();
    assert!(
        !limited.is_empty(),
        "60 posts at once passed a limit of one a second"
    );
    for answer in &answers {
        contract.covers("POST", "/v1/callbacks/sandbox", answer);
    }
    for answer in limited {
        is_problem(answer, 429, "rate-limited", "too many");
        let wait: u64 = answer.header("retry-after").parse().expect("whole seconds");
        assert!((1..=60).contains(&wait), "{wait}");
    }
    // The limit is about callbacks: orders are served.
    assert_eq!(
        shop.create(&order("beside", "VIP #no-callback"))
            .await
            .status,
        200
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_replay_changes_nothing_also_after_a_restart() {
    let processor = Processor::start().await;
    let mut shop = Shop::open(&processor, quiet()).await;
    let before = waiting(&shop, "replayed").await;
    let order_id = before["order_id"].as_str().expect("an id").to_owned();
    let notice = Notice::paid("msg-1", "replayed", &json!({}));
    let headers = notice.signed(&processor.secret);
    for _ in 0..3 {
        let answer = shop.notify("sandbox", &headers, notice.body.clone()).await;
        assert_eq!((answer.status, &answer.body), (200, &json!("success")));
    }
    let paid = shop.becomes(&order_id, "PAID").await;
    let history = shop.history(&order_id).await;
    shop.crash_and_start_again().await;
    for _ in 0..2 {
        assert_eq!(
            shop.notify("sandbox", &headers, notice.body.clone())
                .await
                .status,
            200
        );
    }
    // A new id that repeats what is on record is a duplicate too.
    let again = Notice {
        id: "msg-2".to_owned(),
        ..notice
    };
    assert_eq!(
        shop.tell("sandbox", &processor.secret, &again).await.status,
        200
    );
    let after = shop.get(&order_id).await;
    assert_eq!(after["status"], "PAID");
    assert_eq!(after["version"], paid["version"]);
    assert_eq!(after["callback_count"], 6);
    assert_eq!(shop.history(&order_id).await, history);
    assert_eq!(rows(&shop).await, 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_signature_is_over_the_bytes_however_the_json_is_written() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, quiet()).await;
    for (n, odd) in [
        "{\n  \"data\" : {\"status\":\"PAID\", \"new_field\":{\"a\":1.0}, \"currency\":\"CNY\",\"amount\":1999 ,\"idempotency_key\":\"KEY\",\"order_no\":\"NO\",\"trade_no\":\"T-NO\"},\t\"type\":\"charge.updated\", \"timestamp\": \"2026-01-01T00:00:00Z\" }\n",
        "{\"type\":\"\\u0063harge.updated\",\"data\":{\"trade_no\":\"T-NO\",\"order_no\":\"NO\",\"idempotency_key\":\"KEY\",\"amount\":1999,\"currency\":\"CNY\",\"status\":\"PAID\",\"subject\":\"VIP+ 月卡 %2B\"}}",
    ]
    .iter()
    .enumerate()
    {
        let order_no = format!("odd-{n}");
        let before = waiting(&shop, &order_no).await;
        let body = odd.replace("KEY", &format!("pay:order:{order_no}")).replace("NO", &order_no);
        let answer = shop.tell("sandbox", &processor.secret, &Notice::of(&order_no, body)).await;
        assert_eq!(answer.status, 200, "{:?}", answer.body);
        let paid = shop.becomes(before["order_id"].as_str().expect("an id"), "PAID").await;
        assert_eq!(paid["subject"], "VIP+ 月卡 #pending #no-callback");
    }
}
