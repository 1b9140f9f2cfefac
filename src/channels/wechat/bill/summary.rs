//! The summary at the end of a bill, held against its lines.

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

    /// Every name that the summary of a bill has, and its older names. `None` if it is none of them.
    fn of(&self, name: &str) -> Option<Fine> {
        Some(match name {
            "应结订单总金额" | "总交易额" => self.settled,
            "退款总金额" | "总退款金额" => self.returned,
            "充值券退款总金额" | "总企业红包退款金额" | "总代金券或立减优惠退款金额" => {
                self.voucher_returned
            }
            "手续费总金额" => self.fee,
            "订单总金额" => self.total,
            "申请退款总金额" => self.wanted,
            _ => return None,
        })
    }
}

const COUNT: &str = "总交易单数";

/// Reads the summary whose names are given, to the end of the bill.
pub(super) fn check(names: &str, at: u64, lines: &mut Lines, sums: &Sums) -> Result<(), BillFault> {
    if !names.starts_with(COUNT) {
        return Err(BillFault::unreadable(
            at,
            "it is neither a line nor the summary",
        ));
    }
    let Some((number, text)) = lines.next_line()? else {
        return Err(BillFault::unreadable(at, "the summary is cut off"));
    };
    held_against(names, text, sums).map_err(|why| BillFault::unreadable(number, why))?;
    match lines.next_line()? {
        None => Ok(()),
        Some((number, _)) => Err(BillFault::unreadable(
            number,
            "it goes on after its summary",
        )),
    }
}

fn held_against(names: &str, text: &str, sums: &Sums) -> Result<(), String> {
    let cells = text.strip_prefix('`').ok_or("the summary has no values")?;
    let mut cells = cells.split(",`");
    for name in names.split(',') {
        let said = cells
            .next()
            .ok_or("the summary has fewer values than names")?;
        if name == COUNT {
            if said.parse() != Ok(sums.lines) {
                return Err(format!("{COUNT} says {said}, and there are {}", sums.lines));
            }
            continue;
        }
        let sum = sums
            .of(name)
            .ok_or_else(|| format!("{name} is no sum of a bill"))?;
        if Fine::parse(said) != Some(sum) {
            return Err(format!(
                "{name} says {said}, which is not the sum of the lines"
            ));
        }
    }
    match cells.next() {
        None => Ok(()),
        Some(_) => Err("the summary has more values than names".to_owned()),
    }
}
