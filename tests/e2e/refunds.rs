//! Money is given back: in full, in part, once for each number, and never more than was paid.

use crate::support::{
    Contract, MERCHANT, Processor, Receiver, Shop, Stage, WEBHOOK_SECRET, alerts_of, eventually,
    order, refund,
};
use futures_util::future::join_all;
use serde_json::{Value, json};

fn id(order: &Value) -> &str {
    order["order_id"].as_str().expect("an id")
}

/// How much of the order is given back, and its status.
async fn stands(shop: &Shop, order: &Value) -> (i64, String) {
    let order = shop.get(id(order)).await;
    let refunded = order["amount_refunded"].as_i64().expect("an amount");
    (
        refunded,
        order["status"].as_str().expect("a status").to_owned(),
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn all_of_an_order_is_given_back() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::default()).await;
    let contract = Contract::of(&shop).await;
    let paid = shop.paid("rf-1", 1999, "VIP #no-callback").await;

    let answer = shop.refund(&paid, "r-1", 1999).await;
    assert_eq!(answer.status, 200, "{:?}", answer.body);
    contract.covers("POST", "/v1/orders/x/refunds", &answer);
    let there = processor.refunds("rf-1").await.remove(0);
    assert_eq!(answer.text("refund_no"), "r-1");
    assert_eq!(answer.text("order_id"), id(&paid));
    assert_eq!(answer.body["amount"], 1999);
    assert_eq!(answer.text("currency"), "CNY");
    assert_eq!(answer.text("status"), "SUCCEEDED");
    assert_eq!(answer.text("channel_refund_no"), there.channel_refund_no);
    assert_eq!(answer.text("channel_trade_no"), there.trade_no);
    assert!(answer.header("location").ends_with("/refunds/r-1"));
    assert_eq!(shop.refund_of(&paid, "r-1").await, answer.body);

    assert_eq!(stands(&shop, &paid).await, (1999, "REFUNDED".to_owned()));
    processor.refunded_once("rf-1", "r-1", 1999).await;
    let events = shop.events(id(&paid)).await;
    let refunds: Vec<_> = events
        .iter()
        .filter(|event| event["detail"]["refund_no"] == "r-1")
        .map(|event| ["kind", "by", "from", "to"].map(|field| event[field].as_str().expect("text")))
        .collect();
    assert_eq!(
        refunds,
        [
            ["refund", "api:shop", "PAID", "REFUNDING"],
            ["refund_reply", "channel:sandbox", "REFUNDING", "REFUNDED"]
        ],
        "{events:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn parts_add_up_to_the_whole_and_no_further() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::default()).await;
    let paid = shop.paid("rf-2", 1000, "VIP #no-callback").await;

    shop.refund(&paid, "r-1", 400).await;
    let part = (400, "PARTIALLY_REFUNDED".to_owned());
    assert_eq!(stands(&shop, &paid).await, part);
    let more = shop.refund(&paid, "r-2", 601).await;
    assert_eq!(
        (more.status, more.text("code")),
        (422, "refund-exceeds-order"),
        "{:?}",
        more.body
    );
    assert_eq!(stands(&shop, &paid).await, part);
    let rest = shop.refund(&paid, "r-2", 600).await;
    assert_eq!(rest.text("status"), "SUCCEEDED", "{:?}", rest.body);
    assert_eq!(stands(&shop, &paid).await, (1000, "REFUNDED".to_owned()));
    let none = shop.refund(&paid, "r-3", 1).await;
    assert_eq!(none.text("code"), "refund-exceeds-order");
    assert_eq!(processor.refunds("rf-2").await.len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_number_is_one_refund_however_often_it_is_asked_for() {
    let processor = Processor::start().await;
    let mut shop = Shop::open(&processor, Stage::default()).await;
    let paid = shop.paid("rf-3", 1000, "VIP #no-callback").await;

    let asks = (0..8).map(|_| shop.refund(&paid, "r-1", 400));
    let answers = join_all(asks).await;
    let refund_id = answers[0].text("refund_id").to_owned();
    for answer in &answers {
        assert_eq!(answer.text("refund_id"), refund_id, "{:?}", answer.body);
    }
    shop.refund_becomes(&paid, "r-1", "SUCCEEDED").await;
    shop.crash_and_start_again().await;
    let again = shop.refund(&paid, "r-1", 400).await;
    assert_eq!((again.status, again.text("refund_id")), (200, &*refund_id));
    for other in [
        refund("r-1", 401),
        json!({"refund_no": "r-1", "amount": 400, "channel_trade_no": "another"}),
    ] {
        let other = shop.refund_with(&paid, MERCHANT, &other).await;
        assert_eq!(
            (other.status, other.text("code")),
            (422, "refund-conflict"),
            "{:?}",
            other.body
        );
    }
    assert_eq!(processor.calls("rf-3").await.refunds, 1);
    processor.refunded_once("rf-3", "r-1", 400).await;
    assert_eq!(
        stands(&shop, &paid).await,
        (400, "PARTIALLY_REFUNDED".to_owned())
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn of_two_refunds_at_once_that_are_too_much_together_one_is_refused() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::default()).await;
    for (order_no, subject) in [
        ("rf-4a", "VIP #no-callback"),
        // What is only under way counts as given back.
        ("rf-4b", "VIP #no-callback #refund=pending"),
        ("rf-4c", "VIP #no-callback #lost-refund-reply"),
    ] {
        let paid = shop.paid(order_no, 10_000, subject).await;
        let (one, other) = tokio::join!(
            shop.refund(&paid, "r-1", 6000),
            shop.refund(&paid, "r-2", 6000)
        );
        let refused: Vec<_> = [&one, &other]
            .into_iter()
            .filter(|answer| answer.status == 422)
            .map(|answer| answer.text("code").to_owned())
            .collect();
        assert_eq!(
            refused,
            ["refund-exceeds-order"],
            "{order_no}: {:?} {:?}",
            one.body,
            other.body
        );
        let there = processor.refunds(order_no).await;
        assert_eq!(there.len(), 1, "{there:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refund_that_the_channel_declines_gives_nothing_back() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::default()).await;
    let paid = shop
        .paid("rf-5", 1000, "VIP #no-callback #refund=failed")
        .await;

    let failed = shop.refund(&paid, "r-1", 1000).await;
    assert_eq!(
        (failed.status, failed.text("status")),
        (200, "FAILED"),
        "{:?}",
        failed.body
    );
    assert_eq!(stands(&shop, &paid).await, (0, "PAID".to_owned()));
    // It holds nothing back: the whole can be asked for again, under another number.
    let again = shop.refund(&paid, "r-1", 1000).await;
    assert_eq!(again.body, failed.body);
    let other = shop.refund(&paid, "r-2", 1000).await;
    assert_eq!(other.status, 200, "{:?}", other.body);
    assert_eq!(stands(&shop, &paid).await, (0, "PAID".to_owned()));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_second_payment_of_one_order_is_given_back_by_its_number() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::default()).await;
    let paid = shop.paid("rf-6", 1999, "VIP #pay-twice").await;
    let second = eventually("the second trade is an alert", || async {
        let alerts = shop.alerts().await;
        let second = alerts.iter().any(|alert| alert["kind"] == "second_payment");
        second.then_some(()).ok_or_else(|| format!("{alerts:?}"))
    });
    second.await;
    let own = shop.get(id(&paid)).await["channel_trade_no"].clone();
    let trades = trades_of(&processor, "rf-6").await;
    let second = trades.iter().find(|trade| own != **trade).expect("another");

    let body = json!({"refund_no": "second", "amount": 1999, "channel_trade_no": second});
    let answer = shop.refund_with(&paid, MERCHANT, &body).await;
    assert_eq!(answer.text("status"), "SUCCEEDED", "{:?}", answer.body);
    assert_eq!(answer.text("channel_trade_no"), second);
    assert_eq!(stands(&shop, &paid).await, (0, "PAID".to_owned()));
    let more = json!({"refund_no": "more", "amount": 1, "channel_trade_no": second});
    let more = shop.refund_with(&paid, MERCHANT, &more).await;
    assert_eq!(more.text("code"), "refund-exceeds-order", "{:?}", more.body);
    let slip = json!({"refund_no": "slip", "amount": 1, "channel_trade_no": "T-slip"});
    let slip = shop.refund_with(&paid, MERCHANT, &slip).await;
    assert_eq!((slip.status, slip.text("code")), (422, "unknown-trade"));
    let own = shop.refund(&paid, "own", 1999).await;
    assert_eq!(own.text("status"), "SUCCEEDED", "{:?}", own.body);
    assert_eq!(stands(&shop, &paid).await, (1999, "REFUNDED".to_owned()));
    assert_eq!(
        alerts_of(&shop, id(&paid)).await,
        ["second_payment action resolved"],
        "it is back, and nobody's business any more"
    );
}

async fn trades_of(processor: &Processor, order_no: &str) -> Vec<String> {
    let url = format!("{}/ledger", processor.base_url());
    let text = reqwest::get(url).await.expect("the ledger").text().await;
    let ledger: Value = serde_json::from_str(&text.expect("text")).expect("JSON");
    let charges = ledger["charges"].as_array().expect("charges");
    let ours = charges.iter().find(|charge| charge["order_no"] == order_no);
    let trades = ours.expect("it is there")["trades"]
        .as_array()
        .expect("trades");
    trades
        .iter()
        .map(|trade| trade["trade_no"].as_str().expect("a number").to_owned())
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_not_paid_cannot_be_given_back() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::default()).await;
    for (order_no, subject) in [
        ("rf-7a", "VIP #pending #no-callback"),
        ("rf-7b", "VIP #declined #no-callback"),
        ("rf-7c", "VIP #lost-request #no-callback"),
        ("rf-7d", "VIP #status=FROZEN #no-callback"),
    ] {
        let unpaid = shop.create(&order(order_no, subject)).await.body;
        let refused = shop.refund(&unpaid, "r-1", 1).await;
        assert_eq!(
            (refused.status, refused.text("code")),
            (409, "not-refundable"),
            "{order_no}: {:?}",
            refused.body
        );
        assert!(shop.refunds(&unpaid).await.is_empty());
        assert_eq!(processor.calls(order_no).await.refunds, 0);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_channel_sees_the_amount_in_the_units_of_its_currency() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::default()).await;
    for (order_no, currency, amount, part) in [
        ("rf-9a", "JPY", 10_000, 80),
        ("rf-9b", "CNY", 1999, 820),
        ("rf-9c", "KWD", 1005, 1),
    ] {
        let mut body = order(order_no, "VIP #no-callback");
        body["amount"] = json!(amount);
        body["currency"] = json!(currency);
        let paid = shop.create(&body).await.body;
        assert_eq!(paid["status"], "PAID", "{paid}");
        let answer = shop.refund(&paid, "r-1", part).await;
        assert_eq!(answer.text("currency"), currency, "{:?}", answer.body);
        assert_eq!(answer.body["amount"], part);
        processor.refunded_once(order_no, "r-1", part).await;
        let rest = shop.refund(&paid, "r-2", amount - part).await;
        assert_eq!(rest.text("status"), "SUCCEEDED", "{:?}", rest.body);
        assert_eq!(stands(&shop, &paid).await, (amount, "REFUNDED".to_owned()));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_merchant_is_told_of_the_refund_as_the_api_shows_it() {
    let receiver = Receiver::open().await;
    let processor = Processor::start().await;
    let stage = Stage {
        more: receiver.configuration(),
        ..Stage::default()
    };
    let shop = Shop::open(&processor, stage).await;
    let paid = shop
        .paid("rf-8", 1000, "VIP #no-callback #refund=bounced")
        .await;
    let succeeded = shop.refund(&paid, "r-1", 400).await;
    assert_eq!(succeeded.text("status"), "SUCCEEDED");

    let got = receiver.gets(1, "refund.succeeded", "rf-8").await;
    let data = &got[0].body["data"];
    assert!(got[0].is_signed_with(WEBHOOK_SECRET));
    assert_eq!(data["refund"], succeeded.body);
    assert_eq!(data["amount_refunded"], 400);
    assert_eq!(data["status"], "PARTIALLY_REFUNDED");
    processor.settle_refund("rf-8", "r-1", "FAILED").await;
    let got = receiver.gets(1, "refund.failed", "rf-8").await;
    let data = &got[0].body["data"];
    assert_eq!(data["refund"], shop.refund_of(&paid, "r-1").await);
    assert_eq!(data["refund"]["status"], "FAILED");
    assert_eq!(data["amount_refunded"], 0);
    assert_eq!(data["status"], "PAID");
}
