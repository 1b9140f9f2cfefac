//! The credit ledger in the tables: movements on a version, one for each source, and sums that are compared.

use crate::stage::{Stage, create, order, play};
use oncepay::clock::new_id;
use oncepay::domain::ledger::{Balance, HoldStatus, Request};
use oncepay::domain::order::Posting;
use oncepay::domain::{EventId, UnixMillis};
use oncepay::store::journal::{AccountWrite, EntryRecord, HoldRecord};
use oncepay::store::ledger::{self, Difference};
use oncepay::store::{Committed, JournalError, Write};

pub(crate) const ACCOUNT: &str = "user-42";

fn movement(expected_version: Option<i64>, quantity: i64, source: &str) -> AccountWrite {
    AccountWrite {
        decision_id: EventId(new_id("evt")),
        account: ACCOUNT.into(),
        kind: "credits".into(),
        expected_version,
        quantity,
        held: 0,
        entry: Some(EntryRecord {
            entry_id: oncepay::clock::new_id("ent"),
            source: source.into(),
            note: Some("a job".into()),
        }),
        hold: None,
        at: UnixMillis(5_000),
    }
}

fn hold(expected_version: Option<i64>, held: i64, record: HoldRecord) -> AccountWrite {
    AccountWrite {
        held,
        entry: None,
        hold: Some(record),
        ..movement(expected_version, 0, "")
    }
}

fn record(hold_no: &str, status: HoldStatus) -> HoldRecord {
    HoldRecord {
        hold_no: hold_no.into(),
        quantity: 30,
        captured: 0,
        status,
        expires_at: Some(UnixMillis(9_000)),
        created_at: UnixMillis(5_000),
    }
}

async fn committed(stage: &Stage, write: AccountWrite) -> Result<Committed, JournalError> {
    stage.journal.commit_account(&write).await
}

async fn done(stage: &Stage, write: AccountWrite) {
    assert_eq!(committed(stage, write).await, Ok(Committed::Done));
}

async fn balance(stage: &Stage) -> Balance {
    let balances = ledger::balances(&stage.database.read, ACCOUNT)
        .await
        .unwrap();
    balances[0].balance
}

/// An order that grants so many credits at once.
pub(crate) fn grants(order_no: &str, quantity: i64) -> Write {
    let mut write = create(order(order_no));
    write.postings = vec![Posting {
        account: ACCOUNT.into(),
        kind: "credits".into(),
        quantity,
        source: format!("order:{order_no}"),
        held: None,
    }];
    write
}

async fn granted(stage: &Stage, order_no: &str, quantity: i64) {
    stage.done(grants(order_no, quantity)).await;
}

#[test]
fn a_movement_holds_only_on_the_version_it_was_decided_on() {
    play(|stage| async move {
        granted(&stage, "o1", 100).await;
        let request = Request::Debit {
            debit_no: "d1".into(),
            kind: "credits".into(),
            quantity: 60,
            reason: None,
        };
        let before = ledger::found(&stage.database.read, ACCOUNT, &request)
            .await
            .unwrap();
        assert_eq!(before.version, Some(1));
        assert_eq!(before.found.balance.available(), 100);
        granted(&stage, "o2", 10).await;
        let stale = committed(&stage, movement(before.version, -60, "debit:d1"));
        assert_eq!(stale.await, Ok(Committed::Stale));
        let unborn = committed(&stage, movement(None, -60, "debit:d1"));
        assert_eq!(unborn.await, Ok(Committed::Stale));
        assert_eq!(balance(&stage).await.balance, 110);

        done(&stage, movement(Some(2), -60, "debit:d1")).await;
        let after = ledger::found(&stage.database.read, ACCOUNT, &request)
            .await
            .unwrap();
        assert_eq!((after.version, after.found.balance.balance), (Some(3), 50));
        let entry = after.found.entry.unwrap();
        assert_eq!((entry.quantity, entry.balance_after), (-60, 50));
        assert_eq!(
            (entry.source.as_str(), entry.at),
            ("debit:d1", UnixMillis(5_000))
        );
        let twice = committed(&stage, movement(Some(3), -60, "debit:d1"));
        assert_eq!(twice.await, Ok(Committed::Stale));
        assert_eq!(balance(&stage).await.balance, 50);
    });
}

#[test]
fn a_hold_moves_what_is_held_and_its_row_together() {
    play(|stage| async move {
        granted(&stage, "o1", 100).await;
        done(&stage, hold(Some(1), 30, record("h1", HoldStatus::Held))).await;
        done(&stage, hold(Some(2), 30, record("h2", HoldStatus::Held))).await;
        assert_eq!(
            balance(&stage).await,
            Balance {
                balance: 100,
                held: 60
            }
        );
        let release = Request::Release {
            hold_no: "h1".into(),
        };
        let standing = ledger::found(&stage.database.read, ACCOUNT, &release)
            .await
            .unwrap();
        assert_eq!(standing.version, Some(3));
        assert_eq!(standing.found.balance.held, 60);
        let held = standing.found.hold.unwrap();
        assert_eq!(
            (held.kind.as_str(), held.quantity, held.status),
            ("credits", 30, HoldStatus::Held)
        );

        done(
            &stage,
            hold(Some(3), -30, record("h1", HoldStatus::Released)),
        )
        .await;
        let captured = HoldRecord {
            captured: 20,
            ..record("h2", HoldStatus::Captured)
        };
        let capture = AccountWrite {
            held: -30,
            hold: Some(captured),
            ..movement(Some(4), -20, "hold:h2")
        };
        done(&stage, capture).await;
        assert_eq!(
            balance(&stage).await,
            Balance {
                balance: 80,
                held: 0
            }
        );
        let capture = Request::Capture {
            hold_no: "h2".into(),
            quantity: 20,
        };
        let ended = ledger::found(&stage.database.read, ACCOUNT, &capture)
            .await
            .unwrap();
        let ended = ended.found.hold.unwrap();
        assert_eq!((ended.captured, ended.status), (20, HoldStatus::Captured));
        let nothing = Request::Release {
            hold_no: "h3".into(),
        };
        let nothing = ledger::found(&stage.database.read, ACCOUNT, &nothing)
            .await
            .unwrap();
        assert_eq!((nothing.version, nothing.found.hold), (None, None));
        assert_eq!(
            ledger::check(&stage.database.read)
                .await
                .unwrap()
                .differences,
            []
        );
    });
}

#[test]
fn the_net_holds_what_no_decision_would_do() {
    play(|stage| async move {
        granted(&stage, "o1", 100).await;
        done(&stage, hold(Some(1), 30, record("h1", HoldStatus::Held))).await;
        let twice = hold(Some(2), -60, record("h1", HoldStatus::Released));
        assert!(committed(&stage, twice).await.is_err());
        assert_eq!(balance(&stage).await.held, 30);
    });
}

#[test]
fn holds_are_due_at_their_moment_and_those_of_orders_never() {
    play(|stage| async move {
        granted(&stage, "o1", 100).await;
        let late = HoldRecord {
            expires_at: Some(UnixMillis(20_000)),
            ..record("late", HoldStatus::Held)
        };
        let ordered = HoldRecord {
            expires_at: None,
            ..record("order:o1:credits", HoldStatus::Held)
        };
        let over = HoldRecord {
            expires_at: Some(UnixMillis(1_000)),
            ..record("over", HoldStatus::Released)
        };
        done(&stage, hold(Some(1), 30, late)).await;
        done(&stage, hold(Some(2), 30, record("soon", HoldStatus::Held))).await;
        done(&stage, hold(Some(3), 30, ordered)).await;
        done(&stage, hold(Some(4), 0, over)).await;
        let read = &stage.database.read;
        assert_eq!(
            ledger::next_expiry(read).await.unwrap(),
            Some(UnixMillis(9_000))
        );
        assert_eq!(
            ledger::due_holds(read, UnixMillis(8_999), 10)
                .await
                .unwrap(),
            []
        );
        let due = ledger::due_holds(read, UnixMillis(9_000), 10)
            .await
            .unwrap();
        let due: Vec<_> = due.iter().map(|hold| hold.hold_no.as_str()).collect();
        assert_eq!(due, ["soon"]);
        assert_eq!(
            ledger::due_holds(read, UnixMillis(i64::MAX), 10)
                .await
                .unwrap()
                .len(),
            2
        );
    });
}

#[test]
fn entries_come_newest_first_in_pages() {
    play(|stage| async move {
        for n in 0..7 {
            granted(&stage, &format!("o{n}"), 1 + n).await;
        }
        let mut seen = Vec::new();
        let mut after = None;
        loop {
            let page = ledger::entries(&stage.database.read, ACCOUNT, after, 3)
                .await
                .unwrap();
            after = page.last().map(|stored| stored.seq);
            if page.is_empty() {
                break;
            }
            seen.extend(
                page.into_iter()
                    .map(|stored| stored.entry)
                    .map(|entry| (entry.quantity, entry.balance_after)),
            );
        }
        assert_eq!(
            seen,
            [(7, 28), (6, 21), (5, 15), (4, 10), (3, 6), (2, 3), (1, 1)]
        );
        assert!(
            ledger::entries(&stage.database.read, "nobody", None, 3)
                .await
                .unwrap()
                .is_empty()
        );
    });
}

#[test]
fn a_check_finds_what_another_hand_has_changed_and_changes_nothing() {
    play(|stage| async move {
        granted(&stage, "o1", 100).await;
        done(&stage, hold(Some(1), 30, record("h1", HoldStatus::Held))).await;
        let right = ledger::check(&stage.database.read).await.unwrap();
        assert_eq!(
            (right.balances, right.entries, right.differences.len()),
            (1, 1, 0)
        );

        stage
            .execute("UPDATE balances SET balance = 101, held = 29")
            .await;
        let wrong = ledger::check(&stage.database.read).await.unwrap();
        let difference = Difference {
            account: ACCOUNT.into(),
            kind: "credits".into(),
            balance: 101,
            balance_of_entries: 100,
            held: 29,
            held_of_holds: 30,
        };
        assert_eq!(wrong.differences, [difference]);
        assert_eq!(ledger::check(&stage.database.read).await.unwrap(), wrong);

        stage.execute("DELETE FROM balances").await;
        let lost = ledger::check(&stage.database.read).await.unwrap();
        assert_eq!(lost.balances, 0);
        assert_eq!(lost.differences[0].balance_of_entries, 100);
        stage.execute("DELETE FROM ledger_entries").await;
        stage.execute("DELETE FROM holds").await;
        assert_eq!(
            ledger::check(&stage.database.read)
                .await
                .unwrap()
                .differences,
            []
        );
    });
}

#[test]
fn a_balance_below_zero_has_a_beginning_until_it_is_back() {
    play(|stage| async move {
        let read = &stage.database.read;
        done(&stage, movement(None, -50, "debit:d1")).await;
        let negative = ledger::negative_unknown(read, 10).await.unwrap();
        assert_eq!(negative.len(), 1);
        assert_eq!(
            (negative[0].balance, negative[0].since),
            (-50, UnixMillis(5_000))
        );
        let key = format!("balance_negative|{ACCOUNT}/credits|5000");
        stage
            .execute(&format!(
                "INSERT INTO alert_keys (key, at) VALUES ('{key}', 1)"
            ))
            .await;
        assert_eq!(ledger::negative_unknown(read, 10).await.unwrap(), []);
        let later = AccountWrite {
            at: UnixMillis(6_000),
            ..movement(Some(1), -1, "debit:d2")
        };
        done(&stage, later).await;
        assert_eq!(
            ledger::negative_unknown(read, 10).await.unwrap(),
            [],
            "the same episode"
        );
        granted(&stage, "o1", 51).await;
        let again = AccountWrite {
            at: UnixMillis(7_000),
            ..movement(Some(3), -1, "debit:d3")
        };
        done(&stage, again).await;
        let negative = ledger::negative_unknown(read, 10).await.unwrap();
        assert_eq!(negative[0].since, UnixMillis(7_000), "another episode");
    });
}
