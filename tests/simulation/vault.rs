//! A channel of the test's own that keeps true books and misbehaves as it is told.

use crate::books::{Charge, ChargeState, GivenBack, Note, RefundState, Says};
use oncepay::channels::{ChargeCall, RefundCall};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};
use tokio::sync::watch;

/// What becomes of the next call of a kind about an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Mood {
    /// Done and answered.
    #[default]
    Prompt,
    /// Done, and the answer is lost.
    ReplyLost,
    /// Lost on the way.
    NotArrived,
    /// Done at once and answered later.
    Slow,
    /// Under way for long: done and answered later, also when nobody listens any more.
    Limbo,
    /// The payer, or the bank, must act first.
    Waits,
    /// A definite no.
    Refuses,
    /// No, for now.
    NotNow,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Submit,
    Refund,
    Ask,
}

enum Request {
    Charge(ChargeCall),
    Refund(RefundCall),
}

#[derive(Default)]
struct Inner {
    charges: BTreeMap<String, Charge>,
    notes: Vec<Note>,
    limbo: Vec<Request>,
    moods: BTreeMap<(Kind, String), Mood>,
    /// What no channel should ever be asked.
    faults: Vec<String>,
}

/// See the module.
pub(crate) struct Vault {
    inner: Mutex<Inner>,
    tide: watch::Sender<u64>,
    tide_of_asks: watch::Sender<u64>,
    /// The same submit twice is the same charge; else it is two.
    pub(crate) one_charge_per_key: bool,
}

impl Vault {
    pub(crate) fn open(one_charge_per_key: bool) -> Arc<Self> {
        Arc::new(Self {
            inner: Mutex::default(),
            tide: watch::Sender::new(0),
            tide_of_asks: watch::Sender::new(0),
            one_charge_per_key,
        })
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().expect("nobody panics in the books")
    }

    pub(crate) fn set_mood(&self, kind: Kind, order_no: &str, mood: Mood) {
        self.inner().moods.insert((kind, order_no.to_owned()), mood);
    }

    pub(crate) fn take_mood(&self, kind: Kind, order_no: &str) -> Mood {
        let removed = self.inner().moods.remove(&(kind, order_no.to_owned()));
        removed.unwrap_or_default()
    }

    pub(crate) fn forget_moods(&self) {
        self.inner().moods.clear();
    }

    pub(crate) fn charge(&self, order_no: &str) -> Option<Charge> {
        self.inner().charges.get(order_no).cloned()
    }

    pub(crate) fn charges(&self) -> BTreeMap<String, Charge> {
        self.inner().charges.clone()
    }

    pub(crate) fn notes(&self) -> Vec<Note> {
        self.inner().notes.clone()
    }

    pub(crate) fn note(&self, n: usize) -> Option<Note> {
        self.inner().notes.get(n).cloned()
    }

    pub(crate) fn delivered(&self, n: usize) {
        self.inner().notes[n].delivered = true;
    }

    pub(crate) fn faults(&self) -> Vec<String> {
        self.inner().faults.clone()
    }

    /// Everything under way arrives, and everything that waits is answered.
    pub(crate) fn let_go(&self) {
        let limbo = std::mem::take(&mut self.inner().limbo);
        for request in limbo {
            match request {
                Request::Charge(call) => self.book(&call, ChargeState::Paid),
                Request::Refund(call) => self.give_back(&call, RefundState::Done),
            }
        }
        self.tide.send_modify(|tide| *tide += 1);
        self.let_questions_go();
    }

    /// Questions are answered within seconds, or not at all.
    pub(crate) fn let_questions_go(&self) {
        self.tide_of_asks.send_modify(|tide| *tide += 1);
    }

    pub(crate) async fn wait_for_tide(&self, kind: Kind) {
        let tide = match kind {
            Kind::Submit | Kind::Refund => &self.tide,
            Kind::Ask => &self.tide_of_asks,
        };
        let mut tide = tide.subscribe();
        drop(tide.changed().await);
    }

    pub(crate) fn charge_in_limbo(&self, call: &ChargeCall) {
        self.inner().limbo.push(Request::Charge(call.clone()));
    }

    pub(crate) fn refund_in_limbo(&self, call: &RefundCall) {
        self.inner().limbo.push(Request::Refund(call.clone()));
    }

    /// A submit has arrived.
    pub(crate) fn book(&self, call: &ChargeCall, wanted: ChargeState) {
        let mut inner = self.inner();
        let order_no = &call.order_no;
        if call.idempotency_key != format!("pay:order:{order_no}") {
            let fault = format!("{order_no} came under the key {}", call.idempotency_key);
            inner.faults.push(fault);
        }
        if let Some(known) = inner.charges.get_mut(order_no) {
            let again = matches!(known.state, ChargeState::Open | ChargeState::Paid);
            if !self.one_charge_per_key && again {
                let trade_no = known.receive(order_no);
                inner.faults.push(format!("charged twice: {trade_no}"));
            }
            return;
        }
        let mut charge = Charge::open(call.money.amount);
        let mut trade_no = None;
        if wanted == ChargeState::Paid {
            trade_no = Some(charge.receive(order_no));
        }
        charge.state = wanted;
        let amount = charge.amount;
        inner.charges.insert(order_no.clone(), charge);
        inner.tell(order_no, wanted, amount, trade_no);
    }

    /// The payer pays, in time or after all is over, or a second time.
    pub(crate) fn payer_pays(&self, order_no: &str) {
        let mut inner = self.inner();
        let Some(charge) = inner.charges.get_mut(order_no) else {
            return;
        };
        if charge.trades.len() < 2 {
            let trade_no = charge.receive(order_no);
            let amount = charge.amount;
            inner.tell(order_no, ChargeState::Paid, amount, Some(trade_no));
        }
    }

    /// A close has arrived.
    pub(crate) fn close_charge(&self, order_no: &str) {
        let mut inner = self.inner();
        let Some(charge) = inner.charges.get_mut(order_no) else {
            return;
        };
        if charge.state == ChargeState::Open {
            charge.state = ChargeState::Closed;
            let amount = charge.amount;
            inner.tell(order_no, ChargeState::Closed, amount, None);
        }
    }

    /// A refund has arrived. The same number is the same refund.
    pub(crate) fn give_back(&self, call: &RefundCall, wanted: RefundState) {
        let refund = GivenBack {
            trade_no: call.trade_no.clone(),
            amount: call.money.amount,
            state: wanted,
        };
        self.give(&call.order_no, &call.refund_no, refund);
    }

    fn give(&self, order_no: &str, refund_no: &str, mut refund: GivenBack) {
        let mut inner = self.inner();
        let Some(charge) = inner.charges.get_mut(order_no) else {
            let fault = format!("a refund of {order_no}, which has no charge");
            return inner.faults.push(fault);
        };
        if charge.refunds.contains_key(refund_no) {
            return;
        }
        if charge.left(&refund.trade_no) < refund.amount {
            refund.state = RefundState::Failed;
        }
        charge.refunds.insert(refund_no.to_owned(), refund.clone());
        inner.tell_refund(order_no, refund_no, refund);
    }

    /// Somebody gives money back at the vault itself.
    pub(crate) fn external_refund(&self, order_no: &str, amount: i64) {
        let Some(charge) = self.charge(order_no) else {
            return;
        };
        let Some(trade_no) = charge.own.clone() else {
            return;
        };
        if charge.left(&trade_no) < amount {
            return;
        }
        let refund_no = format!("theirs-{}", charge.refunds.len());
        let refund = GivenBack {
            trade_no,
            amount,
            state: RefundState::Done,
        };
        self.give(order_no, &refund_no, refund);
    }

    /// What was pending is done; what was done comes back, where `bounces`.
    pub(crate) fn settle_refunds(&self, order_no: &str, bounces: bool) {
        let mut inner = self.inner();
        let Some(charge) = inner.charges.get_mut(order_no) else {
            return;
        };
        let mut told = Vec::new();
        for (refund_no, refund) in &mut charge.refunds {
            let next = match refund.state {
                RefundState::Pending => RefundState::Done,
                RefundState::Done if bounces && !refund_no.starts_with("theirs") => {
                    RefundState::Failed
                }
                RefundState::Done | RefundState::Failed => continue,
            };
            refund.state = next;
            told.push((refund_no.clone(), refund.clone()));
        }
        for (refund_no, refund) in told {
            inner.tell_refund(order_no, &refund_no, refund);
        }
    }

    /// A notice that says another amount than went back.
    pub(crate) fn lie(&self, order_no: &str, refund_no: &str) {
        let mut inner = self.inner();
        let refund = inner
            .charges
            .get(order_no)
            .and_then(|charge| charge.refunds.get(refund_no));
        if let Some(mut refund) = refund.cloned() {
            refund.amount += 1;
            inner.tell_refund(order_no, refund_no, refund);
        }
    }
}

impl Inner {
    fn tell(&mut self, order_no: &str, state: ChargeState, amount: i64, trade_no: Option<String>) {
        self.notes.push(Note {
            order_no: order_no.to_owned(),
            says: Says::Charge {
                state,
                amount,
                trade_no,
            },
            delivered: false,
        });
    }

    fn tell_refund(&mut self, order_no: &str, refund_no: &str, refund: GivenBack) {
        self.notes.push(Note {
            order_no: order_no.to_owned(),
            says: Says::Refund {
                refund_no: refund_no.to_owned(),
                refund,
            },
            delivered: false,
        });
    }
}
