//! A sandbox on a port of its own, a channel to it, and a merchant that collects its callbacks.

use actix_web::{App, HttpResponse, HttpServer, web};
use oncepay::channels::http::sign::{self, Stamped};
use oncepay::channels::http::{HttpChannel, HttpChannelSettings};
use oncepay::channels::signing::{self, SigningKey};
use oncepay::channels::{Channel, ChargeCall};
use oncepay::clock::{SharedClock, SystemClock};
use oncepay::domain::order::{Answer, ChargeStatus, Statement};
use oncepay::domain::{Currency, Money, UnixMillis};
use oncepay::sandbox::{self, Sandbox};
use secrecy::SecretString;
use std::collections::BTreeMap;
use std::net::TcpListener;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

pub(crate) const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

pub(crate) fn clock() -> SharedClock {
    SystemClock::start()
}

pub(crate) fn settings(base_url: &str) -> HttpChannelSettings {
    HttpChannelSettings {
        name: "sandbox".to_owned(),
        base_url: base_url.to_owned(),
        secret: SecretString::from(SECRET),
        previous_secret: None,
        live: None,
        merchant: None,
        amount_max: None,
    }
}

pub(crate) fn channel(base_url: &str) -> HttpChannel {
    HttpChannel::new(settings(base_url), clock()).unwrap()
}

/// The call about order `order_no` of 19.99 CNY with this subject; 10 s for an answer.
pub(crate) fn call(order_no: &str, subject: &str) -> ChargeCall {
    ChargeCall {
        order_no: order_no.to_owned(),
        idempotency_key: format!("pay:order:{order_no}"),
        method: "direct".to_owned(),
        money: Money::new(1999, Currency::parse("CNY").unwrap()),
        subject: subject.to_owned(),
        expires_in_s: 7200,
        notify_url: String::new(),
        return_url: None,
        payer: None,
        channel_ref: None,
        trade_no: None,
        created_at: UnixMillis(0),
        first_submit_at: None,
        timeout: Duration::from_secs(10),
    }
}

pub(crate) fn statement(answer: &Answer) -> &Statement {
    let Answer::Charge(statement) = answer else {
        panic!("not a statement: {answer:?}");
    };
    statement
}

pub(crate) fn status(answer: &Answer) -> &ChargeStatus {
    &statement(answer).status
}

/// `unknown: submit_timeout` and the like.
pub(crate) fn meaning(answer: &Answer) -> String {
    match answer {
        Answer::Charge(statement) => statement.summary.clone(),
        Answer::Unknown(unknown) => format!("unknown: {}", unknown.reason.as_str()),
        Answer::NotFound => "not found".to_owned(),
        Answer::AlreadyPaid => "already paid".to_owned(),
        Answer::Hint(hint) => format!("hint: {:?}", hint.says),
        Answer::KeyConflict => "key conflict".to_owned(),
        Answer::CannotClose => "cannot close".to_owned(),
        Answer::Throttled { .. } => "throttled".to_owned(),
        Answer::NotSent { .. } => "not sent".to_owned(),
    }
}

/// A sandbox with its ledger in a folder of its own.
pub(crate) struct Bench {
    pub(crate) channel: HttpChannel,
    pub(crate) base: String,
    _folder: tempfile::TempDir,
}

impl Bench {
    pub(crate) fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let sandbox = open(&folder.path().join("sandbox.jsonl"));
        let base = serve(&sandbox);
        Self {
            channel: channel(&base),
            base,
            _folder: folder,
        }
    }

    pub(crate) async fn submit(&self, order_no: &str, subject: &str) -> Answer {
        self.channel.submit(&call(order_no, subject)).await
    }

    pub(crate) async fn query(&self, order_no: &str) -> Answer {
        self.channel.query(&call(order_no, "")).await
    }

    pub(crate) async fn close(&self, order_no: &str) -> Answer {
        self.channel.close(&call(order_no, "")).await
    }

    /// Waits until a query says so.
    pub(crate) async fn until(&self, order_no: &str, expected: &ChargeStatus) {
        for _ in 0..1000 {
            let answer = self.query(order_no).await;
            if matches!(&answer, Answer::Charge(it) if it.status == *expected) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("{order_no} did not become {expected:?}");
    }

    /// Makes something happen at the sandbox.
    pub(crate) async fn control(&self, command: &str) {
        let request = reqwest::Client::new()
            .post(format!("{}/control", self.base))
            .header("content-type", "application/json")
            .body(command.to_owned());
        assert_eq!(request.send().await.unwrap().status(), 200, "{command}");
    }

    pub(crate) async fn ledger(&self) -> serde_json::Value {
        let address = format!("{}/ledger", self.base);
        let text = reqwest::get(address).await.unwrap().text().await.unwrap();
        serde_json::from_str(&text).unwrap()
    }

    /// What the ledger says about this order's charge; null if nothing was charged.
    pub(crate) async fn charge(&self, order_no: &str) -> serde_json::Value {
        let ledger = self.ledger().await;
        let charges = ledger["charges"].as_array().unwrap();
        let ours = charges.iter().find(|charge| charge["order_no"] == order_no);
        ours.cloned().unwrap_or_default()
    }
}

pub(crate) fn open(file: &std::path::Path) -> Sandbox {
    Sandbox::open(file, &SecretString::from(SECRET), clock()).unwrap()
}

/// Serves the sandbox on a free port and returns its base address.
pub(crate) fn serve(sandbox: &Sandbox) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base = format!("http://{}/sandbox", listener.local_addr().unwrap());
    let server = sandbox::server(sandbox, listener, Some(2)).unwrap();
    actix_web::rt::spawn(server);
    base
}

/// A processor that answers every request with this status and body, signed as it should be.
pub(crate) fn signing_processor(status: u16, body: &'static str) -> String {
    processor_with_a_clock_off_by(0, status, body)
}

/// The same, with a clock that is so many seconds ahead.
pub(crate) fn processor_with_a_clock_off_by(
    seconds: i64,
    status: u16,
    body: &'static str,
) -> String {
    let reply = move |request: actix_web::HttpRequest| async move {
        let key = SigningKey::parse(&SecretString::from(SECRET)).unwrap();
        let timestamp = signing::timestamp(clock().wall().plus(seconds * 1000));
        let head = Stamped {
            id: "msg_reply",
            timestamp: &timestamp,
        };
        let request_id = request.headers().get(sign::ID).unwrap().to_str().unwrap();
        let text =
            sign::reply_text(head, request_id, &status.to_string(), body.as_bytes()).concat();
        HttpResponse::build(status.try_into().unwrap())
            .insert_header((sign::ID, head.id))
            .insert_header((sign::TIMESTAMP, head.timestamp))
            .insert_header((sign::SIGNATURE, key.sign(&[&text])))
            .body(body)
    };
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    let server = HttpServer::new(move || App::new().default_service(web::to(reply)))
        .workers(1)
        .disable_signals()
        .listen(listener)
        .unwrap();
    actix_web::rt::spawn(server.run());
    base
}

/// A callback as it arrived.
#[derive(Debug, Clone)]
pub(crate) struct Arrived {
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: Vec<u8>,
}

/// A merchant's callback address. It refuses the first `refusals` callbacks.
pub(crate) struct Merchant {
    pub(crate) url: String,
    arrived: Arc<Mutex<Vec<Arrived>>>,
}

impl Merchant {
    pub(crate) fn start(refusals: usize) -> Self {
        let arrived = Arc::new(Mutex::new(Vec::new()));
        let shared = arrived.clone();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/callback", listener.local_addr().unwrap());
        let receive = move |request: actix_web::HttpRequest, body: web::Bytes| {
            let headers = request.headers().iter().map(|(name, value)| {
                (name.as_str().to_owned(), value.to_str().unwrap().to_owned())
            });
            let mut arrived = shared.lock().unwrap();
            arrived.push(Arrived {
                headers: headers.collect(),
                body: body.to_vec(),
            });
            let refused = arrived.len() <= refusals;
            async move {
                if refused {
                    HttpResponse::ServiceUnavailable().body("fail")
                } else {
                    HttpResponse::Ok().body("success")
                }
            }
        };
        let server =
            HttpServer::new(move || App::new().route("/callback", web::post().to(receive.clone())))
                .workers(1)
                .disable_signals()
                .listen(listener)
                .unwrap()
                .run();
        actix_web::rt::spawn(server);
        Self { url, arrived }
    }

    /// Waits until so many callbacks have arrived.
    pub(crate) async fn callbacks(&self, count: usize) -> Vec<Arrived> {
        for _ in 0..1000 {
            let arrived = self.arrived.lock().unwrap().clone();
            if arrived.len() >= count {
                return arrived;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("{count} callbacks did not arrive");
    }
}

/// A bill of a million lines takes less than 10 s where nothing else runs, which is printed; three times as much is no
/// hiccup of the machine any more.
const LONG_BILL_MAX: Duration = Duration::from_secs(30);
/// The largest that this process may ever have been.
const RESIDENT_KIB_MAX: u64 = 200 * 1024;

/// Reads a bill of so many charges of `each` minor units. Tells how long that took, and holds it and the memory against
/// their bounds.
pub(crate) fn is_read_in_little(channel: &dyn Channel, bill: &Path, lines: u32, each: i64) {
    let started = Instant::now();
    let mut seen: u64 = 0;
    let totals = channel.read_bill(bill, &mut |_| {
        seen += 1;
        Ok(())
    });
    let (whose, took) = (channel.name(), started.elapsed());
    let totals = totals.unwrap();
    let charges = u64::from(lines);
    assert_eq!((seen, totals.charges), (charges, charges));
    assert_eq!(totals.charged, i64::from(lines) * each);
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let digits = line.unwrap().trim().trim_end_matches(" kB");
    let most: u64 = digits.parse().unwrap();
    println!("{lines} lines of {whose}'s in {took:?}, at most {most} KiB");
    assert!(took < LONG_BILL_MAX, "{whose}: {took:?}");
    assert!(most < RESIDENT_KIB_MAX, "{whose}: {most} KiB");
}
