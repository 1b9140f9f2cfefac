//! A TokenPay gateway on loopback: its `CreateOrder` and `Query` with orders in memory, and a blockchain that tests play.

mod serve;

use actix_web::web::{self, Data};
use actix_web::{App, HttpServer, dev::ServerHandle};
use md5::{Digest, Md5};
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;

pub const API_TOKEN: &str = "666666";
pub const TOKEN: &str = "USDT_TRC20";
/// What every order of the double asks the payer to send, in the token.
pub const ASKED: &str = "2.7764";

/// Which request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    CreateOrder,
    Query,
}

/// What goes wrong with one request, once.
#[derive(Debug, Clone)]
pub enum Fault {
    /// The connection breaks before anything is done.
    DropsBefore,
    /// It is done, and the connection breaks.
    DropsAfter,
    /// It is done, and the answer is late.
    Late(Duration),
    /// It is done, and the answer waits until it is let go.
    Held(Arc<Notify>),
    /// Answered with this status and body, and not done.
    Answers(u16, String),
    /// Answered as refused with this sentence, and not done.
    Refuses(&'static str),
}

/// An order as the gateway keeps it; decimals as it writes them.
#[derive(Debug, Clone)]
pub struct Kept {
    pub id: String,
    pub out_order_id: String,
    pub user_key: String,
    pub actual_amount: String,
    pub currency: String,
    pub asked: String,
    pub notify_url: String,
    /// `Pending`, `Paid`, `Expired`, or a word that it does not have.
    pub status: String,
    pub sent: Option<String>,
    pub inexact: bool,
    pub transfer: Option<String>,
}

struct Book {
    orders: Vec<Kept>,
    faults: VecDeque<(Asked, Fault)>,
    creates: usize,
    queries: usize,
    answered: usize,
    base_currency: String,
    pay_host: String,
}

/// The gateway. It stops when it is dropped.
pub struct Gateway {
    book: Arc<Mutex<Book>>,
    port: u16,
    handle: ServerHandle,
}

impl Drop for Gateway {
    fn drop(&mut self) {
        // The command is sent at once; nobody waits for its end.
        drop(self.handle.stop(false));
    }
}

impl Gateway {
    pub fn start() -> Self {
        let (told, hear) = std::sync::mpsc::channel();
        let book = Arc::new(Mutex::new(Book {
            orders: Vec::new(),
            faults: VecDeque::new(),
            creates: 0,
            queries: 0,
            answered: 0,
            base_currency: "CNY".to_owned(),
            pay_host: String::new(),
        }));
        let kept = Data::from(book.clone());
        std::thread::spawn(move || {
            actix_web::rt::System::new().block_on(async move {
                let server = HttpServer::new(move || {
                    App::new()
                        .app_data(kept.clone())
                        .route("/CreateOrder", web::post().to(serve::create))
                        .route("/Query", web::get().to(serve::query))
                })
                .workers(1)
                .disable_signals()
                .bind("127.0.0.1:0")
                .unwrap();
                let port = server.addrs()[0].port();
                let running = server.run();
                told.send((port, running.handle())).unwrap();
                running.await.unwrap();
            });
        });
        let (port, handle) = hear.recv().unwrap();
        let gateway = Self { book, port, handle };
        gateway.change(|book| book.pay_host = gateway.base_url());
        gateway
    }

    pub fn base_url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// `[channels.tokenpay]` for a shop that takes payments through this gateway, with more lines of it.
    pub fn section(&self, more: &str) -> String {
        format!(
            "[channels.tokenpay]\nkind = \"tokenpay\"\nbase_url = \"{}\"\napi_token = \"{API_TOKEN}\"\n\
             token_currency = \"{TOKEN}\"\ncircuit = \"off\"\nread_timeout = \"3s\"\n{more}\n",
            self.base_url()
        )
    }

    fn change<T>(&self, change: impl FnOnce(&mut Book) -> T) -> T {
        change(&mut self.book.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The next request of this kind goes wrong.
    pub fn misbehave(&self, asked: Asked, fault: Fault) {
        self.change(|book| book.faults.push_back((asked, fault)));
    }

    /// Nothing goes wrong any more.
    pub fn behave(&self) {
        self.change(|book| book.faults.clear());
    }

    pub fn set_base_currency(&self, currency: &str) {
        self.change(|book| book.base_currency = currency.to_owned());
    }

    /// `WebSiteUrl`: what the pay page's address begins with.
    pub fn set_pay_host(&self, host: &str) {
        self.change(|book| book.pay_host = host.to_owned());
    }

    /// How often orders were asked to be made, and asked about.
    pub fn calls(&self) -> (usize, usize) {
        self.change(|book| (book.creates, book.queries))
    }

    /// How many requests of either kind it has answered.
    pub fn answered(&self) -> usize {
        self.change(|book| book.answered)
    }

    /// It has made a second order of this number, which is paid too.
    pub fn pays_again(&self, order_no: &str) -> Kept {
        self.change(|book| {
            let first = book.orders.iter().find(|it| it.out_order_id == order_no);
            let mut second = first.unwrap().clone();
            second.id = format!("66f9d5a8-d9c7-0224-004f-{:012x}", book.orders.len() + 1);
            second.is_paid("2.78", false);
            book.orders.push(second.clone());
            second
        })
    }

    pub fn orders(&self, order_no: &str) -> Vec<Kept> {
        self.change(|book| {
            let ours = book.orders.iter().filter(|it| it.out_order_id == order_no);
            ours.cloned().collect()
        })
    }

    /// The one order of this number.
    pub fn order(&self, order_no: &str) -> Kept {
        let orders = self.orders(order_no);
        assert_eq!(orders.len(), 1, "one order: {orders:?}");
        orders[0].clone()
    }

    /// Changes the newest order of this number.
    pub fn edit(&self, order_no: &str, edit: impl FnOnce(&mut Kept)) {
        self.change(|book| {
            let mut orders = book.orders.iter_mut().rev();
            edit(orders.find(|it| it.out_order_id == order_no).unwrap());
        });
    }

    /// The very amount arrives in time.
    pub fn pay(&self, order_no: &str) {
        self.edit(order_no, |order| order.is_paid("2.78", false));
    }

    /// Another amount arrives, and the gateway takes it for the payment (`AmountMove`).
    pub fn pay_about(&self, order_no: &str, sent: &str) {
        self.edit(order_no, |order| order.is_paid(sent, true));
    }

    /// Its time is over; it looks for no transfer any more.
    pub fn expire(&self, order_no: &str) {
        self.edit(order_no, |order| order.status = "Expired".to_owned());
    }

    /// The notice of the order as it is now.
    pub fn notice(&self, order_no: &str) -> Vec<u8> {
        self.notice_of(&self.order(order_no))
    }

    pub fn notice_of(&self, order: &Kept) -> Vec<u8> {
        let number = match order.status.as_str() {
            "Pending" => "0",
            "Paid" => "1",
            "Expired" => "2",
            other => other,
        };
        let text = |text: &str| serde_json::to_string(text).unwrap();
        let fields = [
            ("Id", text(&order.id)),
            (
                "BlockTransactionId",
                text(order.transfer.as_deref().unwrap_or_default()),
            ),
            ("OutOrderId", text(&order.out_order_id)),
            ("OrderUserKey", text(&order.user_key)),
            ("PayTime", text("2026-11-30 18:00:11")),
            ("Amount", text(&order.asked)),
            ("ActualAmount", text(&order.actual_amount)),
            ("Currency", text(&order.currency)),
            ("ToAddress", text("TKGTx4pCKiKQbk8evXHTborfZn754TGViP")),
            ("Status", number.to_owned()),
            (
                "BaseCurrency",
                text(&self.change(|book| book.base_currency.clone())),
            ),
            ("PayAmount", text(order.sent.as_deref().unwrap_or_default())),
            ("IsDynamicAmount", u8::from(order.inexact).to_string()),
        ];
        signed(&fields.map(|(name, value)| (name.to_owned(), value)))
    }
}

impl Kept {
    fn is_paid(&mut self, sent: &str, inexact: bool) {
        self.status = "Paid".to_owned();
        self.sent = Some(sent.to_owned());
        self.inexact = inexact;
        self.transfer = Some(hex::encode(Md5::digest(self.id.as_bytes())));
    }
}

/// A notice of these fields, each as it stands in JSON, with its signature.
pub fn signed(fields: &[(String, String)]) -> Vec<u8> {
    let map: BTreeMap<&str, &str> = fields
        .iter()
        .map(|(k, v)| (k.as_str(), v.as_str()))
        .collect();
    let signature = format!("\"{}\"", signature(&map));
    let all = map.into_iter().chain([("Signature", signature.as_str())]);
    let lines: Vec<String> = all
        .map(|(name, value)| format!("\"{name}\":{value}"))
        .collect();
    format!("{{{}}}", lines.join(",")).into_bytes()
}

/// Over the fields as they stand in JSON: strings decoded, numbers as written, without null and empty values.
fn signature(fields: &BTreeMap<&str, &str>) -> String {
    let mut text = String::new();
    for (name, value) in fields {
        let value = match serde_json::from_str::<serde_json::Value>(value).unwrap() {
            serde_json::Value::String(decoded) => decoded,
            serde_json::Value::Null => String::new(),
            serde_json::Value::Bool(_)
            | serde_json::Value::Number(_)
            | serde_json::Value::Array(_)
            | serde_json::Value::Object(_) => (*value).to_owned(),
        };
        if *name == "Signature" || value.is_empty() {
            continue;
        }
        if !text.is_empty() {
            text.push('&');
        }
        text.push_str(&format!("{name}={value}"));
    }
    hex::encode(Md5::digest((text + API_TOKEN).as_bytes()))
}
