//! A database that others hold up, and floods behind it: callers are told the truth and nothing is lost.

use crate::support::{Processor, Shop, Stage, eventually, order};
use futures_util::future::join_all;
use sea_orm::{ConnectionTrait, DatabaseConnection};
use serde_json::{Value, json};
use std::time::Duration;

/// Another program's write that does not end.
async fn slow_write(shop: &Shop) -> DatabaseConnection {
    let connection = shop.database.connect().await;
    let lock = if shop.database.is_sqlite() {
        "BEGIN IMMEDIATE"
    } else {
        "BEGIN; LOCK TABLE orders, runtime IN EXCLUSIVE MODE"
    };
    let locked = connection.execute_unprepared(lock).await;
    locked.expect("the test takes the lock");
    connection
}

async fn end(write: DatabaseConnection) {
    let ended = write.execute_unprepared("ROLLBACK").await;
    ended.expect("the test gives the lock back");
    write.close().await.expect("it closes");
}

#[tokio::test(flavor = "multi_thread")]
async fn fifty_orders_behind_a_slow_write_are_charged_once_or_were_never_taken() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::default()).await;
    let bodies: Vec<Value> = (0..50).map(|n| order(&format!("w-{n}"), "VIP")).collect();

    let write = slow_write(&shop).await;
    let creates = join_all(bodies.iter().map(|body| shop.create(body)));
    let hold = async {
        eventually("it says that it cannot write", || async {
            let ready = shop.client.get(shop.url("/readyz")).send().await;
            let status = ready.expect("it answers").status();
            (status == 503)
                .then_some(())
                .ok_or_else(|| status.to_string())
        })
        .await;
        // By now those who waited have been told; that nobody waits does not make it ready.
        tokio::time::sleep(Duration::from_secs(5)).await;
        let ready = shop.client.get(shop.url("/readyz")).send().await;
        assert_eq!(ready.expect("it answers").status(), 503, "it cannot write");
        let health = shop.client.get(shop.url("/healthz")).send().await;
        assert_eq!(health.expect("it answers").status(), 200, "it lives");
        end(write).await;
    };
    let (answers, ()) = tokio::join!(creates, hold);
    for answer in &answers {
        let honest = [200, 202, 503, 504].contains(&answer.status);
        assert!(honest, "{} {:?}", answer.status, answer.body);
        if answer.status == 503 {
            assert!(!answer.header("retry-after").is_empty());
        }
    }

    shop.is_ready().await;
    for body in &bodies {
        let again = shop.create(body).await;
        shop.becomes(again.text("order_id"), "PAID").await;
        let order_no = body["order_no"].as_str().expect("a number");
        processor.charged_once(order_no).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn on_a_full_disk_an_order_is_refused_and_it_goes_on_by_itself_when_there_is_room() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::default()).await;
    if !shop.database.is_sqlite() {
        return; // the server's disk is not ours to fill
    }
    let before = shop.create(&order("full-1", "VIP #no-callback")).await;
    assert_eq!(before.status, 200, "{:?}", before.body);

    shop.running.files_end_at("8192");
    let refused = shop.create(&order("full-2", "VIP #no-callback")).await;
    assert_eq!(refused.status, 503, "{:?}", refused.body);
    assert!(!refused.header("retry-after").is_empty());
    let written = "SELECT COUNT(*) FROM orders WHERE order_no = 'full-2'";
    assert_eq!(shop.database.number(written).await, 0);

    shop.running.files_end_at("unlimited");
    eventually("it takes orders again", || async {
        let answer = shop.create(&order("full-2", "VIP #no-callback")).await;
        let paid = answer.status == 200;
        paid.then_some(()).ok_or_else(|| answer.body.to_string())
    })
    .await;
    assert_eq!(processor.charged_once("full-2").await.submits, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_flood_of_callbacks_for_one_order_is_bounded_and_makes_one_transition() {
    let processor = Processor::start().await;
    let stage = Stage::default().with("ONCEPAY_CALLBACKS__DEADLINE", "1s");
    let shop = Shop::open(&processor, stage).await;
    let created = shop.create(&order("flood", "VIP #pending")).await;
    assert_eq!(created.text("status"), "PENDING", "{:?}", created.body);
    let order_id = created.text("order_id");
    let paid = json!({"trade_no": "T-flood", "order_no": "flood", "idempotency_key": "pay:order:flood",
        "amount": 1999, "currency": "CNY", "status": "PAID"});
    let send = async |n: usize| {
        let id = format!("n-{n}");
        shop.notify_signed(&processor, &id, &paid).await.status
    };

    let write = slow_write(&shop).await;
    for wave in 0..5 {
        let statuses = join_all((0..400).map(|n| send(wave * 400 + n))).await;
        let put_off = statuses.iter().all(|status| *status == 503);
        assert!(
            put_off,
            "nothing is acknowledged that is not committed: {statuses:?}"
        );
    }
    assert!(resident_mib(&shop) < 400, "{} MiB", resident_mib(&shop));
    end(write).await;
    shop.is_ready().await;
    let statuses = join_all((0..200).map(&send)).await;
    assert!(
        statuses.iter().all(|status| [200, 503].contains(status)),
        "{statuses:?}"
    );
    eventually("the channel's repeat is acknowledged", || async {
        let status = send(0).await;
        (status == 200)
            .then_some(())
            .ok_or_else(|| status.to_string())
    })
    .await;

    shop.becomes(order_id, "PAID").await;
    let events = shop.events(order_id).await;
    let into_paid = events
        .iter()
        .filter(|event| event["to"] == "PAID" && event["from"] != "PAID");
    assert_eq!(into_paid.count(), 1, "{events:?}");
    let callbacks = events.iter().filter(|event| event["kind"] == "callback");
    assert_eq!(callbacks.count(), 1, "{events:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stop_does_not_wait_for_a_database_that_takes_no_writes() {
    let processor = Processor::start().await;
    let mut shop = Shop::open(&processor, Stage::default()).await;
    let subject = "VIP #delay=1s #no-callback";
    let created = shop.create_async(&order("stuck", subject)).await;
    let write = slow_write(&shop).await;

    shop.running.signal("TERM");
    // Ten seconds by contract; what is more is this machine's.
    assert_eq!(shop.running.ended(Duration::from_secs(25)).code(), Some(0));
    end(write).await;
    shop.start_again().await;

    shop.becomes(created.text("order_id"), "PAID").await;
    assert_eq!(processor.charged_once("stuck").await.submits, 1);
}

/// The memory that the server holds.
fn resident_mib(shop: &Shop) -> u64 {
    let status = format!("/proc/{}/status", shop.running.pid());
    let text = std::fs::read_to_string(status).expect("the process lives");
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib = line.and_then(|line| line.split_whitespace().next());
    kib.and_then(|kib| kib.parse::<u64>().ok())
        .expect("a number")
        / 1024
}

/// Ends every connection of the shop but the one that holds its lock.
async fn cut_connections(connection: &DatabaseConnection) {
    let cut = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
               WHERE datname = current_database() AND pid <> pg_backend_pid() \
               AND pid NOT IN (SELECT pid FROM pg_locks WHERE locktype = 'advisory')";
    let cut = connection.execute_unprepared(cut).await;
    cut.expect("the query runs");
}

#[tokio::test(flavor = "multi_thread")]
async fn connections_that_die_in_the_middle_of_writes_lose_and_repeat_nothing() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::default()).await;
    if shop.database.is_sqlite() {
        // A file has no connection that another could end.
        return;
    }
    let knife = shop.database.connect().await;
    let bodies: Vec<Value> = (0..120).map(|n| order(&format!("k-{n}"), "VIP")).collect();
    let creates = join_all(bodies.iter().map(|body| shop.create(body)));
    let cuts = async {
        for _ in 0..15 {
            cut_connections(&knife).await;
            tokio::time::sleep(Duration::from_millis(60)).await;
        }
    };
    let (answers, ()) = tokio::join!(creates, cuts);
    for answer in &answers {
        let honest = [200, 202, 503, 504].contains(&answer.status);
        assert!(honest, "{} {:?}", answer.status, answer.body);
    }

    shop.is_ready().await;
    for body in &bodies {
        let again = shop.create(body).await;
        let paid = shop.becomes(again.text("order_id"), "PAID").await;
        let order_no = body["order_no"].as_str().expect("a number");
        processor.charged_once(order_no).await;
        let events = shop.events(again.text("order_id")).await;
        let into_paid = events
            .iter()
            .filter(|event| event["to"] == "PAID" && event["from"] != "PAID");
        assert_eq!(into_paid.count(), 1, "{paid} {events:?}");
    }
    knife.close().await.expect("it closes");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_check_that_comes_due_behind_a_crowd_of_readers_is_made_all_the_same() {
    let processor = Processor::start().await;
    let stage = Stage {
        schedule: r#"["3s", "10s"]"#,
        ..Stage::default()
    };
    let shop = Shop::open(&processor, stage).await;
    let body = order("crowd-1", "VIP #lost-reply #no-callback");
    let open = shop.create(&body).await;
    let order_id = open.text("order_id").to_owned();
    shop.becomes(&order_id, "UNKNOWN").await;

    let write = slow_write(&shop).await;
    let holds_the_actor = shop.ask_with(
        "POST",
        "/v1/orders",
        &[("idempotency-key", "crowd"), ("prefer", "wait=1")],
        Some(&body),
    );
    let path = format!("/v1/orders/{order_id}");
    let reads = (0..600).map(|_| shop.ask_with("GET", &path, &[("prefer", "wait=1")], None));
    let (held, read) = tokio::join!(holds_the_actor, join_all(reads));
    // Nobody was kept longer than they asked for: the database is still locked.
    assert_eq!(held.status, 202, "{:?}", held.body);
    assert!(read.iter().all(|answer| answer.status == 200));
    tokio::time::sleep(Duration::from_secs(3)).await;
    end(write).await;

    shop.becomes(&order_id, "PAID").await;
    processor.charged_once("crowd-1").await;
}
