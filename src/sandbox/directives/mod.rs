//! The directives at the end of a charge's `subject` that script what the sandbox does with it.

mod read;
mod refunds;

use std::time::Duration;

pub use refunds::{RefundFaults, RefundOutcome};

/// What a charge is scripted to do. The default is an honest processor: paid at once, one callback.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Script {
    /// What becomes of the charge at its submit.
    pub outcome: Outcome,
    /// `#delay=70s[:n]`: the reply to a submit is late; the charge has landed before.
    pub delay: Option<(Duration, Times)>,
    /// `#land-after=5s`: the charge lands so long after its submit arrived, and is not found before.
    pub land_after: Option<Duration>,
    /// `#lost-request[=n]`: nothing lands and the connection is dropped.
    pub lost_request: Times,
    /// `#lost-reply[=n]`: the charge lands and the connection is dropped without an answer.
    pub lost_reply: Times,
    /// `#unsigned[=n]`: replies to submits carry no signature.
    pub unsigned: Times,
    /// `#http=500[:n]` answers a submit with this status; `#http=500-charged[:n]` charges first.
    pub http: Option<HttpFault>,
    /// `#decline-submit=2`: the reply to the second submit says DECLINED, whatever has landed before.
    pub decline_submit: Option<u32>,
    /// `#query=unknown|timeout|not-found|unsigned[:n]`.
    pub query: Option<(Fault, Times)>,
    /// `#close=unknown|timeout|not-found|unsigned|refuse[:n]`.
    pub close: Option<(Fault, Times)>,
    /// `#pay-after=5s`: it is paid then, with its callback; until then it is pending, or what is said beside.
    pub pay_after: Option<Duration>,
    /// `#late-success`: it can be paid even after it was closed, declined or expired.
    pub late_success: bool,
    /// `#pay-twice`: the payer pays a second time; another trade with a notice of its own.
    pub pay_twice: bool,
    /// `#every-submit-charges`: a submit under a key that is paid takes the money once more, as at a processor that does
    /// not honour keys.
    pub every_submit_charges: bool,
    /// `#callbacks=5`: the same notice so many times at once; `#no-callback`: none.
    pub callbacks: Callbacks,
    /// `#callback-delay=3s`.
    pub callback_delay: Option<Duration>,
    /// What replies and callbacks say instead of the truth.
    pub lies: Lies,
    /// `#refund=pending|failed|failed-later|bounced|unknown`, and `#refund-after=5s` is when the rest of it comes.
    pub refund: RefundOutcome,
    pub refund_after: Option<Duration>,
    pub refund_faults: RefundFaults,
    /// What looked like a directive and is none: ignored, and listed in the ledger.
    pub unknown: Vec<String>,
}

/// What becomes of a charge when it lands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Outcome {
    #[default]
    Paid,
    /// `#declined`
    Declined,
    /// `#pending`: a QR code is returned.
    Pending,
    /// `#processing`
    Processing,
}

/// How many of the calls a fault touches, counted per key from the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Times {
    #[default]
    Never,
    First(u32),
    Always,
}

/// `#http=…`
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HttpFault {
    pub status: u16,
    pub charged: bool,
    pub times: Times,
}

/// What is wrong with the answer to a query or a close.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// 500 without a signature.
    Unknown,
    /// It is never answered.
    Timeout,
    /// A signed 404, although the charge is there.
    NotFound,
    /// The truth, without a signature.
    Unsigned,
    /// Of a close: a signed 409 `cannot_close`.
    Refuse,
}

/// How often a notice is sent at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Callbacks(pub u32);

impl Callbacks {
    /// Each copy is a request of this machine's: more than so many are a slip of the pen, or a flood.
    pub const MAX: u32 = 100;
}

impl Default for Callbacks {
    fn default() -> Self {
        Self(1)
    }
}

/// Fields that replies and callbacks get wrong.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Lies {
    /// `#wrong-amount=1`
    pub amount: Option<i64>,
    /// `#wrong-currency=USD`
    pub currency: Option<String>,
    /// `#wrong-key=other`
    pub key: Option<String>,
    /// `#wrong-order=other`
    pub order_no: Option<String>,
    /// `#status=FROZEN`: while it is not paid, its status is called so.
    pub status: Option<String>,
}

impl Times {
    /// Whether call `n` (from 1) is touched.
    #[must_use]
    pub const fn include(self, n: u32) -> bool {
        match self {
            Self::Never => false,
            Self::First(count) => n <= count,
            Self::Always => true,
        }
    }
}

impl Script {
    /// Whether call `n` of a kind that is scripted so is touched, and how.
    #[must_use]
    pub fn fault(scripted: Option<(Fault, Times)>, n: u32) -> Option<Fault> {
        scripted.and_then(|(fault, times)| times.include(n).then_some(fault))
    }
}
