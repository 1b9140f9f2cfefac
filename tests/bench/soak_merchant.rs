//! The merchant's receiver: remembers which orders it was told are paid, and now and then does not take a webhook.

use crate::support::WEBHOOK_SECRET;
use actix_web::web::{Bytes, Data};
use actix_web::{App, HttpResponse, HttpServer, web};
use serde_json::Value;
use std::collections::BTreeSet;
use std::net::TcpListener;
use std::sync::Mutex;

/// It has a bad moment at every so many requests.
const NOT_TAKEN: u64 = 200;

#[derive(Default)]
struct Told {
    requests: u64,
    paid: BTreeSet<String>,
}

pub struct Merchant {
    port: u16,
    told: Data<Mutex<Told>>,
}

impl Merchant {
    pub fn open() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let merchant = Self {
            port: listener.local_addr().expect("an address").port(),
            told: Data::new(Mutex::default()),
        };
        let told = merchant.told.clone();
        let server = move || {
            App::new()
                .app_data(told.clone())
                .route("/hooks", web::post().to(take))
        };
        std::thread::spawn(move || {
            let server = HttpServer::new(server)
                .workers(1)
                .disable_signals()
                .listen(listener);
            let served = server.expect("it listens").run();
            actix_web::rt::System::new().block_on(served)
        });
        merchant
    }

    /// `[fulfilment]` with short delays between attempts.
    pub fn configuration(&self) -> String {
        format!(
            "[fulfilment]\nurl = \"http://127.0.0.1:{}/hooks\"\nsecrets = [\"{WEBHOOK_SECRET}\"]\nallow_private = true\n\
             schedule = [\"100ms\", \"500ms\", \"2s\", \"10s\", \"30s\"]\n",
            self.port
        )
    }

    /// Orders that it was told are paid.
    pub fn paid(&self) -> BTreeSet<String> {
        self.told.lock().expect("unpoisoned").paid.clone()
    }
}

async fn take(told: Data<Mutex<Told>>, body: Bytes) -> HttpResponse {
    let body: Value = serde_json::from_slice(&body).expect("a webhook is JSON");
    let mut told = told.lock().expect("unpoisoned");
    told.requests += 1;
    if told.requests.is_multiple_of(NOT_TAKEN) {
        return HttpResponse::InternalServerError().finish();
    }
    if body["type"] == "order.paid" {
        let order_no = body["data"]["order_no"].as_str().expect("a number");
        told.paid.insert(order_no.to_owned());
    }
    HttpResponse::NoContent().finish()
}
