//! What a crash at each commit leaves: the whole life of a payment is played, and killed after its first commit, its
//! second, and so on. After the next start the same requests are sent again, and everything has happened once.

use crate::support::{
    MERCHANT, Processor, Receiver, Shop, Stage, eventually, order, refund, refunds_of,
};
use sea_orm::{ConnectionTrait, Statement};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// Everything that a commit of this story adds to.
const COMMITS: &str = "SELECT (SELECT COUNT(*) FROM order_events) + (SELECT COUNT(*) FROM ledger_entries) \
    + (SELECT COUNT(*) FROM delivery_attempts)";
/// Beyond the last commit of the story: then nothing is killed.
const BEYOND: i64 = 40;

fn with_credits() -> Value {
    let mut body = order("life", "VIP #callbacks=2");
    body["account"] = json!("user-42");
    body["entitlements"] = json!([{"kind": "credits", "quantity": 1000}]);
    body
}

async fn open(processor: &Processor, receiver: &Receiver) -> Shop {
    let stage = Stage {
        more: receiver.configuration(),
        ..Stage::with_patience()
    };
    Shop::open(processor, stage).await
}

/// The merchant, who may find that nobody answers.
struct Till {
    client: reqwest::Client,
    base: String,
}

impl Till {
    fn of(shop: &Shop) -> Self {
        Self {
            client: shop.client.clone(),
            base: shop.url(""),
        }
    }

    async fn post(&self, path: &str, body: &Value) -> Option<(u16, Value)> {
        let request = self
            .client
            .post(format!("{}{path}", self.base))
            .bearer_auth(MERCHANT)
            .header("content-type", "application/json")
            .body(body.to_string());
        let answer = request.send().await.ok()?;
        let status = answer.status().as_u16();
        let text = answer.text().await.ok()?;
        Some((status, serde_json::from_str(&text).ok()?))
    }

    /// Sends all that it sends in this life, until an answer does not come.
    async fn lives(&self) -> Option<()> {
        let (_, order) = self.post("/v1/orders", &with_credits()).await?;
        let half = order["amount"].as_i64()? / 2;
        // Refused while the order is not settled, or held up after a start: the merchant asks again.
        self.insists(&refunds_of(&order), &refund("r-1", half))
            .await?;
        let debit = json!({"debit_no": "d-1", "kind": "credits", "quantity": 100});
        self.insists("/v1/accounts/user-42/debits", &debit).await
    }

    async fn insists(&self, path: &str, body: &Value) -> Option<()> {
        for _ in 0..400 {
            let (status, _) = self.post(path, body).await?;
            if [200, 202].contains(&status) {
                return Some(());
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        None
    }
}

/// Kills the shop as soon as so much is committed; false if that never came.
async fn killed_after(shop: &mut Shop, commits: i64) -> bool {
    let connection = shop.database.connect().await;
    let until = Instant::now() + Duration::from_secs(20);
    let mut quiet = 0;
    let mut last = 0;
    let killed = loop {
        let backend = connection.get_database_backend();
        let row = connection
            .query_one_raw(Statement::from_string(backend, COMMITS))
            .await
            .expect("the query runs")
            .expect("it has a row");
        let there = row.try_get_by_index::<i64>(0).expect("a number");
        if there >= commits {
            shop.crash();
            break true;
        }
        quiet = if there == last { quiet + 1 } else { 0 };
        last = there;
        if Instant::now() > until || (there > 0 && quiet > 1_500) {
            break false;
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
    };
    connection.close().await.expect("it closes");
    killed
}

#[tokio::test(flavor = "multi_thread")]
async fn whatever_was_committed_last_everything_happens_once() {
    let mut killed = 0;
    for commits in (1..=16).chain([BEYOND]) {
        let processor = Processor::start().await;
        let receiver = Receiver::open().await;
        let mut shop = open(&processor, &receiver).await;
        let till = Till::of(&shop);
        let life = tokio::spawn(async move { till.lives().await });
        if killed_after(&mut shop, commits).await {
            killed += 1;
            shop.start_again().await;
        }
        drop(life.await);
        let lived = Till::of(&shop).lives().await;
        assert!(lived.is_some(), "after {commits} commits");
        everything_happened_once(&processor, &receiver, &shop, commits).await;
    }
    assert!(killed >= 10, "killed {killed} times");
}

async fn everything_happened_once(
    processor: &Processor,
    receiver: &Receiver,
    shop: &Shop,
    commits: i64,
) {
    let order = shop.find("life").await.expect("the order is there");
    let order_id = order["order_id"].as_str().expect("an id").to_owned();
    let order = shop.becomes(&order_id, "PARTIALLY_REFUNDED").await;
    let amount = order["amount"].as_i64().expect("an amount");
    processor.charged_once("life").await;
    processor.refunded_once("life", "r-1", amount / 2).await;
    assert_eq!(order["amount_refunded"], amount / 2, "after {commits}");
    let taken = 1000 * (amount / 2) / amount;
    eventually("the ledger is whole", || async {
        let sum = "SELECT CAST(COALESCE(SUM(quantity), 0) AS BIGINT) FROM ledger_entries";
        let balance = shop.database.number("SELECT balance FROM balances").await;
        let sum = shop.database.number(sum).await;
        let whole = sum == 1000 - taken - 100 && balance == sum;
        whole
            .then_some(())
            .ok_or_else(|| format!("{sum}, {balance}"))
    })
    .await;
    for kind in ["order.paid", "entitlement.granted", "refund.succeeded"] {
        let got = receiver.gets(1, kind, "life").await;
        let mut ids: Vec<_> = got.iter().map(|got| got.id().to_owned()).collect();
        ids.dedup();
        assert_eq!(ids.len(), 1, "{kind} after {commits}: {ids:?}");
    }
    let alerts = shop.alerts().await;
    let acted: Vec<_> = alerts
        .iter()
        .filter(|alert| alert["severity"] == "action")
        .collect();
    assert!(acted.is_empty(), "after {commits}: {acted:?}");
}
