//! What a bill says of itself: the sums under its list, and those in the file beside it.

use super::columns::Columns;
use super::lines::{Line, Lines};
use crate::channels::alipay::yuan;
use crate::channels::bill::{BillFault, BillKind, BillTotals};
use std::io::Read;

/// The sums of lines, in fen. Refunds are negative.
#[derive(Debug, Default)]
pub(super) struct Sums {
    charges: u64,
    refunds: u64,
    charged: i64,
    refunded: i64,
    received: i64,
    given_back: i64,
    fees: i64,
    pub(super) others: u64,
}

impl Sums {
    pub(super) fn count(&mut self, kind: BillKind, amount: i64, received: i64, fee: i64) {
        let (lines, amounts, shares) = match kind {
            BillKind::Charge => (&mut self.charges, &mut self.charged, &mut self.received),
            BillKind::Refund => (&mut self.refunds, &mut self.refunded, &mut self.given_back),
        };
        *lines = lines.saturating_add(1);
        *amounts = amounts.saturating_add(amount);
        *shares = shares.saturating_add(received);
        self.fees = self.fees.saturating_add(fee);
    }

    /// The sums of both.
    pub(super) fn add(&mut self, more: &Self) {
        self.charges = self.charges.saturating_add(more.charges);
        self.refunds = self.refunds.saturating_add(more.refunds);
        self.charged = self.charged.saturating_add(more.charged);
        self.refunded = self.refunded.saturating_add(more.refunded);
        self.received = self.received.saturating_add(more.received);
        self.given_back = self.given_back.saturating_add(more.given_back);
        self.fees = self.fees.saturating_add(more.fees);
        self.others = self.others.saturating_add(more.others);
    }

    pub(super) fn totals(&self) -> BillTotals {
        BillTotals {
            charges: self.charges,
            refunds: self.refunds,
            charged: self.charged,
            refunded: self.refunded.saturating_neg(),
            others: self.others,
            bad: Vec::new(),
        }
    }
}

/// `#交易合计：3笔，商家实收共189.88元，…` and `#退款合计：2笔，商家实收退款共-50.00元，…`: how many, and how much.
#[derive(Debug, Default)]
pub(super) struct Footer {
    charges: Option<(u64, i64)>,
    refunds: Option<(u64, i64)>,
}

impl Footer {
    pub(super) fn note(&mut self, remark: &str) -> Result<(), String> {
        let sums = [
            ("#交易合计：", &mut self.charges),
            ("#退款合计：", &mut self.refunds),
        ];
        for (prefix, kept) in sums {
            if let Some(rest) = remark.strip_prefix(prefix) {
                let read = count_and_amount(rest);
                *kept = Some(read.ok_or_else(|| format!("{prefix} cannot be read"))?);
            }
        }
        Ok(())
    }

    pub(super) fn agrees_with(&self, sums: &Sums) -> Result<(), String> {
        let lines = [
            (self.charges, (sums.charges, sums.received), "交易合计"),
            (self.refunds, (sums.refunds, sums.given_back), "退款合计"),
        ];
        for (said, counted, name) in lines {
            match said {
                None => return Err(format!("{name} is missing")),
                Some(said) if said != counted => {
                    return Err(format!("{name} says other than its lines"));
                }
                Some(_) => {}
            }
        }
        Ok(())
    }
}

/// `3笔，商家实收共189.88元，商家优惠共0.00元`.
fn count_and_amount(text: &str) -> Option<(u64, i64)> {
    let mut parts = text.split('，');
    let count = parts.next()?.trim().strip_suffix('笔')?.parse().ok()?;
    let (_, amount) = parts.next()?.trim().strip_suffix('元')?.rsplit_once('共')?;
    Some((count, yuan::read_signed(amount)?))
}

const COLUMNS: [&str; 6] = [
    "门店编号",
    "交易订单总笔数",
    "退款订单总笔数",
    "订单金额（元）",
    "商家实收（元）",
    "服务费（元）",
];
/// The row of the sums of all rows, and the mark of the end.
const ALL: &str = "合计";
const END: &str = "业务汇总列表结束";

/// The last row of the file of sums, and its line.
#[derive(Debug)]
pub(super) struct Summary {
    line: u64,
    charges: u64,
    refunds: u64,
    amount: i64,
    received: i64,
    fees: i64,
}

/// Reads what follows the title.
pub(super) fn read_summary<R: Read>(lines: &mut Lines<R>) -> Result<Summary, BillFault> {
    let (mut columns, mut all, mut ended) = (None, None, false);
    loop {
        let number = lines.number().saturating_add(1);
        match lines.next()? {
            None => break,
            Some(Line::Remark(remark)) => ended |= remark.contains(END),
            Some(Line::Cells(cells)) => match &columns {
                None => match Columns::find(cells, &COLUMNS) {
                    Ok(found) => columns = Some(found),
                    Err(problem) => return Err(lines.unreadable(problem)),
                },
                Some(columns) => match columns.of(cells).map(|cells| sums_of(number, cells)) {
                    Some(Ok(row)) => all = row.or(all),
                    Some(Err(problem)) => return Err(lines.unreadable(problem)),
                    None => return Err(lines.unreadable("it has other cells than the columns are")),
                },
            },
        }
    }
    match all {
        Some(all) if ended => Ok(all),
        Some(_) | None => Err(lines.unreadable("the summary ends before its list does")),
    }
}

/// `None`: the row of one store.
fn sums_of(line: u64, cells: [&str; 6]) -> Result<Option<Summary>, &'static str> {
    let [store, charges, refunds, amount, received, fees] = cells;
    if store != ALL {
        return Ok(None);
    }
    let read = || {
        Some(Summary {
            line,
            charges: charges.parse().ok()?,
            refunds: refunds.parse().ok()?,
            amount: yuan::read_signed(amount)?,
            received: yuan::read_signed(received)?,
            fees: yuan::read_signed(fees)?,
        })
    };
    read().map(Some).ok_or("a sum is no number")
}

impl Summary {
    /// Its amounts are what is left after refunds.
    pub(super) fn agrees_with(&self, sums: &Sums) -> Result<(), BillFault> {
        let said = (
            self.charges,
            self.refunds,
            self.amount,
            self.received,
            self.fees,
        );
        let counted = (
            sums.charges,
            sums.refunds,
            sums.charged.saturating_add(sums.refunded),
            sums.received.saturating_add(sums.given_back),
            sums.fees,
        );
        if said == counted {
            Ok(())
        } else {
            let problem = "the summary says other than the lines of the bill";
            Err(BillFault::unreadable(self.line, problem))
        }
    }
}
