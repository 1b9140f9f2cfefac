//! What the payer gets: once, however often it is told, claimed or interrupted.

use crate::support::{
    Does, Notice, OPERATOR, Processor, Receiver, Shop, Stage, alerts_of, eventually, order,
};
use serde_json::{Value, json};

pub(super) fn with_credits(order_no: &str, subject: &str) -> Value {
    let mut body = order(order_no, subject);
    body["account"] = json!("user-42");
    body["entitlements"] = json!([{"kind": "credits", "quantity": 1000}]);
    body
}

pub(super) async fn open(receiver: &Receiver) -> (Processor, Shop) {
    let processor = Processor::start().await;
    let stage = Stage {
        more: receiver.configuration(),
        ..Stage::default()
    };
    let shop = Shop::open(&processor, stage).await;
    (processor, shop)
}

async fn is_granted(shop: &Shop, order_id: &str) -> Value {
    eventually("it is granted", || async {
        let order = shop.get(order_id).await;
        let all = order["entitlements"].as_array().expect("a list");
        let granted = all.iter().all(|it| it["status"] == "GRANTED");
        if granted {
            Ok(order.clone())
        } else {
            Err(order.to_string())
        }
    })
    .await
}

/// Entries of the ledger, and what they add up to.
pub(super) async fn ledger(shop: &Shop) -> (i64, i64) {
    let count = shop
        .database
        .number("SELECT COUNT(*) FROM ledger_entries")
        .await;
    let sum = "SELECT CAST(COALESCE(SUM(quantity), 0) AS BIGINT) FROM ledger_entries";
    (count, shop.database.number(sum).await)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_payment_is_granted_and_told_under_a_stable_id() {
    let receiver = Receiver::open().await;
    let (_processor, shop) = open(&receiver).await;

    let paid = shop
        .create(&with_credits("grant-1", "VIP #no-callback"))
        .await;

    assert_eq!(paid.text("status"), "PAID");
    assert_eq!(
        paid.body["entitlements"][0]["status"], "GRANTED",
        "in the write that pays"
    );
    let order = shop.get(paid.text("order_id")).await;
    assert_eq!(ledger(&shop).await, (1, 1000));
    let got = receiver.gets(1, "entitlement.granted", "grant-1").await;
    assert_eq!(got[0].id(), "ful:grant-1:credits");
    let data = &got[0].body["data"];
    assert_eq!(data["kind"], "credits");
    assert_eq!(data["quantity"], 1000);
    assert_eq!(data["version"], order["version"], "as committed");
    let told = receiver.gets(1, "order.paid", "grant-1").await;
    assert_eq!(told[0].body["data"]["version"], order["version"]);
    assert_ne!(told[0].id(), got[0].id());
    let metrics = shop.send(shop.client.get(shop.url("/metrics"))).await;
    let metrics = metrics.body.as_str().unwrap_or_default().to_owned();
    let counted = r#"oncepay_grants_total{outcome="granted"} 1"#;
    assert!(metrics.contains(counted), "{metrics}");
    let history = shop.history(paid.text("order_id")).await;
    assert_eq!(
        history.iter().filter(|kind| *kind == "fulfilment").count(),
        1
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn five_equal_notices_at_once_grant_once() {
    let receiver = Receiver::open().await;
    let (processor, shop) = open(&receiver).await;
    let created = shop.create(&with_credits("five", "VIP #pending")).await;
    assert_eq!(created.text("status"), "PENDING");
    let notice = Notice::paid("n-1", "five", &json!({}));

    let told = (0..5).map(|_| shop.tell("sandbox", &processor.secret, &notice));
    for answer in futures_util::future::join_all(told).await {
        assert_eq!(answer.status, 200, "{:?}", answer.body);
    }

    is_granted(&shop, created.text("order_id")).await;
    receiver.gets(1, "entitlement.granted", "five").await;
    // Three more, later, under another id: what is on record already.
    for n in 0..3 {
        let again = Notice::paid(&format!("again-{n}"), "five", &json!({}));
        let answer = shop.tell("sandbox", &processor.secret, &again).await;
        assert_eq!(answer.status, 200);
    }
    shop.create(&with_credits("after", "VIP")).await;
    receiver.gets(1, "entitlement.granted", "after").await;
    assert_eq!(ledger(&shop).await, (2, 2000), "one for each order");
    for kind in ["order.paid", "entitlement.granted"] {
        assert_eq!(receiver.got_of(kind, "five").len(), 1, "{kind}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_review_that_decides_paid_grants_like_any_payment() {
    let receiver = Receiver::open().await;
    let (_processor, shop) = open(&receiver).await;
    let created = shop
        .create(&with_credits(
            "reviewed",
            "VIP #wrong-amount=1 #no-callback",
        ))
        .await;
    let order_id = created.text("order_id");
    let manual = shop.becomes(order_id, "MANUAL").await;
    assert_eq!(ledger(&shop).await, (0, 0), "nothing for a wrong amount");

    let review =
        json!({"decision": "PAID", "basis": "line 17", "expected_version": manual["version"]});
    let answer = shop.review(order_id, OPERATOR, &review).await;
    assert_eq!(answer.status, 200, "{:?}", answer.body);

    is_granted(&shop, order_id).await;
    assert_eq!(ledger(&shop).await, (1, 1000));
    receiver.gets(1, "entitlement.granted", "reviewed").await;
    assert_eq!(
        alerts_of(&shop, order_id).await,
        ["payment_mismatch action resolved"]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_notice_is_acknowledged_while_the_receiver_sleeps() {
    let receiver = Receiver::open().await;
    receiver.does(|_, _| Does::Hangs);
    let (processor, shop) = open(&receiver).await;
    let created = shop.create(&with_credits("sleeps", "VIP #pending")).await;
    let notice = Notice::paid("n-1", "sleeps", &json!({}));
    let told = async || {
        let answer = shop.tell("sandbox", &processor.secret, &notice).await;
        assert_eq!((answer.status, answer.body), (200, json!("success")));
    };

    told().await;
    let kinds = ["order.paid", "entitlement.granted"];
    for kind in kinds {
        receiver.gets(1, kind, "sleeps").await;
    }
    // It has taken both and answers neither: what comes again is acknowledged all the same, and grants no more.
    told().await;
    told().await;
    assert_eq!(receiver.given_up(), 0, "somebody still waits for it");
    is_granted(&shop, created.text("order_id")).await;
    assert_eq!(ledger(&shop).await, (1, 1000));

    receiver.lets_go();
    for kind in kinds {
        shop.delivery_becomes("sleeps", kind, "DELIVERED").await;
        assert_eq!(receiver.got_of(kind, "sleeps").len(), 1, "asked once");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_claim_whose_worker_died_is_taken_up_and_grants_once() {
    let receiver = Receiver::open().await;
    let (_processor, mut shop) = open(&receiver).await;
    let paid = shop.create(&with_credits("died", "VIP")).await;
    let order_id = paid.text("order_id");
    is_granted(&shop, order_id).await;
    // A crash between a delivery and its note would have it delivered once more.
    shop.delivery_becomes("died", "entitlement.granted", "DELIVERED")
        .await;

    // Before the grant: claimed by a run that is gone. After it: the row was not marked, and is claimed again.
    shop.crash();
    shop.database.alter("UPDATE fulfilments SET status = 'PENDING', leased_by = '0:claim', due_at = 9000000000000",
    )
    .await;
    shop.start_again().await;

    let open_rows = "SELECT COUNT(*) FROM fulfilments WHERE status <> 'DONE'";
    eventually("it is taken up", || async {
        let left = shop.database.number(open_rows).await;
        (left == 0).then_some(()).ok_or_else(|| left.to_string())
    })
    .await;
    assert_eq!(ledger(&shop).await, (1, 1000), "granted once");
    receiver.gets(1, "entitlement.granted", "died").await;
    assert_eq!(receiver.got_of("entitlement.granted", "died").len(), 1);
    let history = shop.history(order_id).await;
    assert_eq!(
        history.iter().filter(|kind| *kind == "fulfilment").count(),
        1
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_right_after_the_payment_it_is_granted_and_told_once() {
    let receiver = Receiver::open().await;
    let (processor, mut shop) = open(&receiver).await;
    let created = shop.create(&with_credits("killed", "VIP #pending")).await;
    let notice = Notice::paid("n-1", "killed", &json!({}));

    let answer = shop.tell("sandbox", &processor.secret, &notice).await;
    shop.crash();
    assert_eq!(answer.status, 200, "{:?}", answer.body);
    shop.start_again().await;

    is_granted(&shop, created.text("order_id")).await;
    receiver.gets(1, "entitlement.granted", "killed").await;
    assert_eq!(ledger(&shop).await, (1, 1000));
    let ids: std::collections::BTreeSet<_> = receiver
        .got()
        .iter()
        .map(|got| got.id().to_owned())
        .collect();
    assert_eq!(ids.len(), 2, "one for each thing that happened: {ids:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_granted_waits_and_is_mailed_and_delays_no_other() {
    let receiver = Receiver::open().await;
    let (_processor, shop) = open(&receiver).await;
    let paid = shop.create(&order("poison", "VIP")).await;
    let order_id = paid.text("order_id");
    receiver.gets(1, "order.paid", "poison").await;

    // A grant of an order that nobody knows cannot be made, however often it is tried.
    shop.database.alter("INSERT INTO fulfilments (order_no, kind, order_id, status, attempts, due_at, created_at, updated_at) \
         VALUES ('nobody', 'credits', 'ord_nobody', 'PENDING', 0, 0, 0, 0)",
    )
    .await;
    for n in 0..5 {
        shop.create(&with_credits(&format!("beside-{n}"), "VIP"))
            .await;
    }
    for n in 0..5 {
        receiver
            .gets(1, "entitlement.granted", &format!("beside-{n}"))
            .await;
    }
    let failed = "SELECT COUNT(*) FROM fulfilments WHERE order_no = 'nobody' AND status = 'FAILED' AND attempts = 6 \
                  AND last_error IS NOT NULL AND leased_by IS NULL AND due_at > updated_at + 3000000";
    eventually("its schedule is used up and it is tried hourly", || async {
        let seen = shop.database.number(failed).await;
        (seen == 1).then_some(()).ok_or_else(|| shop.running.log())
    })
    .await;
    let alerts = shop.alerts().await;
    let mut overdue = alerts
        .iter()
        .filter(|alert| alert["kind"] == "paid_not_fulfilled");
    let alert = overdue.next().expect("a person is told");
    assert_eq!(
        (&alert["order_no"], &alert["severity"]),
        (&json!("nobody"), &json!("action"))
    );
    assert!(overdue.next().is_none(), "once");
    assert_eq!(alerts_of(&shop, order_id).await, Vec::<String>::new());

    // An hour later it is tried again, and no second person is called.
    shop.database
        .alter("UPDATE fulfilments SET due_at = 0 WHERE order_no = 'nobody'")
        .await;
    let again = "SELECT COUNT(*) FROM fulfilments WHERE order_no = 'nobody' AND attempts = 7 AND leased_by IS NULL";
    eventually("it is tried again", || async {
        let seen = shop.database.number(again).await;
        (seen == 1).then_some(()).ok_or_else(|| seen.to_string())
    })
    .await;
    let again = shop.alerts().await;
    let told = again
        .iter()
        .filter(|alert| alert["kind"] == "paid_not_fulfilled");
    assert_eq!(told.count(), 1);
}

async fn refund(shop: &Shop, order_id: &str, refund_no: &str, amount: i64) {
    let path = format!("/v1/orders/{order_id}/refunds");
    let body = json!({"refund_no": refund_no, "amount": amount});
    let answer = shop.ask("POST", &path, OPERATOR, Some(&body)).await;
    assert!(matches!(answer.status, 200 | 202), "{:?}", answer.body);
}

#[tokio::test(flavor = "multi_thread")]
async fn each_refund_revokes_under_an_id_of_its_own_and_the_quantities_add_up() {
    let receiver = Receiver::open().await;
    let (_processor, shop) = open(&receiver).await;
    let paid = shop.create(&with_credits("taken", "VIP")).await;
    let order_id = paid.text("order_id");
    is_granted(&shop, order_id).await;

    refund(&shop, order_id, "r-1", 700).await;
    receiver.gets(1, "refund.succeeded", "taken").await;
    refund(&shop, order_id, "r-2", 1299).await;
    shop.becomes(order_id, "REFUNDED").await;

    let revoked = receiver.gets(2, "entitlement.revoked", "taken").await;
    let mut told: Vec<(String, i64)> = revoked
        .iter()
        .map(|got| {
            let quantity = got.body["data"]["quantity"].as_i64().expect("a quantity");
            (got.id().to_owned(), quantity)
        })
        .collect();
    told.sort();
    // floor(1000 × 700 ÷ 1999), and the rest.
    let expected = [
        ("rev:taken:credits:r-1", 350),
        ("rev:taken:credits:r-2", 650),
    ];
    assert_eq!(
        told,
        expected.map(|(id, quantity)| (id.to_owned(), quantity))
    );
    assert_eq!(ledger(&shop).await, (3, 0));
    let refunds = receiver.gets(2, "refund.succeeded", "taken").await;
    let mut numbers: Vec<_> = refunds
        .iter()
        .map(|got| got.body["data"]["refund"]["refund_no"].clone())
        .collect();
    numbers.sort_by_key(ToString::to_string);
    assert_eq!(numbers, [json!("r-1"), json!("r-2")]);
    let ids: std::collections::BTreeSet<_> = receiver
        .got()
        .iter()
        .map(|got| got.id().to_owned())
        .collect();
    assert_eq!(ids.len(), receiver.got().len(), "each told once");
}
