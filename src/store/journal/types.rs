//! What goes into the journal and what comes out.

use crate::domain::order::{Alert, Event, Order, Payment};
use crate::domain::{EventId, OrderNo, UnixMillis};
use thiserror::Error;

/// One decision about one order, to be committed in one write with everything that belongs to it.
#[derive(Debug, Clone)]
pub struct Write {
    /// Stands in the order's row and in the events, so that an unclear COMMIT can be looked up.
    pub decision_id: EventId,
    /// `None` creates the order; else the write happens only at this version.
    pub expected_version: Option<i64>,
    /// The order as it will stand, `event_seq` raised by the number of events.
    pub order: Order,
    /// When the runtime must look at the order again by itself.
    pub wake_at: Option<UnixMillis>,
    pub events: Vec<Event>,
    pub payments: Vec<Payment>,
    pub alerts: Vec<Alert>,
    pub resolves_alerts: bool,
    pub callback: Option<CallbackRecord>,
    pub idempotency: Option<IdempotencyRecord>,
    /// The write happens only while no order that replaces this one is open or paid.
    pub unless_replaced: bool,
    pub at: UnixMillis,
}

/// A notice in the inbox; `repeat` raises the count of the row that is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallbackRecord {
    pub channel: String,
    pub key: String,
    pub status: String,
    pub repeat: bool,
    pub digest: String,
}

/// An `Idempotency-Key` of a request, and what it stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdempotencyRecord {
    /// The name of the API key.
    pub owner: String,
    pub route: String,
    pub key: String,
    /// `sha256:<hex>` of the payload.
    pub payload_digest: String,
    pub order_no: OrderNo,
}

/// What became of a write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Committed {
    Done,
    /// The row stands at another version: read again, decide again.
    Stale,
    /// A create found its order number taken.
    OrderExists,
    /// The order that this one replaces is not ended; or one that replaces this is open or paid.
    ReplacedOrderOpen,
    Conflict(Conflict),
}

/// A unique constraint that a write would break.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Conflict {
    /// The trade number belongs to another order.
    TradeNo,
    IdempotencyKey,
    /// This notice is in the inbox already.
    Callback,
}

/// Who may take the last tenth of the queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Urgency {
    /// A create: refused when the queue is nearly full.
    Refusable,
    /// Replies, timers, proof and people: they wait and are never dropped.
    Assured,
}

/// A write that was not made, or of which nobody knows.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum JournalError {
    /// Nothing was written.
    #[error("the journal's queue is full")]
    Full,
    /// Nothing was written: the database refused or was away.
    #[error("the database cannot write: {0}")]
    Unavailable(String),
    /// Another runtime has taken this database: stop at once.
    #[error("another runtime has taken the database")]
    EpochLost,
    /// This write alone cannot be made, and why; nothing was written.
    #[error("the database refuses this write: {0}")]
    Refused(String),
    #[error("the journal has stopped")]
    Stopped,
}

/// How the journal is doing, for `/readyz` and `/metrics`.
#[derive(Debug, Clone, Copy, Default)]
pub struct JournalHealth {
    pub queued: usize,
    /// How long the oldest waiting write has waited.
    pub oldest_wait_ms: i64,
    pub batches: u64,
    pub writes: u64,
}

/// Which writer stands behind the handle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JournalKind {
    Grouped,
    /// A write each, through entities: the reference.
    Naive,
    /// Keeps nothing: the bound of the benchmark.
    Discard,
}
