//! The whole table: every input in every column, one cell each.
//!
//! Codes of the cells: `pay`, `gone`, `fail(r)`, `shut(r)`, `man(r)`, `swap(r)`, `unk(r)`, `pend`, `same(r)` (only the
//! reason moves), `ev` (an event), `ask`, `close`, `submit`, `alert(k)`, `dup`, `mark` (no event), `-` (nothing),
//! `no(code)`; `out(r)` a refund goes out, `back(t)` a review gives a trade back, `returned(r)` the channel has.

use crate::scene::Scene;
use crate::script::{play, sorted};
use oncepay::domain::order::{Order, OrderStatus};

/// How an order comes into each column.
const COLUMNS: [(&str, &[&str]); 8] = [
    ("UNPAID", &["given ask first", "submit"]),
    ("PROCESSING", &["submit"]),
    ("PENDING", &["submit", "reply 1 pending QR"]),
    ("UNKNOWN", &["submit", "tick 3 s", "reply 1 unknown"]),
    ("MANUAL a", &["submit", "reply 1 unexplained"]),
    ("MANUAL b", &["submit", "reply 1 paid T9 1 CNY"]),
    ("PAID", &["submit", "reply 1 paid T1"]),
    ("FAILED", &["submit", "reply 1 declined"]),
];

const TABLE: &str = include_str!("table.txt");

#[test]
fn every_input_in_every_column_does_what_its_cell_says() {
    let mut wrong = Vec::new();
    for (input, cells) in rows() {
        for ((column, way), cell) in COLUMNS.iter().zip(cells) {
            let mut scene = Scene::new();
            for line in *way {
                play(&mut scene, line);
            }
            let before = scene.order.clone();
            let came = play(&mut scene, input);
            let expected = spelled_out(cell, &before);
            if came != expected {
                wrong.push(format!(
                    "{input} | {column} | {cell}: expected {expected}, came {came}"
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn the_table_has_a_row_for_every_input() {
    let said = [
        "paid T1",
        "refunded T1",
        "some-back T1",
        "paid T2 1 CNY",
        "pending Q2",
        "pending Q2 1 CNY",
        "processing",
        "declined",
        "closed",
        "unexplained",
        "not found",
        "already paid",
        "cannot",
        "throttled",
        "not sent",
        "unknown",
    ];
    let sources = ["reply 1", "reply 0", "query", "close", "callback"];
    let others = [
        "repeat paid T1",
        "taken T7",
        "timer",
        "timed out 1",
        "deadline",
        "recovered",
        "actor failed",
        "merchant closes",
        "merchant asks",
        "review PAID T1 by ann",
        "review NOT_PAID by ann",
        "review RESUBMIT by ann",
        "review CLOSE by ann",
        "review REFUND by ann",
        "review REFUND T1 by ann",
        "refund told R1 succeeded 500",
        "refund told R1 pending",
        "refund told R1 balance",
        "refund reply r1 succeeded",
        "refund review r1 FAILED by ann",
        "merchant refunds r1 500",
        "operator ann refunds r1 500",
        "grant credits",
        "dispute D1 opened",
        "dispute D1 won",
        "dispute D1 lost",
        "dispute D1 ended",
        "callback hint paid P1",
        "callback hint over P1",
        "bill",
    ];
    let spoken = sources
        .iter()
        .flat_map(|source| said.map(|said| format!("{source} {said}")));
    let rows: Vec<&str> = rows().map(|(input, _)| input).collect();
    for wanted in spoken.chain(others.map(str::to_owned)) {
        assert!(rows.contains(&&*wanted), "no row for `{wanted}`");
    }
}

fn rows() -> impl Iterator<Item = (&'static str, Vec<&'static str>)> {
    let lines = TABLE
        .lines()
        .filter(|line| line.contains('|') && !line.starts_with('#'));
    lines.map(|line| {
        let mut cells = line.split('|').map(str::trim);
        let input = cells.next().unwrap();
        let cells: Vec<_> = cells.collect();
        assert_eq!(cells.len(), COLUMNS.len(), "in the row `{line}`");
        (input, cells)
    })
}

/// A cell in the words of a story.
fn spelled_out(cell: &str, before: &Order) -> String {
    let mut standing = match before.reason {
        Some(reason) => format!("{} {reason}", before.status),
        None => before.status.to_string(),
    };
    let mut parts = Vec::new();
    for code in cell.split_whitespace() {
        let (name, of) = code
            .trim_end_matches(')')
            .split_once('(')
            .unwrap_or((code, ""));
        let (status, more): (Option<String>, String) = match name {
            "pay" => (Some("PAID".into()), "order.paid".into()),
            "PAID" => (Some(format!("PAID {of}")), "order.paid".into()),
            "gone" => (
                Some("REFUNDED".into()),
                "alert external_refund + refund.succeeded + external-T1 SUCCEEDED".into(),
            ),
            "returned" => (
                Some("PARTIALLY_REFUNDED".into()),
                format!("alert external_refund + refund.succeeded + {of} SUCCEEDED"),
            ),
            "out" => (
                Some("REFUNDING".into()),
                format!("{of} PROCESSING + refund {of}"),
            ),
            "back" => (
                Some("REFUNDING review".into()),
                format!("review-{of} PROCESSING + refund review-{of}"),
            ),
            "done" => (None, "done credits + mark".into()),
            "fail" => (Some(format!("FAILED {of}")), "order.failed".into()),
            "shut" => (Some(format!("CLOSED {of}")), "order.closed".into()),
            "man" => (
                Some(format!("MANUAL {of}")),
                format!("order.manual + {}", alert_of(of)),
            ),
            "swap" => (
                Some(format!("MANUAL {of}")),
                format!("resolves + {}", alert_of(of)),
            ),
            "unk" | "same" => {
                let status = if name == "unk" {
                    OrderStatus::Unknown
                } else {
                    before.status
                };
                (
                    Some(format!("{status} {of}").trim().to_owned()),
                    String::new(),
                )
            }
            "pend" => (Some("PENDING".into()), String::new()),
            "PROCESSING" => (Some("PROCESSING".into()), String::new()),
            "ev" => (None, String::new()),
            "ask" => (None, "query".into()),
            "alert" => (None, format!("alert {of}")),
            "-" => (None, "nothing".into()),
            "no" => return format!("refused {of}"),
            "dup" | "mark" | "close" | "submit" => (None, name.to_owned()),
            other => panic!("`{other}` is no code"),
        };
        standing = status.unwrap_or(standing);
        parts.extend(Some(more).filter(|more| !more.is_empty()));
    }
    let leaves = before.status == OrderStatus::Manual && !standing.starts_with("MANUAL");
    parts.extend(leaves.then(|| "resolves".to_owned()));
    parts.insert(0, standing);
    sorted(&parts.join(" + "))
}

fn alert_of(reason: &str) -> String {
    let kind = match reason {
        "trade_no_conflict" | "late_success" | "channel_changed" => reason,
        _ if reason.ends_with("mismatch") => "payment_mismatch",
        _class_a => "order_manual",
    };
    format!("alert {kind}")
}
