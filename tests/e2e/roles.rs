//! Who may do what, and in which language they are told.

use crate::support::{
    ADMIN, Answer, Contract, MERCHANT, OPERATOR, Processor, Shop, Stage, VIEWER, is_problem, order,
};
use serde_json::{Value, json};

const KEYS: [(&str, &str); 4] = [
    ("merchant", MERCHANT),
    ("viewer", VIEWER),
    ("operator", OPERATOR),
    ("admin", ADMIN),
];

/// Each route, a body that it would refuse after the key was looked at, and the roles that may use it.
fn routes(order_id: &str) -> Vec<(&'static str, String, Option<Value>, &'static str)> {
    let at = |rest: &str| format!("/v1/orders/{order_id}{rest}");
    let nobody = format!("/v1/alerts/alr_{}/acknowledge", "0".repeat(32));
    let empty = || Some(json!({}));
    let everyone = "merchant viewer operator admin";
    vec![
        ("POST", "/v1/orders".to_owned(), empty(), "merchant"),
        ("GET", "/v1/orders".to_owned(), None, everyone),
        ("GET", at(""), None, everyone),
        ("GET", at("/events"), None, everyone),
        ("POST", at("/query"), None, "operator admin"),
        ("POST", at("/close"), None, "merchant operator admin"),
        ("POST", at("/reviews"), empty(), "operator admin"),
        ("POST", at("/refunds"), empty(), "merchant operator admin"),
        ("GET", at("/refunds"), None, everyone),
        ("GET", at("/refunds/r-1"), None, everyone),
        (
            "POST",
            at("/refunds/r-1/reviews"),
            empty(),
            "operator admin",
        ),
        (
            "GET",
            "/v1/alerts".to_owned(),
            None,
            "viewer operator admin",
        ),
        ("POST", nobody, None, "operator admin"),
        ("GET", "/v1/accounts/a/balances".to_owned(), None, everyone),
        ("GET", "/v1/accounts/a/entries".to_owned(), None, everyone),
        (
            "POST",
            "/v1/accounts/a/debits".to_owned(),
            empty(),
            "merchant",
        ),
        (
            "POST",
            "/v1/accounts/a/holds".to_owned(),
            empty(),
            "merchant",
        ),
        (
            "POST",
            "/v1/accounts/a/holds/h/capture".to_owned(),
            empty(),
            "merchant",
        ),
        (
            "POST",
            "/v1/accounts/a/holds/h/release".to_owned(),
            None,
            "merchant",
        ),
        ("GET", "/v1/keys".to_owned(), None, "admin"),
        ("POST", "/v1/keys".to_owned(), empty(), "admin"),
        ("DELETE", "/v1/keys/nobody".to_owned(), None, "admin"),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn every_route_asks_for_a_key_in_force_and_the_right_role() {
    let processor = Processor::start().await;
    // Hundreds of strangers come from one address.
    let stage = Stage {
        limits: "unauthenticated_per_address = \"off\"".to_owned(),
        ..Stage::default()
    };
    let shop = Shop::open(&processor, stage).await;
    let contract = Contract::of(&shop).await;
    let paid = shop.create(&order("guarded", "VIP")).await;
    for (method, path, body, allowed) in routes(paid.text("order_id")) {
        let what = format!("{method} {path}");
        for (role, key) in KEYS {
            let answer = shop.ask(method, &path, key, body.as_ref()).await;
            contract.covers(method, &path, &answer);
            if allowed.split(' ').any(|one| one == role) {
                assert!(
                    !matches!(answer.status, 401 | 403),
                    "{what} as {role}: {}",
                    answer.body
                );
            } else {
                is_problem(&answer, 403, "forbidden", &format!("{what} as {role}"));
            }
        }
        for authorization in strangers() {
            let answer = with_authorization(&shop, method, &path, &authorization).await;
            is_problem(
                &answer,
                401,
                "unauthenticated",
                &format!("{what} with {authorization:?}"),
            );
            assert_eq!(answer.header("www-authenticate"), "Bearer");
            contract.covers(method, &path, &answer);
        }
    }
}

/// What is not one key that is in force.
fn strangers() -> Vec<Vec<String>> {
    let one = |text: &str| vec![text.to_owned()];
    vec![
        Vec::new(),
        one(""),
        one("Bearer"),
        one("Bearer "),
        one("Bearer opk_admin_00000000000000000000000000000000"),
        one(&format!("Bearer {}", &ADMIN[..ADMIN.len() - 1])),
        one(&format!("Bearer {ADMIN}0")),
        one(&format!("Bearer {}", ADMIN.to_uppercase())),
        one(&format!("Basic {ADMIN}")),
        one(ADMIN),
        one(&format!("Bearer {ADMIN} {ADMIN}")),
        vec![format!("Bearer {ADMIN}"), format!("Bearer {ADMIN}")],
        one("Bearer ' OR 1=1 --"),
        one(&format!("Bearer {}", "k".repeat(20_000))),
    ]
}

async fn with_authorization(shop: &Shop, method: &str, path: &str, values: &[String]) -> Answer {
    let method = method.parse().expect("a method");
    let mut request = shop.client.request(method, shop.url(path));
    for value in values {
        request = request.header("authorization", value);
    }
    shop.send(request).await
}

#[tokio::test(flavor = "multi_thread")]
async fn texts_follow_accept_language_and_ids_follow_the_caller() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::default()).await;
    let body = order("spoken", "VIP").to_string();
    for (accept, language, message, title) in [
        ("", "en", "Paid.", "The request is not valid"),
        ("fr", "en", "Paid.", "The request is not valid"),
        ("zh-CN", "zh-CN", "支付成功。", "请求无效"),
        ("en;q=0.2, zh;q=0.7", "zh-CN", "支付成功。", "请求无效"),
        (
            "garbage;;;q=,,\u{1f4b8}",
            "en",
            "Paid.",
            "The request is not valid",
        ),
    ] {
        let ask = |body: String| {
            let request = shop
                .client
                .post(shop.url("/v1/orders"))
                .bearer_auth(MERCHANT);
            let request = request.header("accept-language", accept.as_bytes());
            let request = request.header("content-type", "application/json");
            shop.send(request.header("x-request-id", "told-1").body(body))
        };
        let paid = ask(body.clone()).await;
        assert_eq!(
            (paid.status, paid.text("message")),
            (200, message),
            "{accept}"
        );
        assert_eq!(paid.header("x-request-id"), "told-1");
        let refused = ask("{}".to_owned()).await;
        is_problem(&refused, 422, "validation", accept);
        assert_eq!(refused.text("title"), title, "{accept}");
        assert_eq!(refused.header("content-language"), language, "{accept}");
        assert_eq!(refused.text("request_id"), "told-1");
    }
}
