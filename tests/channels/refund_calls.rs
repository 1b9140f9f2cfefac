//! Refunds through the channel: what each answer means, and that a number is one refund.

use crate::support::{Bench, SECRET, channel, settings, signing_processor, statement};
use actix_web::{App, HttpRequest, HttpResponse, HttpServer, web};
use oncepay::channels::http::HttpChannel;
use oncepay::channels::{Channel, RefundCall};
use oncepay::domain::order::{RefundAnswer, RefundStatement};
use oncepay::domain::{Currency, Money, UnixMillis};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The call about refund `refund_no` of 500 from this trade of order `order_no`; 10 s for an answer.
fn refund(order_no: &str, refund_no: &str, trade_no: &str) -> RefundCall {
    let yuan = |amount| Money::new(amount, Currency::parse("CNY").unwrap());
    RefundCall {
        order_no: order_no.to_owned(),
        idempotency_key: format!("pay:order:{order_no}"),
        method: "direct".to_owned(),
        charged: yuan(1999),
        refund_no: refund_no.to_owned(),
        trade_no: trade_no.to_owned(),
        paid: yuan(1999),
        money: yuan(500),
        reason: Some("too small".to_owned()),
        channel_ref: None,
        channel_refund_no: None,
        created_at: UnixMillis(0),
        first_sent_at: None,
        notify_url: String::new(),
        timeout: Duration::from_secs(10),
    }
}

/// `succeeded`, `unknown: submit_timeout` and the like.
fn meaning(answer: &RefundAnswer) -> String {
    match answer {
        RefundAnswer::Succeeded(_) => "succeeded".to_owned(),
        RefundAnswer::Pending(_) => "pending".to_owned(),
        RefundAnswer::Failed(_) => "failed".to_owned(),
        RefundAnswer::Repeatable { .. } => "repeatable".to_owned(),
        RefundAnswer::Conflict { .. } => "conflict".to_owned(),
        RefundAnswer::NotFound => "not found".to_owned(),
        RefundAnswer::Throttled { .. } => "throttled".to_owned(),
        RefundAnswer::NotSent { .. } => "not sent".to_owned(),
        RefundAnswer::Unknown(unknown) => format!("unknown: {}", unknown.reason.as_str()),
    }
}

fn said(answer: &RefundAnswer) -> &RefundStatement {
    let (RefundAnswer::Succeeded(statement)
    | RefundAnswer::Pending(statement)
    | RefundAnswer::Failed(statement)) = answer
    else {
        panic!("not a statement: {answer:?}");
    };
    statement
}

/// An order that was paid with this subject, and its trade.
async fn paid(bench: &Bench, order_no: &str, subject: &str) -> String {
    let paid = bench.submit(order_no, subject).await;
    statement(&paid).trade_no.clone().unwrap()
}

#[actix_web::test]
async fn a_refund_is_made_once_under_its_number_and_found_again() {
    let bench = Bench::start();
    let trade_no = paid(&bench, "8101", "a").await;
    let call = refund("8101", "r-1@x.y_z", &trade_no);
    assert_eq!(
        meaning(&bench.channel.query_refund(&call).await),
        "not found"
    );
    let first = bench.channel.refund(&call).await;
    assert_eq!(meaning(&first), "succeeded");
    assert_eq!(said(&first).refund_no, "r-1@x.y_z");
    assert_eq!(said(&first).amount, Some(500));
    assert!(said(&first).channel_refund_no.is_some());
    assert_eq!(bench.channel.refund(&call).await, first);
    assert_eq!(bench.channel.query_refund(&call).await, first);
    let refunds = bench.ledger().await["refunds"].as_array().unwrap().len();
    assert_eq!(refunds, 1);
    let mut other = call.clone();
    other.money.amount = 501;
    assert_eq!(meaning(&bench.channel.refund(&other).await), "conflict");
}

#[actix_web::test]
async fn what_became_of_a_refund_is_known_from_what_is_signed_alone() {
    let bench = Bench::start();
    for (order_no, subject, sent, asked) in [
        ("8111", "a #refund=pending", "pending", "pending"),
        ("8112", "a #refund=failed", "failed", "failed"),
        (
            "8113",
            "a #refund=unknown",
            "unknown: channel_unavailable",
            "not found",
        ),
        (
            "8114",
            "a #lost-refund",
            "unknown: channel_unavailable",
            "not found",
        ),
        (
            "8115",
            "a #lost-refund-reply",
            "unknown: channel_unavailable",
            "succeeded",
        ),
        (
            "8116",
            "a #refund-query=unknown",
            "succeeded",
            "unknown: channel_unavailable",
        ),
        (
            "8117",
            "a #refund-query=unsigned",
            "succeeded",
            "unknown: unreadable_reply",
        ),
        (
            "8118",
            "a #refund-query=not-found",
            "succeeded",
            "not found",
        ),
    ] {
        let trade_no = paid(&bench, order_no, subject).await;
        let call = refund(order_no, "r-1", &trade_no);
        assert_eq!(
            meaning(&bench.channel.refund(&call).await),
            sent,
            "{subject}"
        );
        assert_eq!(
            meaning(&bench.channel.query_refund(&call).await),
            asked,
            "{subject}"
        );
    }
    let trade_no = paid(&bench, "8119", "a #refund-delay=5s").await;
    let mut hasty = refund("8119", "r-1", &trade_no);
    hasty.timeout = Duration::from_millis(100);
    assert_eq!(
        meaning(&bench.channel.refund(&hasty).await),
        "unknown: submit_timeout"
    );
    let trade_no = paid(&bench, "8120", "a #wrong-refund=7").await;
    let wrong = bench
        .channel
        .refund(&refund("8120", "r-1", &trade_no))
        .await;
    assert_eq!(
        said(&wrong).amount,
        Some(7),
        "told as it stands: who asked compares"
    );
}

#[actix_web::test]
async fn a_refund_of_a_charge_that_the_processor_does_not_know_is_no_failure() {
    let bench = Bench::start();
    let call = refund("8199", "r-1", "trd_none");
    assert_eq!(
        meaning(&bench.channel.refund(&call).await),
        "unknown: unreadable_reply"
    );
    let nobody = channel("http://127.0.0.1:1");
    assert_eq!(meaning(&nobody.refund(&call).await), "not sent");
    assert_eq!(meaning(&nobody.query_refund(&call).await), "not sent");
}

#[actix_web::test]
async fn words_and_codes_that_are_not_in_the_protocol_say_nothing() {
    const UNREADABLE: &str = "unknown: unreadable_reply";
    const UNAVAILABLE: &str = "unknown: channel_unavailable";
    const SUCCEEDED: &str =
        r#"{"refund_no":"r-1","amount":500,"status":"SUCCEEDED","channel_refund_no":"R1"}"#;
    for (status, body, sent, asked) in [
        (200, SUCCEEDED, "succeeded", "succeeded"),
        (201, SUCCEEDED, UNREADABLE, UNREADABLE),
        (409, SUCCEEDED, UNREADABLE, UNREADABLE),
        (500, SUCCEEDED, UNAVAILABLE, UNAVAILABLE),
        (429, SUCCEEDED, UNAVAILABLE, UNAVAILABLE),
        (
            200,
            r#"{"refund_no":"r-1","amount":500,"status":"REVERTED"}"#,
            UNREADABLE,
            UNREADABLE,
        ),
        (
            200,
            r#"{"refund_no":"r-1","amount":500.0,"status":"SUCCEEDED"}"#,
            UNREADABLE,
            UNREADABLE,
        ),
        (200, "", UNREADABLE, UNREADABLE),
        (404, r#"{"code":"not_found"}"#, UNREADABLE, "not found"),
        (404, r#"{"code":"gone"}"#, UNREADABLE, UNREADABLE),
        (404, "", UNREADABLE, UNREADABLE),
        (
            409,
            r#"{"code":"idempotency_conflict"}"#,
            "conflict",
            UNREADABLE,
        ),
        (422, r#"{"code":"invalid_request"}"#, UNREADABLE, UNREADABLE),
    ] {
        let channel = channel(&signing_processor(status, body));
        let call = refund("1", "r-1", "T1");
        let told = (
            meaning(&channel.refund(&call).await),
            meaning(&channel.query_refund(&call).await),
        );
        assert_eq!(told, (sent.to_owned(), asked.to_owned()), "{status} {body}");
    }
}

/// What was on the wire: method and path, `Idempotency-Key`, body.
type Request = (String, String, String);

/// A processor that writes down what it is asked and answers nothing that counts.
fn listener() -> (HttpChannel, Arc<Mutex<Vec<Request>>>) {
    let seen: Arc<Mutex<Vec<Request>>> = Arc::default();
    let for_server = Arc::clone(&seen);
    let note = move |request: HttpRequest, body: String| {
        let key = request.headers().get("idempotency-key");
        let key = key.map(|key| key.to_str().unwrap().to_owned());
        let line = format!("{} {}", request.method(), request.uri());
        for_server
            .lock()
            .unwrap()
            .push((line, key.unwrap_or_default(), body));
        async { HttpResponse::Ok().finish() }
    };
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    let server = HttpServer::new(move || App::new().default_service(web::to(note.clone())))
        .workers(1)
        .disable_signals()
        .listen(listener)
        .unwrap();
    actix_web::rt::spawn(server.run());
    let mut settings = settings(&base);
    settings.secret = secrecy::SecretString::from(SECRET);
    let channel = HttpChannel::new(settings, crate::support::clock()).unwrap();
    (channel, seen)
}

#[actix_web::test]
async fn a_repeated_send_has_the_same_bytes_and_a_key_that_is_not_the_charges() {
    let (channel, seen) = listener();
    let call = refund("8201", "r/1", "T1");
    channel.refund(&call).await;
    channel.refund(&call).await;
    channel.query_refund(&call).await;
    let seen = seen.lock().unwrap();
    assert_eq!(seen[0], seen[1]);
    let (line, key, body) = &seen[0];
    assert_eq!(line, "POST /charges/pay%3Aorder%3A8201/refunds");
    assert_eq!(key, "refund:8201:r/1");
    assert_eq!(body, r#"{"refund_no":"r/1","amount":500,"trade_no":"T1"}"#);
    let (line, key, body) = &seen[2];
    assert_eq!(line, "GET /charges/pay%3Aorder%3A8201/refunds/r%2F1");
    assert_eq!((key.as_str(), body.as_str()), ("", ""));
}

#[actix_web::test]
async fn a_number_that_is_a_step_of_a_path_asks_about_nothing_else() {
    let (channel, seen) = listener();
    for number in [".", ".."] {
        let call = refund("8202", number, "T1");
        assert_eq!(
            meaning(&channel.query_refund(&call).await),
            "not sent",
            "{number}"
        );
    }
    assert!(seen.lock().unwrap().is_empty());
}
