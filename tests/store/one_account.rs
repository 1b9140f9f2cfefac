//! Many orders of one account in one batch.

use crate::ledger::{ACCOUNT, grants};
use crate::stage::{Stage, create, order, play};
use oncepay::store::journal::AuditRecord;
use oncepay::store::{Committed, Write, ledger};

/// As a person does it: a batch ends the chain of the audit log with one row at most.
fn by_a_person(mut write: Write) -> Write {
    write.audit = Some(AuditRecord {
        actor: "operator:ops".into(),
        action: "review",
        subject: write.order.order_id.0.clone(),
        detail: "{}".into(),
    });
    write
}

/// Quantity and balance of each entry, oldest first.
async fn entries(stage: &Stage) -> Vec<(i64, i64)> {
    let entries = ledger::entries(&stage.database.read, ACCOUNT, None, 100);
    let entries = entries.await.unwrap().into_iter().rev();
    entries
        .map(|stored| (stored.entry.quantity, stored.entry.balance_after))
        .collect()
}

#[test]
fn each_adds_to_what_the_one_before_has_left() {
    play(|stage| async move {
        let writes = (1..=20).map(|n| grants(&format!("o{n}"), n)).collect();

        let answers = stage.together(writes).await;

        assert_eq!(answers, vec![Ok(Committed::Done); 20]);
        let sums: Vec<_> = (1..=20).map(|n| (n, n * (n + 1) / 2)).collect();
        assert_eq!(entries(&stage).await, sums);
        let checked = ledger::check(&stage.database.read).await.unwrap();
        assert_eq!(checked.differences, []);
    });
}

#[test]
fn none_of_them_passes_one_that_has_to_wait() {
    play(|stage| async move {
        let first = by_a_person(create(order("o0")));
        let waits = by_a_person(grants("o1", 2));

        let answers = stage.together(vec![first, waits, grants("o2", 3)]).await;

        assert_eq!(answers, vec![Ok(Committed::Done); 3]);
        assert_eq!(entries(&stage).await, [(2, 2), (3, 5)]);
    });
}
