//! A query's answer, a callback, a return page and a nervous user at the same instant.

use crate::support::{OPERATOR, Processor, Shop, Stage, order, said};
use futures_util::future::join_all;
use serde_json::json;

#[tokio::test(flavor = "multi_thread")]
async fn whoever_comes_first_pays_the_order_and_the_others_find_it_paid() {
    let processor = Processor::start().await;
    let stage = Stage {
        schedule: r#"["60s"]"#,
        ..Stage::default()
    };
    let shop = Shop::open(&processor, stage).await;
    let numbers: Vec<String> = (0..60).map(|n| format!("race-{n}")).collect();
    let bodies: Vec<_> = numbers
        .iter()
        .map(|number| order(number, "VIP #lost-reply #no-callback"))
        .collect();
    let created = join_all(bodies.iter().map(|body| shop.create_async(body))).await;
    let order_ids: Vec<&str> = created
        .iter()
        .map(|answer| answer.text("order_id"))
        .collect();
    join_all(order_ids.iter().map(|id| shop.becomes(id, "UNKNOWN"))).await;

    let rounds = numbers.iter().zip(&bodies).zip(&order_ids);
    let rounds = rounds.map(|((number, body), order_id)| {
        let (shop, processor) = (&shop, &processor);
        async move {
            let charge = processor.charged_once(number).await;
            let notice = said(number, &charge.trade_no, "PAID");
            let query = format!("/v1/orders/{order_id}/query");
            let look = format!("/v1/orders/{order_id}");
            tokio::join!(
                shop.ask("POST", &query, OPERATOR, None),
                shop.hear(processor, number, &notice),
                shop.create(body),
                shop.hear(processor, number, &notice),
                shop.ask_with("GET", &look, &[("prefer", "wait=1")], None),
            )
        }
    });
    for (queried, heard, again, repeated, looked) in join_all(rounds).await {
        for answer in [&queried, &heard, &again, &repeated, &looked] {
            assert_eq!(answer.status, 200, "{:?}", answer.body);
        }
    }

    for (number, order_id) in numbers.iter().zip(&order_ids) {
        let order = shop.get(order_id).await;
        assert_eq!(
            (&order["status"], &order["callback_count"]),
            (&json!("PAID"), &json!(2))
        );
        let events = shop.events(order_id).await;
        let moves = events
            .iter()
            .filter(|event| event["to"] == "PAID" && event["from"] != "PAID");
        assert_eq!(moves.count(), 1, "{events:#?}");
        let callbacks = events.iter().filter(|event| event["kind"] == "callback");
        assert!(callbacks.count() <= 1, "{events:#?}");
        processor.charged_once(number).await;
    }
}
