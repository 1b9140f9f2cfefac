//! The gateway: what faces ask. A request becomes a message to the one actor of its order.

use super::messages::{Goal, NoticeId, OrderMessage, Settled, Waiter};
use super::shared::Shared;
use super::supervisor::{Deliver, Supervisor};
use crate::channels::Rejection;
use crate::domain::order::input::Review;
use crate::domain::order::{Entitlement, Input, Order, Refusal};
use crate::domain::{Money, OrderNo};
use crate::store::orders;
use actix::Addr;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
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

impl Gateway {
    /// Creates the order and submits it, or finds the one that exists; waits for its result.
    pub async fn create(&self, new: NewOrder, wait: Wait) -> Result<Answered, GatewayError> {
        let _seat = self.take_seat()?;
        let started = Instant::now();
        let order_no = new.order_no.clone();
        let written = tokio::time::timeout(wait.for_birth(), self.send_create(new, wait)).await;
        let (order, result) = written.unwrap_or_else(|_elapsed| {
            Err(GatewayError::Unclear(
                "the database does not say whether the order is written".to_owned(),
            ))
        })?;
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

    async fn send_create(
        &self,
        new: NewOrder,
        wait: Wait,
    ) -> Result<(Order, Option<oneshot::Receiver<Order>>), GatewayError> {
        let order_no: Arc<str> = new.order_no.as_str().into();
        for _ in 0..ASKS_MAX {
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
                return Ok((answer?, result));
            }
            tokio::time::sleep(REWATCH_PAUSE).await;
        }
        Err(GatewayError::Unclear("the order's actor failed".to_owned()))
    }

    /// Waits for a result; asks again if the actor that was to tell it died. `None` after `limit`.
    async fn await_result(
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
        tokio::time::timeout(limit, wait).await.ok()
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
        Ok(match tokio::time::timeout(limit, result).await {
            Ok(Ok(order)) => order,
            Ok(Err(_)) | Err(_) => settled.order,
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
        Ok(match tokio::time::timeout(CLOSE_WAIT, result).await {
            Ok(Ok(order)) => order,
            Ok(Err(_)) | Err(_) => {
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
        for _ in 0..ASKS_MAX {
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
                return answer;
            }
            // The supervisor may not have heard of the death yet: what is sent at once would die too.
            tokio::time::sleep(REWATCH_PAUSE).await;
        }
        Err(GatewayError::Unclear("the order's actor failed".to_owned()))
    }

    /// A seat inside the door; given back when it is dropped.
    fn take_seat(&self) -> Result<Seat, GatewayError> {
        if self.shared.is_closing() {
            return Err(GatewayError::Busy("it is shutting down".to_owned()));
        }
        let taken = self.shared.in_flight.fetch_add(1, Ordering::AcqRel);
        let seat = Seat {
            shared: Arc::clone(&self.shared),
            kind: SeatKind::Create,
        };
        if taken >= self.shared.parts.in_flight_max {
            return Err(GatewayError::Busy(
                "too many orders are in flight".to_owned(),
            ));
        }
        Ok(seat)
    }

    /// Takes no new orders from now on.
    pub fn stop_accepting(&self) {
        self.shared.closing.store(true, Ordering::Release);
    }

    /// Requests that wait for an answer, and calls to channels that are open.
    #[must_use]
    pub fn unfinished(&self) -> (usize, usize) {
        let requests = self.shared.in_flight.load(Ordering::Acquire);
        let callbacks = self.shared.callbacks_open.load(Ordering::Acquire);
        (
            requests.saturating_add(callbacks),
            self.shared.calls.count(),
        )
    }
}

/// How often a question is asked when the actor that should answer it died, and the pause before it is asked again.
const ASKS_MAX: u32 = 3;
const REWATCH_PAUSE: Duration = Duration::from_millis(100);

fn waiter(goal: Goal) -> (Waiter, oneshot::Receiver<Order>) {
    let (answer, result) = oneshot::channel();
    (Waiter { goal, answer }, result)
}

pub(super) enum SeatKind {
    Create,
    Callback,
}

pub(super) struct Seat {
    pub(super) shared: Arc<Shared>,
    pub(super) kind: SeatKind,
}

impl Drop for Seat {
    fn drop(&mut self) {
        match self.kind {
            SeatKind::Create => self.shared.in_flight.fetch_sub(1, Ordering::AcqRel),
            SeatKind::Callback => self.shared.callbacks_open.fetch_sub(1, Ordering::AcqRel),
        };
    }
}
