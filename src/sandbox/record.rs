//! What the sandbox remembers: charges, refunds and undelivered notices, and the lines that its file has of them.

use serde::{Deserialize, Serialize};

/// The body of a submit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChargeRequest {
    pub order_no: String,
    pub idempotency_key: String,
    pub amount: i64,
    pub currency: String,
    pub subject: String,
    pub method: String,
    /// Seconds.
    pub expires_in: i64,
    pub notify_url: String,
}

/// The body of a refund.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefundRequest {
    pub refund_no: String,
    pub amount: i64,
    pub trade_no: String,
}

/// Where a charge really stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum ChargeState {
    Paid,
    Pending,
    Processing,
    Declined,
    Closed,
}

/// Where a refund really stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum RefundStatus {
    Succeeded,
    Pending,
    Failed,
}

/// Money that really moved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trade {
    pub trade_no: String,
    pub amount: i64,
    /// Milliseconds since 1970.
    pub at: i64,
}

/// A charge. Moments are milliseconds since 1970.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Charge {
    #[serde(flatten)]
    pub request: ChargeRequest,
    pub trade_no: String,
    pub status: ChargeState,
    pub created_at: i64,
    /// One, unless the payer was charged twice.
    pub trades: Vec<Trade>,
}

/// A refund.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refund {
    pub idempotency_key: String,
    pub order_no: String,
    #[serde(flatten)]
    pub request: RefundRequest,
    pub currency: String,
    pub channel_refund_no: String,
    pub status: RefundStatus,
    pub at: i64,
}

/// A callback that was not acknowledged yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notice {
    /// Its `webhook-id`, the same each time it is sent.
    pub id: String,
    pub idempotency_key: String,
    pub url: String,
    pub body: String,
    /// How many are sent at once.
    pub copies: u32,
    pub due_at: i64,
}

/// One line of the file. The last line about a thing is how it stands.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Record {
    Charge(Charge),
    Refund(Refund),
    Notice(Notice),
    /// The notice with this id was acknowledged, or given up.
    NoticeDone(String),
}

impl ChargeState {
    /// Its word in the protocol.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Paid => "PAID",
            Self::Pending => "PENDING",
            Self::Processing => "PROCESSING",
            Self::Declined => "DECLINED",
            Self::Closed => "CLOSED",
        }
    }
}

impl RefundStatus {
    /// Its word in the protocol.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Succeeded => "SUCCEEDED",
            Self::Pending => "PENDING",
            Self::Failed => "FAILED",
        }
    }
}

impl Charge {
    /// When an unpaid charge can no longer be paid, in milliseconds since 1970.
    #[must_use]
    pub const fn expires_at(&self) -> i64 {
        let life_ms = self.request.expires_in.saturating_mul(1000);
        self.created_at.saturating_add(life_ms)
    }

    /// It waits for its payer or its bank.
    #[must_use]
    pub const fn is_open(&self) -> bool {
        matches!(self.status, ChargeState::Pending | ChargeState::Processing)
    }
}
