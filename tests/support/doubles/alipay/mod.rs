//! A gateway like Alipay's, on this machine: it verifies what it is asked, signs what it says with the test keys, keeps
//! trades and refunds in memory, and misbehaves when it is told to.

#![allow(
    dead_code,
    unreachable_pub,
    clippy::allow_attributes,
    reason = "each test binary uses its own part of the double"
)]

mod book;

use actix_web::http::StatusCode;
use actix_web::{App, HttpRequest, HttpResponse, HttpServer, web};
use book::Book;
pub use book::{Trade, yuan};
use oncepay::channels::alipay::sign;
use oncepay::channels::rsa::{RsaSigner, RsaVerifier};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

pub const APP_ID: &str = "2021000000000001";
pub const SELLER_ID: &str = "2088000000000001";
pub const APP_PRIVATE: &str =
    include_str!("../../../channels/vectors/alipay/keys/alipay_app.pkcs8.pem");
pub const APP_PUBLIC: &str =
    include_str!("../../../channels/vectors/alipay/keys/alipay_app.pub.pem");
pub const ALIPAY_PRIVATE: &str =
    include_str!("../../../channels/vectors/alipay/keys/alipay_platform.pkcs8.pem");
pub const ALIPAY_PUBLIC: &str =
    include_str!("../../../channels/vectors/alipay/keys/alipay_platform.pub.pem");
/// The key that Alipay signed with before, and its certificate with the one that leads to its root.
pub const PREVIOUS_PRIVATE: &str =
    include_str!("../../../channels/vectors/alipay/keys/alipay_previous.pkcs8.pem");
pub const PREVIOUS_CERT: &str =
    include_str!("../../../channels/vectors/alipay/certificates/previous.crt");
pub const APP_CERT: &str = include_str!("../../../channels/vectors/alipay/certificates/app.crt");
pub const ALIPAY_CERT: &str =
    include_str!("../../../channels/vectors/alipay/certificates/alipay.crt");
pub const ROOT_CERT: &str = include_str!("../../../channels/vectors/alipay/certificates/root.crt");
pub const ATTACKER: &str = include_str!("../../../channels/vectors/alipay/keys/attacker.pkcs8.pem");

/// What the gateway does instead of its duty, at the next call of a method.
#[derive(Debug, Clone)]
pub enum Mishap {
    /// The connection breaks before anything was done.
    DropBefore,
    /// … and after it was done.
    DropAfter,
    /// Done, and answered late.
    Delay(Duration),
    Unsigned,
    WronglySigned,
    /// Answered with this code and sub-code, signed; nothing is done.
    Code(&'static str, &'static str),
    /// As `error_response`, signed or not.
    GatewayError(&'static str, bool),
    /// Signed with this content; nothing is done.
    Content(Value),
    /// These bytes, whoever signed them; nothing is done.
    Raw(String),
    /// Not of the gateway at all.
    Html(u16),
}

pub struct AlipayDouble {
    pub port: u16,
    /// In certificate mode: the number that answers bear, and the key that signs them.
    certificate: Arc<Mutex<Certificate>>,
    book: Arc<Mutex<Book>>,
    handle: actix_web::dev::ServerHandle,
}

impl Drop for AlipayDouble {
    fn drop(&mut self) {
        drop(self.handle.stop(false));
    }
}

type Certificate = Option<(String, &'static str)>;

#[derive(Clone)]
struct Shared {
    port: u16,
    certificate: Arc<Mutex<Certificate>>,
    book: Arc<Mutex<Book>>,
}

impl AlipayDouble {
    pub fn start() -> Self {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let (certificate, book) = (Arc::default(), Arc::<Mutex<Book>>::default());
        let shared = Shared {
            port,
            certificate: Arc::clone(&certificate),
            book: Arc::clone(&book),
        };
        let (sender, handle) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            actix_web::rt::System::new().block_on(async move {
                let server = HttpServer::new(move || {
                    App::new()
                        .app_data(web::Data::new(shared.clone()))
                        .route("/gateway.do", web::route().to(gateway))
                        .route("/bill", web::get().to(bill))
                });
                let server = server.workers(1).listen(listener).unwrap().run();
                sender.send(server.handle()).unwrap();
                server.await.unwrap();
            });
        });
        Self {
            port,
            certificate,
            book,
            handle: handle.recv().unwrap(),
        }
    }

    pub fn gateway(&self) -> String {
        format!("http://127.0.0.1:{}/gateway.do", self.port)
    }

    /// Its section of a configuration; it stands open at its end.
    pub fn section(&self) -> String {
        let trust = format!("alipay_public_key = \"\"\"{ALIPAY_PUBLIC}\"\"\"\n");
        self.section_that_trusts(&trust)
    }

    /// The same in certificate mode.
    pub fn section_with_certificates(&self) -> String {
        self.section_that_trusts(&format!(
            "app_cert = \"\"\"{APP_CERT}\"\"\"\nroot_cert = \"\"\"{ROOT_CERT}\"\"\"\n\
             alipay_cert = \"\"\"{ALIPAY_CERT}\"\"\"\n"
        ))
    }

    fn section_that_trusts(&self, trust: &str) -> String {
        format!(
            "[channels.alipay]\nkind = \"alipay\"\ngateway = \"{}\"\napp_id = \"{APP_ID}\"\nseller_id = \"{SELLER_ID}\"\n\
             app_private_key = \"\"\"{APP_PRIVATE}\"\"\"\n{trust}",
            self.gateway()
        )
    }

    fn book(&self) -> MutexGuard<'_, Book> {
        self.book.lock().unwrap()
    }

    /// The next call of this method goes wrong so; told several times, the next calls do.
    pub fn misbehave(&self, method: &str, mishap: Mishap) {
        let mut book = self.book();
        book.mishaps
            .entry(method.to_owned())
            .or_default()
            .push(mishap);
    }

    pub fn bears_certificate(&self, number: &str) {
        self.signs_under(number, ALIPAY_PRIVATE);
    }

    /// From now on answers bear this number, and are signed with this key.
    pub fn signs_under(&self, number: &str, key: &'static str) {
        *self.certificate.lock().unwrap() = Some((number.to_owned(), key));
    }

    pub fn has_bill(&self, zip: &[u8]) {
        self.book().bill = Some(zip.to_vec());
    }

    /// The contents of all calls of this method.
    pub fn calls(&self, method: &str) -> Vec<Value> {
        let book = self.book();
        let of_method = book.calls.iter().filter(|(name, _)| name == method);
        of_method.map(|(_, content)| content.clone()).collect()
    }

    pub fn trade(&self, order_no: &str) -> Option<Trade> {
        self.book().trades.get(order_no).cloned()
    }

    /// The payer scans the code: only now there is a trade.
    pub fn scan(&self, order_no: &str) -> String {
        self.book().begin(order_no)
    }

    pub fn pay(&self, order_no: &str) -> String {
        let trade_no = self.scan(order_no);
        self.change(order_no, |trade| {
            trade.status = "TRADE_SUCCESS";
            trade.paid = true;
        });
        trade_no
    }

    pub fn change(&self, order_no: &str, change: impl FnOnce(&mut Trade)) {
        change(self.book().trades.get_mut(order_no).unwrap());
    }

    /// A notice about the trade as it stands, with these fields instead or beside; signed.
    pub fn notice(&self, order_no: &str, notify_id: &str, fields: &[(&str, &str)]) -> String {
        self.notice_by(ALIPAY_PRIVATE, order_no, notify_id, fields)
    }

    /// The same, signed with this key.
    pub fn notice_by(
        &self,
        key: &str,
        order_no: &str,
        notify_id: &str,
        fields: &[(&str, &str)],
    ) -> String {
        let trade = self.trade(order_no).unwrap();
        let refunded = yuan(trade.refunded());
        let number = trade.refunds.keys().last().cloned().unwrap_or_default();
        let mut all: BTreeMap<&str, &str> = [
            ("notify_id", notify_id),
            ("notify_type", "trade_status_sync"),
            ("notify_time", "2026-11-30 18:00:12"),
            ("app_id", APP_ID),
            ("seller_id", SELLER_ID),
            ("charset", "utf-8"),
            ("version", "1.0"),
            ("subject", "VIP+ 月卡"),
            ("out_trade_no", order_no),
            ("trade_no", &trade.trade_no),
            ("trade_status", trade.status),
            ("total_amount", &trade.total),
        ]
        .into();
        if !trade.refunds.is_empty() {
            all.insert("gmt_refund", "2026-11-30 19:00:00.123");
            all.insert("refund_fee", &refunded);
            all.insert("out_biz_no", &number);
        }
        all.extend(fields.iter().copied());
        signed_form(&all, key)
    }

    /// The message that a refund to a bank card has ended there, signed.
    pub fn message(&self, content: &Value) -> String {
        let content = content.to_string();
        let all = [
            ("app_id", APP_ID),
            ("charset", "utf-8"),
            ("msg_method", "alipay.trade.refund.depositback.completed"),
            ("biz_content", &content),
        ];
        signed_form(&all.into(), ALIPAY_PRIVATE)
    }
}

/// A form of these fields, with `sign` and `sign_type`, by this key.
pub fn signed_form(fields: &BTreeMap<&str, &str>, key: &str) -> String {
    let bytes = |text: &&str| text.as_bytes().to_vec();
    let raw = fields
        .iter()
        .map(|(name, value)| (bytes(name), bytes(value)));
    let sign = signer(key)
        .sign(&sign::notice_text(&raw.collect()))
        .unwrap();
    let mut address = reqwest::Url::parse("http://form").unwrap();
    address
        .query_pairs_mut()
        .extend_pairs(fields)
        .append_pair("sign_type", "RSA2")
        .append_pair("sign", &sign);
    address.query().unwrap().to_owned()
}

pub fn signer(key: &str) -> RsaSigner {
    RsaSigner::parse(&key.to_owned().into()).unwrap()
}

async fn bill(shared: web::Data<Shared>) -> HttpResponse {
    match &shared.book.lock().unwrap().bill {
        Some(zip) => HttpResponse::Ok().body(zip.clone()),
        None => HttpResponse::NotFound().finish(),
    }
}

async fn gateway(
    request: HttpRequest,
    body: web::Bytes,
    shared: web::Data<Shared>,
) -> HttpResponse {
    let form = format!(
        "{}&{}",
        request.query_string(),
        String::from_utf8_lossy(&body)
    );
    let form = reqwest::Url::parse(&format!("http://form?{form}")).unwrap();
    let given: BTreeMap<String, String> = form.query_pairs().into_owned().collect();
    let pairs: Vec<_> = given
        .iter()
        .map(|(n, v)| (n.as_str(), v.as_str()))
        .collect();
    let text = sign::request_text(&pairs);
    let verifier = RsaVerifier::parse(APP_PUBLIC).unwrap();
    let method = given["method"].clone();
    if !verifier.verifies(text.as_bytes(), &given["sign"]) {
        return error("40002", false);
    }
    let content: Value = serde_json::from_str(&given["biz_content"]).unwrap();
    let mishap = {
        let mut book = shared.book.lock().unwrap();
        book.calls.push((method.clone(), content.clone()));
        let waiting = book.mishaps.get_mut(&method).filter(|it| !it.is_empty());
        waiting.map(|mishaps| mishaps.remove(0))
    };
    let done = match &mishap {
        Some(Mishap::DropBefore) => return broken(),
        Some(Mishap::Code(code, sub_code)) => {
            json!({"code": code, "msg": "…", "sub_code": sub_code})
        }
        Some(Mishap::GatewayError(code, signed)) => return error(code, *signed),
        Some(Mishap::Content(content)) => content.clone(),
        Some(Mishap::Raw(raw)) => return HttpResponse::Ok().body(raw.clone()),
        Some(Mishap::Html(status)) => {
            return HttpResponse::build(StatusCode::from_u16(*status).unwrap()).body("<html>");
        }
        _ => shared
            .book
            .lock()
            .unwrap()
            .serve(&method, &content, shared.port),
    };
    let certificate = shared.certificate.lock().unwrap().clone();
    let own = certificate.as_ref().map_or(ALIPAY_PRIVATE, |it| it.1);
    let key = match mishap {
        Some(Mishap::DropAfter) => return broken(),
        Some(Mishap::Delay(time)) => {
            actix_web::rt::time::sleep(time).await;
            Some(own)
        }
        Some(Mishap::Unsigned) => None,
        Some(Mishap::WronglySigned) => Some(ATTACKER),
        _ => Some(own),
    };
    let name = format!("{}_response", method.replace('.', "_"));
    let number = certificate.as_ref().map(|(number, _)| number.as_str());
    HttpResponse::Ok()
        .content_type("text/html;charset=utf-8")
        .body(reply(&name, &done, key, number))
}

/// As the gateway writes it: slashes are escaped, and the escaped form is what is signed.
pub fn reply(name: &str, content: &Value, key: Option<&str>, certificate: Option<&str>) -> String {
    let content = content.to_string().replace('/', "\\/");
    let mut text = format!("{{\"{name}\":{content}");
    if let Some(key) = key {
        let sign = signer(key).sign(content.as_bytes()).unwrap();
        text.push_str(&format!(",\"sign\":\"{sign}\""));
    }
    if let Some(number) = certificate {
        text.push_str(&format!(",\"alipay_cert_sn\":\"{number}\""));
    }
    text.push('}');
    text
}

fn error(code: &str, signed: bool) -> HttpResponse {
    let content =
        json!({"code": code, "msg": "Invalid Arguments", "sub_code": "isv.invalid-signature"});
    let key = signed.then_some(ALIPAY_PRIVATE);
    HttpResponse::Ok().body(reply("error_response", &content, key, None))
}

/// A body that never comes.
fn broken() -> HttpResponse {
    let nothing = futures_util::stream::once(async {
        Err::<web::Bytes, _>(std::io::Error::other("the connection breaks"))
    });
    HttpResponse::Ok().streaming(nothing)
}
