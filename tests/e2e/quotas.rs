//! How often one may ask: each key, each address that has none, and each address that brings callbacks.

use crate::support::{Answer, MERCHANT, Processor, Shop, Stage, VIEWER};

async fn list(shop: &Shop, key: &str) -> Answer {
    shop.ask("GET", "/v1/orders?limit=1", key, None).await
}

fn limited(lines: &str) -> Stage {
    Stage {
        limits: lines.to_owned(),
        ..Stage::default()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_answer_says_what_is_left_and_the_one_too_many_when_to_come_back() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, limited("requests_per_key = \"3/h\"")).await;
    for left in [2, 1, 0] {
        let answer = list(&shop, MERCHANT).await;
        assert_eq!(answer.status, 200, "{:?}", answer.body);
        assert_eq!(answer.header("ratelimit-policy"), "\"key\";q=3;w=3600");
        let said = answer.header("ratelimit");
        assert!(said.starts_with(&format!("\"key\";r={left};t=")), "{said}");
    }
    let refused = list(&shop, MERCHANT).await;
    assert_eq!(refused.status, 429);
    assert_eq!(refused.text("code"), "rate-limited");
    let wait: u64 = refused.header("retry-after").parse().unwrap();
    assert!((1..=1_200).contains(&wait), "{wait}");
    assert_eq!(refused.header("ratelimit"), format!("\"key\";r=0;t={wait}"));
    let other = list(&shop, VIEWER).await;
    assert_eq!(other.status, 200, "another key has its own allowance");
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_limit_nothing_is_said_of_one() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::default()).await;
    let answer = list(&shop, MERCHANT).await;
    assert_eq!(answer.header("ratelimit"), "");
    assert_eq!(answer.header("ratelimit-policy"), "");
}

#[tokio::test(flavor = "multi_thread")]
async fn who_guesses_keys_is_told_to_wait_and_a_key_beside_them_is_served() {
    let processor = Processor::start().await;
    let stage = limited("unauthenticated_per_address = \"3/h\"");
    let shop = Shop::open(&processor, stage).await;
    for guess in ["opk_merchant_1", "opk_admin_2", ""] {
        let answer = list(&shop, guess).await;
        assert_eq!(answer.text("code"), "unauthenticated");
        assert_eq!(answer.header("ratelimit-policy"), "\"address\";q=3;w=3600");
    }
    let guess = list(&shop, "opk_merchant_3").await;
    assert_eq!((guess.status, guess.text("code")), (429, "rate-limited"));
    assert_ne!(guess.header("retry-after"), "");
    assert_eq!(list(&shop, MERCHANT).await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn callbacks_of_one_address_have_an_allowance_of_their_own() {
    let processor = Processor::start().await;
    let stage = Stage {
        callbacks_per_address: "2/h",
        ..Stage::default()
    };
    let shop = Shop::open(&processor, stage).await;
    for status in [401, 401, 429] {
        let answer = shop.notify("sandbox", &[], b"{}".to_vec()).await;
        assert_eq!(answer.status, status, "{:?}", answer.body);
        assert_eq!(answer.header("ratelimit-policy"), "\"address\";q=2;w=3600");
    }
    assert_eq!(list(&shop, MERCHANT).await.status, 200);
}
