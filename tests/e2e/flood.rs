//! A hundred thousand unsigned posts: no row, a bounded log, and everybody else is served.

use crate::support::{MERCHANT, Processor, Shop, Stage, VIEWER, order};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

const POSTS: usize = 100_000;
const CONNECTIONS: usize = 16;
/// Requests that are written before their answers are read.
const AT_ONCE: usize = 50;

/// Posts forgeries over one connection and counts the answers that refuse them.
async fn flood(port: u16, posts: usize) -> usize {
    let body = r#"{"type":"charge.updated","data":{"order_no":"victim","status":"PAID"}}"#;
    let post = format!(
        "POST /v1/callbacks/sandbox HTTP/1.1\r\nhost: shop\r\nwebhook-id: m\r\nwebhook-timestamp: 1\r\n\
         webhook-signature: v1,AAAA\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    let mut socket = TcpStream::connect(("127.0.0.1", port))
        .await
        .expect("the shop listens");
    let mut refused = 0;
    let mut left = posts;
    while left > 0 {
        let batch = left.min(AT_ONCE);
        socket
            .write_all(post.repeat(batch).as_bytes())
            .await
            .expect("the shop reads");
        refused += answers(&mut socket, batch).await;
        left -= batch;
    }
    refused
}

/// Reads this many answers and counts those that say 401.
async fn answers(socket: &mut TcpStream, count: usize) -> usize {
    let mut text = Vec::new();
    let mut buffer = [0; 16 * 1024];
    loop {
        let seen = String::from_utf8_lossy(&text);
        let ended = seen.matches("\"request_id\":").count();
        if ended == count && seen.ends_with('}') {
            return seen.matches("HTTP/1.1 401 ").count();
        }
        let read = socket.read(&mut buffer).await.expect("the shop answers");
        assert!(read > 0, "the shop hung up after {ended} of {count}");
        text.extend_from_slice(&buffer[..read]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hundred_thousand_unsigned_posts_leave_nothing_and_stop_nobody() {
    let processor = Processor::start().await;
    let shop = Arc::new(Shop::open(&processor, Stage::default()).await);
    let log_before = shop.running.log().len();

    let over = Arc::new(AtomicBool::new(false));
    let (beside, told) = (Arc::clone(&shop), Arc::clone(&over));
    let others = tokio::spawn(async move {
        let mut served = 0;
        while !told.load(Ordering::Relaxed) {
            let body = order(&format!("beside-{served}"), "VIP");
            let made = beside.create(&body).await;
            beside.becomes(made.text("order_id"), "PAID").await;
            let list = beside
                .ask("GET", "/v1/orders?limit=1", MERCHANT, None)
                .await;
            assert_eq!(list.status, 200);
            served += 1;
        }
        served
    });
    let floods = (0..CONNECTIONS).map(|_| tokio::spawn(flood(shop.port, POSTS / CONNECTIONS)));
    let mut refused = 0;
    for flood in futures_util::future::join_all(floods).await {
        refused += flood.expect("the flood ends");
    }
    over.store(true, Ordering::Relaxed);
    let served = others.await.expect("the others are served");

    assert_eq!(refused, POSTS);
    assert!(served > 0, "nobody was served beside the flood");
    let log = shop.running.log();
    let said = log.get(log_before..).unwrap_or_default();
    assert!(
        said.len() < 2_000_000,
        "the flood wrote {} bytes of log",
        said.len()
    );
    assert!(said.matches("callback rejected").count() < POSTS / 20);
    assert_eq!(
        shop.database.number("SELECT COUNT(*) FROM orphans").await,
        0
    );
    let foreign = "SELECT COUNT(*) FROM callbacks WHERE callback_key = 'm'";
    assert_eq!(shop.database.number(foreign).await, 0);
    assert!(shop.alerts().await.is_empty());
    let metrics = shop.ask("GET", "/metrics", VIEWER, None).await;
    let metrics = metrics.body.as_str().expect("text").to_owned();
    let counted =
        format!("oncepay_callbacks_total{{channel=\"sandbox\",result=\"timestamp\"}} {POSTS}\n");
    assert!(metrics.contains(&counted), "{metrics}");
}
