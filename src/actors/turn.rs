//! One order's work on one message: load, decide, commit, and only then act.

use super::effects;
use super::gateway::GatewayError;
use super::messages::{Goal, NoticeId, OrderMessage, Reply, Settled, Waiter};
use super::redact::redact;
use super::shared::Shared;
use super::supervisor::{ArmTimer, Supervisor};
use crate::clock::new_id;
use crate::domain::order::decide::Context;
use crate::domain::order::input::Source;
use crate::domain::order::{Decision, Input, Order, OrderStatus, Refusal, decide};
use crate::domain::{EventId, OrderNo};
use crate::store::journal::CallbackRecord;
use crate::store::{Committed, Conflict, JournalError, StoreError, Urgency, Write, inbox, orders};
use actix::Addr;
use std::collections::HashSet;
use std::sync::Arc;

/// How often a decision is made again because the row had moved, before it is given back as unclear. With one
/// runtime a row moves only under a rebuilt actor, once.
const DECISIONS_MAX: u32 = 5;

/// While the database cannot be read, a timer's message is offered so often.
const LOOK_AGAIN_MS: i64 = 1_000;

/// What an actor knows of its order between messages.
pub(super) struct Turn {
    pub(super) shared: Arc<Shared>,
    pub(super) supervisor: Addr<Supervisor>,
    order_no: OrderNo,
    pub(super) order: Option<Order>,
    /// Ids and statuses of notices on record; `None` until the inbox was read.
    pub(super) seen: Option<HashSet<(String, String)>>,
    waiters: Vec<Waiter>,
}

impl Turn {
    pub(super) fn new(
        shared: Arc<Shared>,
        supervisor: Addr<Supervisor>,
        order_no: OrderNo,
    ) -> Self {
        Self {
            shared,
            supervisor,
            order_no,
            order: None,
            seen: None,
            waiters: Vec::new(),
        }
    }

    pub(super) fn order_no(&self) -> &str {
        self.order_no.as_str()
    }

    /// Nobody waits and no call is out: the row and its timer are enough.
    pub(super) fn is_idle(&self) -> bool {
        self.waiters.iter().all(|waiter| waiter.answer.is_closed())
            && self.shared.calls.submits(self.order_no.as_str()).is_empty()
    }

    pub(super) async fn take(&mut self, message: OrderMessage) {
        match message {
            OrderMessage::Create {
                new,
                created,
                waiter,
            } => {
                let answer = self.create(*new).await;
                self.admit(answer.is_ok(), waiter);
                answer_with(created, answer);
            }
            OrderMessage::Watch { found, waiter } => {
                let answer = self
                    .load()
                    .await
                    .and_then(|()| self.order.clone().ok_or(GatewayError::NoSuchOrder));
                self.admit(answer.is_ok(), Some(waiter));
                answer_with(found, answer);
            }
            OrderMessage::Happened {
                input,
                notice,
                reply,
                waiter,
            } => {
                let query_reply = matches!(
                    input.as_ref(),
                    Input::Answer {
                        source: Source::Query,
                        ..
                    }
                );
                let answer = self.happened(*input, notice).await;
                if query_reply {
                    self.release(|waiter| waiter.goal == Goal::QueryReply);
                }
                self.admit(answer.is_ok(), waiter);
                if let Some(reply) = reply {
                    answer_with(reply, answer);
                } else if let Err(error) = answer {
                    tracing::warn!(order_no = self.order_no(), %error, "a timer's message was not taken");
                    self.look_again();
                }
            }
        }
    }

    /// Lets a caller wait, unless what it waits for is so already.
    fn admit(&mut self, admitted: bool, waiter: Option<Waiter>) {
        if let Some(waiter) = waiter.filter(|_| admitted) {
            self.waiters.push(waiter);
            self.release(|_| false);
        }
    }

    /// Answers the callers whose goal is reached, and those that `also` names.
    fn release(&mut self, also: impl Fn(&Waiter) -> bool) {
        let Some(order) = &self.order else { return };
        let ended = order.status.is_settled() || order.status == OrderStatus::Manual;
        let reached = |waiter: &mut Waiter| {
            also(waiter)
                || match waiter.goal {
                    Goal::Result => order.answers_a_wait(),
                    Goal::End => ended,
                    Goal::Settled => order.status.is_settled(),
                    Goal::QueryReply => false,
                }
        };
        for waiter in self.waiters.extract_if(.., reached) {
            drop(waiter.answer.send(order.clone()));
        }
    }

    /// Reads the row, once; an order whose submit nobody watches any more is recovered before anything else.
    pub(super) async fn load(&mut self) -> Result<(), GatewayError> {
        if self.order.is_some() {
            return Ok(());
        }
        let read = &self.shared.parts.database.read;
        self.order = orders::by_no(read, &self.order_no).await.map_err(unread)?;
        let Some(order) = &self.order else {
            return Ok(());
        };
        let interrupted = matches!(order.status, OrderStatus::Unpaid | OrderStatus::Processing);
        if interrupted && self.shared.calls.submits(self.order_no.as_str()).is_empty() {
            Box::pin(self.decide_and_commit(Input::Recovered, None)).await?;
        } else {
            self.arm();
        }
        Ok(())
    }

    async fn happened(
        &mut self,
        input: Input,
        notice: Option<NoticeId>,
    ) -> Result<Settled, GatewayError> {
        self.load().await?;
        let Some(order) = &self.order else {
            return Err(GatewayError::NoSuchOrder);
        };
        // What another channel vouches for is no word about this order: there it has none of this number.
        let foreign = |notice: &NoticeId| notice.channel != order.fingerprint.channel;
        if notice.as_ref().is_some_and(foreign) {
            return Err(GatewayError::NoSuchOrder);
        }
        if notice.is_some() && self.seen.is_none() {
            self.read_inbox().await?;
        }
        let input = self.as_due(input);
        self.decide_and_commit(input, notice).await
    }

    /// What the order's one timer means in `PROCESSING`: that submit's time-out.
    fn as_due(&self, input: Input) -> Input {
        let Some(order) = &self.order else {
            return input;
        };
        let timed_out = order.status == OrderStatus::Processing
            && self
                .wake_at(order)
                .is_some_and(|due| due <= self.shared.now().wall);
        if input == Input::Due && timed_out {
            return Input::SubmitTimedOut {
                submit: order.submit_count(),
            };
        }
        input
    }

    async fn read_inbox(&mut self) -> Result<(), GatewayError> {
        let Some(order) = &self.order else {
            return Ok(());
        };
        let read = &self.shared.parts.database.read;
        let seen = inbox::seen(read, &order.order_id).await.map_err(unread)?;
        self.seen = Some(seen.into_iter().collect());
        Ok(())
    }

    /// Decides, commits, and starts what the decision wants done. What the database refuses is decided again.
    async fn decide_and_commit(
        &mut self,
        mut input: Input,
        notice: Option<NoticeId>,
    ) -> Result<Settled, GatewayError> {
        for _ in 0..DECISIONS_MAX {
            let Some(before) = self.order.clone() else {
                return Err(GatewayError::NoSuchOrder);
            };
            let notice = notice
                .as_ref()
                .map(|notice| self.record_of(&before, notice));
            mark_repeat(&mut input, notice.as_ref());
            let successor = self.successor(&before, &input).await?;
            let decision = self.decide(&before, &input, successor)?;
            if !decision.writes(&before) && notice.is_none() {
                self.arm();
                return Ok(Settled {
                    order: before,
                    duplicate: false,
                });
            }
            let write = self.write_of(&before, &decision, notice.clone());
            match self
                .shared
                .parts
                .journal
                .commit(write, Urgency::Assured)
                .await
            {
                Ok(Committed::Done) => {
                    if let (Some(record), Some(seen)) = (notice, &mut self.seen) {
                        seen.insert((record.key, record.status));
                    }
                    let duplicate = decision.events.is_empty();
                    let order = self.committed(decision);
                    return Ok(Settled { order, duplicate });
                }
                Ok(Committed::Conflict(Conflict::TradeNo)) => {
                    input = trade_taken(input, &before)
                        .ok_or(GatewayError::Refused(Refusal::TradeNoConflict))?;
                }
                Ok(Committed::Conflict(Conflict::Callback)) => self.read_inbox().await?,
                Ok(
                    Committed::Stale
                    | Committed::OrderExists
                    | Committed::ReplacedOrderOpen
                    | Committed::Conflict(Conflict::IdempotencyKey),
                ) => self.read_again().await?,
                Err(error) => return Err(uncommitted(&error)),
            }
        }
        Err(GatewayError::Unclear(
            "the order's row kept moving".to_owned(),
        ))
    }

    /// Another writer moved the row: the actor's copy is void.
    async fn read_again(&mut self) -> Result<(), GatewayError> {
        let read = &self.shared.parts.database.read;
        self.order = orders::by_no(read, &self.order_no).await.map_err(unread)?;
        Ok(())
    }

    pub(super) fn decide(
        &self,
        before: &Order,
        input: &Input,
        successor: Option<OrderStatus>,
    ) -> Result<Decision, GatewayError> {
        let mut open_submits = self.shared.calls.submits(self.order_no.as_str());
        if let Input::Answer {
            source: Source::Reply { submit },
            ..
        } = input
        {
            // The call that this reply ends is registered until the reply is committed.
            open_submits.retain(|open| open != submit);
        }
        let context = Context {
            now: self.shared.now(),
            rules: self.shared.rules(&before.fingerprint.channel),
            open_submits: &open_submits,
            successor,
        };
        let mut decision = decide(before, input, &context)?;
        redact(&mut decision);
        Ok(decision)
    }

    /// An order that replaces this one matters when money comes after the end, and when a review says paid.
    async fn successor(
        &self,
        before: &Order,
        input: &Input,
    ) -> Result<Option<OrderStatus>, GatewayError> {
        let matters = before.status.is_ended() || matches!(input, Input::Review(_));
        if !matters {
            return Ok(None);
        }
        let read = &self.shared.parts.database.read;
        orders::open_successor(read, &before.order_no)
            .await
            .map_err(unread)
    }

    fn record_of(&self, before: &Order, notice: &NoticeId) -> CallbackRecord {
        // With the order's number, so that a channel that gives two orders' notices one id loses neither.
        let key = format!("{}@{}", notice.key, before.order_no);
        let id = (key.clone(), notice.status.clone());
        CallbackRecord {
            channel: before.fingerprint.channel.clone(),
            key,
            status: notice.status.clone(),
            repeat: self.seen.as_ref().is_some_and(|seen| seen.contains(&id)),
            digest: notice.digest.clone(),
        }
    }

    fn write_of(
        &self,
        before: &Order,
        decision: &Decision,
        callback: Option<CallbackRecord>,
    ) -> Write {
        let next = &decision.next;
        let becomes_paid = next.status == OrderStatus::Paid;
        let from_end = before.status.is_ended() || before.status == OrderStatus::Manual;
        Write {
            decision_id: EventId(new_id("evt")),
            expected_version: Some(before.version),
            order: next.clone(),
            wake_at: self.wake_at(next),
            events: decision.events.clone(),
            payments: decision.payments.clone(),
            alerts: decision.alerts.clone(),
            resolves_alerts: decision.resolves_alerts,
            callback,
            idempotency: None,
            unless_replaced: becomes_paid && from_end,
            at: self.shared.now().wall,
        }
    }

    pub(super) fn wake_at(&self, order: &Order) -> Option<crate::domain::UnixMillis> {
        let rules = self.shared.rules(&order.fingerprint.channel);
        order.wake_at(rules.submit_timeout_ms)
    }

    /// After the commit: the copy, the timer, the calls, the people who wait.
    pub(super) fn committed(&mut self, decision: Decision) -> Order {
        let order = decision.next;
        self.order = Some(order.clone());
        self.arm();
        for effect in decision.effects {
            effects::start(&self.shared, &self.supervisor, &order, effect);
        }
        if !decision.alerts.is_empty() {
            (self.shared.parts.on_alert)();
        }
        self.release(|_| false);
        order
    }

    /// A timer fires once: what it brought and could not be taken comes again.
    fn look_again(&self) {
        self.supervisor.do_send(ArmTimer {
            order_no: self.order_no.as_str().into(),
            due: Some(self.shared.now().wall.plus(LOOK_AGAIN_MS)),
        });
    }

    fn arm(&self) {
        let Some(order) = &self.order else { return };
        // MANUAL has no timer but the one that a review's close sets.
        let due = match order.status {
            OrderStatus::Manual => order.next_check_at.filter(|_| order.ask_due),
            OrderStatus::Unpaid
            | OrderStatus::Processing
            | OrderStatus::Pending
            | OrderStatus::Unknown
            | OrderStatus::Paid
            | OrderStatus::Failed
            | OrderStatus::Closed
            | OrderStatus::Refunding
            | OrderStatus::PartiallyRefunded
            | OrderStatus::Refunded => self.wake_at(order),
        };
        self.supervisor.do_send(ArmTimer {
            order_no: self.order_no.as_str().into(),
            due,
        });
    }
}

fn answer_with<T>(reply: Reply<T>, answer: Result<T, GatewayError>) {
    // Whoever asked may have gone; the row has the answer.
    drop(reply.send(answer));
}

fn mark_repeat(input: &mut Input, notice: Option<&CallbackRecord>) {
    if let (
        Input::Answer {
            source: Source::Callback { repeat, .. },
            ..
        },
        Some(record),
    ) = (input, notice)
    {
        *repeat = record.repeat;
    }
}

/// The database refused to keep this proof, since another order owns its trade: that is what happened, then.
fn trade_taken(input: Input, order: &Order) -> Option<Input> {
    use crate::domain::order::statement::Finding;
    let Input::Answer { source, answer } = input else {
        return None;
    };
    match answer.against(order) {
        Finding::Paid(proof)
        | Finding::PaidAndRefunded(proof)
        | Finding::PaidMismatch { proof, .. } => Some(Input::TradeTaken { source, proof }),
        Finding::PendingMismatch { .. }
        | Finding::Pending { .. }
        | Finding::Processing
        | Finding::Declined
        | Finding::Closed
        | Finding::NotFound
        | Finding::Unexplained
        | Finding::AskAtOnce
        | Finding::CannotClose
        | Finding::Throttled
        | Finding::NotSent
        | Finding::Unknown(_) => None,
    }
}

pub(super) fn unread(error: StoreError) -> GatewayError {
    GatewayError::Unclear(error.to_string())
}

/// A decision that was not committed: the caller may ask again, the row is as it was.
fn uncommitted(error: &JournalError) -> GatewayError {
    match error {
        JournalError::Full | JournalError::Unavailable(_) => GatewayError::Busy(error.to_string()),
        JournalError::EpochLost | JournalError::Refused(_) | JournalError::Stopped => {
            GatewayError::Unclear(error.to_string())
        }
    }
}
