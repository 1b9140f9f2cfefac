//! A server that shows what is on the wire: it counts requests and answers, or hangs up, as it is told.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

pub(crate) struct RawServer {
    pub(crate) base: String,
    posts: Arc<AtomicUsize>,
}

/// What the server does with request `n` (from 1) of a connection: bytes to write, and whether it then closes.
type Behaviour = dyn Fn(usize) -> (Vec<u8>, bool) + Send + Sync;

impl RawServer {
    /// Answers each request with these bytes and closes.
    pub(crate) fn answering(reply: Vec<u8>) -> Self {
        Self::behaving(move |_n| (reply.clone(), true))
    }

    pub(crate) fn behaving(
        behaviour: impl Fn(usize) -> (Vec<u8>, bool) + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let posts = Arc::new(AtomicUsize::new(0));
        let counted = posts.clone();
        let behaviour: Arc<Behaviour> = Arc::new(behaviour);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (counted, behaviour) = (counted.clone(), behaviour.clone());
                std::thread::spawn(move || serve(stream, &counted, &*behaviour));
            }
        });
        Self { base, posts }
    }

    /// How many POSTs were read, over all connections.
    pub(crate) fn posts(&self) -> usize {
        self.posts.load(Ordering::SeqCst)
    }
}

fn serve(mut stream: TcpStream, posts: &AtomicUsize, behaviour: &Behaviour) {
    for n in 1.. {
        if read_request(&mut stream).is_none() {
            return;
        }
        posts.fetch_add(1, Ordering::SeqCst);
        let (reply, close) = behaviour(n);
        if stream.write_all(&reply).is_err() || close {
            return;
        }
    }
}

/// Reads a head and the body that it announces.
fn read_request(stream: &mut TcpStream) -> Option<()> {
    let mut bytes = Vec::new();
    let mut byte = [0];
    while !bytes.ends_with(b"\r\n\r\n") {
        stream.read_exact(&mut byte).ok()?;
        bytes.push(byte[0]);
    }
    let head = String::from_utf8(bytes).unwrap().to_lowercase();
    let length = head
        .lines()
        .find_map(|line| line.strip_prefix("content-length: "))
        .map_or(0, |length| length.trim().parse().unwrap());
    let mut body = vec![0; length];
    stream.read_exact(&mut body).ok()
}
