//! A merchant's receiver of webhooks that does as it is told, and remembers what came.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use serde_json::Value;
use sha2::Sha256;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Instant;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;

pub const WEBHOOK_SECRET: &str = "whsec_dGhlLXNob3AgYW5kIG9uY2VwYXkgc2hhcmUgdGhpcyBrZXk=";
pub const NEXT_WEBHOOK_SECRET: &str = "whsec_dGhlIGtleSBvZiBhIHJvdGF0aW9uLCBub3QgeWV0IHRoZXJl";

/// What a receiver does with a request.
#[derive(Debug, Clone)]
pub enum Does {
    Answers(u16),
    /// A status and one header more.
    Tells(u16, &'static str, String),
    /// Takes the request and says nothing until it is let go; then it answers 204.
    Hangs,
    /// Breaks the connection once it has the request.
    HangsUp,
}

/// One request, as it came.
#[derive(Debug, Clone)]
pub struct Got {
    pub at: Instant,
    pub line: String,
    pub headers: BTreeMap<String, String>,
    pub raw: Vec<u8>,
    pub body: Value,
}

impl Got {
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", String::as_str)
    }

    pub fn id(&self) -> &str {
        self.header("webhook-id")
    }

    pub fn kind(&self) -> &str {
        self.body["type"].as_str().unwrap_or_default()
    }

    pub fn order_no(&self) -> &str {
        self.body["data"]["order_no"].as_str().unwrap_or_default()
    }

    /// Whether one of its signatures is made with the key in this secret.
    pub fn is_signed_with(&self, secret: &str) -> bool {
        let key = secret.strip_prefix("whsec_").expect("a secret");
        let key = STANDARD.decode(key).expect("base64");
        let mut mac = Hmac::<Sha256>::new_from_slice(&key).expect("a key");
        mac.update(format!("{}.{}.", self.id(), self.header("webhook-timestamp")).as_bytes());
        mac.update(&self.raw);
        let ours = format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()));
        let mut signatures = self.header("webhook-signature").split(' ');
        signatures.any(|signature| signature == ours)
    }
}

/// `[fulfilment]` for a shop with a receiver at this address.
pub fn webhooks_to(url: &str, secrets: &[&str], schedule: &str) -> String {
    format!(
        "[fulfilment]\nurl = \"{url}\"\nsecrets = {secrets:?}\nschedule = {schedule}\nallow_private = true\n"
    )
}

type Script = Box<dyn Fn(&Got, usize) -> Does + Send>;

/// The receiver. It answers 204 until it is told otherwise.
#[derive(Clone)]
pub struct Receiver {
    pub port: u16,
    got: Arc<Mutex<Vec<Got>>>,
    script: Arc<Mutex<Script>>,
    connections: Arc<Mutex<usize>>,
    let_go: Arc<Semaphore>,
    given_up: Arc<Mutex<usize>>,
}

impl Receiver {
    pub async fn open() -> Self {
        Self::open_at(0).await
    }

    /// At this port; 0 is any that is free.
    pub async fn open_at(port: u16) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", port))
            .await
            .expect("the port is free");
        let receiver = Self {
            port: listener.local_addr().expect("an address").port(),
            got: Arc::default(),
            script: Arc::new(Mutex::new(Box::new(|_, _| Does::Answers(204)))),
            connections: Arc::default(),
            let_go: Arc::new(Semaphore::new(0)),
            given_up: Arc::default(),
        };
        let serving = receiver.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                *serving.connections.lock().expect("unpoisoned") += 1;
                tokio::spawn(serving.clone().serve(stream));
            }
        });
        receiver
    }

    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}/hooks/oncepay", self.port)
    }

    /// `[fulfilment]` for a shop with this receiver: short delays between attempts.
    pub fn configuration(&self) -> String {
        self.configuration_with(
            &[WEBHOOK_SECRET],
            r#"["100ms", "100ms", "200ms", "200ms", "300ms"]"#,
        )
    }

    pub fn configuration_with(&self, secrets: &[&str], schedule: &str) -> String {
        webhooks_to(&self.url(), secrets, schedule)
    }

    /// From now on, by the request and how many came before with its id.
    pub fn does(&self, script: impl Fn(&Got, usize) -> Does + Send + 'static) {
        *self.script.lock().expect("unpoisoned") = Box::new(script);
    }

    pub fn got(&self) -> Vec<Got> {
        self.got.lock().expect("unpoisoned").clone()
    }

    /// Every request that hangs is answered, now and from now on.
    pub fn lets_go(&self) {
        self.let_go.close();
    }

    /// How many requests hung for so long that whoever sent them waits no longer.
    pub fn given_up(&self) -> usize {
        *self.given_up.lock().expect("unpoisoned")
    }

    pub fn connections(&self) -> usize {
        *self.connections.lock().expect("unpoisoned")
    }

    /// What came of this type about this order.
    pub fn got_of(&self, kind: &str, order_no: &str) -> Vec<Got> {
        let mut got = self.got();
        got.retain(|got| got.kind() == kind && got.order_no() == order_no);
        got
    }

    /// Waits until so many came of this type about this order.
    pub async fn gets(&self, count: usize, kind: &str, order_no: &str) -> Vec<Got> {
        super::eventually(&format!("{count} {kind} of {order_no}"), || async {
            let got = self.got_of(kind, order_no);
            if got.len() >= count {
                Ok(got)
            } else {
                Err(format!("{:?}", self.got()))
            }
        })
        .await
    }

    async fn serve(self, mut stream: TcpStream) {
        let mut rest = Vec::new();
        while let Some(got) = read(&mut stream, &mut rest).await {
            let does = {
                let mut all = self.got.lock().expect("unpoisoned");
                let before = all.iter().filter(|seen| seen.id() == got.id()).count();
                let does = self.script.lock().expect("unpoisoned")(&got, before);
                all.push(got);
                does
            };
            let answer = match does {
                Does::Answers(code) => format!("HTTP/1.1 {code} X\r\ncontent-length: 0\r\n\r\n"),
                Does::Tells(code, name, value) => {
                    format!("HTTP/1.1 {code} X\r\n{name}: {value}\r\ncontent-length: 0\r\n\r\n")
                }
                Does::Hangs => {
                    if self.hangs(&mut stream, &mut rest).await.is_none() {
                        return;
                    }
                    "HTTP/1.1 204 X\r\n\r\n".to_owned()
                }
                Does::HangsUp => return,
            };
            if stream.write_all(answer.as_bytes()).await.is_err() {
                return;
            }
        }
    }
}

impl Receiver {
    /// Until it is let go; `None`: the sender has gone before.
    async fn hangs(&self, stream: &mut TcpStream, rest: &mut Vec<u8>) -> Option<()> {
        tokio::select! {
            _closed = self.let_go.acquire() => Some(()),
            _more = gone(stream, rest) => {
                *self.given_up.lock().expect("unpoisoned") += 1;
                None
            }
        }
    }
}

/// Completes when the other side has closed the connection.
async fn gone(stream: &mut TcpStream, rest: &mut Vec<u8>) {
    while stream.read_buf(rest).await.unwrap_or_default() > 0 {}
}

async fn read(stream: &mut TcpStream, rest: &mut Vec<u8>) -> Option<Got> {
    loop {
        if let Some((got, length)) = parsed(rest) {
            rest.drain(..length);
            return Some(got);
        }
        if stream.read_buf(rest).await.unwrap_or_default() == 0 {
            return None;
        }
    }
}

/// The first request in these bytes, once it is whole, and its length.
fn parsed(bytes: &[u8]) -> Option<(Got, usize)> {
    let head = bytes.windows(4).position(|four| four == b"\r\n\r\n")?;
    let text = String::from_utf8_lossy(&bytes[..head]).into_owned();
    let mut lines = text.lines();
    let line = lines.next()?.to_owned();
    let headers: BTreeMap<String, String> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    let length = headers.get("content-length").map_or("0", String::as_str);
    let end = head + 4 + length.parse::<usize>().expect("a length");
    let raw = bytes.get(head + 4..end)?.to_vec();
    let got = Got {
        at: Instant::now(),
        line,
        headers,
        body: serde_json::from_slice(&raw).unwrap_or_default(),
        raw,
    };
    Some((got, end))
}
