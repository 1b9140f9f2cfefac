//! The folders into which a deployment's process writes.

use crate::config::Settings;
use std::path::{Component, Path, PathBuf};

/// The working directory of a deployment: relative paths of the configuration begin here.
pub(super) const HOME: &str = "/var/lib/oncepay";

/// The path as the process will see it, without `.` and `..`.
pub(super) fn absolute(path: &Path) -> PathBuf {
    let mut whole = PathBuf::new();
    for part in Path::new(HOME).join(path).components() {
        match part {
            Component::ParentDir => {
                whole.pop();
            }
            Component::CurDir => {}
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => whole.push(part),
        }
    }
    whole
}

/// The data folder and the database's, absolute; one inside another is not named again.
pub(super) fn written(settings: &Settings) -> Vec<PathBuf> {
    let database = settings.sqlite_file();
    let database = database.as_deref().and_then(Path::parent).map(absolute);
    let mut folders: Vec<PathBuf> = [absolute(&settings.data_dir)]
        .into_iter()
        .chain(database)
        .collect();
    folders.sort();
    // Sorted, a folder stands before what is inside it.
    folders.dedup_by(|later, earlier| later.starts_with(earlier));
    folders
}
