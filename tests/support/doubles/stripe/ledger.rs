//! What the double remembers, and what its calls do to it.

use super::text;
use oncepay::clock::SystemClock;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::time::Duration;

/// How one call is answered otherwise.
#[derive(Debug, Clone)]
pub enum Trick {
    /// The connection breaks before the call had an effect.
    DropBefore,
    /// The connection breaks after it.
    DropAfter,
    /// The call has its effect, and the answer is late.
    Delay(Duration),
    /// This instead of an answer, and no effect.
    Answer { status: u16, body: String },
    /// This after the call has had its effect.
    AnswerAfter { status: u16, body: String },
}

/// A POST that arrived.
#[derive(Debug, Clone)]
pub struct Posted {
    pub path: String,
    pub key: String,
    pub version: String,
    pub form: Vec<(String, String)>,
}

impl Posted {
    pub fn field(&self, name: &str) -> Option<&str> {
        let mut fields = self.form.iter();
        let found = fields.find(|(field, _)| field == name)?;
        Some(&found.1)
    }
}

pub type Form = [(String, String)];
pub type Outcome = (u16, Value);

#[derive(Default)]
pub struct Ledger {
    pub tricks: Vec<(String, Trick)>,
    pub shift_ms: i64,
    pub keys: HashMap<String, (Vec<(String, String)>, Outcome)>,
    pub posts: Vec<Posted>,
    pub gets: Vec<String>,
    /// Oldest first, like everything here.
    pub intents: Vec<Value>,
    pub refunds: Vec<Value>,
    pub refunds_become: Option<String>,
    /// Newest first.
    pub transactions: Vec<Value>,
    ids: u64,
}

impl Ledger {
    pub fn now_s(&self) -> i64 {
        real_s() + self.shift_ms.div_euclid(1000)
    }

    pub fn id(&mut self, prefix: &str) -> String {
        self.ids += 1;
        format!("{prefix}_3Double{:08}", self.ids)
    }

    /// The trick for this call, which is used up.
    pub fn trick(&mut self, call: &str) -> Option<Trick> {
        let at = self
            .tricks
            .iter()
            .position(|(wanted, _)| call.starts_with(wanted.as_str()))?;
        Some(self.tricks.remove(at).1)
    }

    /// A POST with its key: the first outcome stands for all that repeat it.
    pub fn post(&mut self, path: &str, key: &str, form: &Form) -> (Outcome, bool) {
        if let Some((first, outcome)) = self.keys.get(key) {
            if first == form {
                return (outcome.clone(), true);
            }
            return (error(400, "idempotency_error", None), false);
        }
        let parts: Vec<&str> = path.trim_start_matches("/v1/").split('/').collect();
        let outcome = match parts[..] {
            ["payment_intents"] => self.create(form),
            ["payment_intents", id, "cancel"] => self.cancel(id),
            ["refunds"] => self.refund(form),
            _ => error(404, "invalid_request_error", None),
        };
        let kept = (form.to_vec(), outcome.clone());
        self.keys.insert(key.to_owned(), kept);
        (outcome, false)
    }

    /// An intent's charge is its id alone, unless it is asked for as a whole.
    pub fn get(&self, path: &str, query: &Form) -> Outcome {
        let (status, mut body) = self.read(path, query);
        let expand = value(query, "expand[]");
        match body.get_mut("data").and_then(Value::as_array_mut) {
            Some(all) if expand != "data.latest_charge" => all.iter_mut().for_each(shorten),
            None if expand != "latest_charge" => shorten(&mut body),
            Some(_) | None => {}
        }
        (status, body)
    }

    fn read(&self, path: &str, query: &Form) -> Outcome {
        let parts: Vec<&str> = path.trim_start_matches("/v1/").split('/').collect();
        match parts[..] {
            ["payment_intents"] => page(self.intents.iter().rev(), query),
            ["payment_intents", "search"] => self.search(query),
            ["payment_intents", id] => retrieve(&self.intents, id),
            ["refunds"] => page(self.refunds.iter().rev(), query),
            ["refunds", id] => retrieve(&self.refunds, id),
            ["balance_transactions"] => page(self.transactions.iter(), query),
            _ => error(404, "invalid_request_error", None),
        }
    }

    /// By metadata, and late: what is younger than an hour is not shown.
    fn search(&self, query: &Form) -> Outcome {
        let asked = value(query, "query");
        let bears = |it: &&Value| {
            let number = it["metadata"]["out_trade_no"].as_str().unwrap_or_default();
            asked == format!("metadata['out_trade_no']:'{number}'")
        };
        let shown = |it: &&Value| it["created"].as_i64() <= Some(real_s() - 3600);
        let found: Vec<&Value> = self.intents.iter().filter(bears).filter(shown).collect();
        let body = json!({"object": "search_result", "has_more": false, "data": found});
        (200, body)
    }

    fn create(&mut self, form: &Form) -> Outcome {
        let amount: i64 = value(form, "amount").parse().unwrap_or_default();
        if amount < 1 {
            return error(
                400,
                "invalid_request_error",
                Some("parameter_invalid_integer"),
            );
        }
        let fields = json!({
            "amount": amount, "currency": value(form, "currency"),
            "description": value(form, "description"),
            "metadata": {"out_trade_no": value(form, "metadata[out_trade_no]")},
        });
        (200, self.add_intent(&fields))
    }

    pub fn add_intent(&mut self, fields: &Value) -> Value {
        let id = self.id("pi");
        let mut intent = json!({
            "id": id, "object": "payment_intent", "amount": 0, "amount_received": 0, "currency": "usd",
            "status": "requires_payment_method", "client_secret": format!("{id}_secret_hush"),
            "created": self.now_s(), "livemode": false, "metadata": {}, "latest_charge": null,
            "last_payment_error": null,
        });
        merge(&mut intent, fields);
        self.intents.push(intent.clone());
        intent
    }

    pub fn change_intent(&mut self, id: &str, fields: &Value) -> Value {
        change(&mut self.intents, id, fields)
    }

    pub fn change_refund(&mut self, id: &str, fields: &Value) -> Value {
        change(&mut self.refunds, id, fields)
    }

    fn cancel(&mut self, id: &str) -> Outcome {
        let (status, intent) = retrieve(&self.intents, id);
        if status != 200 {
            return (status, intent);
        }
        match text(&intent, "status").as_str() {
            "succeeded" | "canceled" | "processing" => {
                let (status, mut body) = error(
                    400,
                    "invalid_request_error",
                    Some("payment_intent_unexpected_state"),
                );
                body["error"]["payment_intent"] = intent;
                (status, body)
            }
            _ => (200, self.change_intent(id, &json!({"status": "canceled"}))),
        }
    }

    pub fn refund(&mut self, form: &Form) -> Outcome {
        let of = value(form, "payment_intent");
        let (status, intent) = retrieve(&self.intents, &of);
        if status != 200 {
            return (status, intent);
        }
        let gone: i64 = self
            .refunds
            .iter()
            .filter(|it| it["payment_intent"] == of.as_str() && it["status"] != "failed")
            .filter_map(|it| it["amount"].as_i64())
            .sum();
        let amount: i64 = value(form, "amount").parse().unwrap_or_default();
        let paid = intent["amount_received"].as_i64().unwrap_or_default();
        if gone >= paid {
            return error(
                400,
                "invalid_request_error",
                Some("charge_already_refunded"),
            );
        }
        if amount > paid - gone {
            return error(400, "invalid_request_error", None);
        }
        let mut metadata = json!({});
        for name in ["out_trade_no", "out_refund_no"] {
            let number = value(form, &format!("metadata[{name}]"));
            if !number.is_empty() {
                metadata[name] = json!(number);
            }
        }
        let status = self.refunds_become.as_deref().unwrap_or("succeeded");
        let mut refund = json!({
            "object": "refund", "amount": amount, "currency": intent["currency"], "status": status,
            "payment_intent": of, "metadata": metadata, "created": self.now_s(),
        });
        refund["id"] = json!(self.id("re"));
        self.refunds.push(refund.clone());
        (200, refund)
    }
}

fn shorten(object: &mut Value) {
    if let Some(id) = object["latest_charge"]["id"].as_str() {
        object["latest_charge"] = json!(id);
    }
}

fn real_s() -> i64 {
    SystemClock::start().wall().0.div_euclid(1000)
}

fn retrieve(all: &[Value], id: &str) -> Outcome {
    let found = all.iter().find(|it| it["id"] == id);
    found.map_or_else(
        || error(404, "invalid_request_error", Some("resource_missing")),
        |found| (200, found.clone()),
    )
}

fn change(all: &mut [Value], id: &str, fields: &Value) -> Value {
    let mut found = all.iter_mut().filter(|it| it["id"] == id);
    let object = found.next().expect("there is such an object");
    merge(object, fields);
    object.clone()
}

fn merge(object: &mut Value, fields: &Value) {
    for (name, value) in fields.as_object().into_iter().flatten() {
        object[name] = value.clone();
    }
}

/// A page of what the query asks for; `all` is newest first.
fn page<'a>(all: impl Iterator<Item = &'a Value>, query: &Form) -> Outcome {
    let bound = |name: &str| value(query, name).parse::<i64>().ok();
    let created = |it: &Value| it["created"].as_i64().unwrap_or_default();
    let (from, to) = (bound("created[gte]"), bound("created[lte]"));
    let below = bound("created[lt]");
    let of = value(query, "payment_intent");
    let mut left: Vec<&Value> = all
        .filter(|it| from.is_none_or(|from| created(it) >= from))
        .filter(|it| to.is_none_or(|to| created(it) <= to))
        .filter(|it| below.is_none_or(|below| created(it) < below))
        .filter(|it| of.is_empty() || it["payment_intent"] == of.as_str())
        .collect();
    let after = value(query, "starting_after");
    if !after.is_empty() {
        let at = left.iter().position(|it| it["id"] == after.as_str());
        left = left.split_off(at.map_or(left.len(), |at| at + 1));
    }
    let limit = usize::try_from(bound("limit").unwrap_or(10)).unwrap_or(10);
    let has_more = left.len() > limit;
    left.truncate(limit);
    (
        200,
        json!({"object": "list", "has_more": has_more, "data": left}),
    )
}

pub fn value(form: &Form, name: &str) -> String {
    let mut fields = form.iter().filter(|(field, _)| field == name);
    fields
        .next()
        .map(|(_, value)| value.clone())
        .unwrap_or_default()
}

pub fn error(status: u16, kind: &str, code: Option<&str>) -> Outcome {
    let body = json!({"error": {"type": kind, "code": code, "message": "in words"}});
    (status, body)
}
