//! The sandbox's ledger in memory, and every change that it knows. No IO: each change says what is to be recorded.

use super::directives::{Outcome, RefundOutcome, Script};
use super::record::{
    Charge, ChargeRequest, ChargeState, Notice, Record, Refund, RefundRequest, RefundState, Trade,
};
use super::say;
use crate::clock;
use std::collections::{BTreeMap, HashMap};

/// How many calls a key has received since the sandbox started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Calls {
    pub submits: u32,
    pub queries: u32,
    pub closes: u32,
    pub refunds: u32,
    pub refund_queries: u32,
}

/// Everything that the sandbox knows.
#[derive(Debug, Default)]
pub(super) struct Book {
    pub(super) charges: HashMap<String, Charge>,
    /// By key and refund number.
    pub(super) refunds: BTreeMap<(String, String), Refund>,
    pub(super) calls: HashMap<String, Calls>,
    /// Those that were not acknowledged yet.
    pub(super) notices: HashMap<String, Notice>,
    /// Signed requests of any kind.
    pub(super) requests: u64,
}

/// What came of a submit.
#[derive(Debug)]
pub(super) enum Landed {
    New(Charge),
    /// The same key and the same body: what stands already.
    Same(Charge),
    /// The same key and another body.
    Conflict,
}

/// What came of a refund.
#[derive(Debug)]
pub(super) enum Refunded {
    New(Refund),
    Same(Refund),
    Conflict,
    NoCharge,
}

impl Book {
    /// Takes up a line of the file.
    pub(super) fn replay(&mut self, record: Record) {
        match record {
            Record::Charge(charge) => {
                let key = charge.request.idempotency_key.clone();
                self.charges.insert(key, charge);
            }
            Record::Refund(refund) => {
                let key = refund.idempotency_key.clone();
                let refund_no = refund.request.refund_no.clone();
                self.refunds.insert((key, refund_no), refund);
            }
            Record::Notice(notice) => {
                self.notices.insert(notice.id.clone(), notice);
            }
            Record::NoticeDone(id) => {
                self.notices.remove(&id);
            }
        }
    }

    /// A submit arrives: the first one under its key makes the charge.
    pub(super) fn land(
        &mut self,
        request: ChargeRequest,
        script: &Script,
        now_ms: i64,
        records: &mut Vec<Record>,
    ) -> Landed {
        if let Some(charge) = self.charge(&request.idempotency_key, now_ms, records) {
            return if charge.request == request {
                Landed::Same(charge)
            } else {
                Landed::Conflict
            };
        }
        let mut charge = Charge {
            request,
            trade_no: clock::new_id("trd"),
            status: match script.outcome {
                Outcome::Paid | Outcome::Pending => ChargeState::Pending,
                Outcome::Declined => ChargeState::Declined,
                Outcome::Processing => ChargeState::Processing,
            },
            created_at: now_ms,
            trades: Vec::new(),
        };
        let line = records.len();
        match script.outcome {
            Outcome::Paid => self.take_money(&mut charge, script, now_ms, records),
            Outcome::Declined => self.notify(&charge, &charge.trade_no, script, now_ms, records),
            Outcome::Pending | Outcome::Processing => {}
        }
        self.keep(charge.clone(), line, records);
        Landed::New(charge)
    }

    /// The charge under this key, expired if it is time.
    pub(super) fn charge(
        &mut self,
        key: &str,
        now_ms: i64,
        records: &mut Vec<Record>,
    ) -> Option<Charge> {
        let charge = self.charges.get_mut(key)?;
        if charge.status == ChargeState::Pending && now_ms >= charge.expires_at() {
            charge.status = ChargeState::Closed;
            records.push(Record::Charge(charge.clone()));
        }
        Some(charge.clone())
    }

    /// The payer pays, if the charge can still be paid.
    pub(super) fn pay(
        &mut self,
        key: &str,
        now_ms: i64,
        records: &mut Vec<Record>,
    ) -> Option<Charge> {
        let mut charge = self.charge(key, now_ms, records)?;
        let script = Script::parse(&charge.request.subject);
        let unpaid = charge.status != ChargeState::Paid;
        if charge.is_open() || (script.late_success && unpaid) {
            let line = records.len();
            self.take_money(&mut charge, &script, now_ms, records);
            self.keep(charge.clone(), line, records);
        }
        Some(charge)
    }

    /// Closes what waits for its payer; what is paid or processed stays as it is.
    pub(super) fn close(
        &mut self,
        key: &str,
        now_ms: i64,
        records: &mut Vec<Record>,
    ) -> Option<Charge> {
        let mut charge = self.charge(key, now_ms, records)?;
        if matches!(charge.status, ChargeState::Pending | ChargeState::Declined) {
            charge.status = ChargeState::Closed;
            self.keep(charge.clone(), records.len(), records);
        }
        Some(charge)
    }

    /// A refund arrives: the first one under its number makes it.
    pub(super) fn refund(
        &mut self,
        key: &str,
        request: RefundRequest,
        now_ms: i64,
        records: &mut Vec<Record>,
    ) -> Refunded {
        let Some(charge) = self.charges.get(key) else {
            return Refunded::NoCharge;
        };
        let place = (key.to_owned(), request.refund_no.clone());
        if let Some(refund) = self.refunds.get(&place) {
            return if refund.request == request {
                Refunded::Same(refund.clone())
            } else {
                Refunded::Conflict
            };
        }
        let script = Script::parse(&charge.request.subject);
        let status = match script.refund {
            _ if request.amount < 1 || request.amount > self.refundable(charge, &request) => {
                RefundState::Failed
            }
            RefundOutcome::Pending => RefundState::Pending,
            RefundOutcome::Failed => RefundState::Failed,
            RefundOutcome::Succeeded | RefundOutcome::Unknown => RefundState::Succeeded,
        };
        let refund = Refund {
            idempotency_key: key.to_owned(),
            order_no: charge.request.order_no.clone(),
            request,
            currency: charge.request.currency.clone(),
            channel_refund_no: clock::new_id("rfd"),
            status,
            at: now_ms,
        };
        self.refunds.insert(place, refund.clone());
        records.push(Record::Refund(refund.clone()));
        Refunded::New(refund)
    }

    /// A pending refund comes through, with its callback.
    pub(super) fn settle_refund(
        &mut self,
        place: &(String, String),
        now_ms: i64,
        records: &mut Vec<Record>,
    ) {
        let Some(charge) = self.charges.get(&place.0) else {
            return;
        };
        let Some(refund) = self.refunds.get_mut(place) else {
            return;
        };
        if refund.status == RefundState::Pending {
            refund.status = RefundState::Succeeded;
            refund.at = now_ms;
            records.push(Record::Refund(refund.clone()));
            let notice = Notice {
                id: clock::new_id("msg"),
                idempotency_key: place.0.clone(),
                url: charge.request.notify_url.clone(),
                body: say::refund_notice(refund),
                copies: 1,
                due_at: now_ms,
            };
            self.notices.insert(notice.id.clone(), notice.clone());
            records.push(Record::Notice(notice));
        }
    }

    /// A notice about the charge as it stands, whatever its script says about callbacks.
    pub(super) fn notify_again(
        &mut self,
        key: &str,
        copies: u32,
        now_ms: i64,
        records: &mut Vec<Record>,
    ) -> Option<Charge> {
        let charge = self.charge(key, now_ms, records)?;
        let mut script = Script::parse(&charge.request.subject);
        script.callbacks.0 = copies;
        script.callback_delay = None;
        self.notify(&charge, &charge.trade_no, &script, now_ms, records);
        Some(charge)
    }

    /// Counts a signed call about a key and returns the counts with it.
    pub(super) fn count(&mut self, key: &str, count: fn(&mut Calls)) -> Calls {
        self.requests = self.requests.saturating_add(1);
        let calls = self.calls.entry(key.to_owned()).or_default();
        count(calls);
        *calls
    }

    fn take_money(
        &mut self,
        charge: &mut Charge,
        script: &Script,
        now_ms: i64,
        records: &mut Vec<Record>,
    ) {
        charge.status = ChargeState::Paid;
        let mut trade_nos = vec![charge.trade_no.clone()];
        if script.pay_twice {
            trade_nos.push(clock::new_id("trd"));
        }
        for trade_no in trade_nos {
            charge.trades.push(Trade {
                trade_no: trade_no.clone(),
                amount: charge.request.amount,
                at: now_ms,
            });
            self.notify(charge, &trade_no, script, now_ms, records);
        }
    }

    fn notify(
        &mut self,
        charge: &Charge,
        trade_no: &str,
        script: &Script,
        now_ms: i64,
        records: &mut Vec<Record>,
    ) {
        if script.callbacks.0 == 0 || charge.request.notify_url.is_empty() {
            return;
        }
        let delay = script.callback_delay.unwrap_or_default().as_millis();
        let notice = Notice {
            id: clock::new_id("msg"),
            idempotency_key: charge.request.idempotency_key.clone(),
            url: charge.request.notify_url.clone(),
            body: say::charge_notice(charge, trade_no, script),
            copies: script.callbacks.0,
            due_at: now_ms.saturating_add(i64::try_from(delay).unwrap_or(i64::MAX)),
        };
        self.notices.insert(notice.id.clone(), notice.clone());
        records.push(Record::Notice(notice));
    }

    /// Its line comes before those of its notices, so that no notice outlives a charge that was torn off.
    fn keep(&mut self, charge: Charge, line: usize, records: &mut Vec<Record>) {
        records.insert(line, Record::Charge(charge.clone()));
        self.charges
            .insert(charge.request.idempotency_key.clone(), charge);
    }

    /// What of this trade was not given back, refunds under way included.
    fn refundable(&self, charge: &Charge, request: &RefundRequest) -> i64 {
        let of_trade = |trade: &&Trade| trade.trade_no == request.trade_no;
        let paid = charge.trades.iter().find(of_trade);
        let given: i64 = self
            .refunds
            .values()
            .filter(|refund| refund.idempotency_key == charge.request.idempotency_key)
            .filter(|refund| refund.request.trade_no == request.trade_no)
            .filter(|refund| refund.status != RefundState::Failed)
            .map(|refund| refund.request.amount)
            .fold(0, i64::saturating_add);
        paid.map_or(0, |trade| trade.amount.saturating_sub(given))
    }
}
