//! The audit log: what was written stands, and whatever else is found, with the row at which it begins.

use crate::stage::{Stage, play};
use oncepay::store::audit::{self, AuditKey, Head};
use oncepay::store::audit_check::{BreakKind, Verified, verify};
use oncepay::store::journal::AuditRecord;

fn record(n: i64) -> AuditRecord {
    AuditRecord {
        actor: "operator:ann".into(),
        action: "review",
        subject: format!("no-{n}"),
        detail: r#"{"decision":"PAID"}"#.into(),
    }
}

fn key() -> AuditKey {
    AuditKey::new([7; 32])
}

/// Writes so many rows, each beside a statement that changes a row.
async fn written(stage: &Stage, rows: i64) {
    let touch = || {
        let backend = stage.database.backend();
        sea_orm::Statement::from_string(backend, "UPDATE runtime SET started_at = started_at + 1")
    };
    for n in 1..=rows {
        let touched = stage.journal.run_audited(vec![touch()], &record(n)).await;
        assert_eq!(touched, Ok(vec![1]));
    }
}

async fn verified(stage: &Stage, known: Option<&Head>) -> Verified {
    verify(&stage.database.read, &key(), known).await.unwrap()
}

async fn head(stage: &Stage) -> Head {
    audit::head(&stage.database.read).await.unwrap()
}

/// The first row that is wrong, and how; `None` if it passes as whole.
async fn broken(stage: &Stage, known: Option<&Head>) -> Option<(i64, BreakKind)> {
    match verified(stage, known).await {
        Verified::Broken(broken) => Some((broken.seq, broken.kind)),
        Verified::Whole(_) => None,
    }
}

#[test]
fn what_was_written_is_whole_and_an_empty_log_too() {
    play(|stage| async move {
        assert_eq!(
            verified(&stage, None).await,
            Verified::Whole(Head::default())
        );
        assert_eq!(
            verified(&stage, Some(&Head::default())).await,
            Verified::Whole(Head::default())
        );
        written(&stage, 5).await;
        let head = head(&stage).await;
        assert_eq!(head.seq, 5);
        assert_eq!(verified(&stage, None).await, Verified::Whole(head.clone()));
        // A head that was kept stands when the log has grown.
        written(&stage, 2).await;
        let Verified::Whole(newer) = verified(&stage, Some(&head)).await else {
            panic!("it has only grown");
        };
        assert_eq!(newer.seq, 7);
        // What changed no row was not done.
        let backend = stage.database.backend();
        let nothing = "UPDATE runtime SET started_at = 0 WHERE id = 2";
        let nothing = sea_orm::Statement::from_string(backend, nothing);
        let touched = stage.journal.run_audited(vec![nothing], &record(8)).await;
        assert_eq!(touched, Ok(vec![0]));
        assert_eq!(verified(&stage, None).await, Verified::Whole(newer));
    });
}

#[test]
fn a_change_of_any_field_is_found_at_its_row() {
    for change in [
        "at = at + 1",
        "actor = 'operator:bob'",
        "action = 'refund'",
        "subject = 'no-9'",
        "detail = '{}'",
        "decision_id = 'evt_other'",
        // A piece of one field that is moved into the next leaves the same letters in the same order.
        "actor = 'operator:an', action = 'nreview'",
        "mac = 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'",
    ] {
        play(|stage| async move {
            written(&stage, 5).await;
            let sql = format!("UPDATE audit_log SET {change} WHERE seq = 3");
            stage.execute(&sql).await;
            assert_eq!(
                broken(&stage, None).await,
                Some((3, BreakKind::Altered)),
                "{change}"
            );
        });
    }
}

#[test]
fn a_row_that_is_taken_out_is_found_missing() {
    for gone in [1, 3] {
        play(|stage| async move {
            written(&stage, 5).await;
            stage
                .execute(&format!("DELETE FROM audit_log WHERE seq = {gone}"))
                .await;
            assert_eq!(broken(&stage, None).await, Some((gone, BreakKind::Missing)));
            // Closing the gap hides nothing.
            for n in gone + 1..=5 {
                let sql = format!("UPDATE audit_log SET seq = {} WHERE seq = {n}", n - 1);
                stage.execute(&sql).await;
            }
            assert_eq!(broken(&stage, None).await, Some((gone, BreakKind::Altered)));
        });
    }
}

#[test]
fn rows_that_change_places_are_found() {
    play(|stage| async move {
        written(&stage, 5).await;
        for (from, to) in [(2, 99), (3, 2), (99, 3)] {
            stage
                .execute(&format!(
                    "UPDATE audit_log SET seq = {to} WHERE seq = {from}"
                ))
                .await;
        }
        assert_eq!(broken(&stage, None).await, Some((2, BreakKind::Altered)));
    });
}

#[test]
fn a_tail_that_was_cut_is_found_by_the_head_that_was_kept() {
    play(|stage| async move {
        written(&stage, 5).await;
        let kept = head(&stage).await;
        stage.execute("DELETE FROM audit_log WHERE seq > 3").await;
        // The chain alone cannot tell: it ends earlier, and is whole.
        assert!(matches!(verified(&stage, None).await, Verified::Whole(_)));
        assert_eq!(broken(&stage, Some(&kept)).await, Some((4, BreakKind::Cut)));
        // The server goes on and fills the gap with other rows.
        written(&stage, 3).await;
        assert!(matches!(verified(&stage, None).await, Verified::Whole(_)));
        assert_eq!(
            broken(&stage, Some(&kept)).await,
            Some((5, BreakKind::NotTheHead))
        );
        stage.execute("DELETE FROM audit_log").await;
        assert_eq!(broken(&stage, Some(&kept)).await, Some((1, BreakKind::Cut)));
    });
}

#[test]
fn a_head_that_never_was_is_not_taken() {
    play(|stage| async move {
        written(&stage, 3).await;
        let mut never = head(&stage).await;
        never.mac = "ab".repeat(32);
        assert_eq!(
            broken(&stage, Some(&never)).await,
            Some((3, BreakKind::NotTheHead))
        );
        never.seq = 0;
        assert_eq!(
            broken(&stage, Some(&never)).await,
            Some((0, BreakKind::NotTheHead))
        );
    });
}

#[test]
fn a_row_that_was_written_without_the_key_is_found() {
    play(|stage| async move {
        written(&stage, 2).await;
        let forged = "ef".repeat(32);
        stage
            .execute(&format!(
                "INSERT INTO audit_log (seq, at, actor, action, subject, detail, decision_id, mac) \
                 VALUES (3, 1, 'operator:ann', 'review', 'no-3', '{{}}', 'evt_1', '{forged}')"
            ))
            .await;
        assert_eq!(broken(&stage, None).await, Some((3, BreakKind::Altered)));
        // Who has another key has no key.
        let other = AuditKey::new([8; 32]);
        let with_other = verify(&stage.database.read, &other, None).await.unwrap();
        assert!(matches!(with_other, Verified::Broken(broken) if broken.seq == 1));
    });
}

/// The code of a row, reckoned by the words of the documentation and not by the code that is tested.
fn code(before: &str, seq: i64) -> String {
    use hmac::{Hmac, KeyInit, Mac};
    let mut hmac = Hmac::<sha2::Sha256>::new_from_slice(&[7; 32]).unwrap();
    let seq = seq.to_string();
    for field in [
        before,
        &seq,
        "1",
        "operator:ann",
        "review",
        "no-1",
        "{}",
        "evt_1",
    ] {
        hmac.update(&u64::try_from(field.len()).unwrap().to_be_bytes());
        hmac.update(field.as_bytes());
    }
    hex::encode(hmac.finalize().into_bytes())
}

#[test]
fn a_log_of_many_pages_is_read_to_its_end() {
    play(|stage| async move {
        let mut before = "0".repeat(64);
        let mut rows = Vec::new();
        for seq in 1..=12_000 {
            before = code(&before, seq);
            rows.push(format!(
                "({seq}, 1, 'operator:ann', 'review', 'no-1', '{{}}', 'evt_1', '{before}')"
            ));
        }
        for some in rows.chunks(500) {
            stage
                .execute(&format!("INSERT INTO audit_log VALUES {}", some.join(", ")))
                .await;
        }
        let last = Head {
            seq: 12_000,
            mac: before,
        };
        assert_eq!(verified(&stage, None).await, Verified::Whole(last));
        stage
            .execute("DELETE FROM audit_log WHERE seq = 11999")
            .await;
        assert_eq!(
            broken(&stage, None).await,
            Some((11_999, BreakKind::Missing))
        );
    });
}
