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
pub(super) const REWATCH_PAUSE: Duration = Duration::from_millis(100);

/// An order whose commit is known, and who tells its result.
pub(super) type Born = (Order, Option<oneshot::Receiver<Order>>);

impl Gateway {
    pub(super) async fn send_create(
        &self,
        new: &NewOrder,
        wait: Wait,
    ) -> Result<Born, GatewayError> {
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
        | GatewayError::DailyLimit
        | GatewayError::ChannelDown { .. }
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
