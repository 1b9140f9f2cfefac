//! Requests of the API made of bytes: their routes, the fields of their bodies, and what may stand in them.

use super::bytes::Bytes;
use serde_json::{Map, Value, json};

/// One operation: what may stand in its body and in its query.
#[derive(Debug)]
pub(crate) struct Route {
    pub(crate) method: &'static str,
    pub(crate) template: &'static str,
    pub(crate) fields: &'static [&'static str],
    pub(crate) query: &'static [&'static str],
}

const fn get(template: &'static str, query: &'static [&'static str]) -> Route {
    Route {
        method: "GET",
        template,
        fields: &[],
        query,
    }
}

const fn post(template: &'static str, fields: &'static [&'static str]) -> Route {
    Route {
        method: "POST",
        template,
        fields,
        query: &[],
    }
}

pub(crate) const ROUTES: &[Route] = &[
    post(
        "/v1/orders",
        &[
            "order_no",
            "channel",
            "amount",
            "currency",
            "subject",
            "method",
            "account",
            "entitlements",
            "metadata",
            "return_url",
            "payer",
            "replaces",
            "expires_in",
        ],
    ),
    get(
        "/v1/orders",
        &[
            "order_no",
            "status",
            "channel",
            "created_from",
            "created_to",
            "cursor",
            "limit",
        ],
    ),
    get("/v1/orders/{order_id}", &["wait", "cursor"]),
    get("/v1/orders/{order_id}/events", &["cursor", "limit"]),
    post("/v1/orders/{order_id}/query", &[]),
    post("/v1/orders/{order_id}/close", &[]),
    post(
        "/v1/orders/{order_id}/reviews",
        &["decision", "basis", "channel_trade_no", "expected_version"],
    ),
    post(
        "/v1/orders/{order_id}/refunds",
        &["refund_no", "amount", "reason", "channel_trade_no"],
    ),
    get("/v1/orders/{order_id}/refunds", &["cursor"]),
    get("/v1/orders/{order_id}/refunds/{refund_no}", &[]),
    post(
        "/v1/orders/{order_id}/refunds/{refund_no}/reviews",
        &["decision", "basis", "expected_version"],
    ),
    get("/v1/accounts/{account}/balances", &["limit"]),
    get(
        "/v1/accounts/{account}/entries",
        &["kind", "cursor", "limit"],
    ),
    post(
        "/v1/accounts/{account}/debits",
        &["debit_no", "kind", "quantity", "reason"],
    ),
    post(
        "/v1/accounts/{account}/holds",
        &["hold_no", "kind", "quantity", "expires_in"],
    ),
    post(
        "/v1/accounts/{account}/holds/{hold_no}/capture",
        &["quantity"],
    ),
    post("/v1/accounts/{account}/holds/{hold_no}/release", &[]),
    get(
        "/v1/alerts",
        &["status", "kind", "severity", "cursor", "limit"],
    ),
    post("/v1/alerts/{alert_id}/acknowledge", &[]),
    get(
        "/v1/deliveries",
        &["status", "order_id", "kind", "cursor", "limit"],
    ),
    post("/v1/deliveries/{delivery_id}/redeliver", &[]),
    get("/v1/keys", &["cursor", "limit"]),
    post("/v1/keys", &["name", "role", "scopes"]),
    post("/v1/callbacks/{channel}", &[]),
];

/// Texts that stand for something, and texts that nobody expects.
const TEXTS: [&str; 30] = [
    "A-1",
    "A-2",
    "A-3",
    "counter",
    "till",
    "CNY",
    "JPY",
    "XAU",
    "VIP+ 月卡",
    "credits",
    "u1",
    "r1",
    "later",
    "no",
    "odd",
    "PAID",
    "REFUND",
    "RETRY",
    "merchant",
    "refunds",
    "https://shop.example.com/done",
    "https://shop.example.com@evil.example/",
    "2026-07-26T08:00:00Z",
    "4111 1111 1111 1111",
    "..",
    "",
    " ",
    "a\u{0}b",
    "\u{202e}",
    "ord_0123456789abcdef0123456789abcdef",
];

/// The path of a request; `orders` are the ids of those that are there.
pub(crate) fn path(bytes: &mut Bytes<'_>, route: &Route, orders: &[String]) -> String {
    let mut path = String::new();
    for step in route.template.split('/').skip(1) {
        path.push('/');
        if step.starts_with('{') {
            path.push_str(&segment(bytes, step, orders));
        } else {
            path.push_str(step);
        }
    }
    path
}

/// A segment that a router takes for one: not empty, no step of a path.
fn segment(bytes: &mut Bytes<'_>, name: &str, orders: &[String]) -> String {
    let usual = match name {
        "{order_id}" => bytes.pick(orders).as_str(),
        "{channel}" => *bytes.pick(&["till", "counter"]),
        "{account}" => "u1",
        "{refund_no}" | "{hold_no}" => *bytes.pick(&["r1", "h1"]),
        _ => "alr_0123456789abcdef0123456789abcdef",
    };
    if !bytes.rarely(4) {
        return usual.to_owned();
    }
    let odd = text(bytes);
    if odd.is_empty() || odd == "." || odd == ".." || odd.contains(['/', '\\']) {
        return usual.to_owned();
    }
    oncepay::channels::http::sign::encode_segment(&odd)
}

pub(crate) fn query(bytes: &mut Bytes<'_>, route: &Route) -> String {
    if route.query.is_empty() {
        return String::new();
    }
    let encode = oncepay::channels::http::sign::encode_segment;
    let mut query = String::new();
    for _ in 0..bytes.below(4) {
        query.push(if query.is_empty() { '?' } else { '&' });
        match bytes.below(8) {
            0 => query.extend(bytes.text(20).chars().filter(char::is_ascii_graphic)),
            _ => {
                let name = *bytes.pick(route.query);
                let value = match bytes.below(4) {
                    0 => bytes.whole().to_string(),
                    _ => text(bytes),
                };
                query.push_str(&format!("{name}={}", encode(&value)));
            }
        }
    }
    query
}

/// A body as a client would send it, somewhat off, or anything at all.
pub(crate) fn body(bytes: &mut Bytes<'_>, route: &Route) -> Vec<u8> {
    if bytes.rarely(8) {
        return bytes.rest().to_vec();
    }
    let mut fields = Map::new();
    for name in route.fields {
        let required = !matches!(
            *name,
            "method"
                | "account"
                | "entitlements"
                | "metadata"
                | "return_url"
                | "payer"
                | "replaces"
                | "expires_in"
                | "reason"
                | "channel_trade_no"
                | "scopes"
        );
        let given = if required {
            !bytes.rarely(16)
        } else {
            bytes.rarely(4)
        };
        if given {
            let value = value(bytes, name);
            fields.insert((*name).to_owned(), value);
        }
    }
    if bytes.rarely(8) {
        let value = odd(bytes);
        fields.insert(text(bytes), value);
    }
    let mut written = Value::Object(fields).to_string().into_bytes();
    while bytes.rarely(8) {
        let place = bytes.below(4_096).checked_rem(written.len());
        if let Some(byte) = place.and_then(|place| written.get_mut(place)) {
            *byte = bytes.byte();
        }
    }
    written
}

fn value(bytes: &mut Bytes<'_>, name: &str) -> Value {
    if bytes.rarely(8) {
        return odd(bytes);
    }
    match name {
        "amount" | "quantity" | "expected_version" | "expires_in" => {
            json!(bytes.whole().max(1))
        }
        "order_no" | "replaces" => json!(format!("A-{}", bytes.byte() % 40)),
        "channel" => json!("counter"),
        "currency" => json!("CNY"),
        "kind" => json!("credits"),
        "refund_no" | "debit_no" | "hold_no" => json!(format!("r{}", bytes.byte() % 4)),
        "method" => json!(*bytes.pick(&["paid", "later", "no", "odd"])),
        "decision" => {
            let words = [
                "PAID",
                "NOT_PAID",
                "CLOSE",
                "REFUND",
                "RESUBMIT",
                "SUCCEEDED",
                "RETRY",
            ];
            json!(*bytes.pick(&words))
        }
        "role" => json!("viewer"),
        "account" => json!("u1"),
        "scopes" => json!([]),
        "entitlements" => json!([{ "kind": text(bytes), "quantity": bytes.whole() }]),
        "metadata" => json!({ text(bytes): text(bytes) }),
        _ => json!(text(bytes)),
    }
}

fn text(bytes: &mut Bytes<'_>) -> String {
    match bytes.below(8) {
        0 => bytes.text(80),
        _ => (*bytes.pick(&TEXTS)).to_owned(),
    }
}

fn odd(bytes: &mut Bytes<'_>) -> Value {
    match bytes.below(10) {
        0 => Value::Null,
        1 => json!(bytes.whole()),
        2 => json!(1.5),
        3 => json!(u64::MAX),
        4 => json!([[[[[]]]]]),
        5 => json!({ "a": { "b": null } }),
        6 => json!("x".repeat(300)),
        7 => json!(vec![json!({ "kind": "credits", "quantity": 1 }); 21]),
        8 => json!(true),
        _ => json!(text(bytes)),
    }
}
