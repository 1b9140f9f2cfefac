//! One write that moves a balance twice: a notice that tells of two refunds.

use crate::stage::{create, order, play, to};
use oncepay::domain::order::{Held, Posting};
use oncepay::store::ledger;

const ACCOUNT: &str = "user-42";

/// What a refund takes, and what is held back for refunds before and after it.
fn taken(refund_no: &str, quantity: i64, (before, after): (i64, i64)) -> Posting {
    Posting {
        account: ACCOUNT.into(),
        kind: "subscription".into(),
        quantity,
        source: format!("refund:o1:{refund_no}"),
        held: Some(Held { before, after }),
    }
}

#[test]
fn two_refunds_of_one_notice_are_two_entries_and_the_balance_is_their_sum() {
    play(|stage| async move {
        let mut write = create(order("o1"));
        write.postings = vec![Posting {
            source: "order:o1".into(),
            ..taken("", 10, (0, 5))
        }];
        write.subscription_period_ms = 1_000;
        let created = stage.done(write).await;
        let mut write = to(&created, created.status);
        write.postings = vec![taken("r-1", -3, (5, 2)), taken("r-2", -2, (2, 0))];
        write.subscription_period_ms = 1_000;
        stage.done(write).await;

        let entries = ledger::entries(&stage.database.read, ACCOUNT, None, 9);
        let entries = entries.await.unwrap().into_iter();
        let entries: Vec<_> = entries
            .map(|stored| stored.entry)
            .map(|entry| (entry.quantity, entry.balance_after))
            .collect();
        assert_eq!(entries, [(-2, 5), (-3, 7), (10, 10)]);
        let balances = ledger::balances(&stage.database.read, ACCOUNT);
        let balance = balances.await.unwrap()[0].balance;
        assert_eq!((balance.balance, balance.held), (5, 0));
        let checked = ledger::check(&stage.database.read).await.unwrap();
        assert_eq!(checked.differences, []);
        let side_by_side = "SELECT COUNT(*) FROM ledger_entries a JOIN ledger_entries b \
             ON b.period_from = a.period_until AND b.period_until - a.period_from > 0 \
             WHERE a.quantity = -2 AND b.quantity = -3 AND a.period_from < a.period_until";
        assert_eq!(stage.number(side_by_side).await, 1);
        let at_the_end = "SELECT COUNT(*) FROM balances b JOIN ledger_entries e \
             ON e.period_from = b.valid_until WHERE e.quantity = -2";
        assert_eq!(stage.number(at_the_end).await, 1);
    });
}
