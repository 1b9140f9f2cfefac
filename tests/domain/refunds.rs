//! The table of refunds: every input in every standing of a refund, one cell each.
//!
//! Codes: `S` it succeeds, `F` it fails, `M` a person takes over, `U` unknown, `P` under way; `ev`, `ask`, `alert(k)`,
//! `dup`, `-` and `no(code)` as in the table of orders.

use crate::scene::Scene;
use crate::script::{play, sorted};
use oncepay::domain::order::RefundStatus;

const COLUMNS: [(&str, &str); 6] = [
    ("PROCESSING", ""),
    ("ACCEPTED", "refund reply r1 pending"),
    ("UNKNOWN", "refund reply r1 unknown"),
    ("MANUAL", "refund reply r1 balance"),
    ("SUCCEEDED", "refund reply r1 succeeded"),
    ("FAILED", "refund reply r1 failed"),
];

const TABLE: &str = include_str!("refunds.txt");

#[test]
fn every_input_in_every_standing_of_a_refund_does_what_its_cell_says() {
    let mut wrong = Vec::new();
    for (input, cells) in rows() {
        for ((column, way), cell) in COLUMNS.iter().zip(cells) {
            let mut scene = Scene::new();
            play(&mut scene, "submit");
            play(&mut scene, "reply 1 paid T1");
            play(&mut scene, "merchant refunds r1 500");
            if !way.is_empty() {
                play(&mut scene, way);
            }
            let expected = spelled_out(cell, &scene);
            let came = play(&mut scene, input);
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
fn the_table_of_refunds_has_a_row_for_every_input() {
    let rows: Vec<&str> = rows().map(|(input, _)| input).collect();
    let calls = ["reply", "query"].iter().flat_map(|call| {
        let said = [
            "succeeded",
            "pending",
            "failed",
            "balance",
            "conflict",
            "unknown",
            "throttled",
            "not sent",
            "not found",
        ];
        said.map(|said| format!("refund {call} r1 {said}"))
    });
    let told = ["succeeded", "pending", "failed", "not found"];
    let told = told.map(|said| format!("refund told r1 {said}"));
    let reviews = ["SUCCEEDED", "FAILED", "RETRY"];
    let reviews = reviews.map(|decision| format!("refund review r1 {decision} by ann"));
    let others = ["timer", "recovered", "merchant refunds r1 500"].map(str::to_owned);
    for wanted in calls.chain(told).chain(reviews).chain(others) {
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

fn spelled_out(cell: &str, scene: &Scene) -> String {
    let mut order_status = scene.order.status.to_string();
    let was = scene.order.refund("r1").unwrap().status;
    let mut parts = Vec::new();
    for code in cell.split_whitespace() {
        let (name, of) = code
            .trim_end_matches(')')
            .split_once('(')
            .unwrap_or((code, ""));
        let (order, refund, more) = match name {
            "S" => ("PARTIALLY_REFUNDED", "SUCCEEDED", "refund.succeeded"),
            "F" => ("PAID", "FAILED", "refund.failed"),
            "M" => ("REFUNDING", "MANUAL", "alert refund_manual"),
            "U" => ("REFUNDING", "UNKNOWN", ""),
            "P" => ("REFUNDING", "PROCESSING", ""),
            "no" => return format!("refused {of}"),
            "ev" => continue,
            "ask" => {
                parts.push("query refund r1".to_owned());
                continue;
            }
            "alert" => {
                parts.push(format!("alert {of}"));
                continue;
            }
            "-" => {
                parts.push("nothing".to_owned());
                continue;
            }
            "dup" => {
                parts.push("dup".to_owned());
                continue;
            }
            other => panic!("`{other}` is no code"),
        };
        order_status = order.to_owned();
        parts.push(format!("r1 {refund}"));
        parts.extend(Some(more.to_owned()).filter(|more| !more.is_empty()));
        if was == RefundStatus::Manual {
            parts.push("resolves refund_manual".to_owned());
        }
    }
    parts.insert(0, order_status);
    sorted(&parts.join(" + "))
}
