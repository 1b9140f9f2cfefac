//! What else befalls a process: it is stopped, its clock steps, its disk is full, read-only or has lost bytes, its
//! database server dies.

mod clock_steps;
mod disk;
mod log_cut;
mod postgres;
mod stopped;

use crate::support::{Processor, Shop, order};
use futures_util::future::join_all;
use serde_json::Value;

/// Bodies of so many orders with this subject.
fn orders(kind: &str, subject: &str, count: u32) -> Vec<Value> {
    let bodies = (0..count).map(|n| order(&format!("{kind}-{n}"), subject));
    bodies.collect()
}

fn number(body: &Value) -> &str {
    body["order_no"].as_str().expect("a number")
}

/// Sends them all and waits for no result.
async fn begin(shop: &Shop, bodies: &[Value]) {
    for answer in join_all(bodies.iter().map(|body| shop.create_async(body))).await {
        assert!([200, 202].contains(&answer.status), "{:?}", answer.body);
    }
}

/// Asked for once more, each is the same order, becomes paid, and was charged once.
async fn are_paid_once(shop: &Shop, processor: &Processor, bodies: &[Value]) {
    for body in bodies {
        let again = shop.create(body).await;
        let order_id = again.text("order_id");
        assert!(!order_id.is_empty(), "{:?}", again.body);
        shop.becomes(order_id, "PAID").await;
        processor.charged_once(number(body)).await;
        let events = shop.events(order_id).await;
        let into_paid = events
            .iter()
            .filter(|event| event["to"] == "PAID" && event["from"] != "PAID");
        assert_eq!(into_paid.count(), 1, "{events:?}");
    }
    let log = shop.running.log();
    assert!(!log.contains("panicked"), "{log}");
}
