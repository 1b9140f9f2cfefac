//! A bill of a big merchant: a million lines, in little time and little memory.

use super::{configured, opened};
use crate::support::is_read_in_little;
use std::io::Write;
use zip::write::SimpleFileOptions;

const LINES: u32 = 1_000_000;

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

#[test]
#[ignore = "measures, alone and optimised: `.ci/run bills`"]
fn a_million_lines_are_read_in_seconds_and_little_memory() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bill.zip");
    write(&path);
    let channel = opened(configured()).unwrap();
    is_read_in_little(&*channel, &path, LINES, 1999);
}
