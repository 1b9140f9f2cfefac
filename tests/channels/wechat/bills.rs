//! Bills: the one that was made for tests, other layouts, damaged ones, and a very long one.

use super::{NOW_S, Stage};
use crate::doubles::wechat::{Mishap, Op, gzip};
use oncepay::channels::Channel;
use oncepay::channels::bill::{
    BillCall, BillDay, BillFault, BillKind, BillLine, BillStatus, BillTotals,
};
use oncepay::domain::UnixMillis;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempDir;
use time::macros::date;

pub(super) const BILL: &str = include_str!("../vectors/wechat/wechat_tradebill_20261129.csv");

pub(super) struct Desk {
    pub(super) stage: Stage,
    folder: TempDir,
}

impl Desk {
    pub(super) async fn open() -> Self {
        Self {
            stage: Stage::open().await,
            folder: tempfile::tempdir().unwrap(),
        }
    }

    pub(super) fn file(&self) -> PathBuf {
        self.folder.path().join("bill")
    }

    async fn fetch(&self, date: time::Date) -> Result<(), BillFault> {
        let file = self.file();
        let call = BillCall {
            day: BillDay { date },
            into: &file,
            timeout: Duration::from_secs(20),
        };
        self.stage.channel.fetch_bill(call).await
    }

    pub(super) fn read(&self, bytes: &[u8]) -> Result<(Vec<BillLine>, BillTotals), BillFault> {
        std::fs::write(self.file(), bytes).unwrap();
        read(self.stage.channel.as_ref(), &self.file())
    }

    pub(super) fn unreadable(&self, bytes: &[u8]) -> (u64, String) {
        match self.read(bytes) {
            Err(BillFault::Unreadable { line, problem }) => (line, problem),
            other => panic!("{other:?}"),
        }
    }
}

fn read(channel: &dyn Channel, file: &Path) -> Result<(Vec<BillLine>, BillTotals), BillFault> {
    let mut lines = Vec::new();
    let totals = channel.read_bill(file, &mut |line| {
        lines.push(line);
        Ok(())
    })?;
    Ok((lines, totals))
}

const DAY: time::Date = date!(2026 - 11 - 29);

#[tokio::test]
async fn a_bill_is_fetched_checked_by_its_hash_and_read() {
    let desk = Desk::open().await;
    desk.stage.gateway.inside().bill = BILL.as_bytes().to_vec();
    let meta: serde_json::Value =
        serde_json::from_str(include_str!("../vectors/wechat/wechat_tradebill_meta.json")).unwrap();
    let hash = meta["hash_value"].as_str().unwrap().to_ascii_uppercase();
    desk.stage.gateway.inside().bill_hash = Some(hash);

    desk.fetch(DAY).await.unwrap();
    assert_eq!(
        std::fs::read(desk.file()).unwrap(),
        gzip(BILL.as_bytes()),
        "kept as it came"
    );
    let asked = desk.stage.gateway.last(Op::Bill).target;
    assert_eq!(
        asked,
        "/v3/bill/tradebill?bill_date=2026-11-29&bill_type=ALL&tar_type=GZIP"
    );
    let downloaded = desk.stage.gateway.last(Op::Download).target;
    assert_eq!(downloaded, "/v3/billdownload/file?token=abc-DEF_123");

    let (lines, totals) = read(desk.stage.channel.as_ref(), &desk.file()).unwrap();
    let expected = BillTotals {
        charges: 2,
        refunds: 2,
        charged: 18_888,
        refunded: 5_000,
        ..BillTotals::default()
    };
    assert_eq!(totals, expected);
    let [first, _, third, fourth] = lines.as_slice() else {
        panic!("{lines:?}")
    };
    assert_eq!(
        *first,
        BillLine {
            kind: BillKind::Charge,
            status: BillStatus::Succeeded,
            trade_no: "4200000000202611290000000001".to_owned(),
            order_no: Some("ORDER20261129000101".to_owned()),
            refund_no: None,
            money: super::cny(8888),
            fee: Some(53),
            completed_at: Some(UnixMillis(1_795_914_030_000)),
        }
    );
    assert_eq!(
        (third.kind, third.status, third.money),
        (BillKind::Refund, BillStatus::Succeeded, super::cny(3000))
    );
    assert_eq!(
        (third.refund_no.as_deref(), third.fee),
        (Some("RF20261129000101"), Some(-18))
    );
    assert_eq!(fourth.status, BillStatus::Pending);
}

#[tokio::test]
async fn the_same_bill_in_every_dress_is_the_same() {
    let desk = Desk::open().await;
    let (expected, _) = desk.read(BILL.as_bytes()).unwrap();
    let bare = BILL.trim_start_matches('\u{feff}');
    let unix = bare.replace("\r\n", "\n");
    let (gbk, _, _) = encoding_rs::GB18030.encode(bare);
    for bytes in [
        bare.as_bytes().to_vec(),
        unix.clone().into_bytes(),
        unix.replace('\n', "\r\n").into_bytes(),
        unix.trim_end().as_bytes().to_vec(),
        gbk.into_owned(),
        gzip(BILL.as_bytes()),
    ] {
        assert_eq!(desk.read(&bytes).unwrap().0, expected);
    }
}

/// A bill of these lines, cells without their backticks.
fn bill(head: &str, rows: &[&str], summary: &str, values: &str) -> String {
    let ticked = |row: &str| format!("`{}", row.replace(',', ",`"));
    let mut text = format!("{head}\r\n");
    for row in rows {
        text += &format!("{}\r\n", ticked(row));
    }
    text + &format!("{summary}\r\n{}\r\n", ticked(values))
}

pub(super) const SUCCESS_HEAD: &str = "交易时间,公众账号ID,商户号,特约商户号,设备号,微信订单号,商户订单号,用户标识,交易类型,交易状态,付款银行,货币种类,应结订单金额,代金券金额,商品名称,商户数据包,手续费,费率,订单金额,费率备注";
pub(super) const SUMMARY: &str =
    "总交易单数,应结订单总金额,退款总金额,充值券退款总金额,手续费总金额,订单总金额,申请退款总金额";

#[tokio::test]
async fn columns_are_found_by_their_names() {
    let desk = Desk::open().await;
    let row = "2026-11-29 09:00:30,wx0000000000000001,1900000001,0,,4200,ORDER1,o,NATIVE,SUCCESS,OTHERS,CNY,80.00,8.88,x,,0.53300,0.60%,88.88,";
    let text = bill(
        SUCCESS_HEAD,
        &[row],
        SUMMARY,
        "1,80.00,0.00,0.00,0.53300,88.88,0.00",
    );
    let (lines, totals) = desk.read(text.as_bytes()).unwrap();
    assert_eq!(
        (totals.charges, totals.charged),
        (1, 8888),
        "before vouchers"
    );
    assert_eq!(lines[0].fee, None, "no whole number of fen");

    let refund_head = "交易时间,公众账号ID,商户号,特约商户号,设备号,微信订单号,商户订单号,用户标识,交易类型,交易状态,付款银行,货币种类,应结订单金额,代金券金额,退款申请时间,退款成功时间,微信退款单号,商户退款单号,退款金额,充值券退款金额,退款类型,退款状态,商品名称,商户数据包,手续费,费率,订单金额,申请退款金额,费率备注";
    let row = "2026-11-29 09:00:30,wx0000000000000001,1900000001,0,,4200,ORDER1,o,NATIVE,REFUND,OTHERS,CNY,0.00,0.00,2026-11-29 10:00:00,2026-11-29 10:00:05,5030,ORDER1@r-1,9.00,0.00,ORIGINAL,CHANGE,x,,0.00000,0.60%,0.00,10.00,";
    let text = bill(
        refund_head,
        &[row],
        SUMMARY,
        "1,0.00,9.00,0.00,0.00000,0.00,10.00",
    );
    let (lines, _) = desk.read(text.as_bytes()).unwrap();
    assert_eq!(
        (lines[0].status, lines[0].money.amount),
        (BillStatus::Failed, 1000)
    );
    assert_eq!(
        lines[0].refund_no.as_deref(),
        Some("r-1"),
        "our own number, read back"
    );
    assert_eq!(lines[0].completed_at, Some(UnixMillis(1_795_917_605_000)));

    let old_head = "交易时间,公众账号ID,商户号,子商户号,设备号,微信订单号,商户订单号,用户标识,交易类型,交易状态,付款银行,货币种类,总金额,企业红包金额,微信退款单号,商户退款单号,退款金额,企业红包退款金额,退款类型,退款状态,商品名称,商户数据包,手续费,费率";
    let row = "2026-11-29 09:00:30,wx0000000000000001,1900000001,0,,4200,ORDER1,o,NATIVE,SUCCESS,OTHERS,CNY,88.88,0.00,0,0,0.00,0.00,,,x,,0.53000,0.60%";
    let text = bill(
        old_head,
        &[row],
        "总交易单数,总交易额,总退款金额,总企业红包退款金额,手续费总金额",
        "1,88.88,0.00,0.00,0.53000",
    );
    assert_eq!(desk.read(text.as_bytes()).unwrap().1.charged, 8888);
}

#[tokio::test]
async fn a_column_and_a_sum_that_are_new_change_nothing() {
    let desk = Desk::open().await;
    let expected = desk.read(BILL.as_bytes()).unwrap();
    let renamed = BILL.replacen(",商品名称", ",货物", 1);
    assert_eq!(desk.read(renamed.as_bytes()).unwrap(), expected);
    let lines = BILL.lines().enumerate().map(|(at, line)| match at {
        0 => format!("{line},服务商分账金额"),
        5 => format!("{line},服务商分账总金额"),
        6 => format!("{line},`1.23"),
        _ => format!("{line},`0.41"),
    });
    let wider = lines.collect::<Vec<_>>().join("\r\n") + "\r\n";
    assert_eq!(desk.read(wider.as_bytes()).unwrap(), expected);
}

#[tokio::test]
async fn orders_of_another_app_are_counted_and_another_merchants_bill_is_refused() {
    let desk = Desk::open().await;
    let other_app = BILL.replace(
        "`wx0000000000000001,`1900000001,`0,`,`4200000000202611290000000001",
        "`wx2,`1900000001,`0,`,`4200000000202611290000000001",
    );
    let (_, totals) = desk.read(other_app.as_bytes()).unwrap();
    assert_eq!((totals.charges, totals.others), (1, 1));
    let (line, problem) = desk.unreadable(BILL.replace("`1900000001", "`1900000002").as_bytes());
    assert_eq!(line, 2);
    assert!(problem.contains("another merchant"), "{problem}");
}

#[tokio::test]
async fn not_ready_and_no_such_day_and_an_empty_day_are_told_apart() {
    let desk = Desk::open().await;
    assert_eq!(NOW_S, 1_796_032_812, "the day in Beijing is 2026-11-30");
    assert!(matches!(
        desk.fetch(date!(2026 - 12 - 01)).await,
        Err(BillFault::NoSuchBill(_))
    ));
    assert!(matches!(
        desk.fetch(date!(2026 - 11 - 30)).await,
        Err(BillFault::NotReady(_))
    ));
    assert_eq!(desk.stage.gateway.count(Op::Bill), 0);
    let gateway = &desk.stage.gateway;
    gateway.next_code(Op::Bill, 400, "STATEMENT_CREATING");
    assert!(matches!(desk.fetch(DAY).await, Err(BillFault::NotReady(_))));
    gateway.next_code(Op::Bill, 400, "PARAM_ERROR");
    assert!(matches!(
        desk.fetch(DAY).await,
        Err(BillFault::NoSuchBill(_))
    ));
    // In Beijing it is 18:00 of the next day.
    gateway.next_code(Op::Bill, 400, "NO_STATEMENT_EXIST");
    desk.fetch(DAY).await.unwrap();
    let (lines, totals) = read(desk.stage.channel.as_ref(), &desk.file()).unwrap();
    assert_eq!((lines.len(), totals), (0, BillTotals::default()));
}

#[tokio::test]
async fn no_bill_before_ten_of_the_next_day_is_no_empty_day() {
    let desk = Desk::open().await;
    let today = date!(2026 - 11 - 30);
    // 00:30 and 09:59:59 of the first of December, from 18:00:12.
    for seconds in [23_388, 34_199] {
        desk.stage.hands.pass(seconds);
        desk.stage
            .gateway
            .next_code(Op::Bill, 400, "NO_STATEMENT_EXIST");
        let fault = desk.fetch(today).await;
        assert!(matches!(fault, Err(BillFault::NotReady(_))), "{fault:?}");
    }
    desk.stage.hands.pass(1);
    desk.stage
        .gateway
        .next_code(Op::Bill, 400, "NO_STATEMENT_EXIST");
    desk.fetch(today).await.unwrap();
}

#[tokio::test]
async fn what_nobody_vouches_for_is_no_bill() {
    let desk = Desk::open().await;
    desk.stage.gateway.inside().bill = BILL.as_bytes().to_vec();
    let gateway = &desk.stage.gateway;
    gateway.next(
        Op::Bill,
        Mishap::SaysUnsigned(crate::doubles::wechat::code(400, "NO_STATEMENT_EXIST")),
    );
    assert!(matches!(
        desk.fetch(DAY).await,
        Err(BillFault::Unavailable(_))
    ));
    gateway.next_code(Op::Bill, 500, "SYSTEM_ERROR");
    assert!(matches!(
        desk.fetch(DAY).await,
        Err(BillFault::Unavailable(_))
    ));
    gateway.next(Op::Download, Mishap::SaysUnsigned((403, None)));
    assert!(matches!(
        desk.fetch(DAY).await,
        Err(BillFault::Unavailable(_))
    ));
    gateway.next(Op::Download, Mishap::LostReply);
    assert!(matches!(
        desk.fetch(DAY).await,
        Err(BillFault::Unavailable(_))
    ));
    gateway.inside().bill_hash = Some("00".repeat(20));
    let Err(BillFault::Unavailable(why)) = desk.fetch(DAY).await else {
        panic!("it has another hash")
    };
    assert!(why.contains("hash"), "{why}");
}
