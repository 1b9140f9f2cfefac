//! Asking an order's actor, again if it died over the question.

use super::{Gateway, GatewayError, NewOrder, Wait};
use crate::actors::messages::{Goal, NoticeId, OrderMessage, Settled, Waiter};
use crate::actors::supervisor::Deliver;
use crate::domain::OrderNo;
use crate::domain::order::{Input, Order};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::oneshot;

/// How often a question is asked when the actor that should answer it died, and the pause before it is asked again.
const ASKS_MAX: u32 = 3;
const REWATCH_PAUSE: Duration = Duration::from_millis(100);

impl Gateway {
    pub(super) async fn send_create(
        &self,
        new: NewOrder,
        wait: Wait,
    ) -> Result<(Order, Option<oneshot::Receiver<Order>>), GatewayError> {
        let order_no: Arc<str> = new.order_no.as_str().into();
        for asks in 0..ASKS_MAX {
            let (waiter, result) = match wait {
                Wait::No => (None, None),
                Wait::UpTo(_) => {
                    let (waiter, result) = waiter(Goal::Result);
                    (Some(waiter), Some(result))
                }
            };
            let (created, answer) = oneshot::channel();
            let message = OrderMessage::Create {
                new: Box::new(new.clone()),
                created,
                waiter,
            };
            self.supervisor.do_send(Deliver {
                order_no: Arc::clone(&order_no),
                message,
            });
            // A dropped answer: the actor died; its successor finds what was committed.
            if let Ok(answer) = answer.await {
                return Ok((answer.map_err(|error| doubted(error, asks))?, result));
            }
            tokio::time::sleep(REWATCH_PAUSE).await;
        }
        Err(GatewayError::Unclear("the order's actor failed".to_owned()))
    }

    /// Waits for a result; asks again if the actor that was to tell it died. `None` after `limit`, or when the runtime
    /// ends.
    pub(super) async fn await_result(
        &self,
        order_no: &OrderNo,
        mut result: oneshot::Receiver<Order>,
        limit: Duration,
    ) -> Option<Order> {
        let wait = async {
            loop {
                if let Ok(order) = result.await {
                    return order;
                }
                tokio::time::sleep(REWATCH_PAUSE).await;
                result = self.watch(order_no, Goal::Result).await;
            }
        };
        self.shared.within(limit, wait).await
    }

    /// Asks the order's actor to tell when the goal is reached. The receiver fails if it cannot.
    async fn watch(&self, order_no: &OrderNo, goal: Goal) -> oneshot::Receiver<Order> {
        let (waiter, result) = waiter(goal);
        let (found, answer) = oneshot::channel();
        let message = OrderMessage::Watch { found, waiter };
        self.supervisor.do_send(Deliver {
            order_no: order_no.as_str().into(),
            message,
        });
        drop(answer.await);
        result
    }

    /// Tells an order what happened to it, and what it came to. Asks again if the actor died over it.
    pub(in crate::actors) async fn happened(
        &self,
        order_no: &OrderNo,
        input: Input,
        waiter: Option<Waiter>,
    ) -> Result<Settled, GatewayError> {
        self.happened_by_notice(order_no, input, None, waiter).await
    }

    pub(in crate::actors) async fn happened_by_notice(
        &self,
        order_no: &OrderNo,
        input: Input,
        notice: Option<NoticeId>,
        mut waiter: Option<Waiter>,
    ) -> Result<Settled, GatewayError> {
        for asks in 0..ASKS_MAX {
            let (reply, answer) = oneshot::channel();
            let message = OrderMessage::Happened {
                input: Box::new(input.clone()),
                notice: notice.clone(),
                reply: Some(reply),
                waiter: waiter.take(),
            };
            self.supervisor.do_send(Deliver {
                order_no: order_no.as_str().into(),
                message,
            });
            if let Ok(answer) = answer.await {
                return answer.map_err(|error| doubted(error, asks));
            }
            // The supervisor may not have heard of the death yet: what is sent at once would die too.
            tokio::time::sleep(REWATCH_PAUSE).await;
        }
        Err(GatewayError::Unclear("the order's actor failed".to_owned()))
    }
}

/// An actor that died over an earlier ask may have committed it: that nothing was written is certain no more.
fn doubted(error: GatewayError, asks: u32) -> GatewayError {
    match error {
        GatewayError::Busy(cause) if asks > 0 => GatewayError::Unclear(cause),
        error @ (GatewayError::Refused(_)
        | GatewayError::OrderConflict
        | GatewayError::IdempotencyKeyReuse
        | GatewayError::ReplacedOrderOpen
        | GatewayError::NoSuchOrder
        | GatewayError::NoSuchChannel
        | GatewayError::Busy(_)
        | GatewayError::Unclear(_)) => error,
    }
}

pub(super) fn waiter(goal: Goal) -> (Waiter, oneshot::Receiver<Order>) {
    let (answer, result) = oneshot::channel();
    (Waiter { goal, answer }, result)
}
