//! A channel of the merchant's own, in this process: what it does is told by the test, what it is asked is counted.

use oncepay::channels::{
    Acknowledge, AcknowledgementBody, Admission, Call, Channel, ChargeCall, FieldRefusal, Notice,
    RawNotice, Rejection, RejectionRule,
};
use oncepay::domain::UnixMillis;
use oncepay::domain::order::{Answer, ChargeStatus, Fingerprint, Reason, Statement, UnknownAnswer};
use oncepay::domain::schedule::Capabilities;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use tokio::sync::Semaphore;

pub(crate) const BANK: &str = "bank";

/// What the bank does when it is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Does {
    Pays,
    /// Waits for its payer.
    Waits,
    /// Says nothing that counts.
    Mumbles,
    /// Answers only when it is let go, and then pays.
    Hangs,
    /// Panics before it has begun.
    PanicsAtOnce,
    /// Panics in the middle.
    PanicsLater,
}

/// See the module.
pub(crate) struct Bank {
    submits: Mutex<HashMap<String, u32>>,
    queries: Mutex<HashMap<String, u32>>,
    pub(crate) panics: AtomicU32,
    on_submit: Mutex<Does>,
    on_query: Mutex<Does>,
    let_go: Semaphore,
}

impl Bank {
    pub(crate) fn open(on_submit: Does, on_query: Does) -> Arc<Self> {
        Arc::new(Self {
            submits: Mutex::default(),
            queries: Mutex::default(),
            panics: AtomicU32::new(0),
            on_submit: Mutex::new(on_submit),
            on_query: Mutex::new(on_query),
            let_go: Semaphore::new(0),
        })
    }

    pub(crate) fn now_submits(&self, does: Does) {
        *self.on_submit.lock().unwrap() = does;
    }

    pub(crate) fn now_queries(&self, does: Does) {
        *self.on_query.lock().unwrap() = does;
    }

    /// Every call that hangs is answered.
    pub(crate) fn lets_go(&self) {
        self.let_go.close();
    }

    /// How often the submit of this order was on the wire.
    pub(crate) fn submits(&self, order_no: &str) -> u32 {
        count(&self.submits, order_no)
    }

    /// How often a query about this order was on the wire.
    pub(crate) fn queries(&self, order_no: &str) -> u32 {
        count(&self.queries, order_no)
    }

    /// The most queries about one order, and all of them together.
    pub(crate) fn queries_in_all(&self) -> (u32, u32) {
        let counts = self.queries.lock().unwrap();
        let most = counts.values().copied().max().unwrap_or_default();
        (most, counts.values().sum())
    }

    async fn act(&self, does: Does, call: &ChargeCall) -> Answer {
        match does {
            Does::Pays => {}
            Does::Waits => {
                let pending = ChargeStatus::Pending { next_action: None };
                return Answer::Charge(statement(&call.order_no, pending));
            }
            Does::Mumbles => {
                return Answer::Unknown(UnknownAnswer {
                    reason: Reason::ChannelUnavailable,
                    summary: "the bank mumbles".to_owned(),
                });
            }
            Does::Hangs => drop(self.let_go.acquire().await),
            Does::PanicsAtOnce | Does::PanicsLater => {
                tokio::task::yield_now().await;
                self.panics.fetch_add(1, Ordering::SeqCst);
                panic!("the bank's adapter is broken");
            }
        }
        Answer::Charge(statement(&call.order_no, ChargeStatus::Paid))
    }

    fn begin(&self, does: Does) {
        if does == Does::PanicsAtOnce {
            self.panics.fetch_add(1, Ordering::SeqCst);
            panic!("the bank's adapter is broken from the start");
        }
    }
}

fn count(counts: &Mutex<HashMap<String, u32>>, order_no: &str) -> u32 {
    let counts = counts.lock().unwrap();
    counts.get(order_no).copied().unwrap_or_default()
}

fn one_more(counts: &Mutex<HashMap<String, u32>>, order_no: &str) {
    *counts
        .lock()
        .unwrap()
        .entry(order_no.to_owned())
        .or_default() += 1;
}

fn statement(order_no: &str, status: ChargeStatus) -> Statement {
    Statement {
        status,
        order_no: order_no.to_owned(),
        idempotency_key: Some(format!("pay:order:{order_no}")),
        merchant: None,
        money: Some(crate::stage::money()),
        trade_no: Some(format!("T-{order_no}")),
        reference: None,
        summary: "the bank's word".to_owned(),
    }
}

impl Channel for Bank {
    fn name(&self) -> &str {
        BANK
    }

    fn account(&self) -> Fingerprint {
        Fingerprint {
            channel: BANK.to_owned(),
            merchant: "default".to_owned(),
            live: false,
        }
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            one_charge_per_key: true,
            resubmits: true,
            key_life_ms: None,
            closes: true,
            refunds: false,
            own_expiry: false,
            asynchronous: false,
            repeats_action: false,
            settles_within_ms: 0,
        }
    }

    fn default_method(&self) -> &str {
        "direct"
    }

    fn admits(&self, _: &Admission<'_>) -> Result<(), FieldRefusal> {
        Ok(())
    }

    fn submit<'a>(&'a self, call: &'a ChargeCall) -> Call<'a, Answer> {
        one_more(&self.submits, &call.order_no);
        let does = *self.on_submit.lock().unwrap();
        self.begin(does);
        Box::pin(self.act(does, call))
    }

    fn query<'a>(&'a self, call: &'a ChargeCall) -> Call<'a, Answer> {
        one_more(&self.queries, &call.order_no);
        let does = *self.on_query.lock().unwrap();
        self.begin(does);
        Box::pin(self.act(does, call))
    }

    fn close<'a>(&'a self, call: &'a ChargeCall) -> Call<'a, Answer> {
        Box::pin(self.act(Does::Mumbles, call))
    }

    /// `id status order_no`, and no signature: this bank is in the same process. `under key` names a key that it has not.
    fn verify(&self, notice: &RawNotice<'_>, _: UnixMillis) -> Result<Notice, Rejection> {
        let text = String::from_utf8_lossy(notice.body);
        let words: Vec<&str> = text.split(' ').collect();
        if let ["under", key] = words[..] {
            return Err(Rejection {
                rule: RejectionRule::UnknownKey,
                explanation: format!("no key {key} is loaded"),
                key_id: Some(key.to_owned()),
                signed_text: None,
            });
        }
        let [id, status, order_no] = words[..] else {
            return Err(Rejection {
                rule: RejectionRule::Malformed,
                explanation: "three words are needed".to_owned(),
                key_id: None,
                signed_text: None,
            });
        };
        let said = match status {
            "PAID" => ChargeStatus::Paid,
            _ => ChargeStatus::Processing,
        };
        Ok(Notice::Charge {
            key: id.to_owned(),
            status: status.to_owned(),
            order_no: order_no.to_owned(),
            answer: Answer::Charge(statement(order_no, said)),
        })
    }

    fn acknowledgement(&self, _: Acknowledge) -> AcknowledgementBody {
        AcknowledgementBody {
            content_type: "text/plain",
            body: String::new(),
        }
    }
}
