//! Creates and waits at the gateway: whoever waits is answered when there is a result, when the wait is over, or when
//! the runtime stops.

use super::ask::{Born, REWATCH_PAUSE, waiter};
use super::{Answered, Gateway, GatewayError, NewOrder, Wait};
use crate::actors::create::same_payload;
use crate::actors::messages::{Goal, OrderMessage};
use crate::actors::supervisor::Deliver;
use crate::domain::OrderNo;
use crate::domain::order::{Input, Order};
use std::time::{Duration, Instant};
use tokio::sync::oneshot;
use tokio::time::timeout;

/// `respond-async` answers with an order that has a row already after this, also while its actor is held up.
const ASYNC_WAIT: Duration = Duration::from_secs(1);
/// How long an answer waits for the mark that its deadline has passed; the mark itself is made all the same.
const MARK_WAIT: Duration = Duration::from_millis(500);

impl Gateway {
    /// Creates the order and submits it, or finds the one that exists; waits for its result.
    pub async fn create(&self, new: NewOrder, wait: Wait) -> Result<Answered, GatewayError> {
        let _seat = self.take_seat()?;
        let started = Instant::now();
        let order_no = new.order_no.clone();
        let limit = match wait {
            Wait::No => ASYNC_WAIT,
            Wait::UpTo(limit) => limit,
        };
        let (order, result) = match self.birth(&new, wait, limit).await? {
            Birth::Known(born) => *born,
            Birth::HeldUp(order) => return self.answer_without(*order, wait).await,
        };
        let Some(result) = result else {
            return Ok(answered(order, false));
        };
        let left = limit.saturating_sub(started.elapsed());
        match self.await_goal(&order_no, Goal::Result, result, left).await {
            Some(order) => Ok(answered(order, false)),
            None => self.answer_without(order, wait).await,
        }
    }

    /// The commit of the create. One of an order that has a row is not waited for longer than `limit`; one that
    /// nobody knows is, since within some seconds the journal is certain that nothing was written.
    async fn birth(
        &self,
        new: &NewOrder,
        wait: Wait,
        limit: Duration,
    ) -> Result<Birth, GatewayError> {
        let sent = self.send_create(new, wait);
        tokio::pin!(sent);
        if let Ok(born) = timeout(limit, &mut sent).await {
            return Ok(Birth::Known(Box::new(born?)));
        }
        if let Ok(order) = self.row(&new.order_no).await {
            if !same_payload(&order, new) {
                return Err(GatewayError::OrderConflict);
            }
            return Ok(Birth::HeldUp(Box::new(order)));
        }
        match timeout(wait.for_birth().saturating_sub(limit), sent).await {
            Ok(born) => Ok(Birth::Known(Box::new(born?))),
            Err(_elapsed) => Err(GatewayError::Unclear(
                "the database does not say whether the order is written".to_owned(),
            )),
        }
    }

    /// Waits until the order is settled. It is no deadline of a create.
    pub async fn wait(
        &self,
        order_no: &OrderNo,
        limit: Duration,
    ) -> Result<Answered, GatewayError> {
        let result = async {
            let result = self.watch(order_no, Goal::Settled).await?;
            Ok(self
                .await_goal(order_no, Goal::Settled, result, limit)
                .await)
        };
        match timeout(limit, result).await {
            Ok(Ok(Some(order))) => Ok(answered(order, false)),
            Ok(Err(error)) => Err(error),
            Ok(Ok(None)) | Err(_) => Ok(answered(self.row(order_no).await?, true)),
        }
    }

    /// Waits for the goal; asks again if the actor that was to tell it died. `None` when the wait is over: after
    /// `limit`, or when the runtime stops.
    pub(super) async fn await_goal(
        &self,
        order_no: &OrderNo,
        goal: Goal,
        mut result: oneshot::Receiver<Order>,
        limit: Duration,
    ) -> Option<Order> {
        let reached = async {
            loop {
                if let Ok(order) = result.await {
                    return order;
                }
                tokio::time::sleep(REWATCH_PAUSE).await;
                result = match self.watch(order_no, goal.clone()).await {
                    Ok(again) => again,
                    Err(_not_now) => oneshot::channel().1,
                };
            }
        };
        self.shared.within(limit, reached).await
    }

    /// Asks the order's actor to tell when the goal is reached.
    async fn watch(
        &self,
        order_no: &OrderNo,
        goal: Goal,
    ) -> Result<oneshot::Receiver<Order>, GatewayError> {
        let (waiter, result) = waiter(goal);
        let (found, answer) = oneshot::channel();
        let message = OrderMessage::Watch { found, waiter };
        self.supervisor.do_send(Deliver {
            order_no: order_no.as_str().into(),
            message,
        });
        match answer.await {
            Ok(found) => found.map(|_order| result),
            // The actor died: the receiver fails too, and whoever waits on it asks again.
            Err(_actor_died) => Ok(result),
        }
    }

    /// The answer to a caller whose wait is over: what settles the order later tells ops so.
    async fn answer_without(&self, seen: Order, wait: Wait) -> Result<Answered, GatewayError> {
        if wait == Wait::No {
            return Ok(answered(seen, false));
        }
        let gateway = self.clone();
        let order_no = seen.order_no.clone();
        // Detached: a caller is not kept by it, and the mark is not lost with the caller.
        let marked = tokio::spawn(async move {
            gateway
                .happened(&order_no, Input::UiDeadlinePassed, None)
                .await
        });
        let order = match timeout(MARK_WAIT, marked).await {
            Ok(Ok(Ok(settled))) => settled.order,
            Ok(Ok(Err(_)) | Err(_)) | Err(_) => seen,
        };
        let deadline_passed = !order.answers_a_wait();
        Ok(answered(order, deadline_passed))
    }
}

/// What is known of a create whose time is up.
enum Birth {
    Known(Box<Born>),
    /// The order has a row, and its actor waits for the database.
    HeldUp(Box<Order>),
}

const fn answered(order: Order, deadline_passed: bool) -> Answered {
    Answered {
        order,
        deadline_passed,
    }
}
