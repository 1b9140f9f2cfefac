//! The gateway: what faces ask. A request becomes a message to the one actor of its order.

use crate::channels::{RawNotice, Rejection};
use crate::domain::order::input::Review;
use crate::domain::order::{Entitlement, Order, Refusal};
use crate::domain::{Money, OrderNo};
use std::collections::BTreeMap;
use std::time::Duration;
use thiserror::Error;

/// What a merchant asks to be paid, validated at the edge.
#[derive(Debug, Clone)]
pub struct NewOrder {
    pub order_no: OrderNo,
    pub channel: String,
    pub method: String,
    pub money: Money,
    pub subject: String,
    pub account: Option<String>,
    pub entitlements: Vec<Entitlement>,
    pub metadata: BTreeMap<String, String>,
    pub return_url: Option<String>,
    pub payer: Option<String>,
    pub replaces: Option<OrderNo>,
    pub expires_in_s: i64,
    /// `api:<key name>`.
    pub by: String,
    /// The owner (key name) and the text of an `Idempotency-Key`.
    pub idempotency: Option<(String, String)>,
}

/// How long a caller waits for the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wait {
    /// `respond-async`: the answer is the order as created; no deadline has passed.
    No,
    /// Until there is a result, at most so long; running out counts as the deadline.
    UpTo(Duration),
}

/// An order as an answer, and whether the wait for it ran out.
#[derive(Debug, Clone)]
pub struct Answered {
    pub order: Order,
    pub deadline_passed: bool,
}

/// Why a request has no order as its answer.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum GatewayError {
    #[error(transparent)]
    Refused(#[from] Refusal),
    #[error("an order with this number and another payload exists")]
    OrderConflict,
    #[error("this Idempotency-Key stands for another payload")]
    IdempotencyKeyReuse,
    #[error("the order that this one replaces is not ended")]
    ReplacedOrderOpen,
    #[error("there is no such order")]
    NoSuchOrder,
    #[error("there is no such channel")]
    NoSuchChannel,
    /// Nothing was written: a 503 with `Retry-After`.
    #[error("the runtime takes no new work now: {0}")]
    Busy(String),
    /// Nobody knows whether it was written; the order's row will tell.
    #[error("the outcome is not known yet: {0}")]
    Unclear(String),
}

/// What became of a notice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Received {
    /// Committed (or a duplicate of what is): acknowledge. The order's number, trade, amount and status for the log line.
    Kept {
        order: Box<Order>,
        duplicate: bool,
    },
    /// Verified, of a type that concerns no order of ours.
    Unrelated,
    /// Verified, ours by its number, and unknown: kept as an orphan; answer 404.
    Orphan {
        order_no: String,
    },
    Rejected(Rejection),
    NoSuchChannel,
    /// Not committed in time: the channel must send it again; answer 503.
    NotYet(String),
}

/// The handle that web handlers and commands ask. Clones share one runtime.
#[derive(Debug, Clone)]
pub struct Gateway {}

impl Gateway {
    /// Creates the order and submits it, or finds the one that exists; waits for its result.
    pub async fn create(&self, new: NewOrder, wait: Wait) -> Result<Answered, GatewayError> {
        todo!("{new:?} {wait:?}")
    }

    /// Waits until the order has a result. It is no deadline of a create.
    pub async fn wait(
        &self,
        order_no: &OrderNo,
        limit: Duration,
    ) -> Result<Answered, GatewayError> {
        todo!("{order_no} {limit:?}")
    }

    /// Asks the channel now and answers with the order after its reply. `by` as in events.
    pub async fn query(&self, order_no: &OrderNo, by: String) -> Result<Order, GatewayError> {
        todo!("{order_no} {by}")
    }

    /// Asks for a close and waits a little for its confirmation.
    pub async fn close(&self, order_no: &OrderNo, by: String) -> Result<Order, GatewayError> {
        todo!("{order_no} {by}")
    }

    pub async fn review(&self, order_no: &OrderNo, review: Review) -> Result<Order, GatewayError> {
        todo!("{order_no} {review:?}")
    }

    /// Verifies a notice and hands it to its order; answers after the commit, within `callbacks.deadline`.
    pub async fn receive(&self, channel: &str, notice: RawNotice<'_>) -> Received {
        todo!("{channel} {notice:?}")
    }
}
