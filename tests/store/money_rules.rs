//! What the database itself holds of the money, with both journals.

use crate::money::refund_of;
use crate::stage::{create, order, paid_by, play, to};
use entities::{audit_log, balances, ledger_entries, refunds};
use oncepay::domain::order::{OrderStatus, Posting, RefundStatus};
use oncepay::domain::{EventId, UnixMillis};
use oncepay::store::journal::{AccountWrite, AuditRecord, DailyLimit, EntryRecord};
use oncepay::store::{Committed, Conflict, Urgency, Write};
use sea_orm::{EntityTrait, QueryOrder};

fn granting(write: &mut Write, kind: &str, quantity: i64, source: &str) {
    write.subscription_period_ms = 1_000;
    write.postings.push(Posting {
        account: "ann".into(),
        kind: kind.into(),
        quantity,
        source: source.into(),
        held: None,
    });
}

fn debit(no: &str, expected_version: i64, quantity: i64) -> AccountWrite {
    AccountWrite {
        decision_id: EventId(oncepay::clock::new_id("evt")),
        account: "ann".into(),
        kind: "credits".into(),
        expected_version: Some(expected_version),
        quantity: -quantity,
        held: 0,
        entry: Some(EntryRecord {
            entry_id: oncepay::clock::new_id("ent"),
            source: format!("debit:{no}"),
            note: None,
        }),
        hold: None,
        at: UnixMillis(5_000),
    }
}

#[test]
fn refunds_never_exceed_what_their_trade_paid_whoever_writes_them() {
    play(|stage| async move {
        let paid = stage.done(create(order("A-1"))).await;
        let paid = stage.done(paid_by(&paid, "T0")).await;
        let refund = |no: u8, amount: i64, status| {
            let mut write = to(&paid, OrderStatus::Refunding);
            write.refunds = vec![refund_of(&write, no, amount, status)];
            write.refunds[0].trade_no = "T0".into();
            write
        };
        let most = refund(0, 1_500, RefundStatus::Processing);
        let order = stage.done(most.clone()).await;
        let mut second = refund(1, 500, RefundStatus::Processing);
        second.expected_version = Some(order.version);
        second.order.version = order.version + 1;
        second.order.event_seq = order.event_seq + 1;
        let refused = stage.commit(second.clone()).await;
        assert_eq!(refused, Ok(Committed::Conflict(Conflict::RefundCap)));
        second.refunds[0].money.amount = 499;
        assert_eq!(stage.commit(second).await, Ok(Committed::Done));
        let rows = refunds::Entity::find()
            .all(&stage.database.read)
            .await
            .unwrap();
        assert_eq!(rows.iter().map(|row| row.amount).sum::<i64>(), 1_999);
    });
}

#[test]
fn subscriptions_that_are_granted_at_once_follow_each_other() {
    play(|stage| async move {
        let first = stage.done(create(order("A-1"))).await;
        let second = stage.done(create(order("A-2"))).await;
        let mut grants = [
            to(&first, OrderStatus::Paid),
            to(&second, OrderStatus::Paid),
        ];
        for (n, write) in grants.iter_mut().enumerate() {
            granting(write, "subscription", 2, &format!("order:A-{n}"));
        }
        for answer in stage.together(grants.to_vec()).await {
            assert_eq!(answer, Ok(Committed::Done));
        }
        let periods: Vec<_> = ledger_entries::Entity::find()
            .order_by_asc(ledger_entries::Column::PeriodFrom)
            .all(&stage.database.read)
            .await
            .unwrap()
            .into_iter()
            .map(|row| (row.period_from.unwrap(), row.period_until.unwrap()))
            .collect();
        assert_eq!(periods.len(), 2);
        assert_eq!(periods[0].1 - periods[0].0, 2_000);
        assert_eq!(periods[0].1, periods[1].0, "one ends where the next begins");
        assert_eq!(periods[1].1 - periods[1].0, 2_000);
    });
}

#[test]
fn an_account_moves_once_for_one_source_and_one_version() {
    play(|stage| async move {
        let order = stage.done(create(order("A-1"))).await;
        let mut grant = to(&order, OrderStatus::Paid);
        granting(&mut grant, "credits", 100, "order:A-1");
        let order = stage.done(grant).await;
        let (one, other) = (debit("d-1", 1, 60), debit("d-2", 1, 60));
        let (one, other) = tokio::join!(
            stage.journal.commit_account(&one),
            stage.journal.commit_account(&other)
        );
        assert_eq!((one, other), (Ok(Committed::Done), Ok(Committed::Stale)));
        let again = stage.journal.commit_account(&debit("d-1", 2, 10)).await;
        assert_eq!(again, Ok(Committed::Stale));
        let mut again = to(&order, OrderStatus::Paid);
        granting(&mut again, "credits", 100, "order:A-1");
        let again = stage.journal.commit(again, Urgency::Assured).await;
        assert_eq!(again, Ok(Committed::Conflict(Conflict::LedgerSource)));
        let mut revoked = to(&order, OrderStatus::Refunded);
        granting(&mut revoked, "credits", -100, "refund:A-1:r-1");
        stage.done(revoked).await;
        let row = balances::Entity::find()
            .one(&stage.database.read)
            .await
            .unwrap();
        let row = row.unwrap();
        assert_eq!((row.balance, row.version), (-60, 3));
        assert!(row.negative_since.is_some());
    });
}

#[test]
fn the_orders_of_an_account_stay_within_its_day() {
    play(|stage| async move {
        let creates = (0..20).map(|n| {
            let mut order = order(&format!("A-{n}"));
            order.account = Some("ann".into());
            let mut write = create(order);
            write.daily_limit = Some(DailyLimit {
                amount: 1_999 * 3,
                since: UnixMillis(0),
            });
            write
        });
        let answers = stage.together(creates.collect()).await;
        let passed = answers
            .iter()
            .filter(|answer| **answer == Ok(Committed::Done));
        assert_eq!(passed.count(), 3);
        let refused = answers
            .iter()
            .filter(|answer| **answer == Ok(Committed::DailyLimit));
        assert_eq!(refused.count(), 17);
    });
}

#[test]
fn the_audit_log_has_no_gap_where_a_decision_came_too_late() {
    play(|stage| async move {
        let order = stage.done(create(order("A-1"))).await;
        let audited = |n: usize| {
            let mut write = to(&order, OrderStatus::Manual);
            write.audit = Some(AuditRecord {
                actor: "operator:ann".into(),
                action: "review",
                subject: "A-1".into(),
                detail: format!("{n}"),
            });
            write
        };
        let answers = stage.together((0..5).map(audited).collect()).await;
        let done = answers
            .iter()
            .filter(|answer| **answer == Ok(Committed::Done));
        assert_eq!(done.count(), 1);
        let other = stage.done(create(crate::stage::order("A-2"))).await;
        let mut write = to(&other, OrderStatus::Manual);
        write.audit = audited(9).audit;
        stage.done(write).await;
        let rows = audit_log::Entity::find()
            .order_by_asc(audit_log::Column::Seq)
            .all(&stage.database.read)
            .await
            .unwrap();
        assert_eq!(rows.iter().map(|row| row.seq).collect::<Vec<_>>(), [1, 2]);
        assert_ne!(rows[0].mac, rows[1].mac);
    });
}
