//! Refunds at the gateway: asked for, waited for, and reviewed.

use super::ask::waiter;
use super::{COMMIT_WAIT, Gateway, GatewayError, Wait};
use crate::actors::idempotency::payload_digest;
use crate::actors::messages::{Goal, Settled};
use crate::domain::OrderNo;
use crate::domain::order::{Input, Order, RefundRequest, RefundReview};
use crate::store::journal::IdempotencyRecord;
use std::time::Instant;

/// The route of an `Idempotency-Key`'s scope: the key of a payment is no word about a refund.
const ROUTE: &str = "POST /v1/orders/{order_id}/refunds";

/// A refund that is asked for, validated at the edge.
#[derive(Debug, Clone)]
pub struct NewRefund {
    pub request: RefundRequest,
    /// The text of an `Idempotency-Key`; its owner is the key that asks.
    pub idempotency_key: Option<String>,
}

impl Gateway {
    /// Asks for a refund, or finds the one with its number, and waits until it is settled, under way at the channel,
    /// or with a person. The answer has it among its refunds, unless it waits for a second person.
    pub async fn refund(
        &self,
        order_no: &OrderNo,
        new: NewRefund,
        wait: Wait,
    ) -> Result<Order, GatewayError> {
        let _seat = self.take_seat()?;
        let started = Instant::now();
        if let Some(key) = new.idempotency_key {
            let record = record_of(order_no, &new.request, key);
            self.shared.remember_key(&record).await?;
        }
        let goal = Goal::Refund(new.request.refund_no.as_str().into());
        let (waiter, result) = waiter(goal.clone());
        let waiter = (wait != Wait::No).then_some(waiter);
        let asked = self.happened(order_no, Input::RefundRequested(new.request), waiter);
        let order = self.committed_in_time(asked).await?;
        let left = match wait {
            Wait::No => return Ok(order),
            Wait::UpTo(limit) => limit.saturating_sub(started.elapsed()),
        };
        match self.await_goal(order_no, goal, result, left).await {
            Some(order) => Ok(order),
            None => Ok(self.row(order_no).await.unwrap_or(order)),
        }
    }

    /// A person's decision about a refund. `Unclear` when its commit takes too long: the refund's row will tell.
    pub async fn review_refund(
        &self,
        order_no: &OrderNo,
        review: RefundReview,
    ) -> Result<Order, GatewayError> {
        self.committed_in_time(self.happened(order_no, Input::RefundReview(review), None))
            .await
    }

    /// The order after a commit that is not waited for longer than a person waits.
    pub(super) async fn committed_in_time(
        &self,
        told: impl Future<Output = Result<Settled, GatewayError>>,
    ) -> Result<Order, GatewayError> {
        match self.shared.within(COMMIT_WAIT, told).await {
            Some(settled) => Ok(settled?.order),
            None => Err(GatewayError::Unclear(
                "the database did not commit in time".to_owned(),
            )),
        }
    }
}

/// Order, number, amount and trade make the payload.
fn record_of(order_no: &OrderNo, request: &RefundRequest, key: String) -> IdempotencyRecord {
    let payload = (
        order_no.as_str(),
        &request.refund_no,
        request.amount,
        &request.trade_no,
    );
    IdempotencyRecord {
        owner: request.key_name.clone(),
        route: ROUTE.to_owned(),
        key,
        payload_digest: payload_digest(&serde_json::to_vec(&payload).unwrap_or_default()),
        order_no: order_no.clone(),
    }
}
