//! What is kept is its owner's alone: orders, mails, keys.

use super::Settings;
use std::fs::{DirBuilder, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

/// Makes the folders of data, the database's file and its lock, where they are missing, so that nobody else can read
/// them. What is there keeps its mode. Best effort: whoever opens them next says what is wrong.
pub fn prepare(settings: &Settings) {
    let mut made = folder(&settings.data_dir);
    if let Some(database) = settings.sqlite_file() {
        let mut lock = database.clone().into_os_string();
        lock.push(".lock");
        if let Some(parent) = database.parent() {
            made = made.and(folder(parent));
        }
        // An empty file is an empty database; what SQLite keeps beside it takes its mode.
        made = made.and(file(&database)).and(file(&PathBuf::from(lock)));
    }
    drop(made);
}

/// Makes a folder that only its owner can enter, if it is missing.
pub fn folder(path: &Path) -> io::Result<()> {
    if path.as_os_str().is_empty() || path.is_dir() {
        return Ok(());
    }
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

fn file(path: &Path) -> io::Result<()> {
    if path.exists() {
        return Ok(());
    }
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map(drop)
}
