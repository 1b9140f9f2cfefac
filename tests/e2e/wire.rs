//! Below the API: what is no HTTP, what hides a second request, and callers that never finish.

use crate::support::{MERCHANT, Processor, Shop, Stage, VIEWER, order};
use futures_util::future::join_all;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// Sends these bytes and reads until the shop hangs up or has nothing more to say.
async fn say(shop: &Shop, bytes: &[u8]) -> String {
    let mut socket = TcpStream::connect(("127.0.0.1", shop.port))
        .await
        .expect("the shop listens");
    drop(socket.write_all(bytes).await);
    let mut text = Vec::new();
    let mut buffer = [0; 4096];
    let mut patience = Duration::from_secs(10);
    while let Ok(Ok(read)) = tokio::time::timeout(patience, socket.read(&mut buffer)).await {
        if read == 0 {
            break;
        }
        text.extend_from_slice(&buffer[..read]);
        patience = Duration::from_millis(500);
    }
    String::from_utf8_lossy(&text).into_owned()
}

fn statuses(answers: &str) -> Vec<&str> {
    let lines = answers.split("HTTP/1.1 ").skip(1);
    lines.map(|rest| &rest[..3]).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_whose_end_is_disputed_is_refused_and_no_body_becomes_a_request() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::default()).await;
    let head = format!(
        "POST /v1/orders HTTP/1.1\r\nhost: shop\r\nauthorization: Bearer {MERCHANT}\r\ncontent-type: application/json\r\n"
    );
    for disputed in [
        "content-length: 4\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
        "content-length: 4\r\ncontent-length: 5\r\n\r\nabcde",
        "content-length: -1\r\n\r\n{}",
        "content-length: +2\r\n\r\n{}",
        "content-length: 2, 2\r\n\r\n{}",
        "content-length: 99999999999999999999\r\n\r\n{}",
        "transfer-encoding: gzip, chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
        "transfer-encoding: xchunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
        "transfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n",
        "x-a: a\r\n b\r\ncontent-length: 2\r\n\r\n{}",
        "x-a : b\r\ncontent-length: 2\r\n\r\n{}",
        "x-a: a\0b\r\ncontent-length: 2\r\n\r\n{}",
    ] {
        let answers = say(&shop, format!("{head}{disputed}").as_bytes()).await;
        assert_eq!(statuses(&answers), ["400"], "{disputed:?}: {answers}");
    }
    // A body that looks like a request is read as the body of the one that was refused.
    let hidden = "GET /v1/orders HTTP/1.1\r\nhost: shop\r\n\r\n";
    let unkeyed = format!(
        "POST /v1/orders HTTP/1.1\r\nhost: shop\r\ncontent-length: {}\r\n\r\n{hidden}GET /healthz HTTP/1.1\r\nhost: shop\r\n\r\n",
        hidden.len()
    );
    let answers = say(&shop, unkeyed.as_bytes()).await;
    assert!(
        matches!(statuses(&answers)[..], ["401"] | ["401", "200"]),
        "{answers}"
    );
    for nonsense in [
        "\r\n\r\n\r\n",
        "GET\r\n\r\n",
        "\u{16}\u{3}\u{1}\0\u{1}",
        "GET / HTTP/9.9\r\n\r\n",
    ] {
        let answers = say(&shop, nonsense.as_bytes()).await;
        assert!(
            matches!(statuses(&answers)[..], [] | ["400"] | ["505"] | ["408"]),
            "{nonsense:?}: {answers}"
        );
    }
    let huge = format!(
        "GET /healthz HTTP/1.1\r\nhost: shop\r\nx-huge: {}\r\n\r\n",
        "h".repeat(300_000)
    );
    let answers = say(&shop, huge.as_bytes()).await;
    assert!(
        !answers.contains(" 200 ") && !answers.contains(" 500 "),
        "{answers}"
    );
    let list = shop.ask("GET", "/v1/orders", VIEWER, None).await;
    assert_eq!(list.body["data"], serde_json::json!([]));
    // Anybody can send nonsense: it must not fill the disk with lines.
    let log = shop.running.log();
    for word in ["panicked", "parse error", "ERROR"] {
        assert!(!log.contains(word), "the log tells of `{word}`:\n{log}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn callers_that_never_finish_are_sent_away_and_hold_up_nobody() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::default()).await;
    let port = shop.port;
    let slow = (0..200).map(|n| async move {
        let half = if n % 2 == 0 {
            "GET /healthz HTTP/1.1\r\nhost: shop\r\nx-a: "
        } else {
            "POST /v1/callbacks/sandbox HTTP/1.1\r\nhost: shop\r\ncontent-length: 100\r\n\r\n{"
        };
        let socket = TcpStream::connect(("127.0.0.1", port)).await;
        let mut socket = socket.expect("the shop listens");
        socket
            .write_all(half.as_bytes())
            .await
            .expect("the shop reads");
        socket
    });
    let slow = join_all(slow).await;
    let made = shop
        .create(&order("beside-the-slow", "VIP #no-callback"))
        .await;
    shop.becomes(made.text("order_id"), "PAID").await;
    let ends = slow.into_iter().map(|mut socket| async move {
        let mut text = Vec::new();
        let end = socket.read_to_end(&mut text);
        let ended = tokio::time::timeout(Duration::from_secs(60), end).await;
        assert!(ended.is_ok(), "a caller that sends nothing more was kept");
        String::from_utf8_lossy(&text).into_owned()
    });
    for text in join_all(ends).await {
        assert!(
            text.is_empty() || text.starts_with("HTTP/1.1 408 "),
            "{text}"
        );
    }
}
