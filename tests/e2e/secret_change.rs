//! A processor changes its secret: both are believed while both are configured, and neither before or after.

use crate::support::{Answer, Notice, Processor, Shop, Stage, order};
use serde_json::json;

const NEW: &str = "whsec_dGhlLXNlY3JldC1hZnRlci10aGUtY2hhbmdlLW9mLWl0";

/// A notice that pays this order, under this secret.
async fn told(shop: &Shop, order_no: &str, secret: &str) -> Answer {
    let notice = Notice::paid(&format!("n-{order_no}"), order_no, &json!({}));
    shop.tell("sandbox", secret, &notice).await
}

async fn pending(shop: &Shop, order_no: &str) -> String {
    let created = shop
        .create(&order(order_no, "VIP #pending #no-callback"))
        .await;
    assert_eq!(created.text("status"), "PENDING", "{:?}", created.body);
    created.text("order_id").to_owned()
}

async fn is_refused(shop: &Shop, order_no: &str, secret: &str) {
    let answer = told(shop, order_no, secret).await;
    assert_eq!(
        (answer.status, answer.text("code")),
        (401, "callback-rejected"),
        "{:?}",
        answer.body
    );
    let found = shop.find(order_no).await.expect("it is there");
    assert_eq!(
        (&found["status"], &found["callback_count"]),
        (&json!("PENDING"), &json!(0))
    );
}

async fn pays(shop: &Shop, order_no: &str, secret: &str) {
    let answer = told(shop, order_no, secret).await;
    assert_eq!((answer.status, &answer.body), (200, &json!("success")));
    let found = shop.find(order_no).await.expect("it is there");
    assert_eq!(
        (&found["status"], &found["callback_count"]),
        (&json!("PAID"), &json!(1))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn notices_under_the_old_and_the_new_secret_pay_while_both_are_configured() {
    let mut processor = Processor::start().await;
    let old = processor.secret.clone();
    let mut shop = Shop::open(&processor, Stage::default()).await;
    for order_no in ["under-old", "under-new", "later"] {
        pending(&shop, order_no).await;
    }
    is_refused(&shop, "under-new", NEW).await;

    let line = format!("\nsecret = \"{old}\"");
    let both = format!("\nsecret = \"{NEW}\"\nprevious_secret = \"{old}\"");
    shop.reconfigure(|text| {
        assert_eq!(text.matches(&line).count(), 1);
        text.replace(&line, &both)
    });
    assert!(shop.stop().success());
    shop.start_again().await;
    // What was refused comes again, as channels send it.
    pays(&shop, "under-new", NEW).await;
    pays(&shop, "under-old", &old).await;

    // What the shop sends is signed with the new one alone.
    processor.changes_secret(NEW).await;
    let paid = shop.create(&order("direct", "VIP #no-callback")).await;
    assert_eq!(paid.text("status"), "PAID", "{:?}", paid.body);
    processor.charged_once("direct").await;

    shop.reconfigure(|text| text.replace(&both, &format!("\nsecret = \"{NEW}\"")));
    assert!(shop.stop().success());
    shop.start_again().await;
    is_refused(&shop, "later", &old).await;
    pays(&shop, "later", NEW).await;
    for secret in [&old, NEW] {
        assert!(
            !shop.running.log().contains(secret),
            "no log holds a secret"
        );
    }
}
