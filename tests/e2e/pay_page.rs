//! The payer's page behind `pay_url`.

use crate::support::{Processor, Shop, Stage, order};
use serde_json::json;

#[tokio::test(flavor = "multi_thread")]
async fn the_payer_sees_what_to_pay_how_and_what_came_of_it() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::default()).await;
    let mut body = order("page-1", "VIP+ <b>月卡</b> #pending");
    body["amount"] = json!(1999);
    let created = shop.create(&body).await;
    let link = created.text("pay_url").to_owned();

    let page = shop.client.get(&link).send().await.unwrap();
    assert_eq!(page.status(), 200);
    let policy = page.headers()["content-security-policy"]
        .to_str()
        .unwrap()
        .to_owned();
    assert!(policy.contains("default-src 'none'"), "{policy}");
    let open = page.text().await.unwrap();
    assert!(open.contains("19.99 CNY"), "{open}");
    assert!(open.contains("VIP+ &lt;b&gt;月卡&lt;/b&gt;"), "{open}");
    assert!(
        open.contains("<svg") && open.contains("http-equiv=\"refresh\""),
        "{open}"
    );

    processor.control(json!({"pay": "pay:order:page-1"})).await;
    shop.becomes(created.text("order_id"), "PAID").await;
    let asked = shop.client.get(&link).header("accept-language", "zh-CN");
    let paid = asked.send().await.unwrap().text().await.unwrap();
    assert!(
        paid.contains("支付成功") && paid.contains("lang=\"zh-CN\""),
        "{paid}"
    );
    assert!(
        !paid.contains("<svg") && !paid.contains("refresh"),
        "{paid}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_that_nobody_was_given_shows_nothing() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::default()).await;
    for id in [
        "ord_00000000000000000000000000000000",
        "ord_1",
        "..%2f..%2fetc",
    ] {
        let answer = shop
            .client
            .get(shop.url(&format!("/pay/{id}")))
            .send()
            .await
            .unwrap();
        assert_eq!(answer.status(), 404);
        let text = answer.text().await.unwrap();
        assert!(text.contains("urn:oncepay:problem:not-found"), "{text}");
    }
}
