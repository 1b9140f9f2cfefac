//! Commands on the embedded database, with and without somebody else using it.

use crate::commands::oncepay;
use oncepay::store::{Database, DatabaseSettings, ProcessLock};
use sea_orm::ConnectionTrait;
use serde_json::Value;
use std::path::Path;

/// Runs the command; exit status, standard output, standard error.
fn run(folder: &Path, args: &[&str]) -> (Option<i32>, String, String) {
    let output = oncepay(folder).args(args).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (
        output.status.code(),
        text(output.stdout),
        text(output.stderr),
    )
}

#[track_caller]
fn done(folder: &Path, args: &[&str]) -> String {
    let (code, told, error) = run(folder, args);
    assert_eq!(code, Some(0), "{args:?}: {error}");
    told
}

#[track_caller]
fn fails(folder: &Path, args: &[&str], says: &str) {
    let (code, _, error) = run(folder, args);
    assert_eq!(code, Some(1), "{args:?}");
    assert!(error.contains(says), "`{says}` is not said by: {error}");
}

fn key_names(folder: &Path) -> Vec<String> {
    let listed: Value = serde_json::from_str(&done(folder, &["keys", "list", "--json"])).unwrap();
    let keys = listed["data"].as_array().unwrap().iter();
    let in_use = keys.filter(|key| key["revoked_at"].is_null());
    let mut names: Vec<_> = in_use
        .map(|key| key["name"].as_str().unwrap().to_owned())
        .collect();
    names.sort();
    names
}

/// The lock of a server that runs on the database of this folder.
async fn server_on(folder: &Path) -> (ProcessLock, Database) {
    let url = format!("sqlite://{}/data/oncepay.db", folder.display());
    let lock = ProcessLock::take(&url).await.unwrap();
    let database = Database::open(&DatabaseSettings { url, readers: 1 })
        .await
        .unwrap();
    (lock, database)
}

#[test]
fn a_key_is_shown_once_and_kept_as_a_digest() {
    let folder = tempfile::tempdir().unwrap();
    let told = done(
        folder.path(),
        &[
            "keys", "create", "till", "--role", "merchant", "--scope", "refunds", "--json",
        ],
    );
    let created: Value = serde_json::from_str(&told).unwrap();
    let key = created["key"].as_str().unwrap();
    assert!(key.starts_with("opk_merchant_") && key.len() >= 45, "{key}");
    assert!(!done(folder.path(), &["keys", "list"]).contains(key));
    fails(
        folder.path(),
        &["keys", "create", "till", "--role", "viewer"],
        "already",
    );
    assert_eq!(key_names(folder.path()), ["till"]);
    done(folder.path(), &["keys", "revoke", "till"]);
    assert!(key_names(folder.path()).is_empty());
    fails(
        folder.path(),
        &["keys", "revoke", "till"],
        "no live key has the name till",
    );
}

#[tokio::test]
async fn while_a_server_runs_changes_go_to_it_and_looking_does_not() {
    let folder = tempfile::tempdir().unwrap();
    done(folder.path(), &["migrate"]);
    let _server = server_on(folder.path()).await;
    fails(
        folder.path(),
        &["keys", "create", "till", "--role", "viewer"],
        "ONCEPAY_KEY",
    );
    fails(folder.path(), &["migrate"], "in use");
    assert!(key_names(folder.path()).is_empty());
    done(folder.path(), &["orders", "list"]);
    done(folder.path(), &["alerts", "list"]);
    done(folder.path(), &["backup", "copy.db"]);
    fails(folder.path(), &["restore", "copy.db"], "in use");
}

#[test]
fn a_backup_is_restored_and_what_was_there_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    done(
        folder.path(),
        &["keys", "create", "before", "--role", "viewer"],
    );
    done(folder.path(), &["backup", "copy.db"]);
    fails(folder.path(), &["backup", "copy.db"], "not overwritten");
    done(
        folder.path(),
        &["keys", "create", "after", "--role", "viewer"],
    );
    assert_eq!(key_names(folder.path()), ["after", "before"]);

    let told = done(folder.path(), &["restore", "copy.db"]);
    assert!(told.contains("In the first 2m after each start"), "{told}");
    assert_eq!(key_names(folder.path()), ["before"]);
    let data = folder.path().join("data");
    let names: Vec<String> = std::fs::read_dir(&data)
        .unwrap()
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .collect();
    let aside = names.iter().find(|name| {
        name.starts_with("oncepay.db.before-restore-")
            && !name.ends_with("-wal")
            && !name.ends_with("-shm")
    });
    let mark: i64 = std::fs::read_to_string(data.join("oncepay.db.restored"))
        .unwrap()
        .parse()
        .unwrap();
    assert!(
        mark > 1_700_000_000_000,
        "the moment is kept for what starts next"
    );

    // The way back is a restore too.
    done(
        folder.path(),
        &[
            "restore",
            data.join(aside.expect("the old database is kept"))
                .to_str()
                .unwrap(),
        ],
    );
    assert_eq!(key_names(folder.path()), ["after", "before"]);
}

#[tokio::test]
async fn what_stands_in_the_log_of_a_database_is_restored_with_it() {
    let folder = tempfile::tempdir().unwrap();
    done(folder.path(), &["migrate"]);
    let data = folder.path().join("data");
    // Somebody who looks keeps the log from being written back.
    let url = format!("sqlite://{}/oncepay.db", data.display());
    let looking = sea_orm::Database::connect(&url).await.unwrap();
    looking
        .execute_unprepared("SELECT count(*) FROM orders")
        .await
        .unwrap();
    done(
        folder.path(),
        &["keys", "create", "newest", "--role", "viewer"],
    );
    for ending in ["", "-wal"] {
        let from = data.join(format!("oncepay.db{ending}"));
        std::fs::copy(from, folder.path().join(format!("by-hand.db{ending}"))).unwrap();
    }
    looking.close().await.unwrap();
    done(folder.path(), &["keys", "revoke", "newest"]);

    done(folder.path(), &["restore", "by-hand.db"]);
    assert_eq!(key_names(folder.path()), ["newest"]);
}

#[test]
fn what_is_no_backup_of_ours_is_refused_and_nothing_is_touched() {
    let folder = tempfile::tempdir().unwrap();
    done(
        folder.path(),
        &["keys", "create", "till", "--role", "viewer"],
    );
    done(folder.path(), &["backup", "copy.db"]);
    std::fs::write(
        folder.path().join("text.db"),
        "no database at all, and longer than a header",
    )
    .unwrap();
    fails(folder.path(), &["restore", "text.db"], "text.db");
    fails(folder.path(), &["restore", "absent.db"], "absent.db");
    let mut torn = std::fs::read(folder.path().join("copy.db")).unwrap();
    torn.truncate(torn.len() / 2);
    std::fs::write(folder.path().join("torn.db"), torn).unwrap();
    fails(folder.path(), &["restore", "torn.db"], "torn.db");
    assert_eq!(key_names(folder.path()), ["till"]);
    assert!(!folder.path().join("data/oncepay.db.restored").exists());
}

#[test]
fn a_key_of_the_configuration_is_changed_there() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("oncepay.toml"), crate::support::GOOD).unwrap();
    done(folder.path(), &["migrate"]);
    assert_eq!(key_names(folder.path()), ["shop"]);
    fails(
        folder.path(),
        &["keys", "revoke", "shop"],
        "in the configuration",
    );
    fails(
        folder.path(),
        &["keys", "create", "shop", "--role", "admin"],
        "in the configuration",
    );
}

#[test]
fn with_postgresql_its_own_tools_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let config = "[database]\nurl = \"postgres://oncepay:hunter2@127.0.0.1:1/oncepay\"\n";
    std::fs::write(folder.path().join("oncepay.toml"), config).unwrap();
    fails(folder.path(), &["backup", "copy.db"], "pg_dump");
    let (code, _, error) = run(folder.path(), &["orders", "list"]);
    assert_eq!(code, Some(1));
    assert!(!error.contains("hunter2"), "{error}");
}

#[test]
fn only_a_server_asks_channels_and_decides() {
    let folder = tempfile::tempdir().unwrap();
    done(folder.path(), &["migrate"]);
    fails(folder.path(), &["orders", "query", "o-1"], "no order o-1");
    fails(folder.path(), &["orders", "show", "o-1"], "no order o-1");
    let (code, _, error) = run(folder.path(), &["orders", "list", "--status", "LOST"]);
    assert_eq!(code, Some(2), "a word that is no status is wrong usage");
    assert!(error.contains("UNKNOWN"), "{error}");
}

#[cfg(unix)]
#[test]
fn what_is_kept_is_its_owners_alone() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    done(folder.path(), &["migrate"]);
    done(folder.path(), &["alerts", "test"]);
    for (name, mode) in [
        ("data", 0o700),
        ("data/mail", 0o700),
        ("data/oncepay.db", 0o600),
        ("data/oncepay.db.lock", 0o600),
    ] {
        let kept = folder.path().join(name).metadata().unwrap();
        assert_eq!(kept.permissions().mode() & 0o777, mode, "{name}");
    }
}

#[test]
fn a_file_that_is_no_database_is_called_so() {
    let folder = tempfile::tempdir().unwrap();
    done(folder.path(), &["migrate"]);
    std::fs::write(folder.path().join("junk.db"), "a shopping list").unwrap();
    fails(
        folder.path(),
        &["restore", "junk.db"],
        "junk.db is no database of oncepay",
    );
    fails(
        folder.path(),
        &["backup", "nowhere/copy.db"],
        "there is no folder nowhere",
    );
}
