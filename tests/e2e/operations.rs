//! Health, metrics, documents and log lines: what those who run the server see.

use crate::support::{
    Contract, Notice, Processor, Shop, Stage, VIEWER, eventually, is_problem, order,
};
use serde_json::json;
use std::time::Duration;

async fn metrics(shop: &Shop) -> String {
    let answer = shop.ask("GET", "/metrics", VIEWER, None).await;
    assert_eq!(answer.status, 200);
    assert!(answer.header("content-type").starts_with("text/plain"));
    answer.body.as_str().expect("text").to_owned()
}

/// The value of the sample that begins with this name and labels.
fn value(metrics: &str, sample: &str) -> f64 {
    let line = metrics.lines().find(|line| {
        line.strip_prefix(sample)
            .is_some_and(|rest| rest.starts_with(' '))
    });
    let line = line.unwrap_or_else(|| panic!("no {sample} in\n{metrics}"));
    line.rsplit(' ')
        .next()
        .and_then(|number| number.parse().ok())
        .expect("a number")
}

#[tokio::test(flavor = "multi_thread")]
async fn metrics_move_with_what_happens_and_name_nobody() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::default()).await;
    let before = metrics(&shop).await;
    for status in [
        "UNPAID",
        "PROCESSING",
        "PENDING",
        "UNKNOWN",
        "MANUAL",
        "PAID",
        "FAILED",
        "CLOSED",
        "REFUNDING",
        "PARTIALLY_REFUNDED",
        "REFUNDED",
    ] {
        assert_eq!(
            value(&before, &format!("oncepay_orders{{status=\"{status}\"}}")),
            0.0
        );
    }
    assert_eq!(value(&before, "oncepay_orders_created_total"), 0.0);
    let paid = shop.create(&order("counted-1", "VIP")).await;
    shop.create(&order("counted-1", "VIP")).await;
    shop.create(&order("counted-2", "VIP #declined")).await;
    let stopped = shop
        .create(&order("counted-3", "VIP #wrong-amount=1 #no-callback"))
        .await;
    shop.becomes(stopped.text("order_id"), "MANUAL").await;
    eventually("the callback has come", || async {
        let order = shop.get(paid.text("order_id")).await;
        if order["callback_count"] == 1 {
            Ok(())
        } else {
            Err(order.to_string())
        }
    })
    .await;
    shop.notify("sandbox", &[], b"{}".to_vec()).await;
    shop.notify("stranger", &[], b"{}".to_vec()).await;
    shop.ask("GET", "/v1/nothing/counted-1", VIEWER, None).await;
    let after = eventually("the callback is counted", || async {
        let text = metrics(&shop).await;
        let told = text.contains("result=\"duplicate\"} ") || text.contains("result=\"kept\"} ");
        // Orders are not counted at every scrape.
        if told && text.contains("oncepay_orders{status=\"MANUAL\"} 1") {
            Ok(text)
        } else {
            Err(text)
        }
    })
    .await;
    assert_eq!(value(&after, "oncepay_orders_created_total"), 3.0);
    assert_eq!(value(&after, "oncepay_orders{status=\"PAID\"}"), 1.0);
    assert_eq!(value(&after, "oncepay_orders{status=\"FAILED\"}"), 1.0);
    assert_eq!(value(&after, "oncepay_orders{status=\"MANUAL\"}"), 1.0);
    assert_eq!(value(&after, "oncepay_open_alerts"), 1.0);
    assert_eq!(
        value(
            &after,
            "oncepay_callbacks_total{channel=\"sandbox\",result=\"missing_header\"}"
        ),
        1.0
    );
    assert!(value(&after, "oncepay_journal_batch_size_count") >= 6.0);
    assert!(value(&after, "oncepay_journal_wait_seconds_count") >= 6.0);
    assert!(value(&after, "oncepay_journal_batch_size_sum") >= 6.0);
    assert_eq!(
        value(
            &after,
            "oncepay_channel_call_duration_seconds_count{channel=\"sandbox\",call=\"submit\"}"
        ),
        3.0
    );
    assert!(after.contains("oncepay_http_request_duration_seconds_count{method=\"POST\",route=\"/v1/orders\",status=\"200\"} 3"), "{after}");
    assert!(value(&after, "process_start_time_seconds") > 1_700_000_000.0);
    for name in ["counted-", "ord_", "stranger", "opk_"] {
        assert!(!after.contains(name), "metrics name {name}:\n{after}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn health_documents_and_pages_are_served_from_the_binary_alone() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::default()).await;
    let contract = Contract::of(&shop).await;
    assert_eq!(
        contract.document["openapi"]
            .as_str()
            .map(|version| version.starts_with("3.1")),
        Some(true)
    );
    for path in ["/healthz", "/readyz", "/metrics", "/openapi.json"] {
        let answer = shop.send(shop.client.get(shop.url(path))).await;
        assert_eq!(answer.status, 200, "{path}");
        if path != "/openapi.json" {
            contract.covers("GET", path, &answer);
        }
    }
    // Some probes ask for the head alone.
    for path in ["/healthz", "/readyz"] {
        let answer = shop.send(shop.client.head(shop.url(path))).await;
        assert_eq!((answer.status, &answer.body), (200, &json!("")), "{path}");
    }
    let ready = shop.send(shop.client.get(shop.url("/readyz"))).await;
    for check in [
        "database",
        "migrations",
        "rehydrated",
        "journal",
        "disk",
        "accepting",
    ] {
        assert_eq!(ready.body["checks"][check], true, "{check}");
    }
    let page = shop.send(shop.client.get(shop.url("/docs"))).await;
    assert_eq!(page.status, 200);
    let html = page.body.as_str().expect("a page").to_owned();
    let mut assets = vec!["swagger-initializer.js".to_owned()];
    for part in html.split("src=\"").chain(html.split("href=\"")).skip(1) {
        let target = part.split('"').next().unwrap_or_default();
        assert!(
            !target.contains("//"),
            "the page asks another host: {target}"
        );
        if target.starts_with("./") || target.ends_with(".js") || target.ends_with(".css") {
            assets.push(target.trim_start_matches("./").to_owned());
        }
    }
    assert!(assets.len() > 2, "{html}");
    for asset in assets {
        let answer = shop
            .send(shop.client.get(shop.url(&format!("/docs/{asset}"))))
            .await;
        assert_eq!(answer.status, 200, "{asset}");
        if asset == "swagger-initializer.js" {
            let text = answer.body.as_str().unwrap_or_default().to_owned();
            assert!(
                text.contains("openapi.json")
                    && !text.contains("http://")
                    && !text.contains("https://"),
                "{text}"
            );
        }
    }
    for path in [
        "/docs/../oncepay.toml",
        "/docs/%2e%2e/oncepay.toml",
        "/docs/..%2foncepay.toml",
    ] {
        let answer = shop.send(shop.client.get(shop.url(path))).await;
        is_problem(&answer, 404, "not-found", path);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn one_structured_line_tells_of_each_callback() {
    let processor = Processor::start().await;
    let shop = Shop::open(
        &processor,
        Stage {
            pending_schedule: r#"["10m"]"#,
            ..Stage::default()
        },
    )
    .await;
    let lines = |shop: &Shop| -> Vec<String> {
        let log = shop.running.log();
        log.lines()
            .filter(|line| line.contains("verification=") || line.contains("\"verification\""))
            .map(str::to_owned)
            .collect()
    };
    let waiting = shop
        .create(&order("told", "VIP #pending #no-callback"))
        .await;
    let trade = waiting.text("channel_trade_no").to_owned();
    let notice = Notice::paid("msg-1", "told", &json!({"trade_no": "T-told"}));
    let mut headers = notice.signed(&processor.secret);
    headers.push(("x-request-id", "req-told".to_owned()));
    for _ in 0..2 {
        shop.notify("sandbox", &headers, notice.body.clone()).await;
    }
    shop.notify(
        "sandbox",
        &[("webhook-id", "x".to_owned())],
        notice.body.clone(),
    )
    .await;
    let seen = eventually("three lines", || async {
        let seen = lines(&shop);
        if seen.len() == 3 {
            Ok(seen)
        } else {
            Err(seen.join("\n"))
        }
    })
    .await;
    for field in [
        "req-told",
        "sandbox",
        "told",
        "T-told",
        "kept",
        "1999",
        "CNY",
        "PAID",
        "elapsed_ms",
    ] {
        assert!(
            seen[0].contains(field),
            "{field} is missing in {} ({trade})",
            seen[0]
        );
    }
    assert!(seen[1].contains("duplicate"), "{}", seen[1]);
    assert!(
        seen[2].contains("missing_header") && !seen[2].contains("told"),
        "{}",
        seen[2]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn verification_cannot_be_switched_off() {
    let processor = Processor::start().await;
    let mut shop = Shop::open(&processor, Stage::default()).await;
    assert!(shop.stop().success());
    for line in [
        "verify = false",
        "skip_verification = true",
        "verify_signatures = \"off\"",
        "insecure = true",
    ] {
        shop.reconfigure(|text| text.replace("late_success =", &format!("{line}\nlate_success =")));
        shop.start_without_waiting();
        assert!(
            !shop.running.ended(Duration::from_secs(30)).success(),
            "started with `{line}`"
        );
        let key = line.split(' ').next().expect("a key");
        assert!(
            shop.running.log().contains(key),
            "the refusal does not name {key}"
        );
        shop.reconfigure(|text| text.replace(&format!("{line}\n"), ""));
    }
    shop.start_again().await;
}
