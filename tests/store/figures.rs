//! The figures of a day, as the daily mail tells them.

use crate::stage::{Stage, create, order, paid_by, play, to};
use oncepay::domain::UnixMillis;
use oncepay::domain::order::{Order, OrderStatus};
use oncepay::store::figures::{self, Case, Failing, Sum};

const DAY_MS: i64 = 86_400_000;

fn sum(count: i64, amount: i64) -> Vec<Sum> {
    vec![Sum {
        channel: "sandbox".into(),
        currency: "CNY".into(),
        count,
        amount,
    }]
}

async fn paid(stage: &Stage, order_no: &str) -> Order {
    let created = stage.done(create(order(order_no))).await;
    stage
        .done(paid_by(&created, &format!("T-{order_no}")))
        .await
}

async fn refund(stage: &Stage, order: &Order, (refund_no, status, at): (&str, &str, i64)) {
    let sql = format!(
        "INSERT INTO refunds (refund_id, order_id, refund_no, channel, trade_no, amount, currency, status, source, \
         actor, version, send_count, accepted, check_count, created_at, updated_at) VALUES ('ref_{refund_no}', '{1}', \
         '{refund_no}', 'sandbox', 'T-{0}', 100, 'CNY', '{status}', 'merchant', 'api:shop', 1, 1, true, 0, 1, {at})",
        order.order_no, order.order_id
    );
    stage.execute(&sql).await;
}

#[test]
fn a_day_has_its_own_money_alone() {
    play(|stage| async move {
        let first = paid(&stage, "A-1").await;
        paid(&stage, "A-2").await;
        paid(&stage, "A-3").await;
        stage
            .execute(&format!(
                "UPDATE orders SET paid_at = {DAY_MS} WHERE order_no = 'A-3'"
            ))
            .await;
        stage.done(create(order("A-4"))).await;
        refund(&stage, &first, ("r-1", "SUCCEEDED", 5)).await;
        refund(&stage, &first, ("r-2", "SUCCEEDED", DAY_MS)).await;
        refund(&stage, &first, ("r-3", "MANUAL", 5)).await;
        stage
            .execute(&format!(
                "INSERT INTO payments (channel, trade_no, order_id, own, amount, currency, at, position) \
                 VALUES ('sandbox', 'T-9', '{}', false, 1999, 'CNY', 5, 1)",
                first.order_id
            ))
            .await;
        let read = &stage.database.read;
        let (from, until) = (UnixMillis(0), UnixMillis(DAY_MS));
        let next = UnixMillis(2 * DAY_MS);
        assert_eq!(
            figures::paid(read, from, until).await.unwrap(),
            sum(2, 3998)
        );
        assert_eq!(
            figures::paid(read, until, next).await.unwrap(),
            sum(1, 1999)
        );
        assert_eq!(figures::paid(read, next, next).await.unwrap(), []);
        assert_eq!(
            figures::refunded(read, from, until).await.unwrap(),
            sum(1, 100)
        );
        let second = figures::second_payments(read, from, until).await.unwrap();
        assert_eq!(second, sum(1, 1999));
    });
}

#[test]
fn what_waits_for_a_person_is_told_since_it_has_waited() {
    play(|stage| async move {
        let mut cases = Vec::new();
        for (since, order_no) in [(5_000, "A-1"), (4_999, "A-2")] {
            let created = stage.done(create(order(order_no))).await;
            let mut manual = to(&created, OrderStatus::Manual);
            // The one that was created later has waited longer.
            manual.at = UnixMillis(since);
            let manual = stage.done(manual).await;
            // Notices and queries move its row, and not the time that it has waited.
            let noted = stage.done(to(&manual, OrderStatus::Manual)).await;
            cases.push(Case {
                order_id: noted.order_id.0.clone(),
                order_no: order_no.to_owned(),
                refund_no: None,
                since,
            });
        }
        cases.reverse();
        let read = &stage.database.read;
        let found = figures::orders_in(read, OrderStatus::Manual).await.unwrap();
        assert_eq!(found, cases);
        assert_eq!(
            figures::orders_in(read, OrderStatus::Unknown)
                .await
                .unwrap(),
            []
        );

        let order = paid(&stage, "A-3").await;
        refund(&stage, &order, ("r-1", "MANUAL", 7)).await;
        refund(&stage, &order, ("r-2", "SUCCEEDED", 8)).await;
        let refunds = figures::refunds_in_manual(read).await.unwrap();
        let expected = Case {
            order_id: order.order_id.0.clone(),
            order_no: "A-3".into(),
            refund_no: Some("r-1".into()),
            since: 7,
        };
        assert_eq!(refunds, [expected]);
    });
}

#[test]
fn what_fails_is_counted_from_the_third_attempt() {
    play(|stage| async move {
        for (n, (status, attempts)) in [
            ("PENDING", 2),
            ("PENDING", 3),
            ("DELIVERED", 9),
            ("FAILED", 9),
            ("FAILED", 1),
            ("ENDED", 1),
        ]
        .into_iter()
        .enumerate()
        {
            stage
                .execute(&format!(
                    "INSERT INTO deliveries (delivery_id, webhook_id, kind, order_id, order_no, body, status, attempts, \
                     due_at, created_at, updated_at) VALUES ('dlv_{n}', 'w-{n}', 'order.paid', 'ord_1', 'A-1', '{{}}', \
                     '{status}', {attempts}, 1, 1, 1)"
                ))
                .await;
        }
        for (n, (status, attempts)) in [("PENDING", 3), ("DONE", 9), ("FAILED", 1)]
            .into_iter()
            .enumerate()
        {
            stage
                .execute(&format!(
                    "INSERT INTO fulfilments (order_no, kind, order_id, status, attempts, due_at, created_at, updated_at) \
                     VALUES ('A-1', 'k-{n}', 'ord_1', '{status}', {attempts}, 1, 1, 1)"
                ))
                .await;
        }
        let read = &stage.database.read;
        let failing = |retried, given_up| Failing { retried, given_up };
        // What an endpoint that is gone has left undelivered is given up too.
        assert_eq!(
            figures::failing_deliveries(read).await.unwrap(),
            failing(1, 3)
        );
        assert_eq!(figures::failing_grants(read).await.unwrap(), failing(1, 1));
    });
}
