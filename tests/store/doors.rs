//! Opening a database, and keeping others out.

use crate::stage::{fresh, number, postgres};
use oncepay::domain::UnixMillis;
use oncepay::store::{Database, DatabaseSettings, ProcessLock, StoreError};
use sea_orm::ConnectionTrait;

fn places() -> Vec<Option<String>> {
    let mut places = vec![None];
    places.extend(postgres().map(Some));
    places
}

#[tokio::test]
async fn a_second_process_is_refused_until_the_first_has_gone() {
    for place in places() {
        let (settings, _folder) = fresh(place.as_deref()).await;
        let first = ProcessLock::take(&settings.url).await.unwrap();
        let second = ProcessLock::take(&settings.url).await;
        assert!(matches!(second, Err(StoreError::InUse(_))), "{second:?}");
        drop(first);
        // PostgreSQL notices a moment later that the connection was closed, and that moment is waited for.
        ProcessLock::take_over(&settings.url).await.unwrap();
    }
}

/// Ends the session that holds the lock of this database, and waits for its end.
async fn kill_the_holder(database: &Database) {
    let kill = "SELECT pg_terminate_backend(pid, 10000) FROM pg_locks WHERE locktype = 'advisory' \
                AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";
    let killed = database.write.execute_unprepared(kill).await.unwrap();
    assert_eq!(killed.rows_affected(), 1);
}

#[tokio::test]
async fn a_lock_whose_connection_was_killed_is_taken_again() {
    let Some(server) = postgres() else { return };
    let (settings, _folder) = fresh(Some(&server)).await;
    let database = Database::open(&settings).await.unwrap();
    let epoch = database.next_epoch(UnixMillis(1)).await.unwrap();
    let mut lock = ProcessLock::take(&settings.url).await.unwrap();
    kill_the_holder(&database).await;
    let held = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' \
                AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";
    let again = async {
        while number(&database.read, held).await == 0 {
            tokio::task::yield_now().await;
        }
        ProcessLock::take(&settings.url).await
    };
    tokio::select! {
        () = lock.lost(epoch) => panic!("nobody else has taken it"),
        second = again => assert!(matches!(second, Err(StoreError::InUse(_))), "{second:?}"),
    }
}

#[tokio::test]
async fn a_lock_that_another_took_is_lost_also_when_the_other_has_gone() {
    let Some(server) = postgres() else { return };
    let (settings, _folder) = fresh(Some(&server)).await;
    let database = Database::open(&settings).await.unwrap();
    let epoch = database.next_epoch(UnixMillis(1)).await.unwrap();
    let mut first = ProcessLock::take(&settings.url).await.unwrap();
    kill_the_holder(&database).await;
    let mut second = ProcessLock::take(&settings.url).await.unwrap();
    first.lost(epoch).await;

    kill_the_holder(&database).await;
    database.next_epoch(UnixMillis(2)).await.unwrap();
    second.lost(epoch).await;
    assert!(ProcessLock::take(&settings.url).await.is_ok());
}

#[tokio::test]
async fn who_only_looks_changes_no_schema() {
    for place in places() {
        let (settings, folder) = fresh(place.as_deref()).await;
        std::fs::create_dir(folder.path().join("data")).unwrap();
        let looked = Database::open_as_it_is(&settings).await;
        let error = looked.expect_err("there is no schema yet").to_string();
        assert!(error.contains("oncepay migrate"), "{error}");
        let again = Database::open_as_it_is(&settings).await;
        assert!(again.is_err(), "the first look has made none");

        Database::open(&settings).await.unwrap();
        assert!(Database::open_as_it_is(&settings).await.is_ok());
    }
}

#[tokio::test]
async fn a_database_is_opened_again_and_every_run_has_its_epoch() {
    for place in places() {
        let (settings, _folder) = fresh(place.as_deref()).await;
        for run in 1..=3 {
            let database = Database::open(&settings).await.unwrap();
            assert_eq!(database.next_epoch(UnixMillis(run)).await.unwrap(), run);
            database.ping().await.unwrap();
        }
    }
}

#[tokio::test]
async fn a_database_of_a_newer_version_is_left_alone() {
    for place in places() {
        let (settings, _folder) = fresh(place.as_deref()).await;
        let database = Database::open(&settings).await.unwrap();
        database
            .write
            .execute_unprepared(
                "INSERT INTO seaql_migrations (version, applied_at) VALUES ('m29990101_000001_future', 1)",
            )
            .await
            .unwrap();
        let refused = Database::open(&settings).await.unwrap_err().to_string();
        assert!(refused.contains("newer version"), "{refused}");
        assert!(refused.contains("m29990101_000001_future"), "{refused}");
    }
}

#[tokio::test]
async fn sqlite_writes_through_to_the_disk_and_its_readers_only_read() {
    let (settings, _folder) = fresh(None).await;
    let database = Database::open(&settings).await.unwrap();
    assert_eq!(number(&database.write, "PRAGMA synchronous").await, 2);
    assert_eq!(number(&database.read, "PRAGMA foreign_keys").await, 1);
    let refused = database.read.execute_unprepared("DELETE FROM orders").await;
    assert!(refused.is_err());
}

#[tokio::test]
async fn an_error_names_the_database_and_keeps_its_password() {
    for url in [
        "postgres://merchant:hunter2@127.0.0.1:1/oncepay?password=hunter2",
        "mysql://merchant:hunter2@127.0.0.1/oncepay",
    ] {
        let settings = DatabaseSettings {
            url: url.into(),
            readers: 1,
        };
        let error = Database::open(&settings).await.unwrap_err().to_string();
        assert!(error.contains("127.0.0.1"), "{error}");
        assert!(!error.contains("hunter2"), "{error}");
        let error = ProcessLock::take(url).await.unwrap_err().to_string();
        assert!(!error.contains("hunter2"), "{error}");
    }
}
