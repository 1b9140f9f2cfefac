//! Lists: every row once, newest first, by filter; nonsense is refused by the parameter's name.

use crate::support::{
    Contract, MERCHANT, OPERATOR, Processor, Shop, Stage, VIEWER, fields, is_problem, order,
};
use serde_json::{Value, json};

async fn page(shop: &Shop, contract: &Contract, path: &str) -> (Vec<String>, Option<String>) {
    let answer = shop.ask("GET", path, VIEWER, None).await;
    assert_eq!(answer.status, 200, "{path}: {:?}", answer.body);
    contract.covers("GET", path, &answer);
    let rows = answer.body["data"].as_array().expect("rows");
    let names = rows.iter().map(|row| {
        let name = if row["alert_id"].is_string() {
            &row["alert_id"]
        } else {
            &row["order_no"]
        };
        name.as_str().expect("a name").to_owned()
    });
    (
        names.collect(),
        answer.body["next_cursor"].as_str().map(str::to_owned),
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_show_every_order_once_and_filters_choose() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::default()).await;
    let contract = Contract::of(&shop).await;
    let mut numbers = Vec::new();
    for n in 0..7 {
        let subject = if n % 2 == 0 {
            "VIP #no-callback"
        } else {
            "VIP #declined"
        };
        let made = shop.create(&order(&format!("row-{n}"), subject)).await;
        contract.covers("POST", "/v1/orders", &made);
        numbers.push(format!("row-{n}"));
    }
    numbers.reverse();
    let mut seen = Vec::new();
    let mut path = "/v1/orders?limit=3".to_owned();
    loop {
        let (rows, next) = page(&shop, &contract, &path).await;
        assert!(rows.len() <= 3);
        seen.extend(rows);
        let Some(next) = next else { break };
        path = format!("/v1/orders?limit=3&cursor={next}");
    }
    assert_eq!(seen, numbers);
    let chosen = |path: &'static str| page(&shop, &contract, path);
    assert_eq!(
        chosen("/v1/orders?status=FAILED").await.0,
        ["row-5", "row-3", "row-1"]
    );
    assert_eq!(
        chosen("/v1/orders?status=FAILED&order_no=row-3").await.0,
        ["row-3"]
    );
    assert_eq!(
        chosen("/v1/orders?status=PAID&order_no=row-3").await.0,
        [""; 0]
    );
    assert_eq!(
        chosen("/v1/orders?channel=sandbox&limit=200").await.0.len(),
        7
    );
    assert_eq!(chosen("/v1/orders?channel=other").await.0.len(), 0);
    assert_eq!(
        chosen("/v1/orders?created_from=2020-01-01T00:00:00Z")
            .await
            .0
            .len(),
        7
    );
    assert_eq!(
        chosen("/v1/orders?created_from=2999-01-01T00:00:00Z")
            .await
            .0
            .len(),
        0
    );
    assert_eq!(
        chosen("/v1/orders?created_to=2020-01-01T08:00:00%2B08:00")
            .await
            .0
            .len(),
        0
    );
    let found = shop.find("row-2").await.expect("it is there");
    let cut = found["created_at"].as_str().expect("a time");
    let (from, _) = page(
        &shop,
        &contract,
        &format!("/v1/orders?created_from={cut}&limit=200"),
    )
    .await;
    assert!(
        from.contains(&"row-2".to_owned()) && from.contains(&"row-6".to_owned()),
        "{from:?}"
    );
    let (to, _) = page(
        &shop,
        &contract,
        &format!("/v1/orders?created_to={cut}&limit=200"),
    )
    .await;
    assert!(!to.contains(&"row-2".to_owned()), "{to:?}");
    let events = shop
        .ask(
            "GET",
            &format!(
                "/v1/orders/{}/events",
                found["order_id"].as_str().expect("an id")
            ),
            MERCHANT,
            None,
        )
        .await;
    contract.covers("GET", "/v1/orders/x/events", &events);
    let seqs: Vec<_> = events.body["data"]
        .as_array()
        .expect("rows")
        .iter()
        .map(|event| event["seq"].clone())
        .collect();
    assert_eq!(seqs, (1..=seqs.len()).map(|n| json!(n)).collect::<Vec<_>>());
}

#[tokio::test(flavor = "multi_thread")]
async fn nonsense_in_a_query_is_refused_by_the_name_of_its_parameter() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::default()).await;
    let contract = Contract::of(&shop).await;
    let long = "9".repeat(4_000);
    let cursor_of_alerts = "alr_00000000000000000000000000000000";
    for (parameter, values) in [
        (
            "limit",
            vec![
                "0",
                "-1",
                "201",
                "1.5",
                "1e1",
                "ten",
                "",
                "+5",
                "99999999999999999999",
                "%00",
                &long,
            ],
        ),
        (
            "cursor",
            vec![
                "",
                "x",
                "ord_1",
                "%00",
                "..",
                cursor_of_alerts,
                "%27%20OR%201%3D1",
                &long,
            ],
        ),
        ("status", vec!["", "paid", "NOTHING", "PAID,FAILED", "%00"]),
        ("order_no", vec!["", "a%20b", "%00", "%27", &long]),
        ("channel", vec!["", "a%20b", "%00", &long]),
        (
            "created_from",
            vec![
                "",
                "yesterday",
                "2026-13-01T00:00:00Z",
                "2026-01-01",
                "0",
                "2026-01-01T00:00:00",
                "9999999-01-01T00:00:00Z",
                "2026-01-01T00:00:00+08:00",
            ],
        ),
        ("created_to", vec!["now", "-1", "%00"]),
        ("colour", vec!["red", ""]),
        ("LIMIT", vec!["5"]),
    ] {
        for value in values {
            let path = format!("/v1/orders?{parameter}={value}");
            let answer = shop.ask("GET", &path, VIEWER, None).await;
            is_problem(&answer, 422, "validation", &path);
            assert_eq!(fields(&answer), [parameter], "{path}");
            contract.covers("GET", &path, &answer);
        }
    }
    for (path, field) in [
        ("/v1/orders?limit=5&limit=6", "limit"),
        ("/v1/orders?status=PAID&status=PAID", "status"),
        ("/v1/alerts?status=OPEN", "status"),
        ("/v1/alerts?limit=0", "limit"),
        ("/v1/alerts?cursor=b3JkX3g", "cursor"),
        ("/v1/alerts?order_no=x", "order_no"),
        ("/v1/orders?%ff=1", "\u{fffd}"),
        ("/v1/orders?=1", ""),
    ] {
        let answer = shop.ask("GET", path, VIEWER, None).await;
        is_problem(&answer, 422, "validation", path);
        assert_eq!(fields(&answer), [field], "{path}");
    }
    let many: Vec<_> = (0..2000).map(|n| format!("p{n}=1")).collect();
    let answer = shop
        .ask(
            "GET",
            &format!("/v1/orders?{}", many.join("&")),
            VIEWER,
            None,
        )
        .await;
    is_problem(&answer, 422, "validation", "two thousand parameters");
}

#[tokio::test(flavor = "multi_thread")]
async fn alerts_are_listed_by_status_and_acknowledged_by_name() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::default()).await;
    let contract = Contract::of(&shop).await;
    for n in 0..3 {
        let stopped = shop
            .create(&order(
                &format!("stop-{n}"),
                "VIP #status=FROZEN #no-callback",
            ))
            .await;
        shop.becomes(stopped.text("order_id"), "MANUAL").await;
    }
    let (all, _) = page(&shop, &contract, "/v1/alerts").await;
    assert_eq!(all.len(), 3);
    let (first, next) = page(&shop, &contract, "/v1/alerts?limit=2").await;
    let (rest, end) = page(
        &shop,
        &contract,
        &format!("/v1/alerts?limit=2&cursor={}", next.expect("one more")),
    )
    .await;
    assert_eq!([first, rest].concat(), all);
    assert_eq!(end, None);

    let path = format!("/v1/alerts/{}/acknowledge", all[1]);
    for key in [OPERATOR, crate::support::SECOND_OPERATOR] {
        let answer = shop.ask("POST", &path, key, None).await;
        assert_eq!(answer.status, 200, "{:?}", answer.body);
        contract.covers("POST", &path, &answer);
        assert_eq!(answer.text("status"), "acknowledged");
        assert_eq!(
            answer.text("acknowledged_by"),
            "ann",
            "the first name stays"
        );
        assert_eq!(answer.text("order_no"), "stop-1");
        assert!(!answer.text("suggested_action").is_empty());
        assert_eq!(answer.body["resolved_at"], Value::Null);
    }
    assert_eq!(
        page(&shop, &contract, "/v1/alerts?status=acknowledged")
            .await
            .0,
        [all[1].clone()]
    );
    assert_eq!(
        page(&shop, &contract, "/v1/alerts?status=open")
            .await
            .0
            .len(),
        2
    );
    let order_id = shop.find("stop-0").await.expect("it is there");
    let review = json!({"decision": "NOT_PAID", "basis": "asked the channel", "expected_version": order_id["version"]});
    let decided = shop
        .review(
            order_id["order_id"].as_str().expect("an id"),
            OPERATOR,
            &review,
        )
        .await;
    assert_eq!(decided.status, 200, "{:?}", decided.body);
    contract.covers("POST", "/v1/orders/x/reviews", &decided);
    assert_eq!(
        page(&shop, &contract, "/v1/alerts?status=resolved").await.0,
        [all[2].clone()]
    );
}
