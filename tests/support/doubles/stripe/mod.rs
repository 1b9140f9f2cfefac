//! Stripe on the loopback: payment intents, refunds and balance transactions in memory, with idempotent POSTs, lists in
//! pages, and signed events. What a payer or somebody at Stripe would do, a test does through it.

mod events;
mod ledger;
mod server;

pub use events::{SECRET, SignedEvent, event, sign};
pub use ledger::{Posted, Trick};

use ledger::Ledger;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The secret key that it takes.
pub const KEY: &str = "sk_test_theKeyOfTheDouble";

/// A running double; it ends with the process.
pub struct StripeDouble {
    pub base: String,
    ledger: Arc<Mutex<Ledger>>,
}

impl StripeDouble {
    pub fn start() -> Self {
        let ledger = Arc::new(Mutex::new(Ledger::default()));
        let port = server::start(Arc::clone(&ledger));
        Self {
            base: format!("http://127.0.0.1:{port}"),
            ledger,
        }
    }

    fn ledger(&self) -> MutexGuard<'_, Ledger> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next call whose method and path begin so is answered otherwise.
    pub fn next(&self, call: &str, trick: Trick) {
        self.ledger().tricks.push((call.to_owned(), trick));
    }

    /// It is so many milliseconds later, or earlier, there.
    pub fn shift_clock(&self, millis: i64) {
        self.ledger().shift_ms = millis;
    }

    /// It forgets every key, as Stripe may after a day.
    pub fn forget_keys(&self) {
        self.ledger().keys.clear();
    }

    /// Every POST that reached it, also those without effect.
    pub fn posts(&self) -> Vec<Posted> {
        self.ledger().posts.clone()
    }

    /// How many GETs of addresses that begin so were read.
    pub fn gets(&self, path: &str) -> usize {
        let ledger = self.ledger();
        ledger.gets.iter().filter(|it| it.starts_with(path)).count()
    }

    /// The intents that bear this order number, oldest first.
    pub fn intents(&self, order_no: &str) -> Vec<Value> {
        let ledger = self.ledger();
        let ours = |it: &&Value| it["metadata"]["out_trade_no"] == order_no;
        ledger.intents.iter().filter(ours).cloned().collect()
    }

    /// The one intent of this order.
    pub fn intent(&self, order_no: &str) -> Value {
        let mut all = self.intents(order_no);
        assert_eq!(all.len(), 1, "one intent of {order_no}: {all:?}");
        all.remove(0)
    }

    pub fn refunds(&self) -> Vec<Value> {
        self.ledger().refunds.clone()
    }

    /// An intent as somebody else makes one, with these fields.
    pub fn add_intent(&self, fields: &Value) -> Value {
        self.ledger().add_intent(fields)
    }

    /// Changes fields of the order's intent.
    pub fn change_intent(&self, order_no: &str, fields: &Value) -> Value {
        let id = text(&self.intent(order_no), "id");
        self.ledger().change_intent(&id, fields)
    }

    /// The payer pays the order's intent.
    pub fn pay(&self, order_no: &str) -> Value {
        let amount = self.intent(order_no)["amount"].clone();
        self.change_intent(
            order_no,
            &json!({"status": "succeeded", "amount_received": amount}),
        )
    }

    /// Somebody refunds the intent at Stripe's Dashboard.
    pub fn refund_by_hand(&self, intent: &str, amount: i64) -> Value {
        let form = [
            ("payment_intent".to_owned(), intent.to_owned()),
            ("amount".to_owned(), amount.to_string()),
        ];
        let (status, body) = self.ledger().refund(&form);
        assert_eq!(status, 200, "{body}");
        body
    }

    /// Changes fields of a refund.
    pub fn change_refund(&self, id: &str, fields: &Value) -> Value {
        self.ledger().change_refund(id, fields)
    }

    /// What the next refunds are: `succeeded` unless told otherwise.
    pub fn refunds_become(&self, status: &str) {
        self.ledger().refunds_become = Some(status.to_owned());
    }

    /// The balance transactions, newest first.
    pub fn set_transactions(&self, transactions: Vec<Value>) {
        self.ledger().transactions = transactions;
    }

    /// An event of this type about this object, signed now.
    pub fn event(&self, kind: &str, object: &Value) -> SignedEvent {
        let body = event(&self.ledger().id("evt"), kind, object);
        sign(SECRET, self.ledger().now_s(), body.to_string().into_bytes())
    }
}

/// The text in this field.
pub fn text(object: &Value, field: &str) -> String {
    object[field].as_str().unwrap_or_default().to_owned()
}

impl Trick {
    /// An error object of the API.
    pub fn error(status: u16, kind: &str, code: &str) -> Self {
        let code = if code.is_empty() {
            Value::Null
        } else {
            json!(code)
        };
        let body = json!({"error": {"type": kind, "code": code, "message": "in words"}});
        Self::Answer {
            status,
            body: body.to_string(),
        }
    }

    pub const fn late(seconds: u64) -> Self {
        Self::Delay(Duration::from_secs(seconds))
    }
}
