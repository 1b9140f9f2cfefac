//! A file that is deleted, moved or replaced under the journal: nothing is written where nobody would find it again.

use crate::stage::{Stage, create, order, paid_by, play};
use oncepay::domain::order::Order;
use oncepay::store::{Committed, JournalError, Urgency};
use sea_orm::DbBackend;
use std::fs;
use std::path::PathBuf;
use tokio::task::{JoinHandle, yield_now};

/// The file of this stage; `None` where the database is a server's.
fn file(stage: &Stage) -> Option<PathBuf> {
    (stage.database.backend() == DbBackend::Sqlite)
        .then(|| PathBuf::from(stage.settings.url.strip_prefix("sqlite://").unwrap()))
}

/// A create that may be refused is; what it says is that nothing was written.
async fn refuses_a_create(stage: &Stage, order_no: &str) {
    let create = create(order(order_no));
    let refused = stage.journal.commit(create, Urgency::Refusable).await;
    assert!(
        matches!(refused, Err(JournalError::Unavailable(_))),
        "{refused:?}"
    );
}

fn reply(stage: &Stage, order: &Order) -> JoinHandle<Result<Committed, JournalError>> {
    let (journal, reply) = (stage.journal.clone(), paid_by(order, "T1"));
    tokio::spawn(async move { journal.commit(reply, Urgency::Assured).await })
}

#[test]
fn a_file_that_is_moved_takes_nothing_and_goes_on_when_it_is_back() {
    play(|stage| async move {
        let Some(file) = file(&stage) else { return };
        let order_a = stage.done(create(order("A-1"))).await;
        let aside = file.with_extension("aside");
        fs::rename(&file, &aside).unwrap();
        let reply = reply(&stage, &order_a);
        refuses_a_create(&stage, "A-2").await;
        assert!(!reply.is_finished(), "a reply waits");
        assert!(stage.journal.health().oldest_wait_ms > 1_000);
        assert!(!file.exists(), "it is not made again");

        fs::rename(&aside, &file).unwrap();
        assert_eq!(reply.await.unwrap(), Ok(Committed::Done));
        assert_eq!(stage.number("SELECT count(*) FROM orders").await, 1);
        stage.done(create(order("A-2"))).await;
        stage.waits_no_more().await;
    });
}

#[test]
fn another_file_in_its_place_is_not_written_to() {
    play(|stage| async move {
        let Some(file) = file(&stage) else { return };
        let order_a = stage.done(create(order("A-1"))).await;
        let aside = file.with_extension("aside");
        fs::rename(&file, &aside).unwrap();
        fs::copy(&aside, &file).unwrap();
        let copy = fs::read(&file).unwrap();
        let reply = reply(&stage, &order_a);
        refuses_a_create(&stage, "A-2").await;
        assert!(!reply.is_finished(), "a reply waits");
        assert_eq!(fs::read(&file).unwrap(), copy);

        fs::rename(&aside, &file).unwrap();
        assert_eq!(reply.await.unwrap(), Ok(Committed::Done));
        assert_eq!(stage.number("SELECT count(*) FROM orders").await, 1);
    });
}

#[test]
fn an_idle_journal_notices_too_and_ends_when_it_is_told_to() {
    play(|stage| async move {
        let Some(file) = file(&stage) else { return };
        stage.done(create(order("A-0"))).await;
        let aside = file.with_extension("aside");
        let waits = || stage.journal.health().oldest_wait_ms > 0;
        fs::rename(&file, &aside).unwrap();
        while !waits() {
            yield_now().await;
        }
        fs::rename(&aside, &file).unwrap();
        while waits() {
            yield_now().await;
        }
        stage.done(create(order("A-1"))).await;

        fs::remove_file(&file).unwrap();
        while !waits() {
            yield_now().await;
        }
        stage.journal.close().await;
        assert!(!file.exists(), "it is not made again");
    });
}

#[test]
fn a_log_that_is_cut_ends_the_journal_and_every_write_that_waits() {
    play(|stage| async move {
        let Some(file) = file(&stage) else { return };
        stage.done(create(order("A-1"))).await;
        let log = fs::File::options().write(true).open(log_of(&file));
        let log = log.unwrap();
        log.set_len(log.metadata().unwrap().len() - 1).unwrap();

        let refused = stage.commit(create(order("A-2"))).await;
        assert_eq!(refused, Err(JournalError::LogCut));
        assert_eq!(stage.journal.ends().await, JournalError::LogCut);
        let after = stage.commit(create(order("A-3"))).await;
        assert_eq!(after, Err(JournalError::LogCut));
    });
}

#[test]
fn an_idle_journal_notices_that_its_log_is_cut() {
    play(|stage| async move {
        let Some(file) = file(&stage) else { return };
        stage.done(create(order("A-1"))).await;
        let log = fs::File::options().write(true).open(log_of(&file));
        log.unwrap().set_len(0).unwrap();
        assert_eq!(stage.journal.ends().await, JournalError::LogCut);
    });
}

#[test]
fn a_log_that_is_taken_away_takes_nothing_and_goes_on_when_it_is_back() {
    play(|stage| async move {
        let Some(file) = file(&stage) else { return };
        let order_a = stage.done(create(order("A-1"))).await;
        let log = log_of(&file);
        let aside = file.with_extension("aside");
        fs::rename(&log, &aside).unwrap();
        let reply = reply(&stage, &order_a);
        refuses_a_create(&stage, "A-2").await;
        assert!(!reply.is_finished(), "a reply waits");

        fs::rename(&aside, &log).unwrap();
        assert_eq!(reply.await.unwrap(), Ok(Committed::Done));
        assert_eq!(stage.number("SELECT count(*) FROM orders").await, 1);
    });
}

fn log_of(file: &std::path::Path) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push("-wal");
    name.into()
}
