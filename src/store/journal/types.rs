//! What goes into the journal and what comes out.

use crate::domain::order::{Alert, Event, FulfilmentChange, Order, Payment, Posting, Refund};
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
    /// Keys of alerts whose condition is over.
    pub resolved_alerts: Vec<String>,
    /// Refunds that are new or have changed.
    pub refunds: Vec<Refund>,
    pub postings: Vec<Posting>,
    pub fulfilments: Vec<FulfilmentChange>,
    pub deliveries: Vec<NewDelivery>,
    /// A person did this.
    pub audit: Option<AuditRecord>,
    /// A create happens only within this.
    pub daily_limit: Option<DailyLimit>,
    /// How long a subscription lasts for each one granted, in milliseconds.
    pub subscription_period_ms: i64,
    pub callback: Option<CallbackRecord>,
    pub idempotency: Option<IdempotencyRecord>,
    /// The write happens only while no order that replaces this one is open or paid.
    pub unless_replaced: bool,
    pub at: UnixMillis,
}

/// A webhook to the merchant, as it is at the moment of the write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewDelivery {
    /// `None`: the id of the event that the write adds.
    pub webhook_id: Option<String>,
    /// Its type, such as `order.paid`.
    pub kind: &'static str,
    /// The whole JSON body.
    pub body: String,
}

/// Something that a person did, for the audit log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditRecord {
    /// `operator:<name>`, `api:<name>`, or `shell:<user>` for a command that had the database to itself.
    pub actor: String,
    /// `review`, `refund`, `refund_review`, `redeliver`, `key_create`, `key_revoke`.
    pub action: &'static str,
    /// What it was done to: an order's number, an order's and a refund's, a delivery's id, a key's name.
    pub subject: String,
    /// JSON.
    pub detail: String,
}

/// Orders of one account on one day that are not ended may add up to so much.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DailyLimit {
    /// Minor units of the order's currency.
    pub amount: i64,
    /// When the day began.
    pub since: UnixMillis,
}

/// One movement of one account that belongs to no order: a debit, a hold, or the end of one.
#[derive(Debug, Clone)]
pub struct AccountWrite {
    pub decision_id: EventId,
    pub account: String,
    pub kind: String,
    /// The write happens only at this version of the balance; `None`: there is no row yet.
    pub expected_version: Option<i64>,
    /// What the balance moves by.
    pub quantity: i64,
    /// What is held back moves by this.
    pub held: i64,
    /// The entry of a `quantity` that is not 0.
    pub entry: Option<EntryRecord>,
    /// The hold as it will stand.
    pub hold: Option<HoldRecord>,
    pub at: UnixMillis,
}

/// The entry of a movement: its id, what it is for, and the merchant's words about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryRecord {
    pub entry_id: String,
    pub source: String,
    pub note: Option<String>,
}

/// A hold as its row has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HoldRecord {
    pub hold_no: String,
    pub quantity: i64,
    pub captured: i64,
    pub status: crate::domain::ledger::HoldStatus,
    pub expires_at: Option<UnixMillis>,
    pub created_at: UnixMillis,
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
    /// The account's orders of the day would exceed its limit.
    DailyLimit,
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
    /// The account has moved for this source already.
    LedgerSource,
    /// The refunds of a trade would add up to more than it paid.
    RefundCap,
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
    /// Another hand has cut the database's log: stop at once, and start again from what is left.
    #[error("the database's log was cut")]
    LogCut,
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
