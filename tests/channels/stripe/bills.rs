//! Bills: the balance transactions of a day, fetched in pages and read line by line.

use super::stage::{beside, channel_at, money};
use crate::doubles::stripe::{StripeDouble, Trick};
use oncepay::channels::Channel;
use oncepay::channels::bill::{
    BAD_ROWS_MAX, BadRow, BillCall, BillDay, BillFault, BillKind, BillLine, BillStatus, BillTotals,
};
use oncepay::clock::SystemClock;
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;
use time::macros::date;

const VECTOR: &str = include_str!("../vectors/stripe/balance_transactions.json");
/// The day of the vector, and the Unix second at which it begins.
const DAY: time::Date = date!(2026 - 11 - 29);
const FROM: i64 = 1_795_910_400;

fn call(into: &Path, date: time::Date) -> BillCall<'_> {
    BillCall {
        day: BillDay { date },
        into,
        timeout: Duration::from_secs(20),
    }
}

pub(super) fn read(
    channel: &dyn Channel,
    file: &Path,
) -> Result<(Vec<BillLine>, BillTotals), BillFault> {
    let mut lines = Vec::new();
    let totals = channel.read_bill(file, &mut |line| {
        lines.push(line);
        Ok(())
    })?;
    Ok((lines, totals))
}

/// What the double has is fetched and read.
async fn bill_of(
    double: &StripeDouble,
    transactions: Vec<Value>,
) -> Result<(Vec<BillLine>, BillTotals), BillFault> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("bill");
    double.set_transactions(transactions);
    let channel = beside(double);
    channel.fetch_bill(call(&file, DAY)).await?;
    read(channel.as_ref(), &file)
}

fn transactions_of_the_vector() -> Vec<Value> {
    let vector: Value = serde_json::from_str(VECTOR).unwrap();
    let pages = vector["pages"].as_array().unwrap();
    let of = |page: &Value| page["data"].as_array().unwrap().clone();
    pages.iter().flat_map(of).collect()
}

fn transaction(kind: &str, source: &Value) -> Value {
    json!({"id": "txn_1", "object": "balance_transaction", "type": kind, "amount": 1999, "fee": 88,
        "net": 1911, "currency": "usd", "exchange_rate": null, "created": FROM, "source": source})
}

fn charge() -> Value {
    json!({"id": "ch_1", "object": "charge", "amount": 1999, "amount_captured": 1999, "currency": "usd",
        "payment_intent": "pi_1", "metadata": {"out_trade_no": "o-1"},
        "billing_details": {"name": "Ann Lee", "email": "ann@example.com"}})
}

#[tokio::test]
async fn the_bill_of_a_day_has_its_charges_refunds_and_the_rest() {
    let double = StripeDouble::start();
    let (lines, totals) = bill_of(&double, transactions_of_the_vector())
        .await
        .unwrap();
    let expected = BillTotals {
        charges: 2,
        refunds: 1,
        charged: 18_888,
        refunded: 2_000,
        others: 1,
        bad: Vec::new(),
    };
    assert_eq!(totals, expected);
    let refund = &lines[0];
    assert_eq!(
        (refund.kind, refund.status),
        (BillKind::Refund, BillStatus::Succeeded)
    );
    assert_eq!(refund.refund_no.as_deref(), Some("RF20261129000201"));
    assert_eq!(
        (&*refund.trade_no, refund.money),
        ("pi_TEST1", money(2_000, "USD"))
    );
    let charge = &lines[2];
    assert_eq!(charge.order_no.as_deref(), Some("ORDER20261129000201"));
    assert_eq!(
        (&*charge.trade_no, charge.money),
        ("pi_TEST1", money(8_888, "USD"))
    );
    assert_eq!((charge.fee, charge.refund_no.as_deref()), (Some(288), None));
    assert_eq!(charge.completed_at.map(|at| at.0), Some(1_795_942_800_000));
}

#[tokio::test]
async fn a_long_day_comes_in_pages_and_only_the_day_counts() {
    let double = StripeDouble::start();
    let mut all = Vec::new();
    for n in 0..450 {
        let mut one = transaction("charge", &charge());
        one["id"] = json!(format!("txn_{n}"));
        // The last second of the day before, and the first of the day after.
        one["created"] = json!(FROM - 1 + i64::from(n % 2) * 86_401);
        all.push(one.clone());
        one["id"] = json!(format!("txn_in_{n}"));
        one["created"] = json!(FROM + i64::from(n % 2) * 86_399);
        all.push(one);
    }
    let (lines, totals) = bill_of(&double, all).await.unwrap();
    assert_eq!((lines.len(), totals.charged), (450, 450 * 1999));
    assert_eq!(double.gets("/v1/balance_transactions"), 5);
}

#[tokio::test]
async fn pages_that_are_too_large_are_asked_for_in_smaller_ones() {
    let double = StripeDouble::start();
    let mut all = Vec::new();
    for n in 0..120 {
        let mut one = transaction("charge", &charge());
        one["id"] = json!(format!("txn_{n}"));
        one["source"]["receipt"] = json!("x".repeat(30_000));
        all.push(one);
    }
    let (lines, _) = bill_of(&double, all).await.unwrap();
    assert_eq!(lines.len(), 120);
}

#[tokio::test]
async fn what_the_payer_paid_is_compared_and_not_what_was_exchanged() {
    let double = StripeDouble::start();
    let mut euros = transaction("payment", &charge());
    euros["currency"] = json!("eur");
    euros["exchange_rate"] = json!(0.912_345);
    euros["source"]["amount"] = json!(50_000);
    euros["source"]["amount_captured"] = json!(null);
    euros["source"]["currency"] = json!("isk");
    let (lines, _) = bill_of(&double, vec![euros.clone()]).await.unwrap();
    assert_eq!((lines[0].money, lines[0].fee), (money(500, "ISK"), None));
    euros["source"]["amount"] = json!(null);
    let (lines, totals) = bill_of(&double, vec![euros]).await.unwrap();
    let bad = &totals.bad[0];
    assert_eq!((lines.len(), totals.charges, bad.line), (0, 0, 2));
    assert!(bad.problem.starts_with("exchanged"), "{bad:?}");
}

#[tokio::test]
async fn every_type_has_its_meaning() {
    let double = StripeDouble::start();
    let refund = |status: &str| {
        json!({"id": "re_1", "object": "refund", "amount": 500, "currency": "usd", "status": status,
            "payment_intent": "pi_1", "metadata": {}})
    };
    use BillKind::{Charge, Refund};
    use BillStatus::{Failed, Pending, Succeeded};
    for (kind, source, meaning) in [
        ("charge", charge(), Some((Charge, Succeeded))),
        ("payment", charge(), Some((Charge, Succeeded))),
        ("payment_failure_refund", charge(), Some((Charge, Failed))),
        ("refund", refund("succeeded"), Some((Refund, Succeeded))),
        ("payment_refund", refund("pending"), Some((Refund, Pending))),
        ("refund", refund("failed"), Some((Refund, Failed))),
        ("refund_failure", refund("failed"), Some((Refund, Failed))),
        (
            "adjustment",
            json!({"id": "du_1", "object": "dispute"}),
            None,
        ),
        ("stripe_fee", json!(null), None),
        ("payout", json!("po_1"), None),
        ("something_new", json!({"id": "x_1"}), None),
    ] {
        let (lines, totals) = bill_of(&double, vec![transaction(kind, &source)])
            .await
            .unwrap();
        let line = lines.first().map(|line| (line.kind, line.status));
        assert_eq!(line, meaning, "{kind}");
        assert_eq!(totals.others, u64::from(meaning.is_none()), "{kind}");
        if let Some((Refund, _)) = meaning {
            // It began at Stripe: it is named as its events name it.
            assert_eq!(lines[0].refund_no.as_deref(), Some("re_1"));
            assert_eq!((&*lines[0].trade_no, &lines[0].order_no), ("pi_1", &None));
        }
    }
}

#[tokio::test]
async fn a_row_of_ours_that_does_not_make_sense_is_told_and_voids_no_other() {
    let double = StripeDouble::start();
    let with = |name: &str, value: Value| {
        let mut one = transaction("charge", &charge());
        one[name] = value;
        one
    };
    let mut odd_money = transaction("charge", &charge());
    odd_money["source"]["currency"] = json!("ugx");
    // Nothing says whose it is: it may have been made in the Dashboard of an order of ours.
    let refund = json!({"id": "re_1", "status": "frozen", "payment_intent": "pi_1"});
    for (one, order_no, part) in [
        (
            with("net", json!(1999)),
            Some("o-1"),
            "amount, fee and net do not add up",
        ),
        (
            with("source", json!("ch_1")),
            None,
            "its source was not sent along",
        ),
        (
            with("source", json!(null)),
            None,
            "its source was not sent along",
        ),
        (
            odd_money,
            Some("o-1"),
            "an amount or currency that is none of ours",
        ),
        (
            transaction("refund", &refund),
            None,
            "a refund with a status that is not listed",
        ),
    ] {
        let fine = transaction("charge", &charge());
        let all = vec![fine.clone(), one, fine];
        let (lines, totals) = bill_of(&double, all).await.unwrap();
        assert_eq!((lines.len(), totals.charges, totals.others), (2, 2, 0));
        let bad = BadRow {
            line: 3,
            order_no: order_no.map(str::to_owned),
            problem: part.to_owned(),
        };
        assert_eq!(totals.bad, [bad]);
    }
    let bad = (0..=BAD_ROWS_MAX).map(|n| {
        let mut one = with("net", json!(1999));
        one["id"] = json!(format!("txn_{n}"));
        one
    });
    let fault = bill_of(&double, bad.collect()).await.unwrap_err();
    assert!(fault.to_string().contains("too many"), "{fault}");
}

#[tokio::test]
async fn a_charge_of_somebody_else_in_money_that_is_none_of_ours_is_passed_over() {
    let double = StripeDouble::start();
    let mut foreign = transaction("charge", &charge());
    foreign["source"]["currency"] = json!("ugx");
    foreign["source"]["metadata"] = json!({});
    let all = vec![transaction("charge", &charge()), foreign];
    let (lines, totals) = bill_of(&double, all).await.unwrap();
    assert_eq!((lines.len(), totals.others), (1, 1));
    assert!(totals.bad.is_empty(), "{totals:?}");
}

#[tokio::test]
async fn a_file_that_was_cut_or_changed_cannot_be_read() {
    let double = StripeDouble::start();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("bill");
    double.set_transactions(transactions_of_the_vector());
    let channel = beside(&double);
    channel.fetch_bill(call(&file, DAY)).await.unwrap();
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(read(channel.as_ref(), &file).is_ok());
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let without = |n: usize| [&lines[..n], &lines[n + 1..]].concat().concat();
    let changed: [(String, &str); 9] = [
        (String::new(), "line 1"),
        ("kind,trade_no\ncharge,T1\n".to_owned(), "line 1"),
        (text.trim_end().to_owned(), "line 6"),
        (lines[..5].concat(), "line 6"),
        (without(2), "line 5"),
        (without(0), "line 1"),
        (text.replace("RF2026", "RF2027"), "line 6"),
        (format!("{text}\n"), "line 6"),
        (text.replace("1795942800", "1795996800"), "another day"),
    ];
    for (changed, part) in changed {
        std::fs::write(&file, &changed).unwrap();
        let fault = read(channel.as_ref(), &file).unwrap_err();
        assert!(matches!(fault, BillFault::Unreadable { .. }), "{fault}");
        assert!(fault.to_string().contains(part), "{part}: {fault}");
    }
    std::fs::write(&file, text.replace("RF2026", "RF\u{0}")).unwrap();
    assert!(read(channel.as_ref(), &file).is_err());
    std::fs::write(&file, [text.as_bytes(), &[0xff]].concat()).unwrap();
    assert!(read(channel.as_ref(), &file).is_err());
}

#[tokio::test]
async fn the_file_names_no_payer() {
    let double = StripeDouble::start();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("bill");
    double.set_transactions(vec![transaction("charge", &charge())]);
    beside(&double).fetch_bill(call(&file, DAY)).await.unwrap();
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(
        text.contains("o-1") && !text.contains("Ann") && !text.contains("example"),
        "{text}"
    );
}

#[tokio::test]
async fn a_day_that_is_not_over_has_no_bill_yet_and_silence_is_told_apart() {
    let double = StripeDouble::start();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("bill");
    let channel = beside(&double);
    let now_s = SystemClock::start().wall().0 / 1000;
    let today = time::OffsetDateTime::from_unix_timestamp(now_s)
        .unwrap()
        .date();
    let fetched = channel.fetch_bill(call(&file, today)).await;
    assert!(
        matches!(fetched, Err(BillFault::NotReady(_))),
        "{fetched:?}"
    );
    let in_a_week = today + time::Duration::days(7);
    let fetched = channel.fetch_bill(call(&file, in_a_week)).await;
    assert!(
        matches!(fetched, Err(BillFault::NoSuchBill(_))),
        "{fetched:?}"
    );

    for trick in [
        Trick::DropBefore,
        Trick::error(401, "invalid_request_error", ""),
        Trick::error(429, "invalid_request_error", "rate_limit"),
        Trick::Answer {
            status: 200,
            body: r#"{"has_more":true,"data":[]}"#.to_owned(),
        },
        Trick::Answer {
            status: 200,
            body: "<html>".to_owned(),
        },
    ] {
        double.next("GET /v1/balance_transactions", trick.clone());
        let fetched = channel.fetch_bill(call(&file, DAY)).await;
        assert!(
            matches!(fetched, Err(BillFault::Unavailable(_))),
            "{trick:?}: {fetched:?}"
        );
        // What was written of it cannot be taken for a bill.
        assert!(read(channel.as_ref(), &file).is_err());
    }
    let nobody = channel_at("http://127.0.0.1:1");
    let fetched = nobody.fetch_bill(call(&file, DAY)).await;
    assert!(
        matches!(fetched, Err(BillFault::Unavailable(_))),
        "{fetched:?}"
    );
    // A day without transactions is an empty bill.
    let (lines, totals) = bill_of(&double, Vec::new()).await.unwrap();
    assert_eq!((lines.len(), totals), (0, BillTotals::default()));
}

#[tokio::test]
async fn whoever_reads_may_stop() {
    let double = StripeDouble::start();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("bill");
    double.set_transactions(transactions_of_the_vector());
    let channel = beside(&double);
    channel.fetch_bill(call(&file, DAY)).await.unwrap();
    let stopped = channel.read_bill(&file, &mut |_| Err(BillFault::Stopped("enough".to_owned())));
    assert!(matches!(stopped, Err(BillFault::Stopped(_))), "{stopped:?}");
}
