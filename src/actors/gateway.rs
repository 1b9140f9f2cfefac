//! The gateway: what faces ask. A request becomes a message to the one actor of its order.

use super::shared::Shared;
use super::supervisor::{Census, Supervisor};
use crate::channels::Rejection;
use crate::domain::order::{Entitlement, Order, Refusal};
use crate::domain::{Money, OrderNo};
use actix::Addr;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
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
pub struct Gateway {
    pub(super) shared: Arc<Shared>,
    pub(super) supervisor: Addr<Supervisor>,
}

/// How soon it is noticed that the supervisor is gone.
const SUPERVISOR_LOOK: Duration = Duration::from_secs(1);

impl Gateway {
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

    /// A seat inside the door; given back when it is dropped.
    pub(super) fn take_seat(&self) -> Result<Seat, GatewayError> {
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

    /// Takes no new orders from now on; who waits for a result is answered with what is known.
    pub fn stop_accepting(&self) {
        self.shared.closing.send_replace(true);
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
