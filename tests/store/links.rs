//! One database by several names: who comes by a link meets the same lock, and never a second log.

use crate::stage::{fresh, number};
use oncepay::domain::UnixMillis;
use oncepay::store::{Database, DatabaseSettings, ProcessLock, StoreError};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

fn by(path: &Path) -> DatabaseSettings {
    let url = format!("sqlite://{}", path.display());
    DatabaseSettings { url, readers: 1 }
}

async fn is_in_use(path: &Path) {
    let refused = ProcessLock::take(&by(path).url).await;
    assert!(matches!(refused, Err(StoreError::InUse(_))), "{refused:?}");
}

#[tokio::test]
async fn who_comes_by_a_link_finds_the_database_in_use() {
    let (settings, folder) = fresh(None).await;
    let root = folder.path();
    let _lock = ProcessLock::take(&settings.url).await.unwrap();
    let first = Database::open(&settings).await.unwrap();
    first.next_epoch(UnixMillis(1)).await.unwrap();

    symlink("data/oncepay.db", root.join("file.db")).unwrap();
    symlink("file.db", root.join("link-to-link.db")).unwrap();
    symlink("data", root.join("folder")).unwrap();
    for name in [
        "file.db",
        "link-to-link.db",
        "folder/oncepay.db",
        "data/../data/./oncepay.db",
    ] {
        is_in_use(&root.join(name)).await;
        let same = Database::open(&by(&root.join(name))).await.unwrap();
        assert_eq!(number(&same.read, "SELECT epoch FROM runtime").await, 1);
    }
}

#[tokio::test]
async fn a_link_to_a_database_that_is_yet_to_be_made_is_its_place() {
    let (_, folder) = fresh(None).await;
    let (link, target) = (folder.path().join("link.db"), folder.path().join("real.db"));
    symlink("real.db", &link).unwrap();
    let lock = ProcessLock::take(&by(&link).url).await.unwrap();
    is_in_use(&target).await;
    drop(lock);
    let _lock = ProcessLock::take(&by(&target).url).await.unwrap();
    is_in_use(&link).await;

    Database::open(&by(&link)).await.unwrap();
    assert!(target.is_file() && link.is_symlink());
    is_in_use(&link).await;
}

#[tokio::test]
async fn a_file_is_opened_by_the_very_name_that_is_locked() {
    let (_, folder) = fresh(None).await;
    let file = folder.path().join("50%25.db");
    Database::open(&by(&file)).await.unwrap();
    assert!(file.is_file(), "an escape in the URL is no other name");
}

#[tokio::test]
async fn a_database_with_a_second_name_is_refused_until_it_has_one() {
    let (settings, folder) = fresh(None).await;
    let first = Database::open(&settings).await.unwrap();
    let second_name = folder.path().join("second.db");
    fs::hard_link(folder.path().join("data/oncepay.db"), &second_name).unwrap();
    for settings in [&settings, &by(&second_name)] {
        let locked = ProcessLock::take(&settings.url).await.unwrap_err();
        let opened = Database::open(settings).await.unwrap_err();
        for refused in [locked, opened] {
            assert!(matches!(refused, StoreError::Unusable(_)), "{refused:?}");
            assert!(refused.to_string().contains("2 names"), "{refused}");
        }
    }
    assert_eq!(first.next_epoch(UnixMillis(1)).await.unwrap(), 1);

    fs::remove_file(&second_name).unwrap();
    ProcessLock::take(&settings.url).await.unwrap();
}
