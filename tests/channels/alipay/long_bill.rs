//! A bill of a big merchant: a million lines, in little time and little memory.

use super::{configured, opened};
use oncepay::channels::bill::BillTotals;
use std::io::Write;
use std::time::{Duration, Instant};
use zip::write::SimpleFileOptions;

const LINES: u32 = 1_000_000;
/// The largest that this process may ever have been, in KiB.
const RESIDENT_KIB_MAX: u64 = 200 * 1024;
const TIME_MAX: Duration = Duration::from_secs(10);

fn write(path: &std::path::Path) {
    let mut zip = zip::ZipWriter::new(std::fs::File::create(path).unwrap());
    zip.start_file("bill.csv", SimpleFileOptions::default())
        .unwrap();
    let mut zip = std::io::BufWriter::new(zip);
    let gbk = |text: &str| encoding_rs::GBK.encode(text).0.into_owned();
    zip.write_all(&gbk(
        "#支付宝业务明细查询\r\n#账号：[20880000000000010156]\r\n",
    ))
    .unwrap();
    zip.write_all(&gbk("支付宝交易号,商户订单号,业务类型,商品名称,完成时间,订单金额（元）,商家实收（元）,退款批次号/请求号,服务费（元）\r\n")).unwrap();
    let (kind, goods) = (gbk("交易"), gbk("中文商品"));
    for n in 0..LINES {
        write!(zip, "2026112922001400020{n:09}\t,ORDER{n:09}\t,").unwrap();
        zip.write_all(&kind).unwrap();
        zip.write_all(b",").unwrap();
        zip.write_all(&goods).unwrap();
        zip.write_all(b",2026-11-29 10:00:00,19.99,19.99,,-0.12\r\n")
            .unwrap();
    }
    let end = format!(
        "#----业务明细列表结束----\r\n#交易合计：{LINES}笔，商家实收共{}.00元\r\n#退款合计：0笔，商家实收退款共0.00元\r\n",
        u64::from(LINES) * 1999 / 100
    );
    zip.write_all(&gbk(&end)).unwrap();
    zip.into_inner().unwrap().finish().unwrap();
}

fn resident_most_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmHWM:"))
        .unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[test]
#[ignore = "measures: run it alone and optimised, `cargo test --release --test channels -- --ignored a_million`"]
fn a_million_lines_are_read_in_seconds_and_little_memory() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bill.zip");
    write(&path);
    let channel = opened(configured()).unwrap();
    let started = Instant::now();
    let mut seen: u64 = 0;
    let totals = channel.read_bill(&path, &mut |_| {
        seen += 1;
        Ok(())
    });
    let took = started.elapsed();
    let expected = BillTotals {
        charges: u64::from(LINES),
        charged: i64::from(LINES) * 1999,
        ..BillTotals::default()
    };
    assert_eq!((seen, totals.unwrap()), (u64::from(LINES), expected));
    let most = resident_most_kib();
    println!("{LINES} lines in {took:?}, {most} KiB at most");
    assert!(took < TIME_MAX, "{took:?}");
    assert!(most < RESIDENT_KIB_MAX, "{most} KiB");
}
