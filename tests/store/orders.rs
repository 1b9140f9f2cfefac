//! Orders written and read again.

use crate::stage::{create, order, paid_by, play, to};
use oncepay::domain::order::OrderStatus;
use oncepay::store::{Committed, Conflict};

#[test]
fn an_order_is_created_paid_and_read_again() {
    play(|stage| async move {
        let order = stage.done(create(order("A-1"))).await;
        assert_eq!(stage.read(&order).await, order);
        let paid = stage.done(paid_by(&order, "T1")).await;
        assert_eq!(stage.read(&order).await, paid);
        assert_eq!(
            stage.number("SELECT count(*) FROM order_events").await,
            2,
            "one event each"
        );
    });
}

#[test]
fn a_decision_made_on_an_old_version_changes_nothing() {
    play(|stage| async move {
        let order = stage.done(create(order("A-1"))).await;
        let paid = stage.done(paid_by(&order, "T1")).await;
        let late = stage.commit(to(&order, OrderStatus::Unknown)).await;
        assert_eq!(late, Ok(Committed::Stale));
        assert_eq!(stage.read(&order).await, paid);
        assert_eq!(stage.number("SELECT count(*) FROM order_events").await, 2);
    });
}

#[test]
fn two_creates_of_one_order_number_make_one_order() {
    play(|stage| async move {
        let answers = stage
            .together(vec![create(order("A-1")), create(order("A-1"))])
            .await;
        assert_eq!(answers, [Ok(Committed::Done), Ok(Committed::OrderExists)]);
        assert_eq!(stage.number("SELECT count(*) FROM orders").await, 1);
        assert_eq!(stage.number("SELECT count(*) FROM order_events").await, 1);
    });
}

#[test]
fn a_trade_of_another_order_hurts_only_the_one_that_names_it() {
    play(|stage| async move {
        let first = stage.done(create(order("A-0"))).await;
        stage.done(paid_by(&first, "T0")).await;
        let creates = (1..=500).map(|n| create(order(&format!("A-{n}"))));
        let creates: Vec<_> = creates.collect();
        let orders: Vec<_> = creates.iter().map(|write| write.order.clone()).collect();
        let made = stage.together(creates).await;
        assert!(made.iter().all(|answer| *answer == Ok(Committed::Done)));
        let proofs = orders.iter().enumerate().map(|(n, order)| {
            paid_by(
                order,
                &if n == 321 {
                    "T0".to_owned()
                } else {
                    format!("U{n}")
                },
            )
        });
        let answers = stage.together(proofs.collect()).await;
        for (n, answer) in answers.into_iter().enumerate() {
            let expected = if n == 321 {
                Committed::Conflict(Conflict::TradeNo)
            } else {
                Committed::Done
            };
            assert_eq!(answer, Ok(expected), "order {n}");
        }
        assert_eq!(stage.read(&orders[321]).await, orders[321]);
        assert_eq!(stage.number("SELECT count(*) FROM payments").await, 500);
    });
}
