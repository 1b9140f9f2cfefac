//! The file of lines: remarks, the names of the columns, a line for each charge and refund, the end, and the sums.

use super::columns::Columns;
use super::lines::{Line, Lines};
use super::sums::{Footer, Sums};
use crate::channels::alipay::{beijing, yuan};
use crate::channels::bill::{BillFault, BillKind, BillLine, BillStatus, EachLine};
use crate::channels::words::is_name;
use csv::StringRecord;
use std::io::Read;

/// (Open platform, "业务明细账单字段说明".)
const COLUMNS: [&str; 8] = [
    "支付宝交易号",
    "商户订单号",
    "业务类型",
    "完成时间",
    "订单金额（元）",
    "商家实收（元）",
    "退款批次号/请求号",
    "服务费（元）",
];
const CHARGE: &str = "交易";
const REFUND: &str = "退款";
const END: &str = "业务明细列表结束";
const ACCOUNT: &str = "#账号：[";

/// Whose bill it is to be. An account's number is its seller's with four digits more.
#[derive(Clone, Copy)]
pub(super) struct Account<'a> {
    pub(super) seller_id: Option<&'a str>,
}

/// Reads what follows the title, and holds it against the sums at its end.
pub(super) fn read<R: Read>(
    lines: &mut Lines<R>,
    account: Account<'_>,
    each: EachLine<'_>,
) -> Result<Sums, BillFault> {
    let mut columns = None;
    let mut sums = Sums::default();
    let mut footer = Footer::default();
    let mut ended = false;
    loop {
        match lines.next()? {
            None => break,
            Some(Line::Remark(remark)) => {
                ended |= remark.contains(END);
                let known = account.admits(&remark).and_then(|()| footer.note(&remark));
                known.map_err(|problem| lines.unreadable(problem))?;
            }
            Some(Line::Cells(cells)) => {
                let told = match &columns {
                    _ if ended => Err("a line follows the end of the list".to_owned()),
                    None => Columns::find(cells, &COLUMNS).map(|found| {
                        columns = Some(found);
                        None
                    }),
                    Some(columns) => entry(columns, cells, &mut sums),
                };
                if let Some(line) = told.map_err(|problem| lines.unreadable(problem))? {
                    each(line)?;
                }
            }
        }
    }
    if !ended {
        let problem = "it ends before its list does";
        return Err(lines.unreadable(problem));
    }
    let agreed = footer.agrees_with(&sums);
    agreed.map_err(|problem| lines.unreadable(problem))?;
    Ok(sums)
}

/// A line of the list; `None` is one about neither a charge nor a refund.
fn entry(
    columns: &Columns<8>,
    cells: &StringRecord,
    sums: &mut Sums,
) -> Result<Option<BillLine>, String> {
    let cells = columns
        .of(cells)
        .ok_or("it has other cells than the columns are")?;
    let [
        trade_no,
        order_no,
        kind,
        completed,
        amount,
        received,
        refund_no,
        fee,
    ] = cells;
    let yuan = |text: &str, name: &str| {
        yuan::read_signed(text).ok_or_else(|| format!("{name} is no amount"))
    };
    let kind = match kind {
        CHARGE => BillKind::Charge,
        REFUND => BillKind::Refund,
        _ => {
            sums.others = sums.others.saturating_add(1);
            return Ok(None);
        }
    };
    let (amount, received) = (yuan(amount, "订单金额")?, yuan(received, "商家实收")?);
    let fee = yuan(fee, "服务费")?;
    let paid = match kind {
        BillKind::Charge => amount,
        BillKind::Refund => amount.saturating_neg(),
    };
    let money = Some(paid).filter(|paid| *paid >= 0);
    let money = money.and_then(|paid| yuan::money(&yuan::write(paid)));
    let money = money.ok_or("订单金额 has the sign of the other kind")?;
    if !is_name(trade_no) {
        return Err("支付宝交易号 is no number".to_owned());
    }
    let completed_at = beijing::read(completed).ok_or("完成时间 is no time")?;
    sums.count(kind, amount, received, fee);
    let filled = |text: &str| is_name(text).then(|| text.to_owned());
    Ok(Some(BillLine {
        kind,
        status: BillStatus::Succeeded,
        trade_no: trade_no.to_owned(),
        order_no: filled(order_no),
        refund_no: filled(refund_no),
        money,
        fee: Some(fee.saturating_neg()),
        completed_at: Some(completed_at),
    }))
}

impl Account<'_> {
    fn admits(self, remark: &str) -> Result<(), String> {
        match (self.seller_id, remark.strip_prefix(ACCOUNT)) {
            (Some(ours), Some(theirs)) if !theirs.starts_with(ours) => Err(format!(
                "it is another account's than that of seller {ours}"
            )),
            (Some(_) | None, _) => Ok(()),
        }
    }
}
