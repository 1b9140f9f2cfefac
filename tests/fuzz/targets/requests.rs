//! The HTTP API: any request body, query, cursor, path, key and callback gets an answer that the API's own document
//! names, never a 500; every refusal is a problem document, and one about fields names them.

use super::bytes::Bytes;
use super::keys::{SECRET, notice_text, signature};
use super::shapes::{ROUTES, Route, body, path, query};
use super::till::{Request, Response, key, send};
use super::wording;
use serde_json::Value;
use std::sync::LazyLock;

/// The API's own description.
static DOCUMENT: LazyLock<Value> = LazyLock::new(|| {
    let answer = send(Request {
        method: "GET",
        path: "/openapi.json".to_owned(),
        headers: Vec::new(),
        body: Vec::new(),
    });
    serde_json::from_slice(&answer.unwrap().body).unwrap()
});

/// The ids of orders that are there: one that is paid, one that waits, one that was declined, one for a person.
static ORDERS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let methods = ["paid", "later", "no", "odd"].into_iter();
    methods.map(ordered).collect()
});

pub(crate) fn hold(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    let route = bytes.pick(ROUTES);
    let mut headers = about(&mut bytes);
    let path = path(&mut bytes, route, &ORDERS);
    let path = format!("{path}{}", query(&mut bytes, route));
    let body = if route.template.starts_with("/v1/callbacks") {
        let body = wording::body(&mut bytes);
        headers.extend(signed(&body));
        body
    } else if route.fields.is_empty() {
        Vec::new()
    } else {
        body(&mut bytes, route)
    };
    let request = Request {
        method: route.method,
        path,
        headers,
        body,
    };
    let Some(answer) = send(request.clone()) else {
        return;
    };
    judge(route, &request, &answer);
    if route.template == "/v1/orders" && route.method == "POST" && answer.status == 200 {
        same_order(&request, &answer);
    }
}

fn ordered(method: &str) -> String {
    let body = format!(
        r#"{{"order_no": "is-{method}", "channel": "counter", "method": "{method}", "amount": 1999, "currency": "CNY",
            "subject": "VIP+", "account": "u1", "entitlements": [{{"kind": "credits", "quantity": 1000}}]}}"#
    );
    let answer = send(Request {
        method: "POST",
        path: "/v1/orders".to_owned(),
        headers: vec![
            (
                "authorization".to_owned(),
                format!("Bearer {}", key("merchant")),
            ),
            ("content-type".to_owned(), "application/json".to_owned()),
        ],
        body: body.into_bytes(),
    });
    let order: Value = serde_json::from_slice(&answer.unwrap().body).unwrap();
    order["order_id"].as_str().unwrap().to_owned()
}

/// Who asks, and how.
fn about(bytes: &mut Bytes<'_>) -> Vec<(String, String)> {
    let mut headers = Vec::new();
    let mut add = |name: &str, value: String| headers.push((name.to_owned(), value));
    match bytes.below(12) {
        0 => {}
        1 => add("authorization", bytes.text(60)),
        2 => add("authorization", format!("Bearer {}", key("viewer"))),
        3 | 4 => add("authorization", format!("Bearer {}", key("operator"))),
        5 | 6 => add("authorization", format!("Bearer {}", key("admin"))),
        _ => add("authorization", format!("Bearer {}", key("merchant"))),
    }
    let kind = if bytes.rarely(16) {
        bytes.text(40)
    } else {
        "application/json".to_owned()
    };
    add("content-type", kind);
    if bytes.rarely(8) {
        add("idempotency-key", bytes.text(40));
    }
    if bytes.rarely(8) {
        add("prefer", bytes.text(40));
    }
    if bytes.rarely(8) {
        add("accept-language", bytes.text(40));
    }
    if bytes.rarely(8) {
        add("x-request-id", bytes.text(70));
    }
    headers
}

/// As the processor signs a callback now.
fn signed(body: &[u8]) -> [(String, String); 3] {
    let clock = oncepay::clock::SystemClock::start();
    let timestamp = clock.wall().0.div_euclid(1_000).to_string();
    let signature = signature(SECRET, &notice_text("msg_1", &timestamp, body));
    [
        ("webhook-id".to_owned(), "msg_1".to_owned()),
        ("webhook-timestamp".to_owned(), timestamp),
        ("webhook-signature".to_owned(), signature),
    ]
}

fn judge(route: &Route, request: &Request, answer: &Response) {
    let told = || {
        let (asked, told) = (&request.body, &answer.body);
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        format!(
            "{request:?}\n{}\n{} {}",
            text(asked),
            answer.status,
            text(told)
        )
    };
    assert!(answer.status < 500, "{}", told());
    let operation = &DOCUMENT["paths"][route.template][route.method.to_lowercase().as_str()];
    let answers = &operation["responses"];
    assert!(answers.is_object(), "{} is not described", route.template);
    let described = answers.get(answer.status.to_string());
    assert!(described.is_some(), "not described: {}", told());
    let request_id = answer.request_id.as_deref().unwrap_or_default();
    assert!((1..=64).contains(&request_id.len()), "{}", told());
    if answer.status < 400 {
        let is_json = answer.content_type.starts_with("application/json");
        let body: Result<Value, _> = serde_json::from_slice(&answer.body);
        assert!(!is_json || body.is_ok(), "{}", told());
        return;
    }
    assert_eq!(
        answer.content_type,
        "application/problem+json",
        "{}",
        told()
    );
    let problem: Value = serde_json::from_slice(&answer.body).unwrap();
    assert_eq!(problem["status"], answer.status, "{}", told());
    let text = |name: &str| problem[name].as_str().unwrap_or_default();
    assert!(
        !text("title").is_empty() && !text("detail").is_empty(),
        "{}",
        told()
    );
    assert_eq!(text("request_id"), request_id);
    assert_eq!(
        text("type"),
        format!("urn:oncepay:problem:{}", text("code"))
    );
    let faults = problem["errors"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    assert!(
        text("code") != "validation" || !faults.is_empty(),
        "{}",
        told()
    );
    for fault in faults {
        let names = |name: &str| fault[name].as_str().is_some_and(|text| !text.is_empty());
        assert!(names("message"), "{}", told());
        assert!(fault["field"].is_string(), "{}", told());
    }
}

/// The same request again is the same order.
fn same_order(request: &Request, answer: &Response) {
    let again = send(request.clone()).unwrap();
    let order = |answer: &Response| -> Value {
        let body: Value = serde_json::from_slice(&answer.body).unwrap();
        body["order_id"].clone()
    };
    assert_eq!(again.status, 200);
    assert_eq!(order(&again), order(answer));
}
