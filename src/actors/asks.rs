//! Questions of the gateway to an order's actor, each with a limit: an actor that waits for the database keeps nobody
//! waiting longer than they asked for.

use super::gateway::{Gateway, GatewayError};
use super::messages::{Goal, NoticeId, OrderMessage, Settled, Waiter};
use super::supervisor::Deliver;
use crate::domain::OrderNo;
use crate::domain::order::input::Review;
use crate::domain::order::{Input, Order};
use crate::store::orders;
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::time::timeout;

/// How long a close waits for its confirmation before it is answered "being asked".
const CLOSE_WAIT: Duration = Duration::from_secs(10);
/// How long a request of a person waits for its commit, before it is answered with the row as it stands.
const COMMIT_WAIT: Duration = Duration::from_secs(5);
/// How often a question is asked when the actor that should answer it died, and the pause before it is asked again.
pub(super) const ASKS_MAX: u32 = 3;
pub(super) const REWATCH_PAUSE: Duration = Duration::from_millis(100);

pub(super) fn waiter(goal: Goal) -> (Waiter, oneshot::Receiver<Order>) {
    let (answer, result) = oneshot::channel();
    (Waiter { goal, answer }, result)
}

/// An actor that died over an earlier ask may have committed it: that nothing was written is certain no more.
pub(super) fn doubted(error: GatewayError, asks: u32) -> GatewayError {
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

impl Gateway {
    /// Asks the channel now and answers with the order after its reply. `by` as in events.
    pub async fn query(&self, order_no: &OrderNo, by: String) -> Result<Order, GatewayError> {
        let (waiter, result) = waiter(Goal::QueryReply);
        let asked = self.happened(order_no, Input::QueryRequested { by }, Some(waiter));
        let Ok(settled) = timeout(COMMIT_WAIT, asked).await else {
            return self.row(order_no).await;
        };
        let order = settled?.order;
        let rules = self.shared.rules(&order.fingerprint.channel);
        let limit_ms = rules.query_timeout_ms.saturating_add(2_000);
        let limit = Duration::from_millis(u64::try_from(limit_ms).unwrap_or_default());
        Ok(match timeout(limit, result).await {
            Ok(Ok(after)) => after,
            Ok(Err(_)) | Err(_) => order,
        })
    }

    /// Asks for a close and waits a little for its confirmation.
    pub async fn close(&self, order_no: &OrderNo, by: String) -> Result<Order, GatewayError> {
        let (waiter, result) = waiter(Goal::End);
        let asked = self.happened(order_no, Input::CloseRequested { by }, Some(waiter));
        if let Ok(settled) = timeout(COMMIT_WAIT, asked).await {
            settled?;
            if let Ok(Ok(ended)) = timeout(CLOSE_WAIT, result).await {
                return Ok(ended);
            }
        }
        self.row(order_no).await
    }

    /// A person's decision. `Unclear` when its commit takes too long: the order's row will tell.
    pub async fn review(&self, order_no: &OrderNo, review: Review) -> Result<Order, GatewayError> {
        let told = self.happened(order_no, Input::Review(review), None);
        match timeout(COMMIT_WAIT, told).await {
            Ok(settled) => Ok(settled?.order),
            Err(_elapsed) => Err(GatewayError::Unclear(
                "the database did not commit in time".to_owned(),
            )),
        }
    }

    /// Tells the order that its timer has come, as the supervisor does: early or twice, it must be nothing.
    #[doc(hidden)]
    pub async fn remind(&self, order_no: &OrderNo) -> Result<Order, GatewayError> {
        let settled = self.happened(order_no, Input::Due, None).await?;
        Ok(settled.order)
    }

    /// The order as its row has it.
    pub(super) async fn row(&self, order_no: &OrderNo) -> Result<Order, GatewayError> {
        let read = &self.shared.parts.database.read;
        match orders::by_no(read, order_no).await {
            Ok(order) => order.ok_or(GatewayError::NoSuchOrder),
            Err(error) => Err(GatewayError::Unclear(error.to_string())),
        }
    }

    /// Tells an order what happened to it, and what it came to. Asks again if the actor died over it.
    pub(super) async fn happened(
        &self,
        order_no: &OrderNo,
        input: Input,
        waiter: Option<Waiter>,
    ) -> Result<Settled, GatewayError> {
        self.happened_by_notice(order_no, input, None, waiter).await
    }

    pub(super) async fn happened_by_notice(
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
