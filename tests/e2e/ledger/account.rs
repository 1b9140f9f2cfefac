//! An account of a shop, and verbs for what a merchant does with it.

use crate::support::{Answer, MERCHANT, Running, Shop};
use sea_orm::ConnectionTrait;
use serde_json::{Value, json};
use std::time::Duration;

#[derive(Clone, Copy)]
pub(super) struct Account<'a> {
    shop: &'a Shop,
    pub(super) name: &'a str,
}

impl<'a> Account<'a> {
    pub(super) const fn of(shop: &'a Shop, name: &'a str) -> Self {
        Self { shop, name }
    }

    pub(super) fn path(&self, rest: &str) -> String {
        format!("/v1/accounts/{}/{rest}", self.name)
    }

    pub(super) async fn ask(&self, method: &str, rest: &str, body: Option<&Value>) -> Answer {
        self.shop
            .ask(method, &self.path(rest), MERCHANT, body)
            .await
    }

    pub(super) async fn debit(&self, debit_no: &str, quantity: i64) -> Answer {
        let body = json!({"debit_no": debit_no, "kind": "credits", "quantity": quantity, "reason": "a job"});
        self.ask("POST", "debits", Some(&body)).await
    }

    pub(super) async fn hold(&self, hold_no: &str, quantity: i64, expires_in: i64) -> Answer {
        let body = json!({"hold_no": hold_no, "kind": "credits", "quantity": quantity, "expires_in": expires_in});
        self.ask("POST", "holds", Some(&body)).await
    }

    pub(super) async fn capture(&self, hold_no: &str, quantity: i64) -> Answer {
        let body = json!({"quantity": quantity});
        self.ask("POST", &format!("holds/{hold_no}/capture"), Some(&body))
            .await
    }

    pub(super) async fn release(&self, hold_no: &str) -> Answer {
        self.ask("POST", &format!("holds/{hold_no}/release"), None)
            .await
    }

    /// Sends a request and hangs up before the answer can have come.
    pub(super) async fn hang_up_on(&self, rest: &str, body: &Value) {
        let request = self
            .shop
            .client
            .post(self.shop.url(&self.path(rest)))
            .bearer_auth(MERCHANT)
            .header("content-type", "application/json")
            .timeout(Duration::from_millis(1))
            .body(body.to_string());
        // It was cut, or it was quick: what follows must be the same.
        drop(request.send().await);
    }

    /// Balance, held and available of the account's credits.
    pub(super) async fn numbers(&self) -> (i64, i64, i64) {
        let balances = self.ask("GET", "balances", None).await;
        let credits = &balances.body["data"][0];
        let number = |field: &str| credits[field].as_i64().expect("a number");
        (number("balance"), number("held"), number("available"))
    }

    /// What has moved the account, newest first.
    pub(super) async fn sources(&self) -> Vec<String> {
        let entries = self.ask("GET", "entries?limit=200", None).await;
        let entries = entries.body["data"].as_array().cloned().unwrap_or_default();
        let source = |entry: &Value| entry["source"].as_str().unwrap_or_default().to_owned();
        entries.iter().map(source).collect()
    }
}

/// Credits as a paid order would have granted them, written while the server runs.
pub(super) async fn give(shop: &Shop, account: &str, kind: &str, quantity: i64) {
    let id = uuid::Uuid::from_u128(0x0199_0000_0000_7000_8000_0000_0000_0000).simple();
    let connection = shop.database.connect().await;
    for sql in [
        format!(
            "INSERT INTO ledger_entries (account, source, kind, entry_id, at, quantity, balance_after, decision_id) \
             VALUES ('{account}', 'order:gift', '{kind}', 'ent_{id}', 1, {quantity}, {quantity}, 'evt_{id}')"
        ),
        format!(
            "INSERT INTO balances (account, kind, balance, held, version, last_decision, updated_at) \
             VALUES ('{account}', '{kind}', {quantity}, 0, 1, 'evt_{id}', 1)"
        ),
    ] {
        connection
            .execute_unprepared(&sql)
            .await
            .expect("credits are given");
    }
    connection.close().await.expect("it closes");
}

/// `oncepay ledger check` beside the running server: its status and what it says.
pub(super) fn check(shop: &Shop, arguments: &[&str]) -> (Option<i32>, String) {
    let log = shop.folder().join(format!("log-{}", uuid::Uuid::new_v4()));
    let mut all = vec!["ledger", "check"];
    all.extend(arguments);
    let mut command = Running::start(shop.folder(), &all, &[], &log);
    let ended = command.ended(Duration::from_secs(30));
    (ended.code(), command.log())
}
