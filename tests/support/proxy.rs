//! A wire between shop and processor that a test can cut: it holds, drops and counts what passes.

use std::io;
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// What becomes of a call that moves money, a submit or the send of a refund, on its way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wire {
    /// Everything passes.
    Open,
    /// The request is held: the processor has not seen it. It is lost if its sender goes meanwhile.
    HoldsRequests,
    /// The request is held, and arrives late even if its sender has gone: a packet that was on the way.
    DelaysRequests,
    /// The processor has answered; the answer is held.
    HoldsReplies,
    /// The connection breaks before the request leaves.
    DropsRequests,
}

/// One call, as it was seen on the wire.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    /// Such as `POST /sandbox/charges`.
    pub line: String,
    pub body: String,
    pub arrived: bool,
    pub answered: bool,
    /// Its sender went while it was held.
    pub lost: bool,
}

impl Seen {
    pub fn is_submit(&self) -> bool {
        self.line.starts_with("POST ") && self.line.ends_with("/charges")
    }

    pub fn is_refund(&self) -> bool {
        self.line.starts_with("POST ") && self.line.ends_with("/refunds")
    }

    pub fn moves_money(&self) -> bool {
        self.is_submit() || self.is_refund()
    }

    pub fn is_query(&self) -> bool {
        self.line.starts_with("GET ")
    }
}

/// The wire of one test. Only what moves money is held; queries and closes always pass.
pub struct Proxy {
    port: u16,
    wire: watch::Sender<Wire>,
    seen: Arc<Mutex<Vec<Seen>>>,
}

struct Line {
    wire: watch::Receiver<Wire>,
    seen: Arc<Mutex<Vec<Seen>>>,
    processor: u16,
}

impl Proxy {
    pub async fn before(processor: &super::Processor) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let (wire, watched) = watch::channel(Wire::Open);
        let seen: Arc<Mutex<Vec<Seen>>> = Arc::default();
        let (for_server, processor) = (Arc::clone(&seen), processor.port);
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let line = Line {
                    wire: watched.clone(),
                    seen: Arc::clone(&for_server),
                    processor,
                };
                tokio::spawn(line.carry(client));
            }
        });
        Self { port, wire, seen }
    }

    /// What makes a shop call through this wire, for [`super::Stage::environment`].
    pub fn environment(&self) -> (String, String) {
        let url = format!("http://127.0.0.1:{}/sandbox", self.port);
        ("ONCEPAY_CHANNELS__SANDBOX__BASE_URL".to_owned(), url)
    }

    /// From now on; what is held passes on when the wire opens.
    pub fn set(&self, wire: Wire) {
        self.wire.send_replace(wire);
    }

    pub fn seen(&self) -> Vec<Seen> {
        self.seen.lock().expect("unpoisoned").clone()
    }

    pub fn submits(&self) -> Vec<Seen> {
        self.seen().into_iter().filter(Seen::is_submit).collect()
    }

    pub fn refunds(&self) -> Vec<Seen> {
        self.seen().into_iter().filter(Seen::is_refund).collect()
    }

    pub fn queries(&self) -> usize {
        self.seen().iter().filter(|seen| seen.is_query()).count()
    }

    /// Waits until the submit that was held is lost with its sender.
    pub async fn has_lost_a_submit(&self) {
        super::eventually("the held submit is lost", || async {
            let seen = self.submits();
            let lost = seen.iter().any(|seen| seen.lost);
            lost.then_some(()).ok_or_else(|| format!("{seen:?}"))
        })
        .await;
    }

    /// Waits until the send of a refund that was held is lost with its sender.
    pub async fn has_lost_a_refund(&self) {
        super::eventually("the held refund is lost", || async {
            let seen = self.refunds();
            let lost = seen.iter().any(|seen| seen.lost);
            lost.then_some(()).ok_or_else(|| format!("{seen:?}"))
        })
        .await;
    }

    /// The same of the send of a refund as [`Proxy::holds_a_submit`].
    pub async fn holds_a_refund(&self, answered: bool) {
        super::eventually("a refund is held on the wire", || async {
            let seen = self.refunds();
            let held = seen.last().is_some_and(|seen| seen.answered == answered);
            held.then_some(()).ok_or_else(|| format!("{seen:?}"))
        })
        .await;
    }

    /// Waits until a submit has come to the wire and waits there for the processor, or for its way back.
    pub async fn holds_a_submit(&self, answered: bool) {
        super::eventually("a submit is held on the wire", || async {
            let seen = self.submits();
            let held = seen.last().is_some_and(|seen| seen.answered == answered);
            held.then_some(()).ok_or_else(|| format!("{seen:?}"))
        })
        .await;
    }
}

impl Line {
    /// One connection of the shop, call by call.
    async fn carry(mut self, mut client: TcpStream) -> io::Result<()> {
        let mut server = None;
        let mut rest = Vec::new();
        while let Some(request) = read_message(&mut client, &mut rest).await? {
            let place = self.note(&request);
            let moves_money = self.change(place, |seen| seen.moves_money());
            if moves_money && !self.lets_pass(&mut client).await {
                self.change(place, |seen| seen.lost = true);
                return Ok(());
            }
            let server = match &mut server {
                Some(server) => server,
                none @ None => {
                    none.insert(TcpStream::connect(("127.0.0.1", self.processor)).await?)
                }
            };
            self.change(place, |seen| seen.arrived = true);
            server.write_all(&request).await?;
            let Some(reply) = read_message(server, &mut Vec::new()).await? else {
                return Ok(());
            };
            self.change(place, |seen| seen.answered = true);
            if moves_money {
                self.wait_while(|wire| wire == Wire::HoldsReplies).await;
            }
            client.write_all(&reply).await?;
        }
        Ok(())
    }

    fn note(&self, request: &[u8]) -> usize {
        let text = String::from_utf8_lossy(request);
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let first = head.lines().next().unwrap_or_default();
        let mut seen = self.seen.lock().expect("unpoisoned");
        seen.push(Seen {
            line: first.trim_end_matches(" HTTP/1.1").to_owned(),
            body: body.to_owned(),
            arrived: false,
            answered: false,
            lost: false,
        });
        seen.len() - 1
    }

    fn change<T>(&self, place: usize, change: impl FnOnce(&mut Seen) -> T) -> T {
        change(&mut self.seen.lock().expect("unpoisoned")[place])
    }

    /// Whether the request goes on to the processor, after it was held if it must be.
    async fn lets_pass(&mut self, client: &mut TcpStream) -> bool {
        let now = *self.wire.borrow_and_update();
        match now {
            Wire::Open | Wire::HoldsReplies => true,
            Wire::DropsRequests => false,
            Wire::DelaysRequests => {
                self.wait_while(|wire| wire == Wire::DelaysRequests).await;
                true
            }
            Wire::HoldsRequests => {
                let mut one = [0];
                tokio::select! {
                    () = self.wait_while(|wire| wire == Wire::HoldsRequests) => true,
                    _gone = client.read(&mut one) => false,
                }
            }
        }
    }

    async fn wait_while(&mut self, holds: impl Fn(Wire) -> bool) {
        // The sender goes with the test.
        drop(self.wire.wait_for(|wire| !holds(*wire)).await);
    }
}

/// A whole HTTP/1.1 message as it came; `None` when the sender has closed the connection, or breaks off in it.
async fn read_message(stream: &mut TcpStream, rest: &mut Vec<u8>) -> io::Result<Option<Vec<u8>>> {
    loop {
        if let Some(length) = length_of(rest)
            && rest.len() >= length
        {
            let after = rest.split_off(length);
            return Ok(Some(std::mem::replace(rest, after)));
        }
        if stream.read_buf(rest).await? == 0 {
            return Ok(None);
        }
    }
}

/// The length of the first message, once its head is there.
fn length_of(bytes: &[u8]) -> Option<usize> {
    let head = bytes.windows(4).position(|four| four == b"\r\n\r\n")?;
    let text = String::from_utf8_lossy(&bytes[..head]).to_ascii_lowercase();
    let body = text
        .lines()
        .find_map(|line| line.strip_prefix("content-length:"))
        .map_or(0, |value| value.trim().parse().expect("a length"));
    Some(head + 4 + body)
}
