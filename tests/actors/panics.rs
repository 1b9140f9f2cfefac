//! An actor or an adapter that panics: its order is rebuilt from its row, and after a budget a person looks.

use crate::bank::{Bank, Does};
use crate::clock::TestClock;
use crate::stage::{Stage, hear, settings, sqlite};
use futures_util::future::join_all;
use oncepay::actors::Received;
use oncepay::domain::order::{EventKind, OrderStatus, Reason};
use std::sync::Arc;
use std::sync::atomic::Ordering;

const LONG: &str = r#"["60s", "60s"]"#;

async fn unknown(stage: &Stage, order_no: &str) {
    stage.create(order_no).await;
    stage.becomes(order_no, OrderStatus::Unknown).await;
}

async fn opened(bank: &Arc<Bank>) -> (Stage, Arc<TestClock>, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let clock = TestClock::start();
    let stage = Stage::open(
        settings(folder.path(), &sqlite(folder.path()), LONG),
        bank,
        &clock,
    )
    .await;
    (stage, clock, folder)
}

#[actix::test]
async fn an_actor_that_panics_is_rebuilt_from_its_row_and_other_orders_go_on() {
    let bank = Bank::open(Does::Mumbles, Does::Mumbles);
    let (stage, clock, _folder) = opened(&bank).await;
    unknown(&stage, "struck").await;
    unknown(&stage, "other").await;

    clock.break_actors(1);
    let heard = stage.hear("n-1", "PAID", "struck").await;

    assert_eq!(clock.panics_left(), 0, "the actor has panicked");
    assert!(matches!(heard, Received::Kept { .. }), "{heard:?}");
    assert_eq!(stage.order("struck").await.status, OrderStatus::Paid);
    assert_eq!(stage.count("struck", EventKind::Callback).await, 1);
    let other = stage.hear("n-2", "PAID", "other").await;
    assert!(matches!(other, Received::Kept { .. }), "{other:?}");
    assert_eq!(stage.alerts().await.len(), 0);
    stage.runtime.stop().await;
}

#[actix::test]
async fn messages_that_were_queued_behind_a_panic_are_all_taken() {
    let bank = Bank::open(Does::Mumbles, Does::Mumbles);
    let (stage, clock, _folder) = opened(&bank).await;
    unknown(&stage, "queue").await;
    let ids: Vec<String> = (0..10).map(|n| format!("n-{n}")).collect();

    clock.break_actors(1);
    let notices = ids.iter().map(|id| stage.hear(id, "PROCESSING", "queue"));
    for heard in join_all(notices).await {
        assert!(matches!(heard, Received::Kept { .. }), "{heard:?}");
    }

    assert_eq!(clock.panics_left(), 0, "the actor has panicked");
    let order = stage.order("queue").await;
    assert_eq!(
        (order.status, order.callback_count),
        (OrderStatus::Unknown, 10)
    );
    assert_eq!(stage.count("queue", EventKind::Callback).await, 10);
    stage.runtime.stop().await;
}

#[actix::test]
async fn an_order_whose_actor_keeps_dying_goes_to_a_person() {
    let bank = Bank::open(Does::Mumbles, Does::Mumbles);
    let (stage, clock, _folder) = opened(&bank).await;
    unknown(&stage, "cursed").await;

    clock.break_actors(3);
    let gateway = stage.gateway().clone();
    let heard = hear(&gateway, "n-1", "PROCESSING", "cursed").await;
    assert!(
        matches!(heard, Received::NotYet(_) | Received::Kept { .. }),
        "{heard:?}"
    );

    let manual = stage.becomes("cursed", OrderStatus::Manual).await;
    assert_eq!(manual.reason, Some(Reason::ActorFailed));
    assert_eq!(manual.next_check_at, None, "automatic action has stopped");
    let alerts = stage.alerts().await;
    let told: Vec<_> = alerts
        .iter()
        .map(|alert| {
            (
                alert.kind.as_str(),
                alert.severity.as_str(),
                alert.status.as_str(),
            )
        })
        .collect();
    assert_eq!(told, [("order_manual", "action", "open")]);

    // Proof pays it all the same.
    let heard = stage.hear("n-2", "PAID", "cursed").await;
    assert!(matches!(heard, Received::Kept { .. }), "{heard:?}");
    let paid = stage.order("cursed").await;
    assert_eq!((paid.status, paid.reason), (OrderStatus::Paid, None));
    assert_eq!(bank.submits("cursed"), 1);
    stage.runtime.stop().await;
}

#[actix::test]
async fn an_order_that_no_actor_survives_is_told_of_and_looked_at_again() {
    let bank = Bank::open(Does::Mumbles, Does::Pays);
    let (stage, clock, _folder) = opened(&bank).await;
    unknown(&stage, "doomed").await;

    clock.break_actors(1_000);
    let heard = stage.hear("n-1", "PROCESSING", "doomed").await;
    assert!(matches!(heard, Received::NotYet(_)), "{heard:?}");
    let told = stage.until_told("actor_failed").await;
    assert_eq!(told.order_no.as_deref(), Some("doomed"));
    assert_eq!(stage.order("doomed").await.status, OrderStatus::Unknown);

    clock.break_actors(0);
    clock.step(61_000);
    stage.becomes("doomed", OrderStatus::Paid).await;
    assert_eq!((bank.submits("doomed"), bank.queries("doomed")), (1, 1));
    stage.runtime.stop().await;
}

#[actix::test]
async fn an_order_that_is_settled_has_no_actor_for_long() {
    let bank = Bank::open(Does::Pays, Does::Mumbles);
    let (stage, _clock, _folder) = opened(&bank).await;
    for n in 0..20 {
        let order_no = format!("done-{n}");
        stage.create(&order_no).await;
        stage.becomes(&order_no, OrderStatus::Paid).await;
    }

    stage.until_nobody_acts().await;
    stage.runtime.stop().await;
}

#[actix::test]
async fn a_reply_that_meets_a_dying_actor_is_kept_until_it_is_committed() {
    let bank = Bank::open(Does::Hangs, Does::Mumbles);
    let (stage, clock, _folder) = opened(&bank).await;
    stage.create("held").await;

    clock.break_actors(2);
    bank.lets_go();

    stage.becomes("held", OrderStatus::Paid).await;
    assert_eq!(clock.panics_left(), 0, "the actor has panicked");
    assert_eq!((bank.submits("held"), bank.queries("held")), (1, 0));
    stage.runtime.stop().await;
}

#[actix::test]
async fn an_adapter_that_panics_in_a_submit_leaves_an_order_that_a_query_settles() {
    for does in [Does::PanicsAtOnce, Does::PanicsLater] {
        let bank = Bank::open(does, Does::Pays);
        let (stage, clock, _folder) = opened(&bank).await;

        stage.create("broken").await;
        let unknown = stage.becomes("broken", OrderStatus::Unknown).await;
        assert_eq!(unknown.reason, Some(Reason::UnreadableReply), "{does:?}");
        clock.step(61_000);

        stage.becomes("broken", OrderStatus::Paid).await;
        assert_eq!(bank.panics.load(Ordering::SeqCst), 1);
        assert_eq!((bank.submits("broken"), bank.queries("broken")), (1, 1));
        bank.now_submits(Does::Pays);
        stage.create("next").await;
        stage.becomes("next", OrderStatus::Paid).await;
        stage.runtime.stop().await;
    }
}

#[actix::test]
async fn an_adapter_that_panics_in_a_query_uses_its_rung_and_no_more() {
    for does in [Does::PanicsAtOnce, Does::PanicsLater] {
        let bank = Bank::open(Does::Mumbles, does);
        let (stage, clock, _folder) = opened(&bank).await;
        unknown(&stage, "deaf").await;

        clock.step(61_000);
        let asked = |kind| stage.count("deaf", kind);
        stage.until("deaf", |order| order.check_count == 1).await;
        while asked(EventKind::QueryReply).await == 0 {
            tokio::task::yield_now().await;
        }
        bank.now_queries(Does::Pays);
        clock.step(61_000);

        stage.becomes("deaf", OrderStatus::Paid).await;
        assert_eq!(bank.queries("deaf"), 2, "{does:?}");
        stage.runtime.stop().await;
    }
}
