//! A double of WeChat Pay's APIv3 gateway: it checks every signature, charges and refunds a number once, signs what it
//! says with the platform's test key, and misbehaves as it is told.

mod book;
pub mod keys;
pub mod seal;
mod wire;

pub use book::{Book, Charge, Refund, Said, code};
pub use wire::Got;

use flate2::Compression;
use flate2::write::GzEncoder;
use keys::{MCHID, MERCHANT_PUBLIC_KEY, MERCHANT_SERIAL, PLATFORM_CERTIFICATE, PLATFORM_SERIAL};
use oncepay::channels::rsa::RsaVerifier;
use oncepay::clock::SharedClock;
use seal::{Headers, Signer};
use serde_json::{Value, json};
use std::collections::{BTreeSet, VecDeque};
use std::io::Write as _;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};

/// What a request is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Op {
    Submit,
    Query,
    Close,
    Refund,
    QueryRefund,
    Bill,
    Download,
    Certificates,
}

/// What happens to the next request of its kind.
#[derive(Debug, Clone)]
pub enum Mishap {
    /// The connection breaks, and nothing has happened.
    LostRequest,
    /// It has happened, and the connection breaks.
    LostReply,
    Late(Duration),
    Unsigned,
    SignedBy(Signer),
    /// Signed then, in Unix seconds.
    SignedAt(i64),
    SignedAs(&'static str),
    /// Nothing happens; this is said, and signed.
    Says(Said),
    /// The same by somebody who has no key.
    SaysUnsigned(Said),
    /// Another body, signed with the right one's signature.
    Altered(Value),
}

/// What the double keeps.
pub struct Inside {
    pub book: Book,
    pub seen: Vec<(Op, Got)>,
    pub mishaps: VecDeque<(Op, Mishap)>,
    /// The serial number that replies and notices are signed under.
    pub serial: String,
    /// What the certificates are sealed with.
    pub certificate: Value,
    /// The text of the bill, and its hash if that is not the text's own.
    pub bill: Vec<u8>,
    pub bill_hash: Option<String>,
    nonces: BTreeSet<String>,
    notices: u32,
}

pub struct WechatDouble {
    pub port: u16,
    clock: SharedClock,
    inside: Arc<Mutex<Inside>>,
    task: tokio::task::JoinHandle<()>,
}

impl Drop for WechatDouble {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl WechatDouble {
    /// A gateway on a port of its own that signs under this serial number.
    pub async fn start(clock: SharedClock, serial: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let sealed = seal::sealed(PLATFORM_CERTIFICATE, "certificate");
        let inside = Arc::new(Mutex::new(Inside {
            book: Book::default(),
            seen: Vec::new(),
            mishaps: VecDeque::new(),
            serial: serial.to_owned(),
            certificate: json!({"serial_no": PLATFORM_SERIAL, "effective_time": "2026-11-30T18:26:26+08:00",
                "expire_time": "2031-11-29T18:26:26+08:00", "encrypt_certificate": sealed}),
            bill: Vec::new(),
            bill_hash: None,
            nonces: BTreeSet::new(),
            notices: 0,
        }));
        let (shared, its_clock) = (Arc::clone(&inside), Arc::clone(&clock));
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (shared, clock) = (Arc::clone(&shared), Arc::clone(&its_clock));
                tokio::spawn(async move { serve(stream, &shared, &clock, port).await });
            }
        });
        Self {
            port,
            clock,
            inside,
            task,
        }
    }

    pub fn base_url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    pub fn inside(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().expect("nobody panicked with it")
    }

    /// The next request of this kind ends so.
    pub fn next(&self, op: Op, mishap: Mishap) {
        self.inside().mishaps.push_back((op, mishap));
    }

    /// The next request of this kind is answered with this code, signed.
    pub fn next_code(&self, op: Op, status: u16, word: &str) {
        self.next(op, Mishap::Says(code(status, word)));
    }

    pub fn count(&self, op: Op) -> usize {
        let inside = self.inside();
        inside.seen.iter().filter(|(of, _)| *of == op).count()
    }

    pub fn last(&self, op: Op) -> Got {
        let inside = self.inside();
        let mut newest = inside.seen.iter().rev();
        let found = newest.find(|(of, _)| *of == op);
        found.expect("such a request").1.clone()
    }

    /// The payer pays; the notice of it.
    pub fn pay(&self, order_no: &str) -> (Headers, Vec<u8>) {
        self.inside().book.pay(order_no);
        let transaction = self.inside().book.transaction(order_no);
        self.notice("TRANSACTION.SUCCESS", &transaction)
    }

    /// The charge is called so from now on.
    pub fn stands_at(&self, order_no: &str, state: &str) {
        let mut inside = self.inside();
        let charge = inside.book.charges.get_mut(order_no).expect("a charge");
        charge.state = state.to_owned();
    }

    /// A refund ends; the notice of it.
    pub fn end_refund(&self, number: &str, status: &str) -> (Headers, Vec<u8>) {
        let told = {
            let mut inside = self.inside();
            let refund = inside.book.refunds.get_mut(number).expect("a refund");
            refund.status = status.to_owned();
            inside.book.refund_told(number)
        };
        self.notice(&format!("REFUND.{status}"), &told)
    }

    /// A notice about this resource, signed now.
    pub fn notice(&self, event_type: &str, resource: &Value) -> (Headers, Vec<u8>) {
        let (id, serial) = {
            let mut inside = self.inside();
            inside.notices += 1;
            (format!("EV-{}", inside.notices), inside.serial.clone())
        };
        let body = seal::notice(&id, event_type, resource);
        let headers = seal::signed(Signer::WechatPay, &serial, now_s(&self.clock), &body);
        (headers, body)
    }
}

fn now_s(clock: &SharedClock) -> i64 {
    clock.wall().0.div_euclid(1000)
}

async fn serve(mut stream: TcpStream, inside: &Mutex<Inside>, clock: &SharedClock, port: u16) {
    let Some(got) = wire::read(&mut stream).await else {
        return;
    };
    let now = now_s(clock);
    let Some(answer) = answer(&got, inside, now, port) else {
        return;
    };
    if let Some(pause) = answer.after {
        tokio::time::sleep(pause).await;
    }
    wire::write(&mut stream, answer.status, &answer.headers, &answer.body).await;
}

struct Reply {
    status: u16,
    headers: Headers,
    body: Vec<u8>,
    after: Option<Duration>,
}

/// `None`: the connection breaks.
fn answer(got: &Got, inside: &Mutex<Inside>, now: i64, port: u16) -> Option<Reply> {
    let mut inside = inside.lock().expect("nobody panicked with it");
    let op = op_of(got);
    inside.seen.push((op, got.clone()));
    if !is_authentic(got, &mut inside, now) {
        // Before authentication nothing is signed.
        return Some(reply(code(401, "SIGN_ERROR"), Vec::new()));
    }
    let at = inside.mishaps.iter().position(|(of, _)| *of == op);
    let mishap = at.and_then(|at| inside.mishaps.remove(at)).map(|it| it.1);
    if op == Op::Download && mishap.is_none() {
        return Some(Reply {
            status: 200,
            headers: Vec::new(),
            body: gzip(&inside.bill),
            after: None,
        });
    }
    let (mut signer, mut at, mut after) = (Signer::WechatPay, now, None);
    let mut serial = inside.serial.clone();
    let said = match mishap {
        Some(Mishap::LostRequest) => return None,
        Some(Mishap::LostReply) => {
            does(op, got, &mut inside, port);
            return None;
        }
        Some(Mishap::Unsigned) => {
            return Some(reply(does(op, got, &mut inside, port), Vec::new()));
        }
        Some(Mishap::SaysUnsigned(said)) => return Some(reply(said, Vec::new())),
        Some(Mishap::Altered(body)) => {
            let right = reply(does(op, got, &mut inside, port), Vec::new());
            let headers = seal::signed(signer, &serial, at, &right.body);
            return Some(reply((right.status, Some(body)), headers));
        }
        Some(Mishap::Says(said)) => said,
        other => {
            match other {
                Some(Mishap::Late(pause)) => after = Some(pause),
                Some(Mishap::SignedBy(other)) => signer = other,
                Some(Mishap::SignedAt(other)) => at = other,
                Some(Mishap::SignedAs(other)) => serial = other.to_owned(),
                _ => {}
            }
            does(op, got, &mut inside, port)
        }
    };
    let mut reply = reply(said, Vec::new());
    reply.headers = seal::signed(signer, &serial, at, &reply.body);
    reply.after = after;
    Some(reply)
}

fn reply(said: Said, headers: Headers) -> Reply {
    Reply {
        status: said.0,
        headers,
        body: said
            .1
            .map_or_else(Vec::new, |body| body.to_string().into_bytes()),
        after: None,
    }
}

fn op_of(got: &Got) -> Op {
    let path = got.target.split('?').next().unwrap_or_default();
    match (got.method.as_str(), path) {
        ("GET", "/v3/certificates") => Op::Certificates,
        ("GET", "/v3/bill/tradebill") => Op::Bill,
        ("GET", "/v3/billdownload/file") => Op::Download,
        ("POST", "/v3/refund/domestic/refunds") => Op::Refund,
        ("GET", path) if path.starts_with("/v3/refund/domestic/refunds/") => Op::QueryRefund,
        ("GET", path) if path.starts_with("/v3/pay/transactions/") => Op::Query,
        ("POST", path) if path.ends_with("/close") => Op::Close,
        ("POST", "/v3/pay/transactions/native" | "/v3/pay/transactions/jsapi") => Op::Submit,
        other => panic!("no such interface: {other:?}"),
    }
}

/// The effect of a request, and what is said of it.
fn does(op: Op, got: &Got, inside: &mut Inside, port: u16) -> Said {
    let path = got.target.split('?').next().unwrap_or_default();
    let body: Value = serde_json::from_slice(&got.body).unwrap_or_default();
    let mut parts = path.rsplit('/');
    let last = parts.next().unwrap_or_default();
    let of_mchid = got.target.ends_with(&format!("?mchid={MCHID}"));
    match op {
        Op::Submit => inside.book.submit(last, body),
        Op::Query if !of_mchid => code(400, "PARAM_ERROR"),
        Op::Query => inside.book.query(last),
        Op::Close if body != json!({"mchid": MCHID}) => code(400, "PARAM_ERROR"),
        Op::Close => inside.book.close(parts.next().unwrap_or_default()),
        Op::Refund => inside.book.refund(&body),
        Op::QueryRefund => inside.book.query_refund(last),
        Op::Certificates => (200, Some(json!({"data": [inside.certificate]}))),
        Op::Bill => {
            let hash = ring::digest::digest(&ring::digest::SHA1_FOR_LEGACY_USE_ONLY, &inside.bill);
            let hash = inside
                .bill_hash
                .clone()
                .unwrap_or_else(|| hex::encode(hash));
            let address = format!("http://127.0.0.1:{port}/v3/billdownload/file?token=abc-DEF_123");
            (
                200,
                Some(json!({"hash_type": "SHA1", "hash_value": hash, "download_url": address})),
            )
        }
        Op::Download => (200, None),
    }
}

/// The merchant's signature, its clock, and a nonce that was never used.
fn is_authentic(got: &Got, inside: &mut Inside, now: i64) -> bool {
    let key = RsaVerifier::parse(MERCHANT_PUBLIC_KEY).expect("a key");
    let field = |name: &str| got.authorization(name).to_owned();
    let (timestamp, nonce) = (field("timestamp"), field("nonce_str"));
    let body = String::from_utf8_lossy(&got.body);
    let text = format!(
        "{}\n{}\n{timestamp}\n{nonce}\n{body}\n",
        got.method, got.target
    );
    let at: i64 = timestamp.parse().unwrap_or_default();
    let scheme = got.header("authorization");
    scheme.starts_with("WECHATPAY2-SHA256-RSA2048 ")
        && field("mchid") == MCHID
        && field("serial_no") == MERCHANT_SERIAL
        && got.header("accept") == "application/json"
        && got.header("user-agent").starts_with("oncepay/")
        && now.abs_diff(at) <= 300
        && key.verifies(text.as_bytes(), &field("signature"))
        && inside.nonces.insert(nonce)
}

pub fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(text).expect("memory");
    encoder.finish().expect("memory")
}
