//! The summary at the end of a bill, held against its lines.

use super::columns::Column;
use super::decimal::Fine;
use super::lines::Lines;
use super::row::Row;
use crate::channels::bill::BillFault;

/// What the lines add up to. A column that the bill does not have adds nothing.
#[derive(Debug, Default)]
pub(super) struct Sums {
    lines: i64,
    settled: Fine,
    returned: Fine,
    voucher_returned: Fine,
    fee: Fine,
    total: Fine,
    wanted: Fine,
}

impl Sums {
    /// `None` if a sum does not fit.
    pub(super) fn add(&mut self, row: &Row<'_>) -> Option<()> {
        let more = |sum: &mut Fine, amount: Option<Fine>| {
            *sum = sum.plus(amount.unwrap_or_default())?;
            Some(())
        };
        self.lines = self.lines.checked_add(1)?;
        more(&mut self.settled, row.settled)?;
        more(&mut self.returned, row.returned)?;
        more(&mut self.voucher_returned, row.voucher_returned)?;
        more(&mut self.fee, row.fee)?;
        more(&mut self.total, row.total)?;
        more(&mut self.wanted, row.wanted)
    }

    /// `None` of a column that holds no amounts.
    const fn of(&self, column: Column) -> Option<Fine> {
        match column {
            Column::Settled => Some(self.settled),
            Column::Returned => Some(self.returned),
            Column::VoucherReturned => Some(self.voucher_returned),
            Column::Fee => Some(self.fee),
            Column::Total => Some(self.total),
            Column::Wanted => Some(self.wanted),
            Column::At
            | Column::Appid
            | Column::Mchid
            | Column::TradeNo
            | Column::OrderNo
            | Column::TradeStatus
            | Column::Currency
            | Column::RefundNo
            | Column::RefundStatus
            | Column::RefundedAt
            | Column::Other => None,
        }
    }
}

/// The sums that the summary of a bill has, and their older names, each with the column that it is the sum of. Others are
/// passed over, since nobody knows what they sum up.
const SUMS: [(&str, Column); 10] = [
    ("应结订单总金额", Column::Settled),
    ("总交易额", Column::Settled),
    ("退款总金额", Column::Returned),
    ("总退款金额", Column::Returned),
    ("充值券退款总金额", Column::VoucherReturned),
    ("总企业红包退款金额", Column::VoucherReturned),
    ("总代金券或立减优惠退款金额", Column::VoucherReturned),
    ("手续费总金额", Column::Fee),
    ("订单总金额", Column::Total),
    ("申请退款总金额", Column::Wanted),
];

const COUNT: &str = "总交易单数";

/// Reads the summary, whose names stand in the line that is given, to the end of the bill.
pub(super) fn check(
    columns: &[Column],
    (at, names): (u64, &str),
    lines: &mut Lines,
    sums: &Sums,
) -> Result<(), BillFault> {
    if !names.starts_with(COUNT) {
        return Err(BillFault::unreadable(
            at,
            "it is neither a line nor the summary",
        ));
    }
    let Some((number, text)) = lines.next_line()? else {
        return Err(BillFault::unreadable(at, "the summary is cut off"));
    };
    held_against(columns, names, text, sums).map_err(|why| BillFault::unreadable(number, why))?;
    match lines.next_line()? {
        None => Ok(()),
        Some((number, _)) => Err(BillFault::unreadable(
            number,
            "it goes on after its summary",
        )),
    }
}

/// Compares what is known, and wants the count and the sum of each column that is there.
fn held_against(columns: &[Column], names: &str, text: &str, sums: &Sums) -> Result<(), String> {
    let cells = text.strip_prefix('`').ok_or("the summary has no values")?;
    let mut cells = cells.split(",`");
    let mut counted = false;
    let mut held = Vec::new();
    for name in names.split(',') {
        let said = cells
            .next()
            .ok_or("the summary has fewer values than names")?;
        if name == COUNT {
            if said.parse() != Ok(sums.lines) {
                return Err(format!("{COUNT} says {said}, and there are {}", sums.lines));
            }
            counted = true;
        } else if let Some((_, column)) = SUMS.iter().find(|(listed, _)| *listed == name) {
            if Fine::parse(said) != sums.of(*column) {
                return Err(format!(
                    "{name} says {said}, which is not the sum of the lines"
                ));
            }
            held.push(*column);
        }
    }
    if cells.next().is_some() {
        return Err("the summary has more values than names".to_owned());
    }
    let mut sums = SUMS.iter();
    let missing = sums.find(|(_, column)| columns.contains(column) && !held.contains(column));
    match missing {
        _ if !counted => Err(format!("{COUNT} is missing in the summary")),
        Some((name, _)) => Err(format!("{name} is missing in the summary")),
        None => Ok(()),
    }
}
