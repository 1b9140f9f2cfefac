//! Every change of a charge that the sandbox knows. No IO: a change says what is to be recorded.

use super::book::Book;
use super::directives::{Callbacks, Outcome, Script};
use super::record::{Charge, ChargeRequest, ChargeState, Notice, Record, Trade};
use super::say;
use crate::clock;

/// A change of the book under way, at one moment.
pub(super) struct Change<'a> {
    pub(super) book: &'a mut Book,
    /// Milliseconds since 1970.
    pub(super) now_ms: i64,
    /// What has changed so far.
    pub(super) records: Vec<Record>,
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

impl Change<'_> {
    /// A submit arrives: the first one under its key makes the charge.
    pub(super) fn land(&mut self, request: ChargeRequest, script: &Script) -> Landed {
        if let Some(mut charge) = self.charge(&request.idempotency_key) {
            if charge.request != request {
                return Landed::Conflict;
            }
            if script.every_submit_charges && charge.status == ChargeState::Paid {
                self.take_money_again(&mut charge, script);
            }
            return Landed::Same(charge);
        }
        let mut charge = Charge {
            request,
            trade_no: clock::new_id("trd"),
            status: match script.outcome {
                Outcome::Paid | Outcome::Pending => ChargeState::Pending,
                Outcome::Declined => ChargeState::Declined,
                Outcome::Processing => ChargeState::Processing,
            },
            created_at: self.now_ms,
            trades: Vec::new(),
        };
        match script.outcome {
            Outcome::Paid => self.take_money(&mut charge, script),
            Outcome::Declined => {
                self.keep(&charge);
                self.notify(&charge, &charge.trade_no, script);
            }
            Outcome::Pending | Outcome::Processing => self.keep(&charge),
        }
        Landed::New(charge)
    }

    /// The charge under this key, expired if it is time.
    pub(super) fn charge(&mut self, key: &str) -> Option<Charge> {
        let mut charge = self.book.charges.get(key)?.clone();
        if charge.status == ChargeState::Pending && self.now_ms >= charge.expires_at() {
            charge.status = ChargeState::Closed;
            self.keep(&charge);
        }
        Some(charge)
    }

    /// The payer pays, if the charge can still be paid.
    pub(super) fn pay(&mut self, key: &str) -> Option<Charge> {
        let mut charge = self.charge(key)?;
        let script = Script::parse(&charge.request.subject);
        let unpaid = charge.status != ChargeState::Paid;
        if charge.is_open() || (script.late_success && unpaid) {
            self.take_money(&mut charge, &script);
        }
        Some(charge)
    }

    /// Closes what waits for its payer; what is paid or processed stays as it is.
    pub(super) fn close(&mut self, key: &str) -> Option<Charge> {
        let mut charge = self.charge(key)?;
        if matches!(charge.status, ChargeState::Pending | ChargeState::Declined) {
            charge.status = ChargeState::Closed;
            self.keep(&charge);
        }
        Some(charge)
    }

    /// A notice about the charge as it stands, whatever its script says about callbacks.
    pub(super) fn notify_again(&mut self, key: &str, copies: u32) -> Option<Charge> {
        let charge = self.charge(key)?;
        let mut script = Script::parse(&charge.request.subject);
        script.callbacks.0 = copies.min(Callbacks::MAX);
        script.callback_delay = None;
        self.notify(&charge, &charge.trade_no, &script);
        Some(charge)
    }

    /// The charge's line comes before those of its notices, so that no notice outlives a charge that was torn off.
    fn take_money(&mut self, charge: &mut Charge, script: &Script) {
        charge.status = ChargeState::Paid;
        let mut trade_nos = vec![charge.trade_no.clone()];
        if script.pay_twice {
            trade_nos.push(clock::new_id("trd"));
        }
        charge.trades = trade_nos
            .into_iter()
            .map(|trade_no| Trade {
                trade_no,
                amount: charge.request.amount,
                at: self.now_ms,
            })
            .collect();
        self.keep(charge);
        for trade in &charge.trades {
            self.notify(charge, &trade.trade_no, script);
        }
    }

    /// Another trade of a charge that is paid, with a notice of its own.
    fn take_money_again(&mut self, charge: &mut Charge, script: &Script) {
        let trade = Trade {
            trade_no: clock::new_id("trd"),
            amount: charge.request.amount,
            at: self.now_ms,
        };
        let trade_no = trade.trade_no.clone();
        charge.trades.push(trade);
        self.keep(charge);
        self.notify(charge, &trade_no, script);
    }

    fn notify(&mut self, charge: &Charge, trade_no: &str, script: &Script) {
        if script.callbacks.0 == 0 || charge.request.notify_url.is_empty() {
            return;
        }
        let delay = script.callback_delay.unwrap_or_default().as_millis();
        let delay_ms = i64::try_from(delay).unwrap_or(i64::MAX);
        self.send(Notice {
            id: clock::new_id("msg"),
            idempotency_key: charge.request.idempotency_key.clone(),
            url: charge.request.notify_url.clone(),
            body: say::charge_notice(charge, trade_no, script),
            copies: script.callbacks.0,
            due_at: self.now_ms.saturating_add(delay_ms),
        });
    }

    pub(super) fn send(&mut self, notice: Notice) {
        let kept = notice.clone();
        self.book.notices.insert(kept.id.clone(), kept);
        self.records.push(Record::Notice(notice));
    }

    fn keep(&mut self, charge: &Charge) {
        let key = charge.request.idempotency_key.clone();
        self.book.charges.insert(key, charge.clone());
        self.records.push(Record::Charge(charge.clone()));
    }
}
