//! What a row keeps, and the lists.

use crate::stage::{Stage, cny, create, order, paid_by, play, to};
use oncepay::clock::new_id;
use oncepay::domain::order::{
    CloseBy, Entitlement, EntitlementStatus, NextAction, Order, OrderStatus, Payment, Reason,
    ReviewDecision, Submit,
};
use oncepay::domain::order::{Fingerprint, Proposal};
use oncepay::domain::{Currency, Money, OrderId, Stamp, UnixMillis};
use oncepay::store::orders::{self, OrderFilter};
use oncepay::store::{Committed, Write};

fn stamp(n: i64) -> Stamp {
    Stamp {
        at: UnixMillis(n),
        mono_ms: n + 1,
        epoch: n + 2,
    }
}

/// An order in which no field has the value that a forgotten column would give it.
fn full(base: &Order) -> Order {
    let payment = |trade_no: &str, own| Payment {
        trade_no: trade_no.into(),
        money: Money::new(5, Currency::parse("USD").unwrap()),
        own,
        at: UnixMillis(77),
    };
    Order {
        entitlements: vec![Entitlement {
            kind: "credits".into(),
            quantity: 1_000_000_000_000,
            status: EntitlementStatus::Frozen,
            granted: true,
            revoked: 3,
            held: 4,
            frozen_by: vec!["D1".into()],
            outside: true,
        }],
        status: OrderStatus::Manual,
        reason: Some(Reason::TradeNoConflict),
        version: base.version + 1,
        updated_at: UnixMillis(12),
        paid_at: Some(UnixMillis(13)),
        expires_at: UnixMillis(i64::MAX),
        deadline_passed_at: Some(UnixMillis(15)),
        ask_first: true,
        submits: vec![Submit {
            n: 7,
            started: stamp(20),
            ended: Some(stamp(30)),
            resolved: true,
        }],
        extra_submits: 2,
        check_count: 3,
        next_check_at: Some(UnixMillis(16)),
        ask_due: true,
        not_found_since: Some(stamp(40)),
        close_requested_at: Some(UnixMillis(17)),
        close_by: Some(CloseBy::Review),
        expiry_count: 4,
        payments: vec![payment("T-z", false), payment("T-a", true)],
        proof_in_conflict: true,
        amount_refunded: 6,
        next_action: Some(NextAction {
            kind: "qr_code".into(),
            value: "\"'\\ \u{7ed3}\n{}".into(),
        }),
        withheld: true,
        proposal: Some(Proposal {
            decision: ReviewDecision::Refund,
            trade_no: Some("T-a".into()),
            by: "li".into(),
            at: UnixMillis(18),
            version: 9,
        }),
        callback_count: 5,
        event_seq: base.event_seq,
        last_error: Some("slow; DROP TABLE orders".into()),
        ..base.clone()
    }
}

#[test]
fn every_field_of_an_order_is_read_as_it_was_written() {
    play(|stage| async move {
        let first = stage.done(create(order("A-0"))).await;
        stage.done(to(&first, OrderStatus::Failed)).await;
        let mut born = order("A-1");
        born.fingerprint = Fingerprint {
            channel: "alipay".into(),
            merchant: "m-9".into(),
            live: true,
        };
        born.method = "qr".into();
        born.account = Some("user-42".into());
        born.metadata = [("cart".to_owned(), "c-9".to_owned())].into();
        born.return_url = Some("https://shop.example/back?a=1&b='".into());
        born.payer = Some("p".into());
        born.replaces = Some("A-0".into());
        born.money = cny(i64::MAX);
        let born = stage.done(create(born)).await;
        assert_eq!(stage.read(&born).await, born);

        let next = full(&born);
        let mut write = Write {
            expected_version: Some(born.version),
            order: next.clone(),
            ..to(&born, OrderStatus::Manual)
        };
        write.order.event_seq += 1;
        write.payments = next.payments.clone();
        let full = stage.done(write).await;
        assert_eq!(stage.read(&full).await, full);

        let mut owned = to(&full, OrderStatus::Paid);
        owned.order.payments[0].own = true;
        let owned = stage.done(owned).await;
        assert_eq!(stage.read(&owned).await, owned, "a payment became its own");
    });
}

#[test]
fn an_order_replaces_only_one_that_has_ended() {
    play(|stage| async move {
        let first = stage.done(create(order("A-1"))).await;
        let replacing = || {
            let mut next = order("A-2");
            next.replaces = Some("A-1".into());
            create(next)
        };
        let refused = stage.commit(replacing()).await;
        assert_eq!(refused, Ok(Committed::ReplacedOrderOpen));
        let first = stage.done(to(&first, OrderStatus::Closed)).await;
        let second = stage.done(replacing()).await;

        let mut late = paid_by(&first, "T1");
        late.unless_replaced = true;
        let refused = stage.commit(late.clone()).await;
        assert_eq!(refused, Ok(Committed::ReplacedOrderOpen));
        let read = &stage.database.read;
        let open = orders::open_successor(read, &first.order_no).await;
        assert_eq!(open.unwrap(), Some(OrderStatus::Processing));

        stage.done(to(&second, OrderStatus::Failed)).await;
        let open = orders::open_successor(read, &first.order_no).await;
        assert_eq!(open.unwrap(), None);
        stage.done(late).await;
    });
}

/// `A-1` to `A-5`, 100 ms apart; those with even numbers are paid.
async fn five_of_which_two_are_paid(stage: &Stage) {
    for n in 1..=5 {
        let mut born = order(&format!("A-{n}"));
        born.created_at = UnixMillis(n * 100);
        let born = stage.done(create(born)).await;
        if n % 2 == 0 {
            stage.done(paid_by(&born, &format!("T{n}"))).await;
        }
    }
}

/// The numbers of a list, and its orders.
async fn listed(stage: &Stage, filter: &OrderFilter) -> (String, Vec<Order>) {
    let found = orders::list(&stage.database.read, filter).await.unwrap();
    let numbers = found.iter().map(|order| order.order_no.0.clone());
    (numbers.collect::<Vec<_>>().join(" "), found)
}

#[test]
fn lists_are_filtered_and_paged_newest_first() {
    play(|stage| async move {
        five_of_which_two_are_paid(&stage).await;
        let list = async |filter: OrderFilter| listed(&stage, &filter).await;
        let page = |limit| OrderFilter {
            limit,
            ..OrderFilter::default()
        };
        let (numbers, found) = list(page(2)).await;
        assert_eq!(numbers, "A-5 A-4");
        assert_eq!(found[1].payments[0].trade_no, "T4");
        let after = Some(found[1].order_id.clone());
        assert_eq!(
            list(OrderFilter { after, ..page(9) }).await.0,
            "A-3 A-2 A-1"
        );
        let status = Some(OrderStatus::Paid);
        assert_eq!(list(OrderFilter { status, ..page(9) }).await.0, "A-4 A-2");
        let times = OrderFilter {
            created_from: Some(UnixMillis(200)),
            created_to: Some(UnixMillis(400)),
            ..page(9)
        };
        assert_eq!(list(times).await.0, "A-3 A-2");
        let one = OrderFilter {
            order_no: Some("A-3".into()),
            channel: Some("sandbox".into()),
            ..page(9)
        };
        assert_eq!(list(one).await.0, "A-3");

        let mut counts = orders::count_by_status(&stage.database.read).await.unwrap();
        counts.sort();
        assert_eq!(
            counts,
            [(OrderStatus::Processing, 3), (OrderStatus::Paid, 2)]
        );
        let accounts = orders::accounts_in_flight(&stage.database.read).await;
        assert_eq!(accounts.unwrap().len(), 1);
    });
}

#[test]
fn a_page_of_some_days_goes_on_where_the_one_before_has_ended() {
    play(|stage| async move {
        five_of_which_two_are_paid(&stage).await;
        let list = async |filter: OrderFilter| listed(&stage, &filter).await;
        let times = OrderFilter {
            created_from: Some(UnixMillis(200)),
            created_to: Some(UnixMillis(400)),
            limit: 9,
            ..OrderFilter::default()
        };
        let (first, found) = list(OrderFilter {
            limit: 1,
            ..times.clone()
        })
        .await;
        assert_eq!(first, "A-3");
        let after = Some(found[0].order_id.clone());
        assert_eq!(
            list(OrderFilter {
                after,
                ..times.clone()
            })
            .await
            .0,
            "A-2"
        );
        let after = Some(OrderId(new_id("ord")));
        assert_eq!(
            list(OrderFilter {
                after,
                ..times.clone()
            })
            .await
            .0,
            "A-3 A-2"
        );
        for (status, numbers) in [(OrderStatus::Paid, "A-2"), (OrderStatus::Processing, "A-3")] {
            let status = Some(status);
            assert_eq!(
                list(OrderFilter {
                    status,
                    ..times.clone()
                })
                .await
                .0,
                numbers
            );
        }
    });
}

#[test]
fn the_start_up_finds_what_has_something_to_do() {
    play(|stage| async move {
        for n in 1..=3 {
            let born = stage.done(create(order(&format!("A-{n}")))).await;
            if n == 2 {
                stage.done(paid_by(&born, "T")).await;
            }
        }
        let mut found = Vec::new();
        let count = orders::stream_in_flight(&stage.database, &mut |row| {
            found.push((row.order_no, row.status, row.wake_at));
        })
        .await;
        assert_eq!(count.unwrap(), 2);
        let due = |no: &str| (no.to_owned(), OrderStatus::Processing, UnixMillis(4_000));
        assert_eq!(found, [due("A-1"), due("A-3")]);
    });
}

#[test]
fn a_history_is_told_oldest_first() {
    play(|stage| async move {
        let born = stage.done(create(order("A-1"))).await;
        let paid = stage.done(paid_by(&born, "T1")).await;
        let events = orders::events(&stage.database.read, &paid.order_id)
            .await
            .unwrap();
        let told: Vec<_> = events
            .iter()
            .map(|event| {
                (
                    event.seq,
                    event.kind.as_str(),
                    event.from.as_deref(),
                    event.to.as_str(),
                )
            })
            .collect();
        assert_eq!(
            told,
            [
                (1, "created", None, "PROCESSING"),
                (2, "callback", Some("PROCESSING"), "PAID")
            ]
        );
        assert!(
            events
                .iter()
                .all(|event| event.event_id.starts_with("evt_"))
        );
    });
}
