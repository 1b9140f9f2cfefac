//! Which column of a bill holds what: by the names in its head, since bills of different types and ages differ.

use super::lines::Lines;
use crate::channels::bill::BillFault;

/// What a column holds, as far as it is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Column {
    At,
    Appid,
    Mchid,
    TradeNo,
    OrderNo,
    TradeStatus,
    Currency,
    /// After vouchers; what counts only where a bill has no `订单金额`.
    Settled,
    RefundNo,
    /// After vouchers; what counts only where a bill has no `申请退款金额`.
    Returned,
    VoucherReturned,
    RefundStatus,
    RefundedAt,
    Fee,
    Total,
    Wanted,
    /// Not read: nothing that is needed, or new.
    Other,
}

/// The columns that are read, of bills of type `ALL`, `SUCCESS` and `REFUND`, and their older names. Others are passed
/// over, also new ones.
const COLUMNS: [(&str, Column); 19] = [
    ("交易时间", Column::At),
    ("公众账号ID", Column::Appid),
    ("商户号", Column::Mchid),
    ("微信订单号", Column::TradeNo),
    ("商户订单号", Column::OrderNo),
    ("交易状态", Column::TradeStatus),
    ("货币种类", Column::Currency),
    ("应结订单金额", Column::Settled),
    ("总金额", Column::Settled),
    ("退款成功时间", Column::RefundedAt),
    ("商户退款单号", Column::RefundNo),
    ("退款金额", Column::Returned),
    ("充值券退款金额", Column::VoucherReturned),
    ("企业红包退款金额", Column::VoucherReturned),
    ("代金券或立减优惠退款金额", Column::VoucherReturned),
    ("退款状态", Column::RefundStatus),
    ("手续费", Column::Fee),
    ("订单金额", Column::Total),
    ("申请退款金额", Column::Wanted),
];

/// Without these a line says nothing.
const NEEDED: [(Column, &str); 7] = [
    (Column::At, "交易时间"),
    (Column::Appid, "公众账号ID"),
    (Column::Mchid, "商户号"),
    (Column::TradeNo, "微信订单号"),
    (Column::OrderNo, "商户订单号"),
    (Column::TradeStatus, "交易状态"),
    (Column::Currency, "货币种类"),
];

/// Reads the head of a bill: its first line.
pub(super) fn read(lines: &mut Lines) -> Result<Vec<Column>, BillFault> {
    let Some((number, head)) = lines.next_line()? else {
        return Err(BillFault::unreadable(1, "it is empty"));
    };
    let fault = |problem: String| BillFault::unreadable(number, problem);
    let mut columns = Vec::new();
    for name in head.split(',') {
        let column = column(name);
        if column != Column::Other && columns.contains(&column) {
            return Err(fault(format!("the column {name} is there twice")));
        }
        columns.push(column);
    }
    for (needed, name) in NEEDED {
        if !columns.contains(&needed) {
            return Err(fault(format!("the column {name} is missing")));
        }
    }
    Ok(columns)
}

fn column(name: &str) -> Column {
    let listed = COLUMNS.iter().find(|(listed, _)| *listed == name);
    listed.map_or(Column::Other, |(_, column)| *column)
}
