//! The client hangs up in the middle: what has begun goes on.

use crate::support::{MERCHANT, Processor, Shop, Stage, eventually, order, said, signed};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

async fn post(shop: &Shop, path: &str, headers: &[(&str, String)], body: &str) -> TcpStream {
    let mut socket = TcpStream::connect(("127.0.0.1", shop.port))
        .await
        .expect("the shop listens");
    let mut request = format!(
        "POST {path} HTTP/1.1\r\nhost: shop\r\ncontent-length: {}\r\n",
        body.len()
    );
    for (name, value) in headers {
        request.push_str(&format!("{name}: {value}\r\n"));
    }
    request.push_str("\r\n");
    request.push_str(body);
    socket
        .write_all(request.as_bytes())
        .await
        .expect("it is sent");
    socket
}

/// Ends the connection with a TCP reset instead of a goodbye.
fn reset(socket: TcpStream) {
    socket.set_zero_linger().expect("a socket option");
    drop(socket);
}

fn merchant() -> [(&'static str, String); 2] {
    [
        ("authorization", format!("Bearer {MERCHANT}")),
        ("content-type", "application/json".to_owned()),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn an_order_is_finished_although_its_user_has_gone() {
    let processor = Processor::start().await;
    let stage = Stage {
        ui_deadline: "20s",
        submit_timeout: "10s",
        read_timeout: "60s",
        schedule: r#"["60s", "60s"]"#,
        ..Stage::default()
    };
    let shop = Shop::open(&processor, stage).await;
    let body = order("gone", "VIP #delay=2s #no-callback").to_string();
    let socket = post(&shop, "/v1/orders", &merchant(), &body).await;
    let order = eventually("the order is written", || async {
        shop.find("gone").await.ok_or_else(|| "not yet".to_owned())
    })
    .await;
    assert_eq!(order["status"], "PROCESSING");

    reset(socket);

    let order_id = order["order_id"].as_str().unwrap_or_default();
    shop.becomes(order_id, "PAID").await;
    assert_eq!(
        shop.history(order_id).await,
        ["created", "submit", "submit_reply"]
    );
    assert_eq!(processor.charged_once("gone").await.submits, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn many_who_hang_up_at_once_leave_whole_orders_or_none() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::default()).await;
    let number = |n: usize| format!("flood-{n}");
    for n in 0..60 {
        let body = order(&number(n), "VIP #delay=300ms:1 #no-callback").to_string();
        reset(post(&shop, "/v1/orders", &merchant(), &body).await);
    }

    // Whoever was never heard comes again; whoever was, finds the order.
    for n in 0..60 {
        let body = order(&number(n), "VIP #delay=300ms:1 #no-callback");
        let answer = shop.create(&body).await;
        let paid = shop.becomes(answer.text("order_id"), "PAID").await;
        assert_eq!(paid["submit_count"], 1);
        processor.charged_once(&number(n)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_channel_that_does_not_wait_for_its_acknowledgement_is_heard_once_it_repeats() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::default()).await;
    let created = shop
        .create(&order("curt", "VIP #pending #no-callback"))
        .await;
    let notice = said("curt", "T-curt", "PAID");
    let body = notice.to_string();
    for _ in 0..5 {
        let headers = signed(&processor.secret, "n-1", body.as_bytes());
        reset(post(&shop, "/v1/callbacks/sandbox", &headers, &body).await);
    }

    let heard = shop.hear(&processor, "n-1", &notice).await;

    assert_eq!(heard.status, 200);
    let order_id = created.text("order_id");
    assert_eq!(shop.get(order_id).await["status"], "PAID");
    let history = shop.history(order_id).await;
    let callbacks = history.iter().filter(|kind| *kind == "callback").count();
    assert_eq!(callbacks, 1, "{history:?}");
}
