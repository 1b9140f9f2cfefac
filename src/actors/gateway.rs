//! The gateway: what faces ask. A request becomes a message to the one actor of its order.

mod ask;
mod door;

pub(super) use door::{Seat, SeatKind};

use super::messages::{Goal, OrderMessage};
use super::shared::Shared;
use super::supervisor::{Census, Deliver, Supervisor};
use crate::channels::Rejection;
use crate::domain::order::input::Review;
use crate::domain::order::{Entitlement, Input, Order, Refusal};
use crate::domain::{Money, OrderNo};
use crate::store::orders;
use actix::Addr;
use ask::waiter;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};
use thiserror::Error;
use tokio::sync::oneshot;

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
pub struct Gateway {
    pub(super) shared: Arc<Shared>,
    pub(super) supervisor: Addr<Supervisor>,
}

/// How long a close waits for its confirmation before it is answered "being asked".
const CLOSE_WAIT: Duration = Duration::from_secs(10);
/// How soon it is noticed that the supervisor is gone.
const SUPERVISOR_LOOK: Duration = Duration::from_secs(1);

impl Gateway {
    /// Creates the order and submits it, or finds the one that exists; waits for its result.
    pub async fn create(&self, new: NewOrder, wait: Wait) -> Result<Answered, GatewayError> {
        let _seat = self.take_seat()?;
        let started = Instant::now();
        let order_no = new.order_no.clone();
        let (order, result) = self.send_create(new, wait).await?;
        match (wait, result) {
            (Wait::UpTo(limit), Some(result)) => {
                let left = limit.saturating_sub(started.elapsed());
                match self.await_result(&order_no, result, left).await {
                    Some(order) => Ok(Answered {
                        order,
                        deadline_passed: false,
                    }),
                    None => self.deadline_passed(order).await,
                }
            }
            (Wait::No | Wait::UpTo(_), _) => Ok(Answered {
                order,
                deadline_passed: false,
            }),
        }
    }

    /// The wait has run out: what settles the order later tells ops so.
    async fn deadline_passed(&self, last_seen: Order) -> Result<Answered, GatewayError> {
        let told = self.happened(&last_seen.order_no, Input::UiDeadlinePassed, None);
        let order = match tokio::time::timeout(Duration::from_secs(2), told).await {
            Ok(Ok(settled)) => settled.order,
            Ok(Err(_)) | Err(_) => last_seen,
        };
        let deadline_passed = !order.answers_a_wait();
        Ok(Answered {
            order,
            deadline_passed,
        })
    }

    /// Waits until the order has a result. It is no deadline of a create.
    pub async fn wait(
        &self,
        order_no: &OrderNo,
        limit: Duration,
    ) -> Result<Answered, GatewayError> {
        let (waiter, result) = waiter(Goal::Result);
        let (found, answer) = oneshot::channel();
        let message = OrderMessage::Watch { found, waiter };
        self.supervisor.do_send(Deliver {
            order_no: order_no.as_str().into(),
            message,
        });
        let order = match answer.await {
            Ok(answer) => answer?,
            Err(_) => return Err(GatewayError::Unclear("the order's actor failed".to_owned())),
        };
        match self.await_result(order_no, result, limit).await {
            Some(order) => Ok(Answered {
                order,
                deadline_passed: false,
            }),
            None => {
                let read = &self.shared.parts.database.read;
                let newest = orders::by_no(read, order_no).await.ok().flatten();
                Ok(Answered {
                    order: newest.unwrap_or(order),
                    deadline_passed: true,
                })
            }
        }
    }

    /// Asks the channel now and answers with the order after its reply. `by` as in events.
    pub async fn query(&self, order_no: &OrderNo, by: String) -> Result<Order, GatewayError> {
        let (waiter, result) = waiter(Goal::QueryReply);
        let settled = self
            .happened(order_no, Input::QueryRequested { by }, Some(waiter))
            .await?;
        let timeout_ms = self
            .shared
            .rules(&settled.order.fingerprint.channel)
            .query_timeout_ms
            .saturating_add(2_000);
        let limit = Duration::from_millis(u64::try_from(timeout_ms).unwrap_or_default());
        Ok(match self.shared.within(limit, result).await {
            Some(Ok(order)) => order,
            Some(Err(_)) | None => settled.order,
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
        let settled = self
            .happened(order_no, Input::CloseRequested { by }, Some(waiter))
            .await?;
        Ok(match self.shared.within(CLOSE_WAIT, result).await {
            Some(Ok(order)) => order,
            Some(Err(_)) | None => {
                let read = &self.shared.parts.database.read;
                orders::by_no(read, order_no)
                    .await
                    .ok()
                    .flatten()
                    .unwrap_or(settled.order)
            }
        })
    }

    pub async fn review(&self, order_no: &OrderNo, review: Review) -> Result<Order, GatewayError> {
        let settled = self.happened(order_no, Input::Review(review), None).await?;
        Ok(settled.order)
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
