//! Programs that pay for what they use, and the part of Alipay's gateway that judges their proofs.

use actix_web::dev::ServerHandle;
use actix_web::web::{Data, Form, Query, post};
use actix_web::{App, HttpResponse, HttpServer};
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use oncepay::channels::rsa::{RsaSigner, RsaVerifier};
use secrecy::SecretString;
use serde_json::{Value, json};
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex};
use std::time::Duration;

pub(crate) const APP_ID: &str = "2021000000000001";
pub(crate) const SELLER_ID: &str = "2088000000000001";
const APP_PRIVATE: &str = include_str!("../channels/vectors/alipay/keys/alipay_app.pkcs8.pem");
const APP_PUBLIC: &str = include_str!("../channels/vectors/alipay/keys/alipay_app.pub.pem");
const ALIPAY_PRIVATE: &str =
    include_str!("../channels/vectors/alipay/keys/alipay_platform.pkcs8.pem");
const ALIPAY_PUBLIC: &str = include_str!("../channels/vectors/alipay/keys/alipay_platform.pub.pem");

pub(crate) const VERIFY: &str = "alipay.aipay.agent.payment.verify";
pub(crate) const CONFIRM: &str = "alipay.aipay.agent.fulfillment.confirm";

/// What the gateway does at its next call of a method, instead of its duty.
#[derive(Debug, Clone)]
pub(crate) enum Instead {
    Trouble,
    Unsigned,
    Says(Value),
}

#[derive(Default)]
struct Book {
    /// What was paid, by the number of the trade.
    payments: BTreeMap<String, Value>,
    instead: VecDeque<(&'static str, Instead)>,
    /// The methods that were called, and of which trade.
    calls: Vec<(String, String)>,
    /// The method whose calls are not answered yet.
    held: Option<&'static str>,
}

/// The gateway. It stops when it is dropped.
pub(crate) struct Gateway {
    book: Arc<Mutex<Book>>,
    address: String,
    handle: ServerHandle,
}

impl Drop for Gateway {
    fn drop(&mut self) {
        drop(self.handle.stop(false));
    }
}

impl Gateway {
    pub(crate) fn open() -> Self {
        let book = Arc::new(Mutex::new(Book::default()));
        let kept = Data::from(book.clone());
        let (told, hear) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            actix_web::rt::System::new().block_on(async move {
                let server = HttpServer::new(move || {
                    App::new()
                        .app_data(kept.clone())
                        .route("/gateway.do", post().to(serve))
                })
                .workers(1)
                .disable_signals()
                .bind("127.0.0.1:0")
                .unwrap();
                let address = server.addrs()[0];
                let running = server.run();
                told.send((address, running.handle())).unwrap();
                running.await.unwrap();
            });
        });
        let (address, handle) = hear.recv().unwrap();
        Self {
            book,
            address: format!("http://{address}/gateway.do"),
            handle,
        }
    }

    /// `[channels.alipay]` of a seller at this gateway.
    pub(crate) fn section(&self) -> String {
        format!(
            "[channels.alipay]\nkind = \"alipay\"\ngateway = \"{}\"\napp_id = \"{APP_ID}\"\nseller_id = \"{SELLER_ID}\"\n\
             app_private_key = '''{APP_PRIVATE}'''\nalipay_public_key = '''{ALIPAY_PUBLIC}'''\n",
            self.address
        )
    }

    pub(crate) fn instead(&self, method: &'static str, instead: Instead) {
        self.book
            .lock()
            .unwrap()
            .instead
            .push_back((method, instead));
    }

    /// From now on the gateway is as it should be.
    pub(crate) fn forgets_all_instead(&self) {
        self.book.lock().unwrap().instead.clear();
    }

    /// Calls of this method are not answered, until none is held.
    pub(crate) fn holds(&self, method: Option<&'static str>) {
        self.book.lock().unwrap().held = method;
    }

    /// How often this was called, about whatever trade.
    pub(crate) fn all_calls(&self, method: &str) -> usize {
        let book = self.book.lock().unwrap();
        book.calls.iter().filter(|(of, _)| of == method).count()
    }

    /// How often this was asked about this trade.
    pub(crate) fn calls(&self, method: &str, trade_no: &str) -> usize {
        let book = self.book.lock().unwrap();
        let ours = |(of, trade): &&(String, String)| of == method && trade == trade_no;
        book.calls.iter().filter(ours).count()
    }

    /// A payer takes this offer and pays: the number of the trade, and the proof to show.
    pub(crate) fn pay(&self, offer: &str) -> (String, String) {
        let offer: Value = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(offer).unwrap()).unwrap();
        let protocol = &offer["protocol"];
        assert!(is_signed(&offer), "Alipay takes no payment for {offer}");
        let mut book = self.book.lock().unwrap();
        let trade_no = format!("20261201008281{:04}", book.payments.len() + 1);
        let paid = json!({
            "code": "10000", "msg": "Success", "active": true, "trade_no": trade_no,
            "out_trade_no": protocol["out_trade_no"], "amount": protocol["amount"],
            "resource_id": protocol["resource_id"],
        });
        book.payments.insert(trade_no.clone(), paid);
        let proof = proof(&trade_no);
        (trade_no, proof)
    }
}

/// The header of a payer who says that they have paid this trade.
pub(crate) fn proof(trade_no: &str) -> String {
    header(trade_no, &format!("proof-of-{trade_no}"))
}

/// What the payer's wallet shows when it is asked once more.
pub(crate) fn another_proof(trade_no: &str) -> String {
    header(trade_no, &format!("proof-of-{trade_no}-again"))
}

/// A proof that nobody gave out.
pub(crate) fn forged_proof(trade_no: &str) -> String {
    header(trade_no, "forged")
}

fn header(trade_no: &str, proof: &str) -> String {
    let proof = json!({
        "protocol": {"payment_proof": proof, "trade_no": trade_no},
        "method": {"client_session": "eyJ0ZXN0IjoxfQ"},
    });
    STANDARD.encode(proof.to_string())
}

/// Whether the seller has signed the offer: the eight fields of the contract.
fn is_signed(offer: &Value) -> bool {
    let (protocol, method) = (&offer["protocol"], &offer["method"]);
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let fields = [
        ("amount", &protocol["amount"]),
        ("currency", &protocol["currency"]),
        ("goods_name", &method["goods_name"]),
        ("out_trade_no", &protocol["out_trade_no"]),
        ("pay_before", &protocol["pay_before"]),
        ("resource_id", &protocol["resource_id"]),
        ("seller_id", &method["seller_id"]),
        ("service_id", &method["service_id"]),
    ];
    let pairs = fields.map(|(name, value)| format!("{name}={}", text(value)));
    RsaVerifier::parse(APP_PUBLIC).unwrap().verifies(
        pairs.join("&").as_bytes(),
        &text(&protocol["seller_signature"]),
    )
}

async fn serve(
    book: Data<Mutex<Book>>,
    asked: Query<BTreeMap<String, String>>,
    body: Form<BTreeMap<String, String>>,
) -> HttpResponse {
    let method = asked["method"].clone();
    let content: Value = serde_json::from_str(&body["biz_content"]).unwrap();
    let trade_no = content["trade_no"].as_str().unwrap().to_owned();
    book.lock()
        .unwrap()
        .calls
        .push((method.clone(), trade_no.clone()));
    while book.lock().unwrap().held == Some(method.as_str()) {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let mut book = book.lock().unwrap();
    let at = book.instead.iter().position(|(of, _)| *of == method);
    let answer = match at.and_then(|at| book.instead.remove(at)) {
        Some((_, Instead::Trouble)) => return HttpResponse::BadGateway().body("<html>"),
        Some((_, Instead::Unsigned)) => {
            let unsigned = json!({format!("{}_response", method.replace('.', "_")): book.payments.get(&trade_no)});
            return HttpResponse::Ok().json(unsigned);
        }
        Some((_, Instead::Says(answer))) => answer,
        None if method == CONFIRM => {
            json!({"code": "10000", "msg": "Success", "trade_no": trade_no})
        }
        None => {
            let known = book.payments.get(&trade_no);
            let shown = content["payment_proof"].as_str().unwrap();
            let shown = shown.starts_with(&format!("proof-of-{trade_no}"));
            known.filter(|_| shown).cloned().unwrap_or_else(
                || json!({"code": "10000", "msg": "Success", "trade_no": trade_no, "active": false}),
            )
        }
    };
    let text = answer.to_string();
    let signer = RsaSigner::parse(&SecretString::from(ALIPAY_PRIVATE)).unwrap();
    let sign = signer.sign(text.as_bytes()).unwrap();
    let name = format!("{}_response", method.replace('.', "_"));
    HttpResponse::Ok().body(format!("{{\"{name}\":{text},\"sign\":\"{sign}\"}}"))
}
