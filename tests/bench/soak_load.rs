//! Callers at a steady pace: orders of all kinds, refunds, debits, closes and reads. One that is not answered asks again.

use crate::support::{MERCHANT, OPERATOR, Shop, VIEWER};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::sync::Semaphore;

/// What the processor does with an order, by its number. Most are as they should be.
const SCRIPTS: [&str; 20] = [
    "VIP",
    "VIP",
    "VIP #lost-reply #no-callback #query=timeout:1",
    "VIP",
    "VIP",
    "VIP #delay=1s #no-callback",
    "VIP",
    "VIP",
    "VIP #lost-request=1",
    "VIP",
    "VIP #pending #pay-after=1s",
    "VIP #refund=pending #refund-after=1s",
    "VIP",
    "VIP #declined",
    "VIP #lost-refund-reply",
    "VIP",
    "VIP #callbacks=5",
    "VIP #http=500-charged #no-callback",
    "VIP",
    CLOSED,
];
const CLOSED: &str = "VIP #pending";
const ACCOUNTS: u64 = 1000;
/// More that wait at once means that the server does not keep up; the pace waits for it then.
const WAITING_MAX: usize = 4096;
/// No restart takes so long.
const AWAY_MAX: Duration = Duration::from_secs(120);

/// What has become of the load.
#[derive(Default)]
pub struct Tally {
    orders: AtomicU64,
    refunds: AtomicU64,
    debits: AtomicU64,
    asked_again: AtomicU64,
    unanswered: AtomicU64,
    pauses: AtomicBool,
    took: Mutex<Vec<Duration>>,
}

impl Tally {
    pub fn orders(&self) -> u64 {
        self.orders.load(Ordering::Relaxed)
    }

    pub fn refunds(&self) -> u64 {
        self.refunds.load(Ordering::Relaxed)
    }

    pub fn debits(&self) -> u64 {
        self.debits.load(Ordering::Relaxed)
    }

    pub fn asked_again(&self) -> u64 {
        self.asked_again.load(Ordering::Relaxed)
    }

    /// Requests that were given up.
    pub fn unanswered(&self) -> u64 {
        self.unanswered.load(Ordering::Relaxed)
    }

    /// Whether answers are measured from now on.
    pub fn measure(&self, measures: bool) {
        self.pauses.store(!measures, Ordering::Relaxed);
        self.taken();
    }

    /// How long plain orders took since it was last asked.
    pub fn taken(&self) -> Vec<Duration> {
        std::mem::take(&mut *self.took.lock().expect("unpoisoned"))
    }

    fn took(&self, started: Instant) {
        if !self.pauses.load(Ordering::Relaxed) {
            let mut took = self.took.lock().expect("unpoisoned");
            took.push(started.elapsed());
        }
    }
}

/// All callers, until they are ended.
pub struct Callers {
    ends: Arc<AtomicBool>,
    pace: tokio::task::JoinHandle<()>,
}

impl Callers {
    pub fn begin(shop: &Shop, tally: &Arc<Tally>, rate: u32) -> Self {
        let ends = Arc::new(AtomicBool::new(false));
        let caller = Caller {
            client: shop.client.clone(),
            port: shop.port,
            tally: Arc::clone(tally),
        };
        let ended = Arc::clone(&ends);
        let pace = tokio::spawn(async move {
            let seats = Arc::new(Semaphore::new(WAITING_MAX));
            let mut tick = tokio::time::interval(Duration::from_secs(1) / rate);
            tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
            for number in 0.. {
                tick.tick().await;
                if ended.load(Ordering::Relaxed) {
                    break;
                }
                let seat = Arc::clone(&seats).acquire_owned().await.expect("open");
                let caller = caller.clone();
                tokio::spawn(async move {
                    caller.purchase(number).await;
                    drop(seat);
                });
            }
            let all = u32::try_from(WAITING_MAX).expect("a small number");
            drop(seats.acquire_many(all).await);
        });
        Self { ends, pace }
    }

    /// Begins nothing more, and returns when all were answered.
    pub async fn end(self) {
        self.ends.store(true, Ordering::Relaxed);
        self.pace.await.expect("the callers end");
    }
}

#[derive(Clone)]
struct Caller {
    client: reqwest::Client,
    port: u16,
    tally: Arc<Tally>,
}

impl Caller {
    /// An order, and what the merchant does with it then.
    async fn purchase(&self, number: u64) {
        let script = SCRIPTS[usize::try_from(number % 20).expect("small")];
        let account = format!("user-{}", number.wrapping_mul(7919) % ACCOUNTS);
        let order = json!({"order_no": format!("s-{number}"), "channel": "sandbox", "amount": 1999, "currency": "CNY",
            "subject": script, "account": account, "entitlements": [{"kind": "credits", "quantity": 1000}]});
        let started = Instant::now();
        let Some((order, at_once)) = self.post("/v1/orders", &order).await else {
            return;
        };
        self.tally.orders.fetch_add(1, Ordering::Relaxed);
        let paid = order["status"] == "PAID";
        if paid && at_once && script == "VIP" {
            self.tally.took(started);
        }
        let path = format!("/v1/orders/{}", order["order_id"].as_str().expect("an id"));
        if script == CLOSED {
            self.post(&format!("{path}/close"), &json!({})).await;
        }
        if paid && (number.is_multiple_of(9) || script.contains("refund")) {
            let refund = json!({"refund_no": "r-1", "amount": 500});
            self.post(&format!("{path}/refunds"), &refund).await;
            self.tally.refunds.fetch_add(1, Ordering::Relaxed);
        }
        if number % 10 == 3 {
            let debit =
                json!({"debit_no": format!("d-{number}"), "kind": "credits", "quantity": 10});
            self.post(&format!("/v1/accounts/{account}/debits"), &debit)
                .await;
            self.tally.debits.fetch_add(1, Ordering::Relaxed);
        }
        if number % 10 == 7 {
            self.get(&path).await;
            self.get(&format!("{path}/events")).await;
            self.get("/v1/deliveries?status=PENDING").await;
        }
    }

    /// The answer to a request that is made until it is answered, and whether it was at once. Each of them may be made
    /// twice: the numbers in it are the merchant's.
    async fn post(&self, path: &str, body: &Value) -> Option<(Value, bool)> {
        let until = Instant::now() + AWAY_MAX;
        let mut at_once = true;
        while Instant::now() < until {
            let request = self
                .client
                .post(format!("http://127.0.0.1:{}{path}", self.port))
                .bearer_auth(MERCHANT)
                .header("content-type", "application/json")
                .body(body.to_string());
            if let Ok(answer) = request.send().await
                && !answer.status().is_server_error()
                && let Ok(bytes) = answer.bytes().await
            {
                let body = serde_json::from_slice(&bytes).expect("an answer is JSON");
                return Some((body, at_once));
            }
            at_once = false;
            self.tally.asked_again.fetch_add(1, Ordering::Relaxed);
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
        self.tally.unanswered.fetch_add(1, Ordering::Relaxed);
        None
    }

    /// Nobody minds a page that does not come while the server is away.
    async fn get(&self, path: &str) {
        let request = self
            .client
            .get(format!("http://127.0.0.1:{}{path}", self.port))
            .bearer_auth(VIEWER);
        if let Ok(answer) = request.send().await {
            drop(answer.bytes().await);
        }
    }
}

/// An operator sends the newest webhook once more, which the audit log tells.
pub async fn redeliver(shop: &Shop) {
    let newest = shop
        .ask(
            "GET",
            "/v1/deliveries?status=DELIVERED&limit=1",
            VIEWER,
            None,
        )
        .await;
    if let Some(id) = newest.body["data"][0]["delivery_id"].as_str() {
        shop.redeliver(id, OPERATOR).await;
    }
}
