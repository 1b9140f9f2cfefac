//! A bill of a big merchant: a million transactions, in little time and little memory.

use super::stage::channel_at;
use crate::support::is_read_in_little;
use ring::digest::{Context, SHA256};
use std::io::Write;
use std::path::Path;

const LINES: u32 = 1_000_000;
/// The Unix second at which the day begins.
const FROM: i64 = 1_795_910_400;

/// The file as it stands after a fetch.
fn write(path: &Path) {
    let mut file = std::io::BufWriter::new(std::fs::File::create(path).unwrap());
    let mut sum = Context::new(&SHA256);
    let mut line = |text: String| {
        sum.update(text.as_bytes());
        file.write_all(text.as_bytes()).unwrap();
    };
    let to = FROM + 86_400;
    line(format!(
        "{{\"bill\":\"stripe balance transactions\",\"from\":{FROM},\"to\":{to}}}\n"
    ));
    for n in 0..LINES {
        let created = FROM + i64::from(n % 86_400);
        line(format!(
            "{{\"id\":\"txn_{n}\",\"type\":\"charge\",\"amount\":1999,\"fee\":88,\"net\":1911,\"currency\":\"usd\",\
             \"exchange_rate\":null,\"created\":{created},\"source\":{{\"id\":\"ch_{n}\",\"object\":\"charge\",\
             \"amount\":1999,\"amount_captured\":1999,\"currency\":\"usd\",\"payment_intent\":\"pi_{n}\",\"charge\":null,\
             \"status\":\"succeeded\",\"metadata\":{{\"out_trade_no\":\"ORDER{n}\",\"out_refund_no\":null}}}}}}\n"
        ));
    }
    let sum = hex::encode(sum.finish());
    let end = format!("{{\"end\":{{\"lines\":{LINES},\"sha256\":\"{sum}\"}}}}\n");
    file.write_all(end.as_bytes()).unwrap();
    file.flush().unwrap();
}

#[test]
#[ignore = "measures, alone and optimised: `.ci/run bills`"]
fn a_million_transactions_are_read_in_seconds_and_little_memory() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bill");
    write(&path);
    let channel = channel_at("http://127.0.0.1:1");
    is_read_in_little(&*channel, &path, LINES, 1999);
}
