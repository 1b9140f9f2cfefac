//! Two runtimes on one database with the lock off: the row's version is the net under it all.

use crate::bank::{Bank, Does};
use crate::stage::{Stage, settings};
use crate::support::ScratchDatabase;
use futures_util::future::join_all;
use oncepay::domain::order::{EventKind, OrderStatus, Reason};

const SECONDS: &str = r#"["2s", "1s", "1s"]"#;

#[actix::test]
async fn each_check_is_one_query_on_the_wire_and_the_end_is_one_alert() {
    let folder = tempfile::tempdir().unwrap();
    let database = ScratchDatabase::make(folder.path()).await;
    let bank = Bank::open(Does::Mumbles, Does::Mumbles);
    let one = Stage::open_beside(settings(folder.path(), &database.url, SECONDS), &bank).await;
    let numbers: Vec<String> = (0..40).map(|n| format!("twin-{n}")).collect();
    join_all(numbers.iter().map(|number| one.create(number))).await;
    for number in &numbers {
        one.becomes(number, OrderStatus::Unknown).await;
    }

    let two = Stage::open_beside(settings(folder.path(), &database.url, SECONDS), &bank).await;
    for number in &numbers {
        let manual = two.becomes(number, OrderStatus::Manual).await;
        assert_eq!(manual.reason, Some(Reason::MaxChecks));
        assert_eq!(manual.check_count, 3);
    }

    for number in &numbers {
        assert_eq!(bank.submits(number), 1, "{number}");
        assert_eq!(bank.queries(number), 3, "{number}");
        assert_eq!(one.count(number, EventKind::Query).await, 3, "{number}");
        let order = one.order(number).await;
        let alerts = one.alerts().await;
        let about = alerts
            .iter()
            .filter(|alert| alert.order_id.as_deref() == Some(order.order_id.as_str()));
        assert_eq!(about.count(), 1, "{number}");
    }
    one.runtime.stop().await;
    two.runtime.stop().await;
}

#[actix::test]
async fn two_that_are_asked_for_the_same_order_submit_it_once() {
    let folder = tempfile::tempdir().unwrap();
    let database = ScratchDatabase::make(folder.path()).await;
    let bank = Bank::open(Does::Pays, Does::Pays);
    let one = Stage::open_beside(settings(folder.path(), &database.url, SECONDS), &bank).await;
    let two = Stage::open_beside(settings(folder.path(), &database.url, SECONDS), &bank).await;
    let numbers: Vec<String> = (0..40).map(|n| format!("both-{n}")).collect();

    let created = numbers
        .iter()
        .map(|number| async { tokio::join!(one.create(number), two.create(number)) });
    for (first, second) in join_all(created).await {
        assert_eq!(first.order_id, second.order_id);
    }

    for number in &numbers {
        one.becomes(number, OrderStatus::Paid).await;
        assert_eq!(bank.submits(number), 1, "{number}");
    }
    one.runtime.stop().await;
    two.runtime.stop().await;
}

#[actix::test]
async fn notices_that_reach_both_pay_the_order_once() {
    let folder = tempfile::tempdir().unwrap();
    let database = ScratchDatabase::make(folder.path()).await;
    let bank = Bank::open(Does::Mumbles, Does::Mumbles);
    let one = Stage::open_beside(settings(folder.path(), &database.url, r#"["60s"]"#), &bank).await;
    one.create("heard").await;
    one.becomes("heard", OrderStatus::Unknown).await;
    let two = Stage::open_beside(settings(folder.path(), &database.url, r#"["60s"]"#), &bank).await;

    join_all((0..20).map(|_| async {
        tokio::join!(
            one.hear("n-1", "PAID", "heard"),
            two.hear("n-1", "PAID", "heard")
        )
    }))
    .await;

    let order = one.becomes("heard", OrderStatus::Paid).await;
    assert_eq!(order.payments.len(), 1);
    assert_eq!(one.count("heard", EventKind::Callback).await, 1);
    one.runtime.stop().await;
    two.runtime.stop().await;
}
