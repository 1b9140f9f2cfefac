//! What one account may order on one day, however many orders come at once.

use crate::support::{Answer, Processor, Shop, Stage, order};
use serde_json::{Value, json};

fn stage() -> Stage {
    Stage {
        limits: "account_daily = { CNY = 10000 }".to_owned(),
        ..Stage::default()
    }
}

/// An order of this account over so many fen.
fn of(account: &str, order_no: &str, amount: i64, subject: &str) -> Value {
    let mut body = order(order_no, subject);
    body["account"] = json!(account);
    body["amount"] = json!(amount);
    body
}

fn passed(answers: &[Answer]) -> usize {
    let refused = answers.iter().filter(|answer| answer.status != 200);
    for answer in refused {
        assert_eq!(answer.status, 422, "{:?}", answer.body);
        assert_eq!(answer.text("code"), "daily-limit");
    }
    answers.iter().filter(|answer| answer.status == 200).count()
}

#[tokio::test(flavor = "multi_thread")]
async fn of_twenty_orders_at_once_as_many_pass_as_the_limit_holds() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, stage()).await;
    let bodies: Vec<_> = (0..20)
        .map(|n| of("user-1", &format!("rush-{n}"), 3_000, "VIP"))
        .collect();
    let creates = bodies.iter().map(|body| shop.create(body));
    let answers = futures_util::future::join_all(creates).await;
    assert_eq!(passed(&answers), 3);
    assert_eq!(processor.charges().await.len(), 3, "no other was submitted");

    let again = answers
        .iter()
        .zip(&bodies)
        .find(|(answer, _)| answer.status == 200);
    let (first, body) = again.unwrap();
    let repeated = shop.create(body).await;
    assert_eq!(repeated.status, 200, "{:?}", repeated.body);
    assert_eq!(repeated.text("order_id"), first.text("order_id"));

    let rest = shop.create(&of("user-1", "rest", 1_000, "VIP")).await;
    assert_eq!(rest.status, 200, "exactly the limit: {:?}", rest.body);
    assert_eq!(
        passed(&[shop.create(&of("user-1", "more", 1, "VIP")).await]),
        0
    );
    let other = shop.create(&of("user-2", "other", 10_000, "VIP")).await;
    assert_eq!(other.status, 200, "another account: {:?}", other.body);
    let mut nobody = of("-", "nobody", 50_000, "VIP");
    nobody.as_object_mut().unwrap().remove("account");
    assert_eq!(shop.create(&nobody).await.status, 200, "no account");
    let mut dollars = of("user-1", "dollars", 50_000, "VIP");
    dollars["currency"] = json!("USD");
    assert_eq!(shop.create(&dollars).await.status, 200, "another currency");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_order_that_failed_gives_its_room_back() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, stage()).await;
    let failed = shop
        .create(&of("user-1", "failed", 9_000, "VIP #declined"))
        .await;
    assert_eq!(failed.text("status"), "FAILED", "{:?}", failed.body);
    let paid = shop.create(&of("user-1", "paid", 9_000, "VIP")).await;
    assert_eq!(paid.text("status"), "PAID", "{:?}", paid.body);
    let body = of("user-1", "late", 9_000, "VIP");
    assert_eq!(passed(&[shop.create(&body).await]), 0);
    assert!(shop.find("late").await.is_none(), "nothing was written");
}
