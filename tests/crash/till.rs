//! The merchant's side of the lab: it asks, it remembers every answer, and what is not clear it asks again.

use crate::dice::Dice;
use crate::errand::{Errand, FROZEN};
use crate::support::MERCHANT;
use serde_json::Value;
use std::collections::BTreeMap;
use std::time::Duration;
use tokio::task::JoinSet;

/// Longer than the server lets anybody wait.
const PATIENCE: Duration = Duration::from_secs(20);
/// Of so many paid orders one may be refunded.
const LATELY: usize = 60;
/// Statuses of an order that its merchant need not ask about again.
const SETTLED: &[&str] = &[
    "PAID",
    "FAILED",
    "CLOSED",
    "PARTIALLY_REFUNDED",
    "REFUNDED",
    "REFUNDING",
];

/// What the merchant knows of an errand.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Known {
    /// Nobody has said yet.
    Nothing,
    /// This was answered with 200, or with 202 where more cannot be had by asking.
    Done(Value),
    /// Refused for good, with this code.
    Refused(String),
}

/// An answer that came back, or none.
type Told = (usize, Option<(u16, Value)>);

/// What was sent in one go and is on its way.
pub(crate) struct OnTheWay {
    answers: JoinSet<Told>,
    sent: BTreeMap<usize, usize>,
}

/// See the module.
pub(crate) struct Till {
    client: reqwest::Client,
    base: String,
    pub(crate) errands: Vec<(Errand, Known)>,
    /// The id that each order was first answered with.
    ids: BTreeMap<String, String>,
    /// Answers that nobody may ever get.
    pub(crate) faults: Vec<String>,
}

impl Till {
    pub(crate) fn of(base: String) -> Self {
        let client = reqwest::Client::builder()
            .timeout(PATIENCE)
            .no_proxy()
            .build();
        Self {
            client: client.expect("a client"),
            base,
            errands: Vec::new(),
            ids: BTreeMap::new(),
            faults: Vec::new(),
        }
    }

    /// What this round brings: shoppers, clerks who refund, jobs that spend credits.
    pub(crate) fn plan(&mut self, dice: &mut Dice, with_a_case_for_people: bool) {
        for _ in 0..dice.between(2, 5) {
            let number = self.errands.len();
            self.add(Errand::order(number, None, dice));
        }
        if with_a_case_for_people {
            let number = self.errands.len();
            self.add(Errand::order(number, Some(FROZEN), dice));
        }
        let paid: Vec<Value> = self.paid_lately().collect();
        if !paid.is_empty() && !dice.one_in(3) {
            let order = dice.pick(&paid).clone();
            self.add(Errand::refund(self.errands.len(), &order, dice));
        }
        for _ in 0..dice.between(0, 2) {
            self.add(Errand::debit(self.errands.len(), dice));
        }
        if dice.one_in(2) {
            self.add(Errand::hold(self.errands.len(), dice));
        }
    }

    fn add(&mut self, errand: Errand) {
        self.errands.push((errand, Known::Nothing));
    }

    /// Orders that were answered as paid, the newest.
    fn paid_lately(&self) -> impl Iterator<Item = Value> {
        let newest = self.errands.iter().rev();
        let orders = newest.filter_map(|(errand, known)| match (errand, known) {
            (Errand::Order { .. }, Known::Done(answer)) => Some(answer),
            _ => None,
        });
        orders
            .filter(|order| order["status"] == "PAID")
            .take(LATELY)
            .cloned()
    }

    pub(crate) fn waiting(&self) -> Vec<usize> {
        let all = self.errands.iter().enumerate();
        all.filter(|(_, (_, known))| *known == Known::Nothing)
            .map(|(place, _)| place)
            .collect()
    }

    /// Asks for everything that is not clear, some of it twice in the same moment, and waits for nothing.
    pub(crate) fn ask(&self, dice: &mut Dice, most: usize) -> OnTheWay {
        let waiting = self.waiting();
        let newest = waiting.iter().rev().take(most);
        let mut on_the_way = OnTheWay {
            answers: JoinSet::new(),
            sent: BTreeMap::new(),
        };
        for place in newest {
            for _ in 0..if dice.one_in(4) { 2 } else { 1 } {
                self.send(*place, dice, &mut on_the_way);
            }
        }
        // Somebody nervous asks again for what is done. (What was refused could be taken by now.)
        let last = i64::try_from(self.errands.len()).expect("few") - 1;
        let any = usize::try_from(dice.between(0, last)).expect("a place");
        if let Known::Done(_) = self.errands[any].1 {
            self.send(any, dice, &mut on_the_way);
        }
        on_the_way
    }

    fn send(&self, place: usize, dice: &mut Dice, on_the_way: &mut OnTheWay) {
        let (path, body) = self.errands[place].0.request();
        let mut request = self
            .client
            .post(format!("{}{path}", self.base))
            .bearer_auth(MERCHANT);
        if let Some(body) = body {
            request = request
                .header("content-type", "application/json")
                .body(body.to_string());
        }
        if dice.one_in(3) {
            request = request.header("prefer", "respond-async");
        }
        *on_the_way.sent.entry(place).or_default() += 1;
        on_the_way.answers.spawn(async move {
            let Ok(answer) = request.send().await else {
                return (place, None);
            };
            let status = answer.status().as_u16();
            let text = answer.text().await;
            let body = text.ok().and_then(|text| serde_json::from_str(&text).ok());
            (place, body.map(|body| (status, body)))
        });
    }

    /// Waits until everything that is on its way was answered or lost, and remembers.
    pub(crate) async fn hear(&mut self, mut on_the_way: OnTheWay, dice: &mut Dice) {
        let mut told: BTreeMap<usize, Vec<(u16, Value)>> = BTreeMap::new();
        while let Some(ended) = on_the_way.answers.join_next().await {
            let (place, answer) = ended.expect("the asking does not break");
            told.entry(place).or_default().extend(answer);
        }
        for (place, answers) in told {
            let all_answered = on_the_way.sent.get(&place) == Some(&answers.len());
            for (status, body) in &answers {
                self.learn(place, (*status, body), all_answered, dice);
            }
        }
    }

    fn learn(
        &mut self,
        place: usize,
        (status, body): (u16, &Value),
        all_answered: bool,
        dice: &mut Dice,
    ) {
        let (errand, known) = self.errands[place].clone();
        let code = body["code"].as_str().unwrap_or_default();
        let now = match status {
            200 | 202 => self.learned(&errand, status, body),
            // Not now, or nobody knows yet: the same number again.
            409 | 429 | 503 | 504 => Known::Nothing,
            // Another copy that is still on its way may be taken yet.
            422 if !all_answered => Known::Nothing,
            422 => Known::Refused(code.to_owned()),
            other => {
                self.faults.push(format!("{errand:?}: {other} {body}"));
                Known::Nothing
            }
        };
        self.contradicts(&errand, &known, &now);
        if let (
            Errand::Hold {
                account,
                hold_no,
                quantity,
            },
            Known::Nothing,
            Known::Done(_),
        ) = (&errand, &known, &now)
        {
            self.add(Errand::end_of(account, hold_no, *quantity, dice));
        }
        let is_better = match (&known, &now) {
            (_, Known::Nothing) => false,
            (Known::Done(_), Known::Refused(_)) => false,
            (_, Known::Done(_) | Known::Refused(_)) => true,
        };
        if is_better {
            self.errands[place].1 = now;
        }
    }

    fn learned(&mut self, errand: &Errand, status: u16, body: &Value) -> Known {
        let is_order = matches!(errand, Errand::Order { .. });
        if !is_order {
            // A refund that is under way is told of by a webhook.
            let is_clear = status == 200 || matches!(errand, Errand::Refund { .. });
            return if is_clear {
                Known::Done(body.clone())
            } else {
                Known::Nothing
            };
        }
        let text = |field: &str| body[field].as_str().unwrap_or_default().to_owned();
        let first = self.ids.entry(text("order_no")).or_insert(text("order_id"));
        if *first != text("order_id") {
            let fault = format!(
                "{} was {first} and is {}",
                text("order_no"),
                text("order_id")
            );
            self.faults.push(fault);
        }
        if SETTLED.contains(&text("status").as_str()) {
            Known::Done(body.clone())
        } else {
            Known::Nothing
        }
    }

    /// What was promised once holds for ever.
    fn contradicts(&mut self, errand: &Errand, before: &Known, now: &Known) {
        let fault = match (before, now) {
            (Known::Done(before), Known::Refused(code)) => Some(format!("{before}, then {code}")),
            (Known::Refused(code), Known::Done(now)) if code != "insufficient-balance" => {
                Some(format!("{code}, then {now}"))
            }
            (Known::Done(before), Known::Done(now)) => {
                let was_paid = is_paid(before);
                let is_order = matches!(errand, Errand::Order { .. });
                (is_order && was_paid && !is_paid(now)).then(|| format!("{before}, then {now}"))
            }
            _ => None,
        };
        self.faults
            .extend(fault.map(|fault| format!("{errand:?}: {fault}")));
    }

    /// Every order number that was ever answered with an order, and its id.
    pub(crate) const fn ids(&self) -> &BTreeMap<String, String> {
        &self.ids
    }
}

/// Whether money was taken for it, also if some went back since.
pub(crate) fn is_paid(order: &Value) -> bool {
    let paid = ["PAID", "REFUNDING", "PARTIALLY_REFUNDED", "REFUNDED"];
    order["status"]
        .as_str()
        .is_some_and(|it| paid.contains(&it))
}
