//! Decisions, databases and runtimes that are broken on purpose, each in one place.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "a fault is named where it breaks something; all others leave that alone"
)]

mod charging;
mod lists;
mod reading;
mod refunding;
mod telling;

pub(crate) use lists::{FAULTS, Fault};

use oncepay::domain::UnixMillis;
use oncepay::domain::ledger::{self, Decided, Found, Request};
use oncepay::domain::order::decide::{Context, decide};
use oncepay::domain::order::{Decision, Input, Order, OrderStatus, Refusal};
use oncepay::simulator::{Constraint, Parts};

pub(crate) struct Broken(pub(crate) Fault);

impl Parts for Broken {
    fn decide(
        &self,
        order: &Order,
        input: &Input,
        context: &Context<'_>,
    ) -> Result<Decision, Refusal> {
        if let Some(decision) = charging::instead(self.0, order, input, context) {
            return Ok(decision);
        }
        let mut decision = reading::decide_as_read(self.0, order, input, context)?;
        charging::spoil(self.0, order, input, &mut decision);
        refunding::spoil(self.0, order, input, &mut decision);
        telling::spoil(self.0, order, &mut decision);
        Ok(decision)
    }

    fn decide_account(&self, found: &Found, request: &Request, now: UnixMillis) -> Decided {
        if self.0 == Fault::DebitsAgain {
            let forgotten = Found {
                entry: None,
                ..found.clone()
            };
            return ledger::decide(&forgotten, request, now, 1_000_000);
        }
        ledger::decide(found, request, now, 0)
    }

    fn has(&self, constraint: Constraint) -> bool {
        let lacks = match self.0 {
            Fault::VersionIsNotCompared => Some(Constraint::Version),
            Fault::OrderNumberIsNotUnique => Some(Constraint::OrderNo),
            Fault::TradeNumberIsNotUnique => Some(Constraint::TradeNo),
            Fault::NoticeCountsTwice => Some(Constraint::Callback),
            Fault::AlertKeyIsNotKept => Some(Constraint::AlertKey),
            Fault::RefundCapIsGone => Some(Constraint::RefundCap),
            Fault::GrantsAgain | Fault::DebitsAgain => Some(Constraint::LedgerSource),
            _ => None,
        };
        lacks != Some(constraint)
    }

    fn timer_at(&self, order: &Order, submit_timeout_ms: i64) -> Option<UnixMillis> {
        let forgets = self.0 == Fault::TimerOfUnknownIsForgotten;
        order
            .timer_at(submit_timeout_ms)
            .filter(|_| !(forgets && order.status == OrderStatus::Unknown))
    }

    fn wake_at(&self, order: &Order, submit_timeout_ms: i64) -> Option<UnixMillis> {
        let forgets = self.0 == Fault::TimersAreForgottenAtStart;
        order.wake_at(submit_timeout_ms).filter(|_| !forgets)
    }

    fn commits_first(&self) -> bool {
        self.0 != Fault::CallsBeforeTheCommit
    }

    fn acknowledges_last(&self) -> bool {
        self.0 != Fault::AcknowledgesBeforeTheCommit
    }

    fn keeps_outbox(&self) -> bool {
        self.0 != Fault::OutboxIsForgottenAtStart
    }
}

fn real(order: &Order, input: &Input, context: &Context<'_>) -> Option<Decision> {
    decide(order, input, context).ok()
}
