//! Each outcome class, through a real sandbox.

use crate::raw::RawServer;
use crate::support::{Bench, call, channel, meaning, statement, status};
use oncepay::channels::Channel;
use oncepay::domain::order::{Answer, ChargeStatus};
use std::time::Duration;

#[actix_web::test]
async fn a_charge_is_paid_and_every_field_comes_back() {
    let bench = Bench::start();
    let answer = bench.submit("1001", "VIP+ 月卡").await;
    let paid = statement(&answer);
    assert_eq!(paid.status, ChargeStatus::Paid);
    assert_eq!(paid.order_no, "1001");
    assert_eq!(paid.idempotency_key.as_deref(), Some("pay:order:1001"));
    assert_eq!(paid.money, Some(call("1001", "").money));
    assert_eq!(paid.merchant, None);
    let asked = bench.query("1001").await;
    assert_eq!(statement(&asked).trade_no, paid.trade_no);
    assert_eq!(bench.charge("1001").await["charged_times"], 1);
}

#[actix_web::test]
async fn a_repeated_submit_is_the_same_charge_and_another_body_a_conflict() {
    let bench = Bench::start();
    let first = bench.submit("1002", "book").await;
    let again = bench.submit("1002", "book").await;
    assert_eq!(statement(&first).trade_no, statement(&again).trade_no);
    let mut other = call("1002", "book");
    other.money.amount = 2000;
    assert_eq!(bench.channel.submit(&other).await, Answer::KeyConflict);
    let charge = bench.charge("1002").await;
    assert_eq!(
        (&charge["charged_times"], &charge["submits"]),
        (&1.into(), &3.into())
    );
    assert_eq!(charge["amount"], 1999);
}

#[actix_web::test]
async fn two_hundred_submits_at_once_charge_once() {
    let bench = std::rc::Rc::new(Bench::start());
    let calls: Vec<_> = (0..200)
        .map(|_| {
            let bench = bench.clone();
            actix_web::rt::spawn(async move { bench.submit("1003", "book").await })
        })
        .collect();
    for answer in calls {
        assert_eq!(status(&answer.await.unwrap()), &ChargeStatus::Paid);
    }
    let charge = bench.charge("1003").await;
    assert_eq!(
        (&charge["charged_times"], &charge["submits"]),
        (&1.into(), &200.into())
    );
}

#[actix_web::test]
async fn what_a_submit_is_answered_with_is_classed() {
    let bench = Bench::start();
    for (subject, expected, charged) in [
        ("a #declined", "DECLINED: insufficient_funds", 0),
        ("a #pending", "PENDING", 0),
        ("a #processing", "PROCESSING", 0),
        ("a #lost-reply", "unknown: channel_unavailable", 1),
        ("a #lost-request", "unknown: channel_unavailable", 0),
        ("a #http=500", "unknown: channel_unavailable", 0),
        ("a #http=503-charged", "unknown: channel_unavailable", 1),
        ("a #http=302-charged", "unknown: unreadable_reply", 1),
        ("a #http=404", "unknown: unreadable_reply", 0),
        ("a #http=429", "unknown: unreadable_reply", 0),
        ("a #unsigned", "unknown: unreadable_reply", 1),
        ("a #wrong-amount=1", "PAID", 1),
        ("a #pay-twice", "PAID", 2),
        ("a #decline-submit=1", "DECLINED: insufficient_funds", 0),
    ] {
        let order_no = subject.replace(|it: char| !it.is_ascii_alphanumeric(), "-");
        let answer = bench.submit(&order_no, subject).await;
        assert_eq!(meaning(&answer), expected, "{subject}");
        let times = &bench.charge(&order_no).await["charged_times"];
        assert_eq!(times.as_u64().unwrap_or_default(), charged, "{subject}");
    }
}

#[actix_web::test]
async fn a_charge_that_waits_for_its_payer_names_what_to_do() {
    let bench = Bench::start();
    let answer = bench.submit("1005", "a #pending").await;
    let ChargeStatus::Pending {
        next_action: Some(action),
    } = status(&answer)
    else {
        panic!("{answer:?}");
    };
    assert_eq!(action.kind, "qr_code");
    assert!(action.value.starts_with("sandbox://pay/"));
}

#[actix_web::test]
async fn a_status_that_nobody_has_heard_of_is_not_guessed_at() {
    let bench = Bench::start();
    let answer = bench.submit("1006", "a #status=FROZEN").await;
    let unexplained = ChargeStatus::Unexplained("FROZEN".to_owned());
    assert_eq!(status(&answer), &unexplained);
    assert_eq!(status(&bench.query("1006").await), &unexplained);
}

#[actix_web::test]
async fn a_late_reply_is_a_timeout_and_the_query_tells_the_truth() {
    let bench = Bench::start();
    let mut late = call("1007", "a #delay=70s");
    late.timeout = Duration::from_millis(300);
    let answer = bench.channel.submit(&late).await;
    assert_eq!(meaning(&answer), "unknown: submit_timeout");
    assert_eq!(status(&bench.query("1007").await), &ChargeStatus::Paid);
}

#[actix_web::test]
async fn queries_are_classed_and_counted_faults_end() {
    let bench = Bench::start();
    for (subject, expected) in [
        ("a #query=unknown:1", "unknown: channel_unavailable"),
        ("a #query=unsigned:1", "unknown: unreadable_reply"),
        ("a #query=not-found:1", "not found"),
        ("a #query=timeout:1", "unknown: submit_timeout"),
    ] {
        let order_no = subject.replace(|it: char| !it.is_ascii_alphanumeric(), "-");
        bench.submit(&order_no, subject).await;
        let mut query = call(&order_no, "");
        if subject.contains("timeout") {
            query.timeout = Duration::from_millis(300);
        }
        let answer = bench.channel.query(&query).await;
        assert_eq!(meaning(&answer), expected, "{subject}");
        assert_eq!(meaning(&bench.query(&order_no).await), "PAID", "{subject}");
    }
    assert_eq!(bench.query("never").await, Answer::NotFound);
}

#[actix_web::test]
async fn a_close_is_confirmed_or_answered_with_what_stands_in_its_way() {
    let bench = Bench::start();
    bench.submit("2001", "a #pending").await;
    assert_eq!(status(&bench.close("2001").await), &ChargeStatus::Closed);
    assert_eq!(status(&bench.query("2001").await), &ChargeStatus::Closed);
    bench.submit("2002", "a").await;
    assert_eq!(status(&bench.close("2002").await), &ChargeStatus::Paid);
    bench.submit("2003", "a #processing").await;
    assert_eq!(bench.close("2003").await, Answer::CannotClose);
    bench.submit("2004", "a #pending #close=refuse:1").await;
    assert_eq!(bench.close("2004").await, Answer::CannotClose);
    assert_eq!(status(&bench.close("2004").await), &ChargeStatus::Closed);
    assert_eq!(bench.close("never").await, Answer::NotFound);
}

#[actix_web::test]
async fn a_charge_that_expired_is_closed_by_the_sandbox() {
    let bench = Bench::start();
    let mut short = call("2005", "a #pending");
    short.expires_in_s = 1;
    bench.channel.submit(&short).await;
    bench.until("2005", &ChargeStatus::Closed).await;
}

#[actix_web::test]
async fn a_decline_of_the_second_submit_does_not_hide_the_charge_of_the_first() {
    let bench = Bench::start();
    let subject = "a #lost-reply=1 #query=not-found:1 #decline-submit=2";
    assert_eq!(
        meaning(&bench.submit("2006", subject).await),
        "unknown: channel_unavailable"
    );
    assert_eq!(bench.query("2006").await, Answer::NotFound);
    assert_eq!(
        status(&bench.submit("2006", subject).await),
        &ChargeStatus::Declined
    );
    assert_eq!(status(&bench.query("2006").await), &ChargeStatus::Paid);
}

#[actix_web::test]
async fn a_charge_may_land_after_the_caller_hung_up() {
    let bench = Bench::start();
    let mut hasty = call("2007", "a #land-after=2s");
    hasty.timeout = Duration::from_millis(100);
    assert_eq!(
        meaning(&bench.channel.submit(&hasty).await),
        "unknown: submit_timeout"
    );
    assert_eq!(bench.query("2007").await, Answer::NotFound);
    bench.until("2007", &ChargeStatus::Paid).await;
}

#[actix_web::test]
async fn what_cannot_be_reached_was_not_sent() {
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = free.local_addr().unwrap();
    drop(free);
    for base in [
        format!("http://{address}"),
        "https://no-such-host.invalid/pay".to_owned(),
    ] {
        let answer = channel(&base).submit(&call("3001", "a")).await;
        assert_eq!(meaning(&answer), "not sent", "{base}");
    }
}

#[actix_web::test]
async fn what_is_not_of_the_protocol_is_unknown() {
    let long = "x".repeat((1 << 20) + 1);
    for (reply, expected) in [
        (
            "HTTP/1.1 404 Not Found\r\ncontent-length: 20\r\n\r\n{\"code\":\"not_found\"}"
                .to_owned(),
            "unknown: unreadable_reply",
        ),
        (
            "HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nhtml".to_owned(),
            "unknown: unreadable_reply",
        ),
        (
            "HTTP/1.1 307 Elsewhere\r\nlocation: /charges\r\ncontent-length: 0\r\n\r\n".to_owned(),
            "unknown: unreadable_reply",
        ),
        (
            "HTTP/1.1 200 OK\r\ncontent-length: 400\r\n\r\n{".to_owned(),
            "unknown: channel_unavailable",
        ),
        (
            "HTTP/1.1 502 Bad\r\ncontent-length: 0\r\n\r\n".to_owned(),
            "unknown: channel_unavailable",
        ),
        (
            "not http at all\r\n\r\n".to_owned(),
            "unknown: channel_unavailable",
        ),
        (
            format!(
                "HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{long}",
                long.len()
            ),
            "unknown: unreadable_reply",
        ),
    ] {
        let server = RawServer::answering(reply.clone().into_bytes());
        let answer = channel(&server.base).submit(&call("3002", "a")).await;
        let head: String = reply.chars().take(30).collect();
        assert_eq!(meaning(&answer), expected, "{head}");
        assert_eq!(server.posts(), 1, "{head}");
    }
}

#[actix_web::test]
async fn a_reply_beyond_1_mib_is_cut_off() {
    let endless = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n".to_vec();
    let chunk = [b"10000\r\n".as_slice(), &vec![b'x'; 1 << 16], b"\r\n"].concat();
    let reply = [endless, chunk.repeat(64)].concat();
    let server = RawServer::answering(reply);
    let answer = channel(&server.base).submit(&call("3003", "a")).await;
    assert_eq!(meaning(&answer), "unknown: unreadable_reply");
    assert!(answer.summary().contains("1 MiB"), "{}", answer.summary());
}

#[actix_web::test]
async fn an_unsigned_request_is_refused_and_leaves_no_trace() {
    let bench = Bench::start();
    let answer = reqwest::Client::new()
        .post(format!("{}/charges", bench.base))
        .header("content-type", "application/json")
        .body("{}")
        .send()
        .await
        .unwrap();
    assert_eq!(answer.status(), 401);
    assert_eq!(bench.ledger().await["requests"], 0);
}

#[actix_web::test]
async fn where_keys_are_not_honoured_each_submit_charges() {
    let bench = Bench::start();
    let subject = "a #every-submit-charges";
    for submits in 1..=3 {
        assert_eq!(meaning(&bench.submit("1017", subject).await), "PAID");
        assert_eq!(bench.charge("1017").await["charged_times"], submits);
    }
}
