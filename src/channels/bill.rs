//! Bills: a channel's file of a day, fetched as it is and read line by line.

use crate::domain::{Money, UnixMillis};
use std::path::Path;

/// A day in the channel's zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BillDay {
    pub date: time::Date,
}

/// What moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BillKind {
    Charge,
    Refund,
}

/// What a line says became of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BillStatus {
    Succeeded,
    /// Under way at the channel when the bill was made.
    Pending,
    /// It did not reach the payer, or was taken back.
    Failed,
}

/// A line of a bill that is about an order or a refund.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BillLine {
    pub kind: BillKind,
    pub status: BillStatus,
    /// The channel's number of the trade.
    pub trade_no: String,
    /// The merchant's number of the order. `None` where the channel's bill does not carry it.
    pub order_no: Option<String>,
    /// The merchant's number of the refund, where the bill carries it.
    pub refund_no: Option<String>,
    /// What the payer paid or got back: never negative.
    pub money: Money,
    /// What the channel keeps of it, in minor units, where the bill says so in a whole number of them.
    pub fee: Option<i64>,
    pub completed_at: Option<UnixMillis>,
}

/// A row that is about an order of ours, or may be, and cannot be read: the others count, and a person looks at it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadRow {
    /// From 1.
    pub line: u64,
    pub order_no: Option<String>,
    pub problem: String,
}

/// A bill with more of them cannot be read as a whole.
pub const BAD_ROWS_MAX: usize = 1_000;

/// What a bill says of itself, held against its lines.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BillTotals {
    pub charges: u64,
    pub refunds: u64,
    /// In minor units.
    pub charged: i64,
    pub refunded: i64,
    /// Lines about neither a charge nor a refund, such as fees and payouts: counted, and told to nobody.
    pub others: u64,
    /// Not in the sums.
    pub bad: Vec<BadRow>,
}

/// Why there is no bill, or none that counts.
#[derive(Debug, thiserror::Error)]
pub enum BillFault {
    /// Not made yet: to be asked for later.
    #[error("the bill is not ready yet: {0}")]
    NotReady(String),
    /// The channel has none for days like this: in the future, too long ago, or it never makes any.
    #[error("there is no such bill: {0}")]
    NoSuchBill(String),
    /// Nothing was heard, or nothing that counts.
    #[error("the bill could not be fetched: {0}")]
    Unavailable(String),
    /// It was fetched and cannot be read as a whole, so that none of it counts.
    #[error("the bill cannot be read, line {line}: {problem}")]
    Unreadable { line: u64, problem: String },
    /// Whoever was told of the lines wants no more of them.
    #[error("{0}")]
    Stopped(String),
    #[error("the bill's file: {0}")]
    File(#[from] std::io::Error),
}

impl BillFault {
    /// A bill that cannot be read, at this line; 0 is the file as a whole.
    #[must_use]
    pub fn unreadable(line: u64, problem: impl Into<String>) -> Self {
        Self::Unreadable {
            line,
            problem: problem.into(),
        }
    }
}

/// A bill to be fetched: the day, where its file is to stand, and how long that may take.
#[derive(Debug, Clone, Copy)]
pub struct BillCall<'a> {
    pub day: BillDay,
    pub into: &'a Path,
    pub timeout: std::time::Duration,
}

/// Is told of each line, in the bill's order.
pub type EachLine<'a> = &'a mut dyn FnMut(BillLine) -> Result<(), BillFault>;
