//! The shop at work, over real HTTP: what its shoppers and its bank see.

use super::bank::{Bank, Note};
use super::shop::Shop;
use oncepay::Settings;
use reqwest::{Client, RequestBuilder, StatusCode};
use serde_json::{Value, json};
use std::net::TcpListener;
use std::path::Path;
use tempfile::TempDir;

const BANK_SECRET: &str = "whsec_dGhlLWJhbmstYW5kLXRoZS1zaG9wLXNoYXJlLXRoaXM=";
const KEY: &str = "opk_viewer_0123456789abcdef0123456789abcdef";

/// The shop's settings as text; a file that `Settings::load` reads would do as well.
fn settings(folder: &Path, address: &str) -> Settings {
    let folder = folder.display();
    let text = format!(
        r#"
        [server]
        public_url = "http://{address}/payments"
        data_dir = "{folder}"
        [database]
        url = "sqlite://{folder}/payments.db"
        [[keys]]
        name = "accounting"
        role = "viewer"
        key = "{KEY}"
        "#
    );
    Settings::from_text(&text).expect("good settings")
}

async fn open(folder: &TempDir, bank: &Bank) -> Shop {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address").to_string();
    let settings = settings(folder.path(), &address);
    let opened = Shop::open(settings, bank.clone(), listener).await;
    opened.expect("the shop opens")
}

async fn check_out(shop: &Shop, cart: Value) -> (StatusCode, Value) {
    let request = Client::new()
        .post(format!("{}/checkout", shop.address))
        .header("content-type", "application/json")
        .body(cart.to_string());
    let (status, text) = sent(request).await;
    (status, serde_json::from_str(&text).unwrap_or_default())
}

async fn look(shop: &Shop, cart: &str) -> Value {
    let url = format!("{}/checkout/{cart}", shop.address);
    let (_, text) = sent(Client::new().get(url)).await;
    serde_json::from_str(&text).expect("a page")
}

async fn sent(request: RequestBuilder) -> (StatusCode, String) {
    let answer = request.send().await.expect("the shop answers");
    let status = answer.status();
    (status, answer.text().await.expect("a body"))
}

/// The bank posts its note to the address that the runtime listens at.
async fn tell(shop: &Shop, note: &Note) -> (StatusCode, String) {
    let url = format!("{}/payments/v1/callbacks/bank", shop.address);
    let mut request = Client::new().post(url).body(note.body.clone());
    for (name, value) in &note.headers {
        request = request.header(*name, value);
    }
    sent(request).await
}

#[actix_web::test]
async fn a_transfer_that_comes_after_the_shop_was_restarted_pays_the_cart_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let bank = Bank::open(BANK_SECRET);
    let shop = open(&folder, &bank).await;
    let cart = json!({"cart": "cart-17", "cents": 4_999});
    let (status, page) = check_out(&shop, cart.clone()).await;
    assert_eq!(status, StatusCode::OK);
    assert_eq!(
        page["says"],
        "please transfer the money with this reference"
    );
    let (_, again) = check_out(&shop, cart).await;
    assert_eq!(page, again, "pressing the button twice is one order");
    assert_eq!(bank.expected(), 1);
    shop.close().await;

    let reference = page["reference"].as_str().expect("a reference").to_owned();
    let note = bank.receive(&reference);
    let shop = open(&folder, &bank).await;
    assert_eq!(
        look(&shop, "cart-17").await["reference"],
        reference.as_str()
    );
    for _ in 0..2 {
        let (status, body) = tell(&shop, &note).await;
        assert_eq!((status, body.as_str()), (StatusCode::OK, "thank you"));
    }
    assert_eq!(look(&shop, "cart-17").await["says"], "thank you");

    let url = format!("{}/payments/v1/orders?order_no=cart-17", shop.address);
    let (_, listed) = sent(Client::new().get(url).bearer_auth(KEY)).await;
    let listed: Value = serde_json::from_str(&listed).expect("JSON");
    let order = &listed["data"][0];
    assert_eq!(
        json!([
            order["status"],
            order["submit_count"],
            order["callback_count"]
        ]),
        json!(["PAID", 1, 2]),
        "{listed}"
    );
    shop.close().await;
}

#[actix_web::test]
async fn what_the_bank_did_not_sign_and_what_it_cannot_carry_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let bank = Bank::open(BANK_SECRET);
    let shop = open(&folder, &bank).await;
    let (_, page) = check_out(&shop, json!({"cart": "cart-18", "cents": 100})).await;
    let mut note = bank.receive(page["reference"].as_str().expect("a reference"));
    note.body = note.body.replace("100", "101");
    let (status, _) = tell(&shop, &note).await;
    assert_eq!(status, StatusCode::UNAUTHORIZED);
    assert_eq!(look(&shop, "cart-18").await["cents"], 100);

    let (status, _) = check_out(&shop, json!({"cart": "cart 19", "cents": 100})).await;
    assert_eq!(
        status,
        StatusCode::BAD_REQUEST,
        "a space in an order number"
    );
    let (status, _) = check_out(&shop, json!({"cart": "cart-19", "cents": 0})).await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
    let (status, _) = check_out(&shop, json!({"cart": "cart-18", "cents": 99})).await;
    assert_eq!(
        status,
        StatusCode::CONFLICT,
        "another total for the same cart"
    );
    assert_eq!(bank.expected(), 1);
    shop.close().await;
}
