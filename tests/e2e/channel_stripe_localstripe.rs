//! The Stripe channel against localstripe, a double that others wrote: its objects, its lists and its signed webhooks.
//!
//! It honours no `Idempotency-Key` and tells of no refunds; what it says, it says in Stripe's words.

use crate::channel_stripe::{id, of_stripe, open};
use crate::support::doubles::stripe::{KEY, SECRET, text};
use crate::support::{MERCHANT, Shop};
use serde_json::Value;

/// Where it listens; `loopback_localstripe.py` starts it.
const ADDRESS: &str = "ONCEPAY_TEST_LOCALSTRIPE";

/// localstripe as the payer's browser and the account's owner use it.
struct LocalStripe {
    base: String,
    client: reqwest::Client,
}

impl LocalStripe {
    fn of_environment() -> Option<Self> {
        let base = std::env::var(ADDRESS).ok();
        if base.is_none() {
            println!("SKIPPED: {ADDRESS} does not name a running localstripe");
        }
        Some(Self {
            base: base?,
            client: reqwest::Client::builder()
                .no_proxy()
                .build()
                .expect("a client"),
        })
    }

    async fn post(&self, path: &str, form: &[(&str, &str)]) -> Value {
        let request = self.client.post(format!("{}{path}", self.base));
        let answer = request.bearer_auth(KEY).form(form).send().await;
        let answer = answer.expect("localstripe answers");
        let status = answer.status();
        let body = answer.bytes().await.expect("an answer");
        assert!(status.is_success(), "{path}: {status} {body:?}");
        serde_json::from_slice(&body).unwrap_or_default()
    }

    /// Its events go to this shop from now on.
    async fn tells(&self, shop: &Shop) {
        let url = shop.url("/v1/callbacks/stripe");
        self.post(
            "/_config/webhooks/shop",
            &[("url", &url), ("secret", SECRET)],
        )
        .await;
    }

    /// The payer pays with a card that is good.
    async fn pay(&self, intent: &str) {
        let card = [
            ("type", "card"),
            ("card[number]", "4242424242424242"),
            ("card[exp_month]", "12"),
            ("card[exp_year]", "2030"),
            ("card[cvc]", "123"),
        ];
        let method = text(&self.post("/v1/payment_methods", &card).await, "id");
        let path = format!("/v1/payment_intents/{intent}");
        self.post(&path, &[("payment_method", &method)]).await;
        self.post(&format!("{path}/confirm"), &[]).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_order_lives_its_life_at_localstripe() {
    let Some(local) = LocalStripe::of_environment() else {
        return;
    };
    let (_processor, shop) = open(&local.base).await;
    local.tells(&shop).await;

    // A number of its own: it may have been asked before.
    let order_no = format!("local-{}", std::process::id());
    let created = shop.create(&of_stripe(&order_no)).await;
    assert_eq!(created.text("status"), "PENDING", "{:?}", created.body);
    let secret = text(&created.body["next_action"], "value");
    let (intent, _) = secret.split_once("_secret_").expect("a client secret");

    // Its webhook, signed by it, pays the order.
    local.pay(intent).await;
    let order = shop.becomes(created.text("order_id"), "PAID").await;
    assert_eq!(order["channel_trade_no"], intent);
    assert!(order["callback_count"].as_i64() > Some(0), "{order}");

    let refund = shop.refund(&order, "r-1", 500).await;
    assert_eq!(refund.text("status"), "SUCCEEDED", "{:?}", refund.body);
    shop.becomes(id(&order), "PARTIALLY_REFUNDED").await;

    let left = shop.create(&of_stripe(&format!("{order_no}-left"))).await;
    let path = format!("/v1/orders/{}/close", left.text("order_id"));
    let closed = shop.ask("POST", &path, MERCHANT, None).await;
    assert_eq!(closed.text("status"), "CLOSED", "{:?}", closed.body);
}
