//! Bills: `tradebill`, all of a day's trades of a merchant, as WeChat Pay makes it after 10:00 Beijing time of the next.

mod columns;
mod decimal;
mod fetch;
mod lines;
mod row;
mod summary;

use super::charge::Account;
use crate::channels::bill::{BillFault, BillKind, BillTotals, EachLine};
use lines::Lines;
use row::Row;
use std::path::Path;
use summary::Sums;

pub(super) use fetch::fetch;

/// What a bill has of a day on which nothing moved.
const EMPTY: &str = concat!(
    "交易时间,公众账号ID,商户号,微信订单号,商户订单号,交易状态,货币种类,订单金额\n",
    "总交易单数,订单总金额\n",
    "`0,`0.00\n",
);

/// Reads a bill as it was fetched, compressed or not. It must end with its summary, and the summary must be the sum of
/// its lines.
pub(super) fn read(
    file: &Path,
    account: Account<'_>,
    each: EachLine<'_>,
) -> Result<BillTotals, BillFault> {
    let mut lines = Lines::open(file)?;
    let columns = columns::read(&mut lines)?;
    let mut totals = BillTotals::default();
    let mut sums = Sums::default();
    while let Some((number, text)) = lines.next_line()? {
        let Some(cells) = text.strip_prefix('`') else {
            let names = text.to_owned();
            summary::check(&columns, (number, &names), &mut lines, &sums)?;
            return Ok(totals);
        };
        let row = Row::read(&columns, cells).map_err(|why| BillFault::unreadable(number, why))?;
        sums.add(&row)
            .ok_or_else(|| BillFault::unreadable(number, "the sums are too large"))?;
        if row.mchid != account.mchid {
            let problem = format!("it is of another merchant, {}", row.mchid);
            return Err(BillFault::unreadable(number, problem));
        }
        if row.appid != account.appid {
            // Another app of the same merchant: its orders are not here.
            totals.others = totals.others.saturating_add(1);
            continue;
        }
        let line = row
            .line()
            .map_err(|why| BillFault::unreadable(number, why))?;
        let (count, sum) = match line.kind {
            BillKind::Charge => (&mut totals.charges, &mut totals.charged),
            BillKind::Refund => (&mut totals.refunds, &mut totals.refunded),
        };
        *count = count.saturating_add(1);
        *sum = sum.saturating_add(line.money.amount);
        each(line)?;
    }
    Err(BillFault::unreadable(
        lines.number(),
        "it ends without its summary: it is cut off",
    ))
}
