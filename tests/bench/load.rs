//! A load client that costs little: one plain HTTP/1.1 connection for each of the callers.

use super::roles::KEY;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// What callers saw.
#[derive(Debug, Clone)]
pub struct Seen {
    pub per_second: f64,
    pub p50_ms: f64,
    pub p99_ms: f64,
    /// Answers that were not a paid order.
    pub others: u64,
}

/// How callers call.
#[derive(Debug, Clone, Copy)]
pub struct Pace {
    pub callers: usize,
    pub warm_up: Duration,
    pub measured: Duration,
    /// Orders a second of all callers together; `None` is as fast as they are answered.
    pub per_second: Option<f64>,
    /// Orders go to any of so many accounts.
    pub accounts: u64,
}

static NUMBER: AtomicU64 = AtomicU64::new(0);

/// Creates orders for a while and waits for each to be `PAID`.
pub async fn orders(port: u16, pace: Pace) -> Seen {
    let begins = Instant::now() + pace.warm_up;
    let ends = begins + pace.measured;
    let others = Arc::new(AtomicU64::new(0));
    let gap = pace
        .per_second
        .map(|rate| Duration::from_secs_f64(pace.callers as f64 / rate));
    // Callers that keep a pace take turns; all at once would be a burst and not half a load.
    let callers: Vec<_> = (0..pace.callers)
        .map(|n| {
            let turn = gap.map(|gap| (gap, gap.mul_f64(n as f64 / pace.callers as f64)));
            let others = Arc::clone(&others);
            tokio::spawn(caller(port, pace.accounts, (begins, ends), turn, others))
        })
        .collect();
    let mut took = Vec::new();
    for caller in callers {
        took.extend(caller.await.expect("a caller ends"));
    }
    took.sort_unstable();
    Seen {
        per_second: took.len() as f64 / pace.measured.as_secs_f64(),
        p50_ms: quantile_ms(&took, 0.50),
        p99_ms: quantile_ms(&took, 0.99),
        others: others.load(Ordering::Relaxed),
    }
}

pub fn quantile_ms(sorted: &[Duration], quantile: f64) -> f64 {
    if sorted.is_empty() {
        return f64::NAN;
    }
    let place = ((sorted.len() - 1) as f64 * quantile).round() as usize;
    sorted[place].as_secs_f64() * 1000.0
}

async fn caller(
    port: u16,
    accounts: u64,
    (begins, ends): (Instant, Instant),
    turn: Option<(Duration, Duration)>,
    others: Arc<AtomicU64>,
) -> Vec<Duration> {
    let mut line = Line::connect(port).await;
    let mut took = Vec::new();
    let mut next = Instant::now() + turn.map_or(Duration::ZERO, |(_, first)| first);
    while Instant::now() < ends {
        if let Some((gap, _)) = turn {
            tokio::time::sleep_until(next.into()).await;
            next += gap;
        }
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let body = format!(
            r#"{{"order_no":"b-{}-{number}","channel":"sandbox","amount":1999,"currency":"CNY","subject":"bench #no-callback","account":"user-{:07}","entitlements":[{{"kind":"credits","quantity":1000}}]}}"#,
            std::process::id(),
            account(number, accounts)
        );
        let head = format!("Authorization: Bearer {KEY}\r\n");
        let started = Instant::now();
        let answer = line.post("/v1/orders", &head, body.as_bytes()).await;
        if !answer.contains("\"status\":\"PAID\"") {
            others.fetch_add(1, Ordering::Relaxed);
        } else if started >= begins && Instant::now() < ends {
            took.push(started.elapsed());
        }
    }
    took
}

/// Spread by a multiplier without a pattern: who orders now did not order last.
const fn account(number: u64, accounts: u64) -> u64 {
    (number.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 20) % accounts
}

/// One kept-alive connection.
pub struct Line {
    socket: TcpStream,
    read: Vec<u8>,
}

impl Line {
    pub async fn connect(port: u16) -> Self {
        let socket = TcpStream::connect(("127.0.0.1", port))
            .await
            .expect("the server accepts");
        socket.set_nodelay(true).expect("a socket");
        Self {
            socket,
            read: Vec::with_capacity(4096),
        }
    }

    /// Posts and reads the whole answer, head and body.
    pub async fn post(&mut self, path: &str, head: &str, body: &[u8]) -> String {
        let mut request = format!(
            "POST {path} HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\nContent-Length: {}\r\n{head}\r\n",
            body.len()
        )
        .into_bytes();
        request.extend_from_slice(body);
        self.socket
            .write_all(&request)
            .await
            .expect("the server reads");
        self.read.clear();
        loop {
            let count = self
                .socket
                .read_buf(&mut self.read)
                .await
                .expect("the server answers");
            assert!(count > 0, "the server hung up");
            if let Some(whole) = whole_answer(&self.read) {
                return whole;
            }
        }
    }
}

fn whole_answer(read: &[u8]) -> Option<String> {
    let head_end = read.windows(4).position(|four| four == b"\r\n\r\n")? + 4;
    let head = String::from_utf8_lossy(&read[..head_end]).to_ascii_lowercase();
    let length: usize = head
        .lines()
        .find_map(|line| line.strip_prefix("content-length:"))
        .and_then(|value| value.trim().parse().ok())
        .unwrap_or(0);
    (read.len() >= head_end + length).then(|| String::from_utf8_lossy(read).into_owned())
}
