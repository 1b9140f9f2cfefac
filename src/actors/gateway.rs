//! The gateway: what faces ask. A request becomes a message to the one actor of its order.

mod accounts;
mod ask;
mod door;
mod orphans;
mod refund;
mod wait;

pub(super) use door::{Seat, SeatKind};
pub(crate) use orphans::ForgetError;
pub use refund::NewRefund;

use super::messages::Goal;
use super::shared::Shared;
use super::supervisor::{Census, Supervisor};
use super::turns::Queue;
use crate::channels::Rejection;
use crate::clock;
use crate::domain::order::input::Review;
use crate::domain::order::{Entitlement, Input, Order, Refusal};
use crate::domain::{Money, OrderNo};
use crate::store::orders;
use actix::Addr;
use ask::waiter;
use std::collections::BTreeMap;
use std::sync::Arc;
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
    #[error("the account's orders of today would exceed its limit")]
    DailyLimit,
    /// The channel does not answer, and nothing was written: ask again in this time.
    #[error("the channel does not answer; new orders are refused until it does")]
    ChannelDown { retry_after: Duration },
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
pub struct Gateway {
    pub(super) shared: Arc<Shared>,
    pub(super) supervisor: Addr<Supervisor>,
}

/// How long a close waits for its confirmation before it is answered "being asked".
const CLOSE_WAIT: Duration = Duration::from_secs(10);
/// How long a request of a person waits for its commit, before it is answered with the row as it stands.
const COMMIT_WAIT: Duration = Duration::from_secs(5);
/// How soon it is noticed that the supervisor is gone.
const SUPERVISOR_LOOK: Duration = Duration::from_secs(1);

impl Gateway {
    /// Asks the channel now and answers with the order after its reply. `by` as in events.
    pub async fn query(&self, order_no: &OrderNo, by: String) -> Result<Order, GatewayError> {
        let (waiter, result) = waiter(Goal::QueryReply);
        let asked = self.happened(order_no, Input::QueryRequested { by }, Some(waiter));
        let Some(settled) = self.shared.within(COMMIT_WAIT, asked).await else {
            return self.row(order_no).await;
        };
        let order = settled?.order;
        let rules = self.shared.rules(&order.fingerprint.channel);
        let limit_ms = rules.query_timeout_ms.saturating_add(2_000);
        let limit = clock::millis(limit_ms);
        Ok(match self.shared.within(limit, result).await {
            Some(Ok(after)) => after,
            Some(Err(_)) | None => order,
        })
    }

    /// Tells the order that its timer has come, as the supervisor does: early or twice, it must be nothing.
    #[doc(hidden)]
    pub async fn remind(&self, order_no: &OrderNo) -> Result<Order, GatewayError> {
        let settled = self.happened(order_no, Input::Due, None).await?;
        Ok(settled.order)
    }

    /// Asks for a close and waits a little for its confirmation.
    pub async fn close(&self, order_no: &OrderNo, by: String) -> Result<Order, GatewayError> {
        let (waiter, result) = waiter(Goal::End);
        let asked = self.happened(order_no, Input::CloseRequested { by }, Some(waiter));
        if let Some(settled) = self.shared.within(COMMIT_WAIT, asked).await {
            settled?;
            if let Some(Ok(ended)) = self.shared.within(CLOSE_WAIT, result).await {
                return Ok(ended);
            }
        }
        self.row(order_no).await
    }

    /// A person's decision. `Unclear` when its commit takes too long: the order's row will tell.
    pub async fn review(&self, order_no: &OrderNo, review: Review) -> Result<Order, GatewayError> {
        self.committed_in_time(self.happened(order_no, Input::Review(review), None))
            .await
    }

    /// A worker's claim of a grant: it is made in the order's own write, once. Done already is done. `outside` is
    /// what stands of it outside; while that is another quantity than stands here, the grant stays queued.
    pub(crate) async fn fulfil(
        &self,
        order_no: &OrderNo,
        kind: &str,
        outside: Option<i64>,
    ) -> Result<Order, GatewayError> {
        let kind = kind.to_owned();
        let settled = self.happened(order_no, Input::Fulfil { kind, outside }, None);
        Ok(settled.await?.order)
    }

    /// The order as its row has it.
    async fn row(&self, order_no: &OrderNo) -> Result<Order, GatewayError> {
        let read = &self.shared.parts.database.read;
        match orders::by_no(read, order_no).await {
            Ok(order) => order.ok_or(GatewayError::NoSuchOrder),
            Err(error) => Err(GatewayError::Unclear(error.to_string())),
        }
    }

    /// Waits among the questions for a turn of the channel's rate; whether one came in time.
    pub(crate) async fn has_turn(&self, channel: &str, limit: Duration) -> bool {
        let queue = Queue::Questions;
        self.shared.take_turn(channel, queue, limit).await
    }

    /// How many actors live and how many timers wait.
    #[doc(hidden)]
    pub async fn census(&self) -> (usize, usize) {
        self.supervisor.send(Census).await.unwrap_or_default()
    }

    /// Completes when the supervisor is gone: then nobody acts on orders any more, and questions have no answer.
    pub(crate) async fn supervisor_died(&self) {
        while self.supervisor.connected() {
            tokio::time::sleep(SUPERVISOR_LOOK).await;
        }
    }
}
