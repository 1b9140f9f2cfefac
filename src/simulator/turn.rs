//! One order's work on one message, as its actor does it: load, decide, commit, and only then act.

use super::call::Kind;
use super::clocks::{Moment, SECOND};
use super::event::What;
use super::memory::{Verdict, Write};
use super::mishap::Mishap;
use super::parts::Parts;
use super::run::{Run, Step, Stop};
use crate::domain::order::decide::Context;
use crate::domain::order::{Decision, Effect, Input, Order, Refusal, granted_at_once};

/// How often a decision is made again because the row had moved.
const DECISIONS_MAX: u32 = 5;
/// An idle actor stays so long.
const LINGER_MS: Moment = 2 * SECOND;

/// What whoever brought a message is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Told {
    /// It is committed, or there was nothing to commit.
    Kept,
    Refused(Refusal),
    NoSuchOrder,
    /// The process is not there.
    Down,
    /// The row kept moving.
    Unclear,
}

/// The key and the status of a notice.
pub(super) type NoticeId = (String, &'static str);

impl<P: Parts> Run<'_, P> {
    /// A message for this order.
    pub(super) fn happened(
        &mut self,
        no: u32,
        input: Input,
        notice: Option<&NoticeId>,
    ) -> Result<Told, Stop> {
        if self.is_down() {
            return Ok(Told::Down);
        }
        if self.store.row(no).is_none() {
            return Ok(Told::NoSuchOrder);
        }
        self.say(no, || super::words::of(&input));
        let recovered = self.load(no)?;
        if recovered && input == Input::Recovered {
            return Ok(Told::Kept);
        }
        self.decide_and_commit(no, input, notice)
    }

    /// An actor that has slept, or is new, reads its row; what nobody watches any more is recovered before anything
    /// else. Whether it was.
    pub(super) fn load(&mut self, no: u32) -> Result<bool, Stop> {
        let now = self.clocks.moment;
        let Some(case) = self.cases.get_mut(&no) else {
            return Ok(false);
        };
        let actor = &mut case.actor;
        let waits = !actor.open_submits.is_empty() || !actor.open_refunds.is_empty();
        let awake = actor.awake_until.is_some_and(|until| now <= until || waits);
        actor.awake_until = Some(now.saturating_add(LINGER_MS));
        actor.found = false;
        if awake {
            return Ok(false);
        }
        actor.stale = None;
        let interrupted = self.store.order(no).is_some_and(|order| {
            order.is_interrupted(!actor.open_submits.is_empty(), &actor.open_refunds)
        });
        if interrupted {
            self.decide_and_commit(no, Input::Recovered, None)?;
        } else {
            self.arm(no);
        }
        Ok(interrupted)
    }

    fn decide_and_commit(
        &mut self,
        no: u32,
        mut input: Input,
        notice: Option<&NoticeId>,
    ) -> Result<Told, Stop> {
        for _ in 0..DECISIONS_MAX {
            let repeat = notice.is_some_and(|notice| self.store.has_notice(no, notice));
            input.mark_repeat(repeat);
            let Some((decision, before)) = self.decide(no, &input) else {
                return Ok(Told::NoSuchOrder);
            };
            let decision = match decision {
                Ok(decision) => decision,
                Err(refusal) => {
                    self.say(no, || format!("  refused: {refusal}"));
                    return Ok(Told::Refused(refusal));
                }
            };
            if !before.writes && self.is_stale(no) {
                // Who owns the newest row has the message too.
                self.read_again(no);
                continue;
            }
            if !before.writes && notice.is_none() {
                self.arm(no);
                return Ok(Told::Kept);
            }
            let write = Write {
                no,
                expected_version: Some(before.version),
                decision,
                notice: notice.cloned(),
                unless_replaced: before.yields,
                successor: self.successor(no),
            };
            match self.commit(write, &input)? {
                Verdict::Holds => return Ok(Told::Kept),
                Verdict::TradeNo => {
                    let order = self.store.order(no);
                    let taken = order.and_then(|order| input.trade_taken(order));
                    let Some(taken) = taken else {
                        return Ok(Told::Refused(Refusal::TradeNoConflict));
                    };
                    input = taken;
                }
                Verdict::RefundCap => {
                    self.read_again(no);
                    return Ok(Told::Refused(Refusal::RefundExceedsOrder));
                }
                Verdict::Stale
                | Verdict::OrderExists
                | Verdict::Callback
                | Verdict::LedgerSource
                | Verdict::Replaced => self.read_again(no),
            }
        }
        Ok(Told::Unclear)
    }

    fn is_stale(&self, no: u32) -> bool {
        let case = self.cases.get(&no);
        case.is_some_and(|case| case.actor.stale.is_some())
    }

    fn read_again(&mut self, no: u32) {
        self.report.conflicts = self.report.conflicts.saturating_add(1);
        if let Some(case) = self.cases.get_mut(&no) {
            case.actor.stale = None;
        }
    }

    /// What the actor's copy of the order, its clocks and its register of open calls lead to.
    fn decide(&mut self, no: u32, input: &Input) -> Option<(Result<Decision, Refusal>, Before)> {
        self.report.decisions = self.report.decisions.saturating_add(1);
        let case = self.cases.get(&no)?;
        let mut open_submits = case.actor.open_submits.clone();
        let replied = input.replied_submit();
        open_submits.retain(|open| Some(*open) != replied);
        let mut open_refunds = case.actor.open_refunds.clone();
        let refunded = input.replied_refund();
        open_refunds.retain(|open| Some(open.as_str()) != refunded);
        let row = self.store.order(no)?;
        let order = case.actor.stale.as_deref().unwrap_or(row);
        let successor = if input.reads_successor(order) {
            self.successor(no)
        } else {
            None
        };
        let new_refund_id = format!("ref_{no}_{}", order.refunds.len());
        let context = Context {
            now: self.clocks.now(),
            rules: self.rules_of(no),
            open_submits: &open_submits,
            open_refunds: &open_refunds,
            new_refund_id: &new_refund_id,
            successor,
        };
        let again = |order: &Order, input: &Input| self.parts.decide(order, input, &context);
        let here = |_kind: &str| is_granted_at_once(no);
        let decided = self.parts.decide(order, input, &context);
        let decided = decided.map(|first| granted_at_once(order, first, here, again));
        let before = Before {
            version: order.version,
            writes: decided
                .as_ref()
                .is_ok_and(|decision| decision.writes(order)),
            yields: decided
                .as_ref()
                .is_ok_and(|decision| decision.yields_to_successor(order)),
        };
        Some((decided, before))
    }

    /// One write, what follows it, and the crashes between any two steps.
    pub(super) fn commit(&mut self, mut write: Write, input: &Input) -> Result<Verdict, Stop> {
        let no = write.no;
        let effects = std::mem::take(&mut write.decision.effects);
        let calls: Vec<Kind> = effects
            .iter()
            .filter_map(|effect: &Effect| Kind::of(effect, &write.decision.next))
            .collect();
        let mut calls = Some(calls);
        let verdict = self.store.verdict(&write, self.parts);
        write.decision.effects = effects;
        if verdict == Verdict::Holds {
            self.examine(&write, input)?;
        }
        if !self.parts.commits_first() {
            self.begin_all(no, calls.take().unwrap_or_default())?;
        }
        if self.hit(no, Mishap::CrashBeforeCommit).is_some() {
            return Err(self.crash());
        }
        if verdict != Verdict::Holds {
            self.say(no, || format!("  not written: {verdict:?}"));
            return Ok(verdict);
        }
        self.keep_a_stale_copy(no);
        self.report.commits = self.report.commits.saturating_add(1);
        let added = self.store.make(write, self.parts);
        self.say_where_it_stands(no);
        if self.hit(no, Mishap::CrashAfterCommit).is_some() {
            return Err(self.crash());
        }
        self.ended_calls(no, input);
        self.arm(no);
        self.take_up(no, added);
        self.begin_all(no, calls.unwrap_or_default())?;
        if self.hit(no, Mishap::CrashAmidEffects).is_some() {
            return Err(self.crash());
        }
        self.examine_what_stands(no)?;
        Ok(Verdict::Holds)
    }

    fn begin_all(&mut self, no: u32, calls: Vec<Kind>) -> Step {
        for call in calls {
            self.begin(no, call)?;
        }
        Ok(())
    }

    /// The call that this answers is over, now that its answer is committed.
    pub(super) fn ended_calls(&mut self, no: u32, input: &Input) {
        let Some(case) = self.cases.get_mut(&no) else {
            return;
        };
        if let Some(n) = input.replied_submit() {
            case.actor.open_submits.retain(|open| *open != n);
        }
        if let Some(refund_no) = input.replied_refund() {
            case.actor.open_refunds.retain(|open| open != refund_no);
        }
    }

    /// Another writer, or an actor that was rebuilt: the next decision is made on the row as it was.
    fn keep_a_stale_copy(&mut self, no: u32) {
        if self.hit(no, Mishap::StaleCopy).is_some()
            && let Some(order) = self.store.order(no)
            && let Some(case) = self.cases.get_mut(&no)
        {
            case.actor.stale = Some(Box::new(order.clone()));
        } else if let Some(case) = self.cases.get_mut(&no) {
            case.actor.stale = None;
        }
    }

    fn say_where_it_stands(&mut self, no: u32) {
        let Some(order) = self.store.order(no) else {
            return;
        };
        let (status, reason) = (order.status, order.reason);
        let refunds = order.refunds.iter();
        let refunds: Vec<_> = refunds
            .map(|refund| (refund.refund_no.clone(), refund.status))
            .collect();
        self.say(no, || match reason {
            Some(reason) => format!("  {status} ({reason}) {refunds:?}"),
            None => format!("  {status} {refunds:?}"),
        });
    }

    /// Sets the order's timer, or clears it.
    pub(super) fn arm(&mut self, no: u32) {
        let Some(order) = self.store.order(no) else {
            return;
        };
        let due = self
            .parts
            .timer_at(order, self.rules_of(no).submit_timeout_ms);
        let Some(case) = self.cases.get_mut(&no) else {
            return;
        };
        let known = case.actor.armed == due;
        case.actor.armed = due;
        if let Some(due) = due.filter(|_| !known) {
            let run = self.clocks.epoch;
            self.plan(self.clocks.moment_of(due), no, What::Timer { run, due });
        }
    }

    /// The order that is placed anew for this one, if it is open or paid.
    pub(super) fn successor(&self, no: u32) -> Option<crate::domain::order::OrderStatus> {
        let anew: Option<&Order> = super::case::anew(no).and_then(|anew| self.store.order(anew));
        anew.map(|order| order.status)
            .filter(|status| !status.is_ended())
    }
}

/// What a decision was made on.
struct Before {
    version: i64,
    writes: bool,
    yields: bool,
}

/// What every third order grants, somebody outside has a part in: a worker does it after the payment.
const fn is_granted_at_once(no: u32) -> bool {
    !no.is_multiple_of(3)
}
