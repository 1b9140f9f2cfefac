//! One line of a bill.

use super::columns::Column;
use super::decimal::Fine;
use crate::channels::bill::{BillKind, BillLine, BillStatus};
use crate::channels::wechat::beijing;
use crate::channels::wechat::refund_no::{self, Number};
use crate::channels::words::is_name;
use crate::domain::{Currency, Money};

/// What stands between two cells: text commas are replaced by WeChat Pay, and each cell begins with a backtick.
const BETWEEN: &str = ",`";

/// `交易状态`: what moved.
const TRADE_STATUSES: [(&str, BillKind); 3] = [
    ("SUCCESS", BillKind::Charge),
    ("REFUND", BillKind::Refund),
    // A payment by a code that was taken back.
    ("REVOKED", BillKind::Refund),
];

/// `退款状态`.
const REFUND_STATUSES: [(&str, BillStatus); 4] = [
    ("SUCCESS", BillStatus::Succeeded),
    ("PROCESSING", BillStatus::Pending),
    ("FAIL", BillStatus::Failed),
    // It could not go back the way it came.
    ("CHANGE", BillStatus::Failed),
];

/// The cells of a line that are read; amounts as they stand, and zero where the bill has no such column.
#[derive(Debug, Default)]
pub(super) struct Row<'a> {
    pub(super) appid: &'a str,
    pub(super) mchid: &'a str,
    at: &'a str,
    trade_no: &'a str,
    order_no: &'a str,
    trade_status: &'a str,
    currency: &'a str,
    refund_no: &'a str,
    refund_status: &'a str,
    refunded_at: &'a str,
    pub(super) settled: Option<Fine>,
    pub(super) returned: Option<Fine>,
    pub(super) voucher_returned: Option<Fine>,
    pub(super) fee: Option<Fine>,
    pub(super) total: Option<Fine>,
    pub(super) wanted: Option<Fine>,
}

impl<'a> Row<'a> {
    /// `cells` without the backtick of the first one.
    pub(super) fn read(columns: &[Column], cells: &'a str) -> Result<Self, String> {
        let count = cells.matches(BETWEEN).count().saturating_add(1);
        if count != columns.len() {
            return Err(format!(
                "it has {count} cells, and the head {}",
                columns.len()
            ));
        }
        let mut row = Self::default();
        for (column, cell) in columns.iter().zip(cells.split(BETWEEN)) {
            row.take(*column, cell)?;
        }
        Ok(row)
    }

    fn take(&mut self, column: Column, cell: &'a str) -> Result<(), String> {
        match column {
            Column::At => self.at = cell,
            Column::Appid => self.appid = cell,
            Column::Mchid => self.mchid = cell,
            Column::TradeNo => self.trade_no = cell,
            Column::OrderNo => self.order_no = cell,
            Column::TradeStatus => self.trade_status = cell,
            Column::Currency => self.currency = cell,
            Column::RefundNo => self.refund_no = cell,
            Column::RefundStatus => self.refund_status = cell,
            Column::RefundedAt => self.refunded_at = cell,
            Column::Settled => self.settled = Some(amount(cell)?),
            Column::Returned => self.returned = Some(amount(cell)?),
            Column::VoucherReturned => self.voucher_returned = Some(amount(cell)?),
            Column::Fee => self.fee = Some(amount(cell)?),
            Column::Total => self.total = Some(amount(cell)?),
            Column::Wanted => self.wanted = Some(amount(cell)?),
            Column::Other => {}
        }
        Ok(())
    }

    /// The line as it is told.
    pub(super) fn line(&self) -> Result<BillLine, String> {
        let kind = listed(&TRADE_STATUSES, self.trade_status, "交易状态")?;
        let (status, money, at) = match kind {
            BillKind::Charge => (BillStatus::Succeeded, self.total.or(self.settled), self.at),
            BillKind::Refund => {
                let status = listed(&REFUND_STATUSES, self.refund_status, "退款状态")?;
                let at = Some(self.refunded_at).filter(|at| !at.is_empty());
                (status, self.wanted.or(self.returned), at.unwrap_or(self.at))
            }
        };
        let fen = money.and_then(Fine::fen).filter(|fen| *fen >= 0);
        let currency = Currency::parse(self.currency).ok_or("its currency is none")?;
        if !is_name(self.trade_no) {
            return Err("its 微信订单号 is no number".to_owned());
        }
        Ok(BillLine {
            kind,
            status,
            trade_no: self.trade_no.to_owned(),
            order_no: Some(self.order_no.to_owned()).filter(|number| is_name(number)),
            refund_no: match kind {
                BillKind::Charge => None,
                BillKind::Refund => self.refund_no(),
            },
            money: Money::new(fen.ok_or("its amount is no whole number of fen")?, currency),
            fee: self.fee.and_then(Fine::fen),
            completed_at: Some(beijing::parse(at).ok_or("its time is none")?),
        })
    }

    /// Our number where it can be read back, else theirs.
    fn refund_no(&self) -> Option<String> {
        match refund_no::read(self.order_no, self.refund_no) {
            Number::Ours(refund_no) => Some(refund_no),
            Number::OursUnread | Number::Theirs => {
                Some(self.refund_no.to_owned()).filter(|number| is_name(number))
            }
        }
    }
}

fn amount(cell: &str) -> Result<Fine, String> {
    Fine::parse(cell).ok_or_else(|| "an amount is none".to_owned())
}

fn listed<T: Copy>(table: &[(&str, T)], word: &str, what: &str) -> Result<T, String> {
    let found = table.iter().find(|(listed, _)| *listed == word);
    found
        .map(|(_, meaning)| *meaning)
        .ok_or_else(|| format!("its {what} is not listed"))
}
