//! The database cannot write for a while, in the middle of everything: callers get the truth, nothing is lost, service
//! resumes by itself, and each order is charged once.

use crate::support::{
    Answer, Cluster, MERCHANT, Processor, Shop, SmallDisk, Stage, eventually, order,
};
use futures_util::future::join_all;
use sea_orm::ConnectionTrait;
use serde_json::{Value, json};
use std::time::Duration;

/// Nothing but the reply, or the callback, can pay an order in these stories: no check comes in their time.
fn stage() -> Stage {
    Stage {
        ui_deadline: "5s",
        read_timeout: "60s",
        schedule: r#"["90s", "120s", "300s"]"#,
        pending_schedule: r#"["90s", "120s", "300s"]"#,
        ..Stage::default()
    }
    .with("ONCEPAY_CALLBACKS__DEADLINE", "1s")
}

/// What is in work when the outage begins: orders whose reply is to come, and orders whose payer is to pay.
struct InWork {
    replies: Vec<Value>,
    payers: Vec<Value>,
    newcomers: Vec<Value>,
}

impl InWork {
    async fn begin(shop: &Shop) -> Self {
        let orders = |kind: &str, subject: &str| -> Vec<Value> {
            (0..12)
                .map(|n| order(&format!("{kind}-{n}"), subject))
                .collect()
        };
        let work = Self {
            replies: orders("reply", "VIP #delay=3s #no-callback"),
            payers: orders("payer", "VIP #pending"),
            newcomers: orders("new", "VIP"),
        };
        let begun = work.replies.iter().chain(&work.payers);
        for answer in join_all(begun.map(|body| shop.create_async(body))).await {
            assert_eq!(answer.status, 202, "{:?}", answer.body);
        }
        for body in &work.payers {
            let order_id = shop.find(number(body)).await.expect("it was made");
            shop.becomes(order_id["order_id"].as_str().expect("an id"), "PENDING")
                .await;
        }
        work
    }

    /// While the database is away: shoppers come, payers pay, the processor calls back.
    async fn goes_on(&self, shop: &Shop, processor: &Processor) -> Vec<Answer> {
        let first = number(&self.payers[0]);
        let notice = json!({"trade_no": "T-1", "order_no": first, "idempotency_key": format!("pay:order:{first}"),
            "amount": 1999, "currency": "CNY", "status": "PROCESSING"});
        let payers = async {
            for body in &self.payers {
                processor.pay(number(body)).await;
            }
            shop.notify_signed(processor, "by-hand", &notice).await
        };
        let shoppers = join_all(self.newcomers.iter().map(|body| shop.create(body)));
        let (answers, told) = tokio::join!(shoppers, payers);
        assert_eq!(
            told.status, 503,
            "nothing is acknowledged that is not committed"
        );
        for answer in &answers {
            is_honest(answer);
        }
        answers
    }

    /// The service is back, by itself.
    async fn is_finished(&self, shop: &mut Shop, processor: &Processor, answers: &[Answer]) {
        shop.is_ready().await;
        assert!(shop.running.is_running(), "the same process serves on");
        for (body, answer) in self.newcomers.iter().zip(answers) {
            if answer.status == 503 {
                let written = shop.find(number(body)).await;
                assert!(written.is_none(), "said not to be written: {written:?}");
            }
        }
        for body in [&self.replies, &self.payers, &self.newcomers]
            .into_iter()
            .flatten()
        {
            let again = shop.create(body).await;
            let order_id = again.text("order_id");
            shop.becomes(order_id, "PAID").await;
            let charge = processor.charged_once(number(body)).await;
            assert_eq!(charge.submits, 1, "{charge:?}");
            let events = shop.events(order_id).await;
            let into_paid = events
                .iter()
                .filter(|event| event["to"] == "PAID" && event["from"] != "PAID");
            assert_eq!(into_paid.count(), 1, "{events:?}");
        }
        let log = shop.running.log();
        assert!(!log.contains("panicked"), "{log}");
    }
}

fn number(body: &Value) -> &str {
    body["order_no"].as_str().expect("a number")
}

/// An order that is there, or no order and when to come again, or a shopper whose patience ended first.
fn is_honest(answer: &Answer) {
    match answer.status {
        200 | 202 => assert!(answer.text("order_id").starts_with("ord_")),
        503 => assert!(!answer.header("retry-after").is_empty()),
        504 => {}
        other => panic!("{other}: {:?}", answer.body),
    }
}

/// Waits until the check of this name, and with it readiness, fails; the process lives on.
async fn is_not_ready(shop: &Shop, check: &str) {
    eventually(&format!("/readyz says {check}"), || async {
        let ready = shop.ask("GET", "/readyz", MERCHANT, None).await;
        let says = ready.status == 503 && ready.body["checks"][check] == false;
        says.then_some(()).ok_or_else(|| ready.body.to_string())
    })
    .await;
    let health = shop.ask("GET", "/healthz", MERCHANT, None).await;
    assert_eq!(health.status, 200, "it lives");
}

#[tokio::test(flavor = "multi_thread")]
async fn another_program_locks_the_database_for_ten_seconds() {
    let processor = Processor::start().await;
    let mut shop = Shop::open(&processor, stage()).await;
    let work = InWork::begin(&shop).await;
    let other = shop.database.connect().await;
    let lock = if shop.database.is_sqlite() {
        "BEGIN EXCLUSIVE"
    } else {
        "BEGIN; LOCK TABLE orders, order_events, runtime IN EXCLUSIVE MODE"
    };
    other.execute_unprepared(lock).await.expect("it is locked");

    let ten_seconds = tokio::time::sleep(Duration::from_secs(10));
    let (answers, (), ()) = tokio::join!(
        work.goes_on(&shop, &processor),
        is_not_ready(&shop, "journal"),
        ten_seconds
    );
    let ended = other.execute_unprepared("ROLLBACK").await;
    ended.expect("the lock is given back");
    other.close().await.expect("it closes");

    work.is_finished(&mut shop, &processor, &answers).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_disk_is_full_for_a_while() {
    let processor = Processor::start().await;
    let mut shop = Shop::open(&processor, stage()).await;
    if !shop.database.is_sqlite() {
        // PostgreSQL minds its own disk.
        return;
    }
    assert_eq!(shop.stop().code(), Some(0));
    let Some(disk) = SmallDisk::over(&shop.folder().join("data"), 96) else {
        println!("skipped: this process may not mount a filesystem");
        return;
    };
    shop.start_again().await;
    let work = InWork::begin(&shop).await;

    disk.fill();
    let (answers, ()) = tokio::join!(work.goes_on(&shop, &processor), is_not_ready(&shop, "disk"));
    assert!(
        answers.iter().all(|answer| answer.status == 503),
        "{answers:?}"
    );
    let kept = shop.find(number(&work.payers[0])).await;
    assert!(kept.is_some(), "what is there can be read");
    disk.free();

    work.is_finished(&mut shop, &processor, &answers).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn postgres_is_restarted_and_then_down_for_some_seconds() {
    let Some(cluster) = Cluster::start() else {
        return;
    };
    let processor = Processor::start().await;
    let stage = Stage {
        database: Some(cluster.database()),
        ..stage()
    };
    let mut shop = Shop::open(&processor, stage).await;
    let work = InWork::begin(&shop).await;

    let hurried: Vec<Value> = (0..60).map(|n| order(&format!("h-{n}"), "VIP")).collect();
    let creates = join_all(hurried.iter().map(|body| shop.create(body)));
    let restart = async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        cluster.stop();
        cluster.start_again();
    };
    let (answers, ()) = tokio::join!(creates, restart);
    answers.iter().for_each(is_honest);
    shop.is_ready().await;
    for body in &hurried {
        let again = shop.create(body).await;
        shop.becomes(again.text("order_id"), "PAID").await;
        processor.charged_once(number(body)).await;
    }

    cluster.stop();
    let (answers, ()) = tokio::join!(
        work.goes_on(&shop, &processor),
        is_not_ready(&shop, "database")
    );
    cluster.start_again();

    work.is_finished(&mut shop, &processor, &answers).await;
    let held = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'";
    eventually("the lock is held again", || async {
        let held = shop.database.number(held).await;
        (held == 1).then_some(()).ok_or_else(|| held.to_string())
    })
    .await;
}
