//! One order's work on one message: load, decide, commit, and only then act.

mod audit;
mod commit;
mod prepare;

pub(super) use commit::unread;

use super::gateway::GatewayError;
use super::messages::{Goal, NoticeId, OrderMessage, Reply, Settled, Waiter};
use super::shared::Shared;
use super::supervisor::{ArmTimer, Supervisor};
use crate::domain::OrderNo;
use crate::domain::order::input::Source;
use crate::domain::order::{Input, Order, OrderStatus, Refund};
use crate::store::orders;
use actix::Addr;
use std::collections::HashSet;
use std::sync::Arc;

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
            && self.shared.calls.refunds(self.order_no.as_str()).is_empty()
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
                    .and_then(|_recovered| self.order.clone().ok_or(GatewayError::NoSuchOrder));
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
                let replied = input.replied_submit();
                let refunded = input.replied_refund().map(str::to_owned);
                let answer = self.happened(*input, notice).await;
                if let (Some(refund_no), Ok(_)) = (refunded, &answer) {
                    self.shared.calls.end_refund(self.order_no(), &refund_no);
                }
                if let (Some(submit), Ok(_)) = (replied, &answer) {
                    // Now, and not when its task is polled next: until then this actor would not be idle, and
                    // nobody would tell it later that it is.
                    self.shared.calls.end(self.order_no(), submit);
                }
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
                || match &waiter.goal {
                    Goal::Result => order.answers_a_wait(),
                    Goal::End => ended,
                    Goal::Settled => order.status.is_settled(),
                    Goal::QueryReply => false,
                    Goal::Refund(number) => order.refund(number).is_none_or(Refund::answers_a_wait),
                }
        };
        for waiter in self.waiters.extract_if(.., reached) {
            drop(waiter.answer.send(order.clone()));
        }
    }

    /// Reads the row, once; an order whose submit, or whose refund, nobody watches any more is recovered before anything
    /// else. Whether it was.
    pub(super) async fn load(&mut self) -> Result<bool, GatewayError> {
        if self.order.is_some() {
            return Ok(false);
        }
        let read = &self.shared.parts.database.read;
        self.order = orders::by_no(read, &self.order_no).await.map_err(unread)?;
        let Some(order) = &self.order else {
            return Ok(false);
        };
        let interrupted = self.is_interrupted(order);
        if interrupted {
            Box::pin(self.decide_and_commit(Input::Recovered, None)).await?;
        } else {
            self.arm();
        }
        Ok(interrupted)
    }

    /// A call of it was out when its actor, or the process, ended.
    fn is_interrupted(&self, order: &Order) -> bool {
        let submit_open = !self.shared.calls.submits(self.order_no()).is_empty();
        order.is_interrupted(submit_open, &self.shared.calls.refunds(self.order_no()))
    }

    async fn happened(
        &mut self,
        input: Input,
        notice: Option<NoticeId>,
    ) -> Result<Settled, GatewayError> {
        let recovered = self.load().await?;
        let Some(order) = &self.order else {
            if notice.is_some() {
                // Here and not where the orphan is kept: a create of this number may be the next message.
                let _remembered = self.shared.expect_orphan(self.order_no());
            }
            return Err(GatewayError::NoSuchOrder);
        };
        // What another channel vouches for is no word about this order: there it has none of this number.
        let foreign = |notice: &NoticeId| notice.channel != order.fingerprint.channel;
        if notice.as_ref().is_some_and(foreign) {
            return Err(GatewayError::NoSuchOrder);
        }
        if recovered && input == Input::Recovered {
            // Once is enough: the channel would be asked twice.
            let order = order.clone();
            return Ok(Settled {
                order,
                duplicate: false,
            });
        }
        if notice.is_some() && self.seen.is_none() {
            self.read_inbox().await?;
        }
        self.decide_and_commit(input, notice).await
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
        let rules = self.shared.rules(&order.fingerprint.channel);
        let due = order.timer_at(rules.submit_timeout_ms);
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
