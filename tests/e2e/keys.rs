//! API keys: shown once, in force at once, refused once revoked.

use crate::support::{
    ADMIN, Contract, MERCHANT, OPERATOR, Processor, Shop, Stage, is_problem, order,
};
use serde_json::json;

#[tokio::test(flavor = "multi_thread")]
async fn a_key_is_shown_once_works_at_once_and_ends_when_it_is_revoked() {
    let processor = Processor::start().await;
    let mut shop = Shop::open(&processor, Stage::default()).await;
    let contract = Contract::of(&shop).await;
    let body = json!({"name": "till-1", "role": "merchant", "scopes": ["refunds"]});
    let made = shop.ask("POST", "/v1/keys", ADMIN, Some(&body)).await;
    assert_eq!(made.status, 201, "{:?}", made.body);
    contract.covers("POST", "/v1/keys", &made);
    let key = made.text("key").to_owned();
    let secret = key
        .strip_prefix("opk_merchant_")
        .expect("the role is in the key");
    assert!(secret.len() >= 32);
    assert_eq!(
        shop.ask("POST", "/v1/orders", &key, Some(&order("by-till", "VIP")))
            .await
            .status,
        200
    );
    is_problem(
        &shop.ask("GET", "/v1/alerts", &key, None).await,
        403,
        "forbidden",
        "a merchant",
    );

    let list = shop.ask("GET", "/v1/keys", ADMIN, None).await;
    contract.covers("GET", "/v1/keys", &list);
    let text = list.body.to_string();
    assert!(text.contains("till-1") && text.contains("shop"));
    for hidden in [secret, MERCHANT, "sha256", ADMIN] {
        assert!(!text.contains(hidden), "the list tells {hidden}");
    }
    for name in ["till-1", "shop"] {
        let again = shop
            .ask(
                "POST",
                "/v1/keys",
                ADMIN,
                Some(&json!({"name": name, "role": "admin"})),
            )
            .await;
        is_problem(&again, 409, "key-exists", name);
        contract.covers("POST", "/v1/keys", &again);
    }
    let configured = shop.ask("DELETE", "/v1/keys/shop", ADMIN, None).await;
    is_problem(
        &configured,
        409,
        "key-configured",
        "a key of the configuration",
    );
    contract.covers("DELETE", "/v1/keys/shop", &configured);
    let by_operator = shop.ask("DELETE", "/v1/keys/till-1", OPERATOR, None).await;
    is_problem(&by_operator, 403, "forbidden", "an operator");

    shop.crash_and_start_again().await;
    assert_eq!(shop.ask("GET", "/v1/orders", &key, None).await.status, 200);
    let revoked = shop.ask("DELETE", "/v1/keys/till-1", ADMIN, None).await;
    assert_eq!(revoked.status, 204);
    contract.covers("DELETE", "/v1/keys/till-1", &revoked);
    is_problem(
        &shop.ask("GET", "/v1/orders", &key, None).await,
        401,
        "unauthenticated",
        "revoked",
    );
    let twice = shop.ask("DELETE", "/v1/keys/till-1", ADMIN, None).await;
    is_problem(&twice, 404, "not-found", "revoked twice");
    // Its name owns its idempotency keys for ever: it is not given away again.
    let log = shop.running.log();
    assert!(
        !log.contains(secret) && !log.contains("0123456789abcdef0123456789abcdef"),
        "a key is in the log"
    );
}
