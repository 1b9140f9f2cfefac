//! Bad input: each fault is a clear problem that names its field; no order comes of it, and nothing is on the wire.

use crate::support::{
    ADMIN, Answer, Contract, MERCHANT, OPERATOR, Processor, Shop, Stage, VIEWER, fields,
    is_problem, order,
};
use serde_json::{Value, json};

/// A right create as raw text, with the raw value of one field replaced or added.
fn with(field: &str, raw: &str) -> Vec<u8> {
    let mut pairs = vec![
        ("order_no", r#""bad-1""#),
        ("channel", r#""sandbox""#),
        ("amount", "1999"),
        ("currency", r#""CNY""#),
        ("subject", r#""VIP""#),
        ("account", r#""user-42""#),
    ];
    pairs.retain(|(name, _)| *name != field);
    pairs.push((field, raw));
    let pairs: Vec<_> = pairs
        .iter()
        .filter(|(_, raw)| !raw.is_empty())
        .map(|(name, raw)| format!("\"{name}\": {raw}"))
        .collect();
    format!("{{{}}}", pairs.join(", ")).into_bytes()
}

fn text(length: usize) -> String {
    format!("\"{}\"", "x".repeat(length))
}

async fn post(shop: &Shop, path: &str, key: &str, body: Vec<u8>) -> Answer {
    let request = shop.client.post(shop.url(path)).bearer_auth(key);
    let request = request.header("content-type", "application/json");
    shop.send(request.body(body)).await
}

/// Faults of single fields: the field, its raw value, and the place that the problem names.
fn faults() -> Vec<(&'static str, String, String)> {
    let mut faults = Vec::new();
    let mut add = |field: &'static str, raw: &str, place: &str| {
        faults.push((field, raw.to_owned(), place.to_owned()));
    };
    for amount in [
        "0",
        "-1",
        "-0",
        "9223372036854775808",
        "9223372036854775807",
        "9007199254740992",
        "19.99",
        "8.20",
        "1.005",
        "1999.0",
        "1e2",
        "1E2",
        "\"1999\"",
        "\"19.99\"",
        "\"1e2\"",
        "true",
        "[1]",
        "{}",
        "null",
        "",
        "99999999999999999999999999",
    ] {
        add("amount", amount, "amount");
    }
    for wrong in [
        "1",
        "true",
        "[]",
        "{}",
        "null",
        "",
        "\"\"",
        "\"a\\u0000b\"",
        "\"a\\nb\"",
        "\"\\ud800\"",
    ] {
        for field in ["order_no", "currency", "subject", "channel"] {
            add(field, wrong, field);
        }
    }
    for wrong in [
        "1",
        "true",
        "[]",
        "{}",
        "\"\"",
        "\"a\\u0000b\"",
        "\"a\\u007fb\"",
        "\"\\udfff\"",
    ] {
        for field in ["method", "payer", "replaces", "return_url"] {
            add(field, wrong, field);
        }
        add("account", wrong, "account");
    }
    for (field, longest) in [
        ("order_no", 64),
        ("subject", 128),
        ("account", 64),
        ("payer", 128),
        ("method", 32),
        ("replaces", 64),
        ("channel", 64),
        ("currency", 3),
    ] {
        add(field, &text(longest + 1), field);
        add(field, &text(30_000), field);
    }
    for (field, raw) in [
        ("order_no", "\"a b\""),
        ("order_no", "\"订单\""),
        ("order_no", "\"../etc/passwd\""),
        ("order_no", "\"a'--\""),
        ("currency", "\"cny\""),
        ("currency", "\"ABC\""),
        ("channel", "\"nobody\""),
        ("channel", "\"SANDBOX\""),
        ("method", "\"a b\""),
        ("account", "\"user 42\""),
        ("account", "\"..\""),
        ("replaces", "\"bad-1\""),
        ("return_url", "\"javascript:alert(1)\""),
        ("return_url", "\"https://evil.example/\""),
        ("return_url", "\"//evil.example\""),
        ("return_url", "\"https://a@shop.example/\""),
        ("subject", "\"a\\u0085b\""),
        ("subject", "\"a\\u001bb\""),
        ("expires_in", "0"),
        ("expires_in", "-5"),
        ("expires_in", "2592001"),
        ("expires_in", "1.5"),
        ("expires_in", "\"60\""),
        ("expires_in", "1e2"),
        ("colour", "\"red\""),
        ("Amount", "1"),
        ("idempotency_key", "\"k\""),
        ("status", "\"PAID\""),
        ("__proto__", "{}"),
        ("metadata", "[]"),
        ("metadata", "\"x\""),
        ("entitlements", "{}"),
        ("entitlements", "5"),
    ] {
        add(field, raw, field);
    }
    add("metadata", r#"{"a": 1}"#, "metadata.a");
    add("metadata", r#"{"a": "1", "a": "2"}"#, "metadata.a");
    add("metadata", r#"{"a": {"b": "c"}}"#, "metadata.a");
    add("metadata", r#"{"a": "\u0000"}"#, "metadata.a");
    add(
        "metadata",
        &format!("{{\"a\": {}}}", text(257)),
        "metadata.a",
    );
    let many: Vec<_> = (0..21).map(|n| format!("\"k{n}\": \"v\"")).collect();
    add("metadata", &format!("{{{}}}", many.join(",")), "metadata");
    let credits = r#"{"kind": "credits", "quantity": 1}"#;
    add(
        "entitlements",
        &format!("[{credits}, {credits}]"),
        "entitlements[1].kind",
    );
    let many: Vec<_> = (0..21)
        .map(|n| format!(r#"{{"kind": "k{n}", "quantity": 1}}"#))
        .collect();
    add(
        "entitlements",
        &format!("[{}]", many.join(",")),
        "entitlements",
    );
    for quantity in [
        "0",
        "-1",
        "1.5",
        "1e3",
        "-0",
        "\"1\"",
        "1000000000001",
        "null",
    ] {
        let raw = format!(r#"[{{"kind": "credits", "quantity": {quantity}}}]"#);
        add("entitlements", &raw, "entitlements[0].quantity");
    }
    add(
        "entitlements",
        r#"[{"quantity": 1}]"#,
        "entitlements[0].kind",
    );
    add(
        "entitlements",
        r#"[{"kind": "a b", "quantity": 1}]"#,
        "entitlements[0].kind",
    );
    add(
        "entitlements",
        r#"[{"kind": "a", "quantity": 1, "more": 1}]"#,
        "entitlements[0].more",
    );
    add("entitlements", "[5]", "entitlements[0]");
    add("entitlements", "[null]", "entitlements[0]");
    faults
}

#[tokio::test(flavor = "multi_thread")]
async fn every_wrong_field_of_a_create_is_named_and_nothing_comes_of_it() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::default()).await;
    let contract = Contract::of(&shop).await;

    for (field, raw, place) in faults() {
        let what = format!("{field}: {}", raw.chars().take(80).collect::<String>());
        let answer = post(&shop, "/v1/orders", MERCHANT, with(field, &raw)).await;
        is_problem(&answer, 422, "validation", &what);
        assert!(fields(&answer).contains(&place), "{what}: {}", answer.body);
        contract.covers("POST", "/v1/orders", &answer);
    }

    let twice = br#"{"order_no": "bad-1", "channel": "sandbox", "amount": 1, "amount": 2, "currency": "CNY", "subject": "a"}"#;
    let answer = post(&shop, "/v1/orders", MERCHANT, twice.to_vec()).await;
    is_problem(&answer, 422, "validation", "an amount that comes twice");
    assert_eq!(fields(&answer), ["amount"]);

    let entitled = with("account", "");
    let entitled = String::from_utf8(entitled).expect("text").replacen(
        '{',
        r#"{"entitlements": [{"kind": "credits", "quantity": 1}], "#,
        1,
    );
    let answer = post(&shop, "/v1/orders", MERCHANT, entitled.into_bytes()).await;
    is_problem(
        &answer,
        422,
        "validation",
        "entitlements without an account",
    );
    assert_eq!(fields(&answer), ["account"]);

    let answer = post(
        &shop,
        "/v1/orders",
        MERCHANT,
        with("replaces", "\"never-seen\""),
    )
    .await;
    is_problem(
        &answer,
        409,
        "replaced-order-open",
        "replaces an order that is not there",
    );
    contract.covers("POST", "/v1/orders", &answer);

    let all_wrong = br#"{"order_no": 1, "amount": "x", "colour": 1}"#.to_vec();
    let answer = post(&shop, "/v1/orders", MERCHANT, all_wrong).await;
    let named = fields(&answer);
    for field in [
        "order_no", "channel", "amount", "currency", "subject", "colour",
    ] {
        assert!(
            named.contains(&field.to_owned()),
            "{field} is not among {named:?}"
        );
    }

    nothing_happened(&shop, &processor).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_that_is_no_json_object_in_utf8_is_refused_as_a_whole() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::default()).await;
    let contract = Contract::of(&shop).await;
    let deep = |open: &str, times: usize| open.repeat(times).into_bytes();
    let nested = |times: usize| {
        with(
            "metadata",
            &format!("{}1{}", "[".repeat(times), "]".repeat(times)),
        )
    };
    let right = with("amount", "1999");
    let broken: Vec<(&str, Vec<u8>)> = vec![
        ("nothing", Vec::new()),
        ("a blank", b" \n".to_vec()),
        ("no JSON", b"order_no=1&amount=2".to_vec()),
        ("cut off", right[..right.len() - 3].to_vec()),
        ("two documents", [right.clone(), right.clone()].concat()),
        ("an array", b"[]".to_vec()),
        ("a string", b"\"order\"".to_vec()),
        ("null", b"null".to_vec()),
        (
            "a byte order mark",
            [b"\xef\xbb\xbf".to_vec(), right.clone()].concat(),
        ),
        (
            "UTF-16",
            String::from_utf8_lossy(&right)
                .encode_utf16()
                .flat_map(u16::to_le_bytes)
                .collect(),
        ),
        (
            "broken UTF-8",
            with("subject", "\"x\"")
                .into_iter()
                .map(|byte| if byte == b'x' { 0xff } else { byte })
                .collect(),
        ),
        ("GBK", b"{\"subject\": \"\xd4\xc2\xbf\xa8\"}".to_vec()),
        ("a raw control character", with("subject", "\"a\u{1}b\"")),
        ("a trailing comma", b"{\"amount\": 1,}".to_vec()),
        ("a comment", b"{/* */}".to_vec()),
        ("NaN", with("amount", "NaN")),
        ("a leading zero", with("amount", "01")),
        ("a plus sign", with("amount", "+1")),
        ("hexadecimal", with("amount", "0x10")),
        ("30,000 open brackets", deep("[", 30_000)),
        ("10,000 open objects", deep("{\"a\":", 10_000)),
        ("15,000 nested arrays in a field", nested(15_000)),
    ];
    for (what, body) in broken {
        let answer = post(&shop, "/v1/orders", MERCHANT, body).await;
        assert!(!answer.body["code"].is_null(), "{what}: {}", answer.body);
        if what == "15,000 nested arrays in a field" && answer.status == 422 {
            is_problem(&answer, 422, "validation", what);
        } else {
            is_problem(&answer, 400, "malformed-json", what);
        }
        contract.covers("POST", "/v1/orders", &answer);
    }

    let big = with("subject", &text(70_000));
    let answer = post(&shop, "/v1/orders", MERCHANT, big.clone()).await;
    is_problem(&answer, 413, "body-too-large", "a body over the limit");
    contract.covers("POST", "/v1/orders", &answer);
    let pieces = big
        .chunks(1000)
        .map(|piece| Ok::<_, std::io::Error>(piece.to_vec()));
    let pieces: Vec<_> = pieces.collect();
    let chunked = shop
        .client
        .post(shop.url("/v1/orders"))
        .bearer_auth(MERCHANT);
    let chunked = chunked.header("content-type", "application/json");
    let chunked = chunked.body(reqwest::Body::wrap_stream(futures_util::stream::iter(
        pieces,
    )));
    let answer = shop.send(chunked).await;
    is_problem(
        &answer,
        413,
        "body-too-large",
        "a chunked body over the limit",
    );

    for (header, value) in [
        ("content-type", "text/plain"),
        ("content-type", "application/x-www-form-urlencoded"),
        ("content-type", "multipart/form-data; boundary=x"),
        ("content-type", "application/json; charset=gbk"),
        ("content-type", "garbage"),
        ("content-encoding", "gzip"),
        ("content-encoding", "br"),
    ] {
        let request = shop
            .client
            .post(shop.url("/v1/orders"))
            .bearer_auth(MERCHANT);
        let request = if header == "content-type" {
            request.header(header, value)
        } else {
            request
                .header("content-type", "application/json")
                .header(header, value)
        };
        let answer = shop.send(request.body(right.clone())).await;
        is_problem(&answer, 415, "unsupported-media-type", value);
        contract.covers("POST", "/v1/orders", &answer);
    }
    let bare = shop
        .client
        .post(shop.url("/v1/orders"))
        .bearer_auth(MERCHANT);
    let answer = shop.send(bare.body(right)).await;
    is_problem(&answer, 415, "unsupported-media-type", "no content type");

    nothing_happened(&shop, &processor).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn odd_headers_are_refused_by_name_or_ignored() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::default()).await;
    let create = |order_no: &str| {
        let request = shop
            .client
            .post(shop.url("/v1/orders"))
            .bearer_auth(MERCHANT);
        let request = request.header("content-type", "application/json");
        request.body(order(order_no, "VIP").to_string())
    };
    for key in [
        "",
        " ",
        "a b",
        "ключ",
        "\u{a0}",
        &"k".repeat(256),
        &"k".repeat(30_000),
    ] {
        let answer = shop
            .send(create("keyed").header("idempotency-key", key.as_bytes()))
            .await;
        is_problem(&answer, 422, "validation", "an odd Idempotency-Key");
        assert_eq!(fields(&answer), ["Idempotency-Key"]);
    }
    let two = create("keyed")
        .header("idempotency-key", "a")
        .header("idempotency-key", "b");
    is_problem(&shop.send(two).await, 422, "validation", "two keys");
    nothing_happened(&shop, &processor).await;

    // A preference that nobody understands is none; the create is served as if it were not there.
    for (n, prefer) in [
        "wait",
        "wait=",
        "wait=-1",
        "wait=1.5",
        "wait=x",
        "wait=99999999999999999999999",
        "wait=\"5\"",
        "respond-async=yes",
        ",,;;=",
        "=",
        "return=minimal",
        "\u{ff}",
    ]
    .iter()
    .enumerate()
    {
        let answer = shop
            .send(create(&format!("prefer-{n}")).header("prefer", prefer.as_bytes()))
            .await;
        assert_eq!(answer.status, 200, "{prefer}: {}", answer.body);
        assert_eq!(answer.text("status"), "PAID");
    }
    let huge = shop
        .send(create("huge").header("x-huge", "h".repeat(60_000)))
        .await;
    assert!(huge.status < 500, "{}", huge.body);
    let request_id = create("id-1").header("x-request-id", "shop-7");
    assert_eq!(shop.send(request_id).await.header("x-request-id"), "shop-7");
    let unsafe_id = create("id-2").header("x-request-id", "a b{}");
    let answer = shop.send(unsafe_id).await;
    assert!(answer.header("x-request-id").starts_with("req_"));
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_bodies_of_reviews_and_keys_are_named_field_by_field() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::default()).await;
    let contract = Contract::of(&shop).await;
    let paid = shop.create(&order("reviewed", "VIP #no-callback")).await;
    let reviews = format!("/v1/orders/{}/reviews", paid.text("order_id"));
    let review = json!({"decision": "PAID", "basis": "statement 17", "expected_version": 2});
    let key = json!({"name": "till", "role": "merchant"});
    let long = "x".repeat(501);
    let cases: Vec<(&str, &str, &Value, &str, Value)> = vec![
        (&reviews, OPERATOR, &review, "decision", json!("MAYBE")),
        (&reviews, OPERATOR, &review, "decision", json!("paid")),
        (&reviews, OPERATOR, &review, "decision", json!(1)),
        (&reviews, OPERATOR, &review, "decision", json!(null)),
        (&reviews, OPERATOR, &review, "basis", json!(null)),
        (&reviews, OPERATOR, &review, "basis", json!("")),
        (&reviews, OPERATOR, &review, "basis", json!("   ")),
        (&reviews, OPERATOR, &review, "basis", json!("a\u{0}b")),
        (&reviews, OPERATOR, &review, "basis", json!(long)),
        (&reviews, OPERATOR, &review, "expected_version", json!(0)),
        (&reviews, OPERATOR, &review, "expected_version", json!(-1)),
        (&reviews, OPERATOR, &review, "expected_version", json!("2")),
        (&reviews, OPERATOR, &review, "expected_version", json!(1.5)),
        (&reviews, OPERATOR, &review, "expected_version", json!(null)),
        (&reviews, OPERATOR, &review, "channel_trade_no", json!("")),
        (&reviews, OPERATOR, &review, "channel_trade_no", json!(7)),
        (&reviews, OPERATOR, &review, "operator", json!("bob")),
        ("/v1/keys", ADMIN, &key, "name", json!("")),
        ("/v1/keys", ADMIN, &key, "name", json!("a b")),
        ("/v1/keys", ADMIN, &key, "name", json!("x".repeat(65))),
        ("/v1/keys", ADMIN, &key, "name", json!(null)),
        ("/v1/keys", ADMIN, &key, "role", json!("root")),
        ("/v1/keys", ADMIN, &key, "role", json!("Admin")),
        ("/v1/keys", ADMIN, &key, "role", json!(null)),
        ("/v1/keys", ADMIN, &key, "scopes", json!("refunds")),
        ("/v1/keys", ADMIN, &key, "scopes", json!(["everything"])),
        ("/v1/keys", ADMIN, &key, "name", json!("..")),
        ("/v1/keys", ADMIN, &key, "scopes", json!([1])),
        ("/v1/keys", ADMIN, &key, "key", json!("opk_admin_chosen")),
    ];
    for (path, role, right, field, wrong) in cases {
        let mut body = right.clone();
        body[field] = wrong;
        let answer = shop.ask("POST", path, role, Some(&body)).await;
        is_problem(&answer, 422, "validation", &body.to_string());
        assert_eq!(fields(&answer), [field], "{body}");
        contract.covers("POST", path, &answer);
    }
    for (path, role) in [(reviews.as_str(), OPERATOR), ("/v1/keys", ADMIN)] {
        let answer = post(&shop, path, role, b"{".to_vec()).await;
        is_problem(&answer, 400, "malformed-json", path);
        contract.covers("POST", path, &answer);
        let answer = post(&shop, path, role, b" ".repeat(70_000)).await;
        is_problem(&answer, 413, "body-too-large", path);
        contract.covers("POST", path, &answer);
        let plain = shop
            .client
            .post(shop.url(path))
            .bearer_auth(role)
            .body("{}");
        let answer = shop.send(plain).await;
        is_problem(&answer, 415, "unsupported-media-type", path);
        contract.covers("POST", path, &answer);
    }
    let order = shop.get(paid.text("order_id")).await;
    assert_eq!(order["version"], paid.body["version"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn paths_methods_and_ids_that_are_not_ours_are_refused() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::default()).await;
    let contract = Contract::of(&shop).await;
    let unknown = format!("ord_{}", "0".repeat(32));
    let long = "9".repeat(5_000);
    let ids = [
        unknown.as_str(),
        "ord_1",
        "x",
        "%00",
        "%2e%2e%2f",
        "..%2f..%2fetc%2fpasswd",
        "%ff%fe",
        "ord_ZZ'%20OR%201=1--",
        "null",
        "0",
        &long,
        "%F0%9F%92%B8",
    ];
    for id in ids {
        for (method, rest, key) in [
            ("GET", "", VIEWER),
            ("GET", "/events", VIEWER),
            ("POST", "/query", OPERATOR),
            ("POST", "/close", MERCHANT),
        ] {
            let path = format!("/v1/orders/{id}{rest}");
            let answer = shop.ask(method, &path, key, None).await;
            is_problem(&answer, 404, "not-found", &path);
            contract.covers(method, &path, &answer);
        }
        let path = format!("/v1/orders/{id}/reviews");
        let body = json!({"decision": "PAID", "basis": "b", "expected_version": 1});
        let answer = shop.ask("POST", &path, OPERATOR, Some(&body)).await;
        is_problem(&answer, 404, "not-found", &path);
        let path = format!("/v1/alerts/{id}/acknowledge");
        is_problem(
            &shop.ask("POST", &path, OPERATOR, None).await,
            404,
            "not-found",
            &path,
        );
        let path = format!("/v1/keys/{id}");
        is_problem(
            &shop.ask("DELETE", &path, ADMIN, None).await,
            404,
            "not-found",
            &path,
        );
        let path = format!("/v1/callbacks/{id}");
        is_problem(
            &shop.ask("POST", &path, MERCHANT, None).await,
            404,
            "not-found",
            &path,
        );
    }
    for path in [
        "/",
        "/v1",
        "/v1/",
        "/v1/nothing",
        "/v1/orders/",
        "/v2/orders",
        "/V1/orders",
        "//v1/orders",
        "/v1//orders",
        "/favicon.ico",
        "/.env",
        "/docs/nothing-here.js",
        "/v1/callbacks/",
    ] {
        let answer = shop.ask("GET", path, ADMIN, None).await;
        is_problem(&answer, 404, "not-found", path);
    }
    for (method, path) in [
        ("PUT", "/v1/orders"),
        ("DELETE", "/v1/orders"),
        ("PATCH", "/v1/alerts"),
        ("GET", "/v1/callbacks/sandbox"),
        ("PUT", "/v1/keys"),
        ("GET", "/v1/keys/eye"),
        ("POST", "/v1/orders/x"),
        ("GET", "/v1/orders/x/close"),
        ("OPTIONS", "/v1/orders"),
        ("TRACE", "/v1/orders"),
        ("BREW", "/v1/orders"),
        ("POST", "/healthz"),
        ("DELETE", "/metrics"),
    ] {
        let answer = shop.ask(method, path, ADMIN, None).await;
        is_problem(
            &answer,
            405,
            "method-not-allowed",
            &format!("{method} {path}"),
        );
        assert!(
            !answer.header("allow").is_empty(),
            "{method} {path} does not say what is allowed"
        );
    }
    nothing_happened(&shop, &processor).await;
}

/// No order, no call, no alert; the server has said nothing of a panic or a fault of its own.
async fn nothing_happened(shop: &Shop, processor: &Processor) {
    let list = shop.ask("GET", "/v1/orders", VIEWER, None).await;
    assert_eq!(list.body["data"], json!([]));
    assert!(processor.charges().await.is_empty());
    assert!(shop.alerts().await.is_empty());
    let log = shop.running.log();
    for word in ["panicked", "ERROR", "was not served"] {
        assert!(!log.contains(word), "the log tells of `{word}`:\n{log}");
    }
}
