//! Bills: fetched, read as a whole, or not at all.

use super::{NOW, channel, cny, configured, opened};
use crate::doubles::alipay::{AlipayDouble, Mishap};
use oncepay::channels::bill::{BillCall, BillDay, BillFault, BillKind, BillLine, BillTotals};
use oncepay::domain::UnixMillis;
use std::io::Write;
use std::path::Path;
use std::time::Duration;
use zip::write::SimpleFileOptions;

const BILL: &[u8] = include_bytes!("../vectors/alipay/bills/alipay_trade_20261129.csv.zip");
const EMPTY: &[u8] = include_bytes!("../vectors/alipay/bills/alipay_trade_empty.csv.zip");

fn read_file(path: &Path) -> Result<(Vec<BillLine>, BillTotals), BillFault> {
    let channel = opened(configured()).unwrap();
    let mut lines = Vec::new();
    let totals = channel.read_bill(path, &mut |line| {
        lines.push(line);
        Ok(())
    })?;
    Ok((lines, totals))
}

fn read(bytes: &[u8]) -> Result<(Vec<BillLine>, BillTotals), BillFault> {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), bytes).unwrap();
    read_file(file.path())
}

/// The texts of the vector's two files.
fn texts() -> [String; 2] {
    let mut archive = zip::ZipArchive::new(std::io::Cursor::new(BILL)).unwrap();
    [0, 1].map(|index| {
        let mut bytes = Vec::new();
        std::io::copy(&mut archive.by_index(index).unwrap(), &mut bytes).unwrap();
        encoding_rs::GBK.decode(&bytes).0.into_owned()
    })
}

fn zipped(files: &[&[u8]]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (n, file) in files.iter().enumerate() {
        zip.start_file(format!("{n}.csv"), SimpleFileOptions::default())
            .unwrap();
        zip.write_all(file).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

fn gbk(text: &str) -> Vec<u8> {
    encoding_rs::GBK.encode(text).0.into_owned()
}

#[test]
fn a_bill_tells_its_charges_refunds_and_fees() {
    let (lines, totals) = read(BILL).unwrap();
    let expected = BillTotals {
        charges: 3,
        refunds: 2,
        charged: 18_988,
        refunded: 5_000,
        ..BillTotals::default()
    };
    assert_eq!((lines.len(), totals), (5, expected));
    let charge = &lines[0];
    assert_eq!(charge.kind, BillKind::Charge);
    assert_eq!(charge.trade_no, "2026112922001400020500000001");
    assert_eq!(charge.order_no.as_deref(), Some("ORDER20261129000001"));
    assert_eq!(
        (charge.refund_no.as_ref(), charge.money, charge.fee),
        (None, cny(8888), Some(53))
    );
    assert_eq!(
        charge.completed_at,
        Some(UnixMillis(1_795_914_030_000)),
        "09:00:30 in Beijing"
    );
    let refund = &lines[3];
    assert_eq!(refund.kind, BillKind::Refund);
    assert_eq!(refund.refund_no.as_deref(), Some("RF20261129000001"));
    assert_eq!((refund.money, refund.fee), (cny(3000), Some(-18)));
    assert_eq!(read(EMPTY).unwrap(), (Vec::new(), BillTotals::default()));
}

#[test]
fn encoding_order_of_columns_and_of_files_do_not_matter() {
    let expected = read(BILL).unwrap();
    let [details, summary] = texts();
    let marked = format!("\u{feff}{details}");
    for files in [
        vec![details.as_bytes(), summary.as_bytes()],
        vec![marked.as_bytes()],
        vec![&gbk(&summary), &gbk(&details)],
    ] {
        assert_eq!(read(&zipped(&files)).unwrap(), expected);
    }
    let moved = details
        .replace(
            "支付宝交易号,商户订单号,",
            "备用列,支付宝交易号,商户订单号,",
        )
        .replace("\r\n2026", "\r\nx,2026");
    assert_eq!(read(&zipped(&[moved.as_bytes()])).unwrap(), expected);
}

#[test]
fn a_bill_that_is_not_whole_or_not_right_is_none_and_the_line_is_named() {
    let [details, summary] = texts();
    let end = details
        .find("#-----------------------------------------业务明细列表结束")
        .unwrap();
    for (name, bytes, line, words) in [
        (
            "cut in the list",
            gbk(&details[..end]),
            10,
            "before its list does",
        ),
        ("cut in a line", gbk(&details[..end - 40]), 10, ""),
        (
            "without sums",
            gbk(details.split("#交易合计").next().unwrap()),
            11,
            "交易合计 is missing",
        ),
        (
            "other count",
            gbk(&details.replace("3笔", "4笔")),
            14,
            "交易合计 says other",
        ),
        (
            "other sum",
            gbk(&details.replace("共-50.00元", "共-50.01元")),
            14,
            "退款合计 says other",
        ),
        (
            "no amount",
            gbk(&details.replace(",100.00,", ",1e2,")),
            7,
            "is no amount",
        ),
        (
            "wrong sign",
            gbk(&details.replace("-30.00,-30.00", "30.00,30.00")),
            9,
            "the sign",
        ),
        (
            "fewer cells",
            gbk(&details.replace(",0.12,0.00,", ",0.12,")),
            10,
            "other cells",
        ),
        (
            "no column",
            gbk(&details.replace("服务费（元）", "费")),
            5,
            "服务费（元） is missing",
        ),
        (
            "twice",
            gbk(&details.replace("分润（元）", "服务费（元）")),
            5,
            "is there twice",
        ),
        (
            "no time",
            gbk(&details.replace("2026-11-29 09:00:30", "29.11.2026")),
            6,
            "is no time",
        ),
        (
            "another account",
            gbk(&details.replace("[20880000000000010156]", "[20880000000000020156]")),
            2,
            "another account",
        ),
        ("not a bill", b"#hello\r\n".to_vec(), 1, "neither as a bill"),
        (
            "not text",
            [
                b"#\xd6\xa7\xb8\xb6\xb1\xa6\xff\xff".as_slice(),
                &gbk(&details),
            ]
            .concat(),
            0,
            "neither GB18030",
        ),
        ("only sums", gbk(&summary), 0, "no bill in it"),
    ] {
        match read(&zipped(&[&bytes])) {
            Err(BillFault::Unreadable { line: at, problem }) => {
                assert_eq!(at, line, "{name}: {problem}");
                assert!(problem.contains(words), "{name}: {problem}");
            }
            other => panic!("{name}: {other:?}"),
        }
    }
    for (name, other) in [
        ("count", summary.replace(",3,2,", ",2,2,")),
        ("fees", summary.replace("-0.84", "-0.85")),
        ("cut", summary.split("合计\t").next().unwrap().to_owned()),
    ] {
        let zip = zipped(&[&gbk(&details), &gbk(&other)]);
        assert!(
            matches!(read(&zip), Err(BillFault::Unreadable { .. })),
            "{name}"
        );
    }
}

#[test]
fn a_product_whose_name_begins_with_a_quotation_mark_swallows_no_line() {
    let [details, _] = texts();
    let expected = read(BILL).unwrap();
    for name in ["\"", "\"VIP", "\"\"\"", "a \"b\" c"] {
        let quoted = details.replace("Test order 1", name);
        assert_ne!(quoted, details, "the sample has other names now");
        assert_eq!(read(&zipped(&[&gbk(&quoted)])).unwrap(), expected, "{name}");
    }
}

#[test]
fn a_line_without_an_end_is_refused_before_it_fills_the_memory() {
    let [details, _] = texts();
    let (title, rest) = details.split_once('\n').unwrap();
    let endless = "x".repeat(16 << 20);
    for (text, line) in [
        (format!("{title}\n{endless}"), 1),
        (format!("{title}{endless}\n{rest}"), 0),
        (
            details.replacen("\r\n2026", &format!("\r\n{endless}2026"), 1),
            5,
        ),
    ] {
        let zip = zipped(&[text.as_bytes()]);
        assert!(zip.len() < 1 << 20, "it packs well: {}", zip.len());
        match read(&zip) {
            Err(BillFault::Unreadable { line: at, problem }) => {
                assert_eq!((at, problem.contains("64 KiB")), (line, true), "{problem}");
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn what_is_no_zip_is_said_so() {
    for bytes in [b"".as_slice(), b"<html>", &BILL[..BILL.len() - 40]] {
        match read(bytes) {
            Err(BillFault::Unreadable { line: 0, problem }) => {
                assert!(problem.contains("no zip"), "{problem}")
            }
            other => panic!("{other:?}"),
        }
    }
    assert!(matches!(
        read_file(Path::new("/nowhere/bill.zip")),
        Err(BillFault::File(_))
    ));
}

#[test]
fn whoever_wants_no_more_lines_ends_it() {
    let channel = opened(configured()).unwrap();
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), BILL).unwrap();
    let stopped = channel.read_bill(file.path(), &mut |_| {
        Err(BillFault::Stopped("enough".to_owned()))
    });
    assert!(matches!(stopped, Err(BillFault::Stopped(_))));
}

const METHOD: &str = "alipay.data.dataservice.bill.downloadurl.query";

/// Fetches the bill of the day so many days before today in Beijing.
async fn fetched(double: &AlipayDouble, days_ago: i64, into: &Path) -> Result<(), BillFault> {
    let today = time::OffsetDateTime::from_unix_timestamp(NOW.0 / 1000 + 8 * 3600)
        .unwrap()
        .date();
    let call = BillCall {
        day: BillDay {
            date: today - time::Duration::days(days_ago),
        },
        into,
        timeout: Duration::from_secs(5),
    };
    channel(double).fetch_bill(call).await
}

#[tokio::test]
async fn a_bill_is_fetched_into_its_file() {
    let double = AlipayDouble::start();
    double.has_bill(BILL);
    let folder = tempfile::tempdir().unwrap();
    let into = folder.path().join("bill.zip");
    fetched(&double, 1, &into).await.unwrap();
    assert_eq!(std::fs::read(&into).unwrap(), BILL);
    let asked = serde_json::json!({"bill_type": "trade", "bill_date": "2026-11-29"});
    assert_eq!(double.calls(METHOD), [asked]);
}

#[tokio::test]
async fn a_bill_that_is_not_there_yet_is_told_from_one_that_never_will_be() {
    let double = AlipayDouble::start();
    let folder = tempfile::tempdir().unwrap();
    let into = folder.path().join("bill.zip");
    let kind = |fault: BillFault| match fault {
        BillFault::NotReady(_) => "not ready",
        BillFault::NoSuchBill(_) => "none",
        BillFault::Unavailable(_) => "unavailable",
        other => panic!("{other:?}"),
    };
    for (days_ago, expected) in [
        (0, "not ready"),
        (-1, "none"),
        (1, "not ready"),
        (2, "not ready"),
        (3, "none"),
        (1000, "none"),
    ] {
        let fault = fetched(&double, days_ago, &into).await.unwrap_err();
        assert_eq!(kind(fault), expected, "{days_ago} days ago");
    }
    for (mishap, expected) in [
        (
            Mishap::Code("40004", "isp.bill_date_before_registration"),
            "none",
        ),
        (Mishap::Code("40004", "isp.user_rate_limit"), "unavailable"),
        (Mishap::Code("20000", "isp.unknow-error"), "unavailable"),
        (Mishap::WronglySigned, "unavailable"),
        (
            Mishap::Content(serde_json::json!({"code": "10000"})),
            "unavailable",
        ),
        (
            Mishap::Content(
                serde_json::json!({"code": "10000", "bill_download_url": "file:///etc/passwd"}),
            ),
            "unavailable",
        ),
        (
            Mishap::Content(
                serde_json::json!({"code": "10000", "bill_download_url": format!("http://127.0.0.1:{}/bill", double.port)}),
            ),
            "unavailable",
        ),
    ] {
        double.misbehave(METHOD, mishap.clone());
        let fault = fetched(&double, 5, &into).await.unwrap_err();
        assert_eq!(kind(fault), expected, "{mishap:?}");
    }
}
