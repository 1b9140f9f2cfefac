//! Receivers that fail, hang, ask for time, or are gone; and what a crash in the middle leaves.

use crate::support::{
    Does, OPERATOR, Processor, Receiver, Shop, Stage, VIEWER, alerts_of, eventually, is_problem,
    order,
};
use sea_orm::ConnectionTrait;
use std::time::Duration;

async fn open(receiver: &Receiver) -> (Processor, Shop) {
    let processor = Processor::start().await;
    let stage = Stage {
        more: receiver.configuration(),
        ..Stage::default()
    };
    let shop = Shop::open(&processor, stage).await;
    (processor, shop)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_receiver_that_fails_five_times_gets_it_the_sixth_and_the_history_shows_each() {
    let receiver = Receiver::open().await;
    receiver.does(|_, before| Does::Answers(if before < 5 { 500 } else { 200 }));
    let (_processor, shop) = open(&receiver).await;

    let paid = shop.create(&order("fails-5", "VIP")).await;
    assert_eq!(paid.text("status"), "PAID");

    let delivery = shop
        .delivery_becomes("fails-5", "order.paid", "DELIVERED")
        .await;
    let attempts = delivery["attempts"].as_array().expect("a history");
    let statuses: Vec<_> = attempts
        .iter()
        .map(|it| it["http_status"].as_i64())
        .collect();
    assert_eq!(statuses, [500, 500, 500, 500, 500, 200].map(Some));
    assert!(delivery["next_at"].is_null());
    let got = receiver.got_of("order.paid", "fails-5");
    assert_eq!(got.len(), 6);
    assert!(
        got.iter()
            .all(|it| it.id() == got[0].id() && it.raw == got[0].raw)
    );
    assert!(shop.alerts().await.is_empty(), "nobody had to be told");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_receiver_that_hangs_over_one_order_delays_no_other_and_no_payment() {
    let receiver = Receiver::open().await;
    receiver.does(|got, _| match got.order_no().starts_with("hangs") {
        true => Does::Hangs,
        false => Does::Answers(200),
    });
    let (_processor, shop) = open(&receiver).await;

    for n in 0..40 {
        let paid = shop.create(&order(&format!("hangs-{n}"), "VIP")).await;
        assert_eq!(paid.text("status"), "PAID");
    }
    receiver.gets(1, "order.paid", "hangs-39").await;
    shop.create(&order("other", "VIP")).await;
    shop.delivery_becomes("other", "order.paid", "DELIVERED")
        .await;

    // The forty are still being waited for: nothing has come of them yet.
    for n in [0, 39] {
        let all = shop.deliveries(&format!("hangs-{n}")).await;
        let attempts = all[0]["attempts"].as_array().expect("a history");
        assert_eq!(attempts.len(), 1, "{all:?}");
        assert!(attempts[0]["http_status"].is_null() && attempts[0]["error"].is_null());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_receiver_that_asks_for_time_gets_it() {
    let receiver = Receiver::open().await;
    receiver.does(|got, before| match (got.order_no(), before) {
        ("busy-503", 0) => Does::Tells(503, "retry-after", "2".to_owned()),
        ("busy-429", 0) => Does::Tells(429, "retry-after", "7200".to_owned()),
        // Only these two ask: the word of another status is not one about time.
        ("busy-500", 0) => Does::Tells(500, "retry-after", "7200".to_owned()),
        _ => Does::Answers(200),
    });
    let (_processor, shop) = open(&receiver).await;

    for order_no in ["busy-503", "busy-429", "busy-500"] {
        shop.create(&order(order_no, "VIP")).await;
    }

    let got = receiver.gets(2, "order.paid", "busy-503").await;
    let waited = got[1].at.duration_since(got[0].at);
    assert!(waited >= Duration::from_millis(1_900), "{waited:?}");
    receiver.gets(2, "order.paid", "busy-500").await;
    let waits = &shop.deliveries("busy-429").await[0];
    assert_eq!(waits["status"], "PENDING");
    let in_two_hours = "SELECT due_at - updated_at FROM deliveries WHERE order_no = 'busy-429'";
    assert_eq!(shop.database.number(in_two_hours).await, 7_200_000);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_redirect_is_not_followed() {
    let (receiver, elsewhere) = (Receiver::open().await, Receiver::open().await);
    let target = elsewhere.url();
    receiver.does(move |_, before| match before {
        0 => Does::Tells(307, "location", target.clone()),
        _ => Does::Answers(200),
    });
    let (_processor, shop) = open(&receiver).await;

    shop.create(&order("moved", "VIP")).await;

    let delivery = shop
        .delivery_becomes("moved", "order.paid", "DELIVERED")
        .await;
    let first = &delivery["attempts"][0];
    assert_eq!(first["http_status"], 307);
    assert_eq!(
        first["error"],
        "answered 307, and redirects are not followed"
    );
    assert_eq!(elsewhere.connections(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_receiver_that_is_gone_ends_and_ops_are_told_once() {
    let receiver = Receiver::open().await;
    receiver.does(|_, _| Does::Answers(410));
    let (_processor, mut shop) = open(&receiver).await;

    shop.create(&order("gone-1", "VIP")).await;
    let ended = shop.delivery_becomes("gone-1", "order.paid", "ENDED").await;
    for order_no in ["gone-2", "gone-3"] {
        shop.create(&order(order_no, "VIP")).await;
        shop.delivery_becomes(order_no, "order.paid", "ENDED").await;
    }
    shop.crash_and_start_again().await;
    shop.create(&order("gone-4", "VIP")).await;
    shop.delivery_becomes("gone-4", "order.paid", "ENDED").await;

    assert_eq!(receiver.got().len(), 1, "one request, and then no other");
    let id = ended["delivery_id"].as_str().expect("an id").to_owned();
    let refused = shop.redeliver(&id, OPERATOR).await;
    is_problem(&refused, 409, "nothing-to-deliver", "it is gone");
    let alerts = shop.alerts().await;
    let kinds: Vec<_> = alerts.iter().map(|alert| alert["kind"].as_str()).collect();
    assert_eq!(kinds, [Some("endpoint_gone")]);
    assert!(!alerts[0].to_string().contains("/hooks/"), "{}", alerts[0]);

    // Another endpoint is not gone, and what was missed can be sent there.
    receiver.does(|_, _| Does::Answers(200));
    shop.crash();
    shop.reconfigure(|text| text.replace("/hooks/oncepay", "/hooks/anew"));
    shop.start_again().await;
    let again = shop.redeliver(&id, OPERATOR).await;
    assert_eq!(again.status, 202, "{:?}", again.body);
    shop.delivery_becomes("gone-1", "order.paid", "DELIVERED")
        .await;
    assert_eq!(receiver.got()[1].line, "POST /hooks/anew HTTP/1.1");
}

#[tokio::test(flavor = "multi_thread")]
async fn after_a_day_it_is_given_up_told_once_and_a_redelivery_resolves_it() {
    let receiver = Receiver::open().await;
    receiver.does(|_, _| Does::HangsUp);
    let (_processor, shop) = open(&receiver).await;
    let paid = shop.create(&order("day", "VIP")).await;
    let order_id = paid.text("order_id");
    // Its schedule is used up: the next attempt would be in an hour.
    eventually("six attempts", || async {
        let delivery = &shop.deliveries("day").await[0];
        let count = delivery["attempts"].as_array().map_or(0, Vec::len);
        (count == 6)
            .then_some(())
            .ok_or_else(|| delivery.to_string())
    })
    .await;
    let tell = |sql: &'static str| {
        let shop = &shop;
        async move {
            let connection = shop.database.connect().await;
            connection
                .execute_unprepared(sql)
                .await
                .expect("it is written");
            connection.close().await.expect("it closes");
        }
    };
    eventually("the sixth is noted", || async {
        let leased = shop
            .database
            .number("SELECT COUNT(*) FROM deliveries WHERE leased_by IS NOT NULL")
            .await;
        (leased == 0)
            .then_some(())
            .ok_or_else(|| leased.to_string())
    })
    .await;

    tell("UPDATE deliveries SET first_attempt_at = first_attempt_at - 86400000, due_at = 0").await;
    let failed = shop.delivery_becomes("day", "order.paid", "FAILED").await;
    assert!(failed["next_at"].is_null());
    assert_eq!(
        alerts_of(&shop, order_id).await,
        ["delivery_failed action open"]
    );

    receiver.does(|_, _| Does::Answers(200));
    let id = failed["delivery_id"].as_str().expect("an id");
    assert_eq!(shop.redeliver(id, OPERATOR).await.status, 202);
    shop.delivery_becomes("day", "order.paid", "DELIVERED")
        .await;
    assert_eq!(
        alerts_of(&shop, order_id).await,
        ["delivery_failed action resolved"]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_right_after_the_acknowledgement_it_is_delivered_after_the_restart() {
    let receiver = Receiver::open().await;
    receiver.does(|_, before| {
        if before == 0 {
            Does::Hangs
        } else {
            Does::Answers(200)
        }
    });
    let (processor, mut shop) = open(&receiver).await;
    let created = shop.create(&order("killed", "VIP #pending")).await;
    assert_eq!(created.text("status"), "PENDING");

    let notice = crate::support::Notice::paid("n-1", "killed", &serde_json::json!({}));
    let told = shop.tell("sandbox", &processor.secret, &notice).await;
    assert_eq!(told.status, 200, "{:?}", told.body);
    shop.crash();
    shop.start_again().await;

    // Once, or once more if the kill came in the middle of the first attempt: under one id.
    let delivery = shop
        .delivery_becomes("killed", "order.paid", "DELIVERED")
        .await;
    let ids: std::collections::BTreeSet<_> = receiver
        .got()
        .iter()
        .map(|got| got.id().to_owned())
        .collect();
    assert_eq!(ids.len(), 1);
    assert!(ids.contains(delivery["webhook_id"].as_str().expect("an id")));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_kill_in_the_middle_of_an_attempt_does_not_wait_for_its_lease() {
    let receiver = Receiver::open().await;
    receiver.does(|_, before| {
        if before == 0 {
            Does::Hangs
        } else {
            Does::Answers(200)
        }
    });
    let (_processor, mut shop) = open(&receiver).await;
    shop.create(&order("middle", "VIP")).await;
    receiver.gets(1, "order.paid", "middle").await;

    shop.crash_and_start_again().await;

    let delivery = shop
        .delivery_becomes("middle", "order.paid", "DELIVERED")
        .await;
    let attempts = delivery["attempts"].as_array().expect("a history");
    assert_eq!(attempts.len(), 2);
    assert!(
        attempts[0]["http_status"].is_null(),
        "interrupted: {delivery}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn without_an_endpoint_there_are_no_deliveries_and_a_private_one_must_be_meant() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::default()).await;
    shop.create(&order("none", "VIP")).await;
    let list = shop.ask("GET", "/v1/deliveries", VIEWER, None).await;
    assert_eq!(list.body["data"], serde_json::json!([]));

    let receiver = Receiver::open().await;
    let mut shop = shop;
    shop.stop();
    let section = receiver.configuration().replace("allow_private = true", "");
    shop.reconfigure(|text| format!("{text}{section}"));
    shop.start_without_waiting();
    let status = shop.running.ended(Duration::from_secs(20));
    assert_eq!(status.code(), Some(1));
    assert!(
        shop.running.log().contains("fulfilment.url"),
        "{}",
        shop.running.log()
    );
}
