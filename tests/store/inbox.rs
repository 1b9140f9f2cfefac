//! Notices and idempotency keys: what was seen once is known for ever.

use crate::stage::{create, order, play, to};
use oncepay::domain::order::{Order, OrderStatus};
use oncepay::store::journal::{CallbackRecord, IdempotencyRecord};
use oncepay::store::{Committed, Conflict, Write, inbox, orders};

fn noticed(mut write: Write, key: &str, repeat: bool) -> Write {
    write.callback = Some(CallbackRecord {
        channel: "sandbox".into(),
        key: key.into(),
        status: "PAID".into(),
        repeat,
        digest: "sha256:00".into(),
    });
    write
}

fn with_key(mut write: Write, digest: &str) -> Write {
    write.idempotency = Some(IdempotencyRecord {
        owner: "shop".into(),
        route: "POST /v1/orders".into(),
        key: "k-1".into(),
        payload_digest: digest.into(),
        order_no: write.order.order_no.clone(),
    });
    write
}

/// A decision that writes an inbox row and nothing that decisions read.
fn duplicate(order: &Order) -> Write {
    let mut write = to(order, order.status);
    write.order.version = order.version;
    write.order.event_seq = order.event_seq;
    write.order.callback_count += 1;
    write.events.clear();
    write
}

#[test]
fn a_notice_is_kept_once_and_its_repetitions_are_counted() {
    play(|stage| async move {
        let order = stage.done(create(order("A-1"))).await;
        let first = noticed(to(&order, OrderStatus::Paid), "n-1", false);
        let order = stage.done(first).await;
        let order = stage.done(noticed(duplicate(&order), "n-1", true)).await;
        let order = stage.done(noticed(duplicate(&order), "n-1", true)).await;
        assert_eq!(stage.number("SELECT seen_count FROM callbacks").await, 3);
        assert_eq!(
            stage
                .number("SELECT last_seen_at - first_seen_at FROM callbacks")
                .await,
            20
        );
        assert_eq!(stage.read(&order).await, order);
        let seen = inbox::seen(&stage.database.read, &order.order_id)
            .await
            .unwrap();
        assert_eq!(seen, [("n-1".to_owned(), "PAID".to_owned())]);
    });
}

#[test]
fn a_notice_that_is_in_the_inbox_already_hurts_only_the_decision_that_did_not_know_it() {
    play(|stage| async move {
        let first = stage.done(create(order("A-1"))).await;
        let second = stage.done(create(order("A-2"))).await;
        let third = stage.done(create(order("A-3"))).await;
        stage
            .done(noticed(to(&first, OrderStatus::Paid), "n-1", false))
            .await;
        let answers = stage
            .together(vec![
                noticed(to(&second, OrderStatus::Paid), "n-1", false),
                noticed(to(&third, OrderStatus::Paid), "n-2", false),
            ])
            .await;
        assert_eq!(
            answers,
            [
                Ok(Committed::Conflict(Conflict::Callback)),
                Ok(Committed::Done)
            ]
        );
        assert_eq!(stage.read(&second).await, second);
    });
}

#[test]
fn an_idempotency_key_stands_for_one_payload() {
    play(|stage| async move {
        stage
            .done(with_key(create(order("A-1")), "sha256:01"))
            .await;
        stage
            .done(with_key(create(order("A-2")), "sha256:01"))
            .await;
        let reused = stage
            .commit(with_key(create(order("A-3")), "sha256:02"))
            .await;
        assert_eq!(reused, Ok(Committed::Conflict(Conflict::IdempotencyKey)));
        assert_eq!(stage.number("SELECT count(*) FROM orders").await, 2);
        let read = &stage.database.read;
        let found = orders::idempotency(read, "shop", "POST /v1/orders", "k-1").await;
        assert_eq!(
            found.unwrap(),
            Some(("sha256:01".to_owned(), "A-1".into())),
            "the first use stands"
        );
        let other = orders::idempotency(read, "other", "POST /v1/orders", "k-1").await;
        assert_eq!(other.unwrap(), None);
    });
}
