//! Refunds and bills at the sandbox, by the protocol's own signatures.

use crate::support::{Bench, Merchant, SECRET, call, statement};
use oncepay::channels::Channel;
use oncepay::channels::http::sign::{self, Stamped};
use oncepay::channels::signing::{self, SigningKey};
use secrecy::SecretString;

/// A signed request to the sandbox; the status and the body, which must be signed for this request.
async fn ask(bench: &Bench, method: &str, path: &str, body: &str) -> (u16, String) {
    let key = SigningKey::parse(&SecretString::from(SECRET)).unwrap();
    let timestamp = signing::timestamp(crate::support::clock().wall());
    let head = Stamped {
        id: "msg_ask",
        timestamp: &timestamp,
    };
    let target = format!("/sandbox{path}");
    let text = sign::request_text(head, method, &target, body.as_bytes());
    let reply = reqwest::Client::new()
        .request(method.parse().unwrap(), format!("{}{path}", bench.base))
        .header(sign::ID, head.id)
        .header(sign::TIMESTAMP, head.timestamp)
        .header(sign::SIGNATURE, key.sign(&text))
        .body(body.to_owned())
        .send()
        .await
        .unwrap();
    let status = reply.status();
    let header = |name: &str| reply.headers()[name].to_str().unwrap().to_owned();
    let (id, timestamp) = (header(sign::ID), header(sign::TIMESTAMP));
    let signature = header(sign::SIGNATURE);
    let body = reply.text().await.unwrap();
    let head = Stamped {
        id: &id,
        timestamp: &timestamp,
    };
    let text = sign::reply_text(head, "msg_ask", status.as_str(), body.as_bytes());
    assert!(key.verifies(&text, &signature), "{body}");
    (status.as_u16(), body)
}

fn field(body: &str, name: &str) -> String {
    let body: serde_json::Value = serde_json::from_str(body).unwrap();
    body[name].as_str().unwrap().to_owned()
}

#[actix_web::test]
async fn refunds_never_exceed_what_was_paid_and_repeat_by_their_number() {
    let bench = Bench::start();
    let paid = bench.submit("8001", "a").await;
    let trade_no = statement(&paid).trade_no.clone().unwrap();
    let path = "/charges/pay%3Aorder%3A8001/refunds";
    let refund = |no: &str, amount: i64| {
        format!(r#"{{"refund_no":"{no}","amount":{amount},"trade_no":"{trade_no}"}}"#)
    };
    let (status, first) = ask(&bench, "POST", path, &refund("r-1", 1200)).await;
    assert_eq!(
        (status, field(&first, "status").as_str()),
        (200, "SUCCEEDED")
    );
    let (_, again) = ask(&bench, "POST", path, &refund("r-1", 1200)).await;
    assert_eq!(first, again);
    let (status, conflict) = ask(&bench, "POST", path, &refund("r-1", 1)).await;
    assert_eq!(
        (status, field(&conflict, "code").as_str()),
        (409, "idempotency_conflict")
    );
    for (no, amount, expected) in [
        ("r-2", 800, "FAILED"),
        ("r-3", 799, "SUCCEEDED"),
        ("r-4", -1, "FAILED"),
    ] {
        let (_, body) = ask(&bench, "POST", path, &refund(no, amount)).await;
        assert_eq!(field(&body, "status"), expected, "{no}");
    }
    let (_, found) = ask(&bench, "GET", &format!("{path}/r-3"), "").await;
    assert_eq!(field(&found, "refund_no"), "r-3");
    let (status, _) = ask(&bench, "GET", &format!("{path}/r-9"), "").await;
    assert_eq!(status, 404);
}

#[actix_web::test]
async fn a_pending_refund_succeeds_later_with_its_notice() {
    let bench = Bench::start();
    let merchant = Merchant::start(0);
    let mut order = call("8002", "a #no-callback #refund=pending #refund-after=100ms");
    order.notify_url.clone_from(&merchant.url);
    let paid = bench.channel.submit(&order).await;
    let trade_no = statement(&paid).trade_no.clone().unwrap();
    let body = format!(r#"{{"refund_no":"r-1","amount":500,"trade_no":"{trade_no}"}}"#);
    let (_, first) = ask(&bench, "POST", "/charges/pay%3Aorder%3A8002/refunds", &body).await;
    assert_eq!(field(&first, "status"), "PENDING");
    let arrived = merchant.callbacks(1).await;
    let notice: serde_json::Value = serde_json::from_slice(&arrived[0].body).unwrap();
    assert_eq!(notice["type"], "refund.updated");
    assert_eq!(notice["data"]["status"], "SUCCEEDED");
    assert_eq!(bench.ledger().await["refunds"][0]["status"], "SUCCEEDED");
}

#[actix_web::test]
async fn the_bill_of_a_day_lists_what_was_charged_and_refunded() {
    let bench = Bench::start();
    let paid = bench.submit("8003", "a").await;
    bench.submit("8004", "a #pending").await;
    let trade_no = statement(&paid).trade_no.clone().unwrap();
    let body = format!(r#"{{"refund_no":"r-1","amount":500,"trade_no":"{trade_no}"}}"#);
    ask(&bench, "POST", "/charges/pay%3Aorder%3A8003/refunds", &body).await;
    let ledger = bench.ledger().await;
    let at = ledger["charges"][0]["trades"][0]["at"].as_i64().unwrap();
    let day = time::OffsetDateTime::from_unix_timestamp(at / 1000)
        .unwrap()
        .date();
    let (status, csv) = ask(&bench, "GET", &format!("/bills/{day}"), "").await;
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(status, 200);
    assert_eq!(
        lines[0],
        "kind,trade_no,order_no,refund_no,amount,currency,status,completed_at"
    );
    assert!(
        lines[1].starts_with(&format!("charge,{trade_no},8003,,1999,CNY,PAID,20")),
        "{csv}"
    );
    assert!(
        lines[2].starts_with(&format!("refund,{trade_no},8003,r-1,500,CNY,SUCCEEDED,20")),
        "{csv}"
    );
    assert_eq!(lines.len(), 3, "{csv}");
    let (status, body) = ask(&bench, "GET", "/bills/2999-01-01", "").await;
    assert_eq!((status, field(&body, "code").as_str()), (404, "not_ready"));
}
