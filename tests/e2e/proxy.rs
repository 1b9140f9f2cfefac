//! A proxy before the processor that answers for it: what is unsigned says nothing.

use crate::support::{Processor, Shop, Stage, alerts_of, order};
use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

#[derive(Default)]
struct Seen {
    submits: AtomicU32,
    queries: AtomicU32,
}

/// Takes submits and drops the connection; answers everything else with a page of its own.
async fn proxy() -> (u16, Arc<Seen>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let seen = Arc::<Seen>::default();
    let counted = Arc::clone(&seen);
    tokio::spawn(async move {
        while let Ok((socket, _)) = listener.accept().await {
            tokio::spawn(answer(socket, Arc::clone(&counted)));
        }
    });
    (port, seen)
}

async fn answer(socket: TcpStream, seen: Arc<Seen>) -> std::io::Result<()> {
    let mut stream = BufReader::new(socket);
    loop {
        let mut head = String::new();
        let mut length = 0;
        loop {
            let mut line = String::new();
            if stream.read_line(&mut line).await? == 0 {
                return Ok(());
            }
            if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().unwrap_or(0);
            }
            if line == "\r\n" {
                break;
            }
            head.push_str(&line);
        }
        let mut body = vec![0; length];
        stream.read_exact(&mut body).await?;
        if head.starts_with("POST /charges ") {
            seen.submits.fetch_add(1, Ordering::SeqCst);
            return Ok(());
        }
        seen.queries.fetch_add(1, Ordering::SeqCst);
        let page = "<html><body>404 Not Found</body></html>";
        let reply = format!(
            "HTTP/1.1 404 Not Found\r\ncontent-type: text/html\r\ncontent-length: {}\r\n\r\n{page}",
            page.len()
        );
        stream.get_mut().write_all(reply.as_bytes()).await?;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unsigned_not_found_never_becomes_a_second_submit() {
    let processor = Processor::start().await;
    let (port, seen) = proxy().await;
    let mut stage = Stage::default();
    write!(
        stage.more,
        "[channels.behind]\nkind = \"http\"\nbase_url = \"http://127.0.0.1:{port}\"\nsecret = \"{}\"\n\
         read_timeout = \"3s\"\n",
        processor.secret
    )
    .expect("text grows");
    let shop = Shop::open(&processor, stage).await;
    let mut body = order("n4", "VIP");
    body["channel"] = "behind".into();
    let order_id = shop.create_async(&body).await.text("order_id").to_owned();

    let manual = shop.becomes(&order_id, "MANUAL").await;

    assert_eq!(manual["reason"], "max_checks");
    assert_eq!(manual["submit_count"], 1);
    assert_eq!(
        alerts_of(&shop, &order_id).await,
        ["order_manual action open"]
    );
    assert_eq!(seen.submits.load(Ordering::SeqCst), 1);
    assert_eq!(seen.queries.load(Ordering::SeqCst), 3);
    let events = shop.events(&order_id).await;
    assert!(
        events
            .iter()
            .all(|event| event["to"] != "FAILED" && event["to"] != "CLOSED")
    );
}
