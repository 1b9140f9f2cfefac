//! Bills that are damaged, and one that is very long.

use super::bills::{BILL, Desk, SUCCESS_HEAD, SUMMARY};
use crate::doubles::wechat::gzip;
use crate::support::is_read_in_little;
use std::io::Write as _;

/// Of the long one.
const LINES: u32 = 1_000_000;

/// What is changed once in the bill, to what, and the line and the words that it is refused with.
const FAULTS: [(&str, &str, u64, &str); 11] = [
    ("`4,`188.88", "`5,`188.88", 7, "总交易单数"),
    ("`50.00,`0.00,`0.83", "`50.01,`0.00,`0.83", 7, "退款总金额"),
    ("`0.83000", "`0.83001", 7, "手续费总金额"),
    ("手续费总金额", "总手续费", 7, "手续费总金额 is missing"),
    ("总交易单数", "总交易单数目", 7, "总交易单数 is missing"),
    (",货币种类", ",币种", 1, "货币种类 is missing"),
    ("微信退款单号", "微信订单号", 1, "twice"),
    ("`NATIVE", "`NATIVE,`x", 2, "28 cells, and the head 27"),
    ("`NATIVE,", "", 2, "26 cells"),
    ("`SUCCESS", "`DONE", 2, "交易状态"),
    ("2026-11-29 09:00:30", "yesterday", 2, "time"),
];

#[tokio::test]
async fn a_bill_whose_lines_and_sums_do_not_agree_counts_for_nothing() {
    let desk = Desk::open().await;
    for (from, to, line, why) in FAULTS {
        let text = BILL.replacen(from, to, 1);
        assert_ne!(text, BILL, "{from} is in it");
        let (at, problem) = desk.unreadable(text.as_bytes());
        assert!(problem.contains(why), "{problem}, and not {why}");
        assert_eq!(at, line, "{problem}");
    }
    for amount in ["1e2", "88.888888", "+1", "八", ""] {
        let text = BILL.replacen("`0.60%,`88.88", &format!("`0.60%,`{amount}"), 1);
        let (at, problem) = desk.unreadable(text.as_bytes());
        assert_eq!((at, problem.as_str()), (2, "an amount is none"));
    }
    let mut wrong = BILL.as_bytes().to_vec();
    let at = wrong.windows(10).position(|it| it == b"Test order");
    wrong[at.unwrap()] = 0xff;
    assert_eq!(desk.unreadable(&wrong), (2, "it is not UTF-8".to_owned()));
}

#[tokio::test]
async fn a_bill_that_is_cut_off_damaged_or_none_counts_for_nothing() {
    let desk = Desk::open().await;
    let lines: Vec<&str> = BILL.lines().collect();
    let up_to = |n: usize| (lines[..n].join("\r\n") + "\r\n").into_bytes();
    let packed = gzip(BILL.as_bytes());
    let half = packed.len() / 2;
    let mut damaged = packed.clone();
    damaged[half] ^= 0xff;
    let in_its_last_word = BILL.as_bytes()[..BILL.len() - 4].to_vec();
    let more = [up_to(7), b"`more\r\n".to_vec()].concat();
    for (bytes, why) in [
        (
            up_to(1),
            "line 2: it ends without its summary: it is cut off",
        ),
        (
            up_to(5),
            "line 6: it ends without its summary: it is cut off",
        ),
        (up_to(6), "line 6: the summary is cut off"),
        (in_its_last_word, "which is not the sum"),
        (more, "line 8: it goes on after its summary"),
        (packed[..half].to_vec(), "damaged or cut off"),
        (damaged, "damaged or cut off"),
        (
            b"<xml><return_code>FAIL</return_code></xml>".to_vec(),
            "line 1: the column 交易时间 is missing",
        ),
        (
            b"{\"code\":\"STATEMENT_CREATING\"}".to_vec(),
            "line 1: the column 交易时间 is missing",
        ),
        (b"PK\x03\x04rest".to_vec(), "line 0: it is a zip"),
        (vec![b'x'; 100_000], "line 1: it is too long"),
        (Vec::new(), "line 1: it is empty"),
    ] {
        let (at, problem) = desk.unreadable(&bytes);
        let told = format!("line {at}: {problem}");
        assert!(told.contains(why), "{told}, and not {why}");
    }
}

#[tokio::test]
#[ignore = "measures, alone and optimised: `.ci/run bills`"]
async fn a_million_lines_are_read_in_seconds_and_in_little_memory() {
    let desk = Desk::open().await;
    let file = std::fs::File::create(desk.file()).unwrap();
    let mut out = flate2::write::GzEncoder::new(file, flate2::Compression::fast());
    writeln!(out, "{SUCCESS_HEAD}").unwrap();
    for n in 0..LINES {
        writeln!(out, "`2026-11-29 09:00:30,`wx0000000000000001,`1900000001,`0,`,`42000000002026{n:014},`ORDER{n:010},`oTEST_openid_0000000000000001,`NATIVE,`SUCCESS,`OTHERS,`CNY,`1.00,`0.00,`月卡,`,`0.01000,`0.60%,`1.00,`").unwrap();
    }
    write!(
        out,
        "{SUMMARY}\n`1000000,`1000000.00,`0.00,`0.00,`10000.00000,`1000000.00,`0.00\n"
    )
    .unwrap();
    out.finish().unwrap();

    is_read_in_little(&*desk.stage.channel, &desk.file(), LINES, 100);
}
