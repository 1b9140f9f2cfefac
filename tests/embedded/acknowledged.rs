//! A notice is acknowledged once it is committed: what the merchant's own fulfiller does about it comes after that.

use super::grants::{eventually, is_granted, look};
use super::licences::{Licences, Mood};
use actix_web::web::scope;
use actix_web::{App, HttpServer};
use oncepay::channels::http::sign::{self, Stamped};
use oncepay::channels::signing::{self, SigningKey};
use oncepay::clock::SystemClock;
use oncepay::domain::order::{Entitlement, EntitlementStatus};
use oncepay::{Currency, Money, OrderStatus, Runtime, Settings, Wait};
use reqwest::{Client, StatusCode};
use secrecy::SecretString;
use serde_json::json;
use std::net::TcpListener;
use std::path::Path;
use std::sync::Arc;

const SECRET: &str = "whsec_dGhlLXByb2Nlc3Nvci1hbmQtdGhlLXNob3Atc2hhcmU=";

/// Nobody answers where the processor should be: what the shop learns of a payment, it learns by notice.
fn settings(folder: &Path, address: &str) -> Settings {
    let folder = folder.display();
    let text = format!(
        r#"
        [server]
        public_url = "http://{address}/payments"
        data_dir = "{folder}"
        [database]
        url = "sqlite://{folder}/payments.db"
        [channels.acme]
        kind = "http"
        base_url = "http://127.0.0.1:9/none"
        secret = "{SECRET}"
        "#
    );
    Settings::from_text(&text).expect("good settings")
}

/// An order of ten licences for 10.00 EUR.
async fn buy(runtime: &Runtime, order_no: &str) {
    let euro = Currency::parse("EUR").expect("a currency");
    let order = runtime
        .gateway()
        .new_order(order_no, "acme", Money::new(1_000, euro), "Seats");
    let mut order = order.expect("a good order");
    order.account = Some("user-42".to_owned());
    order.entitlements = vec![Entitlement::new("licence".to_owned(), 10)];
    let created = runtime.gateway().create(order, Wait::No).await;
    created.expect("it is created");
}

/// The processor says that it is paid, and signs it now.
async fn tell(address: &str, order_no: &str) -> (StatusCode, String) {
    let data = json!({
        "trade_no": format!("T-{order_no}"), "order_no": order_no, "idempotency_key": format!("pay:order:{order_no}"),
        "amount": 1_000, "currency": "EUR", "status": "PAID",
    });
    let body = json!({"type": "charge.updated", "data": data}).to_string();
    let key = SigningKey::parse(&SecretString::from(SECRET)).expect("a secret");
    let timestamp = signing::timestamp(SystemClock::start().wall());
    let head = Stamped {
        id: "msg-1",
        timestamp: &timestamp,
    };
    let signature = key.sign(&sign::notice_text(head, body.as_bytes()));
    let answer = Client::new()
        .post(format!("http://{address}/payments/v1/callbacks/acme"))
        .header(sign::ID, head.id)
        .header(sign::TIMESTAMP, &timestamp)
        .header(sign::SIGNATURE, signature)
        .body(body)
        .send()
        .await
        .expect("the shop answers");
    let status = answer.status();
    (status, answer.text().await.expect("a body"))
}

#[actix_web::test]
async fn a_notice_is_acknowledged_three_times_while_the_fulfiller_hangs_and_it_is_asked_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address").to_string();
    let licences = Licences::open();
    licences.is(Mood::Hangs);
    let runtime = Runtime::builder(settings(folder.path(), &address))
        .fulfiller(Arc::new(licences.clone()))
        .start()
        .await
        .expect("it starts");
    let payments = runtime.routes();
    let app = move || App::new().service(scope("/payments").configure(payments.clone()));
    let server = HttpServer::new(app).workers(2).disable_signals();
    let server = server.listen(listener).expect("it listens").run();
    let handle = server.handle();
    actix_web::rt::spawn(server);
    buy(&runtime, "cart-1").await;

    let success = (StatusCode::OK, "success".to_owned());
    assert_eq!(tell(&address, "cart-1").await, success);
    eventually("the fulfiller is asked, and hangs", async || {
        licences.of("cart-1").is_some()
    })
    .await;
    assert_eq!(tell(&address, "cart-1").await, success);
    assert_eq!(tell(&address, "cart-1").await, success);
    let order = look(&runtime, "cart-1").await;
    assert_eq!(order.status, OrderStatus::Paid);
    assert_eq!(order.entitlements[0].status, EntitlementStatus::Pending);

    licences.is(Mood::Works);
    is_granted(&runtime, "cart-1", "licence").await;
    assert_eq!(licences.of("cart-1").expect("issued").asked, 1);
    handle.stop(true).await;
    runtime.stop().await;
}
