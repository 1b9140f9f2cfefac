//! Full queues, locked databases, lost epochs, lost answers.

use crate::stage::{Stage, create, order, paid_by, play, postgres, to};
use oncepay::domain::UnixMillis;
use oncepay::domain::order::OrderStatus;
use oncepay::store::journal::JournalKind;
use oncepay::store::{Committed, JournalError, Urgency};
use sea_orm::{ConnectionTrait, DatabaseConnection, DbBackend};

/// Another process that keeps the journal from writing.
struct Rival(DatabaseConnection);

impl Rival {
    async fn lock(stage: &Stage) -> Self {
        let rival = sea_orm::Database::connect(&stage.settings.url)
            .await
            .unwrap();
        let lock = if rival.get_database_backend() == DbBackend::Sqlite {
            "BEGIN IMMEDIATE"
        } else {
            "BEGIN; LOCK TABLE orders IN ACCESS EXCLUSIVE MODE"
        };
        rival.execute_unprepared(lock).await.unwrap();
        Self(rival)
    }

    async fn let_go(self) {
        self.0.execute_unprepared("COMMIT").await.unwrap();
        self.0.close().await.unwrap();
    }
}

#[test]
fn a_locked_database_refuses_creates_and_keeps_replies() {
    play(|stage| async move {
        let order_a = stage.done(create(order("A-1"))).await;
        let rival = Rival::lock(&stage).await;
        let journal = stage.journal.clone();
        let reply = paid_by(&order_a, "T1");
        let reply = tokio::spawn(async move { journal.commit(reply, Urgency::Assured).await });
        let refused = stage
            .journal
            .commit(create(order("A-2")), Urgency::Refusable)
            .await;
        assert!(
            matches!(refused, Err(JournalError::Unavailable(_))),
            "{refused:?}"
        );
        assert!(stage.journal.health().oldest_wait_ms > 2_000);
        rival.let_go().await;
        assert_eq!(reply.await.unwrap(), Ok(Committed::Done));
        assert_eq!(stage.number("SELECT count(*) FROM orders").await, 1);
        stage.waits_no_more().await;
    });
}

#[test]
fn a_full_queue_refuses_creates_and_takes_replies() {
    play(|stage| async move {
        if stage.kind == JournalKind::Naive {
            return; // the queue is the same one, and a write each for 7,400 takes long
        }
        let order_a = stage.done(create(order("A-1"))).await;
        let rival = Rival::lock(&stage).await;
        let mut waiting = Vec::new();
        for n in 0..7_400 {
            let journal = stage.journal.clone();
            let create = create(order(&format!("B-{n}")));
            waiting.push(tokio::spawn(async move {
                journal.commit(create, Urgency::Assured).await
            }));
        }
        while stage.journal.health().queued < 7_400 {
            tokio::task::yield_now().await;
        }
        let refused = stage
            .journal
            .commit(create(order("A-2")), Urgency::Refusable)
            .await;
        assert_eq!(refused, Err(JournalError::Full));
        let journal = stage.journal.clone();
        let reply = paid_by(&order_a, "T1");
        let reply = tokio::spawn(async move { journal.commit(reply, Urgency::Assured).await });
        tokio::task::yield_now().await;
        rival.let_go().await;
        assert_eq!(reply.await.unwrap(), Ok(Committed::Done));
        for write in waiting {
            assert_eq!(write.await.unwrap(), Ok(Committed::Done));
        }
        assert_eq!(stage.number("SELECT count(*) FROM orders").await, 7_401);
    });
}

#[test]
fn who_has_lost_the_epoch_writes_nothing_more() {
    play(|stage| async move {
        let order_a = stage.done(create(order("A-1"))).await;
        let next = stage.database.next_epoch(UnixMillis(2)).await.unwrap();
        assert_eq!(next, stage.epoch + 1);
        let answers = stage
            .together(vec![
                to(&order_a, OrderStatus::Unknown),
                create(order("A-2")),
            ])
            .await;
        assert_eq!(
            answers,
            [Err(JournalError::EpochLost), Err(JournalError::EpochLost)]
        );
        assert_eq!(stage.journal.ends().await, JournalError::EpochLost);
        let after = stage.commit(create(order("A-3"))).await;
        assert_eq!(after, Err(JournalError::EpochLost));
        assert_eq!(stage.number("SELECT count(*) FROM orders").await, 1);
        assert_eq!(stage.read(&order_a).await, order_a);
    });
}

#[test]
fn a_decision_that_stands_is_not_made_twice() {
    play(|stage| async move {
        let first = create(order("A-1"));
        let order = stage.done(first.clone()).await;
        let paid = paid_by(&order, "T1");
        stage.done(paid.clone()).await;
        // Its answer was lost with the connection, and it comes again.
        assert_eq!(stage.commit(first).await, Ok(Committed::Done));
        assert_eq!(stage.commit(paid).await, Ok(Committed::Done));
        assert_eq!(stage.number("SELECT count(*) FROM order_events").await, 2);
        assert_eq!(stage.number("SELECT count(*) FROM payments").await, 1);
    });
}

#[test]
fn decisions_about_one_order_are_made_one_after_the_other() {
    play(|stage| async move {
        let first = create(order("A-1"));
        let mut chain = vec![first];
        for status in [
            OrderStatus::Unknown,
            OrderStatus::Pending,
            OrderStatus::Unknown,
            OrderStatus::Paid,
        ] {
            let next = to(&chain[chain.len() - 1].order, status);
            chain.push(next);
        }
        let last = chain[chain.len() - 1].order.clone();
        let answers = stage.together(chain).await;
        assert_eq!(answers, vec![Ok(Committed::Done); 5]);
        assert_eq!(stage.read(&last).await, last);
    });
}

#[test]
fn a_write_happens_though_its_caller_has_gone() {
    play(|stage| async move {
        let journal = stage.journal.clone();
        let write = create(order("A-1"));
        let caller = tokio::spawn(async move { journal.commit(write, Urgency::Assured).await });
        tokio::task::yield_now().await;
        caller.abort();
        stage.journal.close().await;
        assert_eq!(stage.number("SELECT count(*) FROM orders").await, 1);
        let late = stage.commit(create(order("A-2"))).await;
        assert_eq!(late, Err(JournalError::Stopped));
    });
}

#[test]
fn one_impossible_write_is_refused_alone() {
    play(|stage| async move {
        let mut impossible = order("A-2");
        impossible.subject = "x".repeat(129);
        let answers = stage
            .together(vec![
                create(order("A-1")),
                create(impossible),
                create(order("A-3")),
            ])
            .await;
        assert_eq!(answers[0], Ok(Committed::Done));
        assert!(
            matches!(answers[1], Err(JournalError::Refused(_))),
            "{answers:?}"
        );
        assert_eq!(answers[2], Ok(Committed::Done));
    });
}

#[test]
fn a_connection_that_is_killed_in_the_middle_of_a_write_loses_and_doubles_nothing() {
    let Some(_) = postgres() else {
        return; // SQLite has no connection to lose
    };
    play(|stage| async move {
        if stage.database.backend() != DbBackend::Postgres {
            return;
        }
        let order_a = stage.done(create(order("A-1"))).await;
        stage
            .execute(
                "CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS \
                 'BEGIN PERFORM pg_sleep(0.5); RETURN NEW; END'; \
                 CREATE TRIGGER slow BEFORE INSERT ON order_events FOR EACH ROW EXECUTE FUNCTION slow()",
            )
            .await;
        let journal = stage.journal.clone();
        let paid = paid_by(&order_a, "T1");
        let answer = tokio::spawn(async move { journal.commit(paid, Urgency::Assured).await });
        let killed = "SELECT count(*) FROM (SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
             WHERE datname = current_database() AND state = 'active' AND wait_event = 'PgSleep') AS k";
        while stage.number(killed).await == 0 {
            tokio::task::yield_now().await;
        }
        assert_eq!(answer.await.unwrap(), Ok(Committed::Done));
        assert_eq!(stage.number("SELECT count(*) FROM order_events").await, 2);
        assert_eq!(stage.number("SELECT count(*) FROM payments").await, 1);
    });
}
