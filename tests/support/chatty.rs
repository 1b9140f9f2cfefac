//! A processor that says too much: it declines every charge, and gives reasons.

use oncepay::channels::http::sign::{self, Stamped};
use oncepay::channels::signing::{self, SigningKey};
use oncepay::clock::{Clock as _, SystemClock};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

/// It signs with this.
const SECRET: &str = "whsec_Y2hhdHR5LXByb2Nlc3Nvci1zYXlzLXRvby1tdWNo";

/// Listens on a port of its own; what it says is the same to every order.
pub struct Chatty {
    port: u16,
}

impl Chatty {
    pub async fn open(reason: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let reason = reason.to_owned();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(answer(stream, reason.clone()));
            }
        });
        Self { port }
    }

    /// The channel `chatty`, as TOML.
    pub fn channel(&self) -> String {
        format!(
            "[channels.chatty]\nkind = \"http\"\nbase_url = \"http://127.0.0.1:{}\"\nsecret = \"{SECRET}\"\n\
             read_timeout = \"3s\"\n",
            self.port
        )
    }
}

/// One request and its answer.
async fn answer(stream: TcpStream, reason: String) -> Option<()> {
    let mut stream = BufReader::new(stream);
    let mut headers = BTreeMap::new();
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).await.ok()?;
        if line.trim().is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(": ") {
            headers.insert(name.to_lowercase(), value.trim().to_owned());
        }
    }
    let mut body = vec![0; headers.get("content-length")?.parse().ok()?];
    stream.read_exact(&mut body).await.ok()?;
    let asked: Value = serde_json::from_slice(&body).ok()?;
    let said = json!({
        "trade_no": format!("T-{}", asked["order_no"].as_str()?), "order_no": asked["order_no"],
        "idempotency_key": asked["idempotency_key"], "amount": asked["amount"], "currency": asked["currency"],
        "status": "DECLINED", "reason": reason,
    })
    .to_string();
    let key = SigningKey::parse(&SECRET.to_owned().into()).ok()?;
    let timestamp = signing::timestamp(SystemClock::start().wall());
    let head = Stamped {
        id: "said-1",
        timestamp: &timestamp,
    };
    let request = headers.get(sign::ID)?;
    let signature = key.sign(&sign::reply_text(head, request, "200", said.as_bytes()));
    let reply = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\
         {}: said-1\r\n{}: {timestamp}\r\n{}: {signature}\r\n\r\n{said}",
        said.len(),
        sign::ID,
        sign::TIMESTAMP,
        sign::SIGNATURE,
    );
    stream.get_mut().write_all(reply.as_bytes()).await.ok()
}
