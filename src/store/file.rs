//! The file of a SQLite database: which one a path means, whatever links lead to it, and whether it still does.

use super::StoreError;
use std::fs::Metadata;
use std::io;
use std::path::{Path, PathBuf};

/// Links that lead from one to the next; the system gives up at as many.
const LINKS_MAX: usize = 40;

/// The path that is the same for everybody who means this file, by whatever links. The file need not exist.
///
/// # Errors
/// When a folder on the way does not exist or may not be read, or the path names no file.
pub(super) fn canonical(file: &Path) -> io::Result<PathBuf> {
    let mut file = file.to_owned();
    for _ in 0..LINKS_MAX {
        match file.canonicalize() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            found => return found,
        }
        let name = file.file_name().ok_or(io::ErrorKind::InvalidInput)?;
        let folder = match file.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder.canonicalize()?,
            Some(_) | None => Path::new(".").canonicalize()?,
        };
        let here = folder.join(name);
        match here.symlink_metadata() {
            // A link to a file that does not exist yet: SQLite would make it where the link leads.
            Ok(entry) if entry.is_symlink() => file = folder.join(here.read_link()?),
            Ok(_) => return Ok(here),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(here),
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::other("too many links"))
}

/// Refuses a file that has a second name: SQLite keeps a log beside each name, and what is written by one name is
/// lost to who comes by the other.
///
/// # Errors
/// `Unusable` when it has one, or cannot be looked at.
pub(super) fn has_one_name(file: &Path) -> Result<(), StoreError> {
    let shown = file.display();
    match file.metadata() {
        Ok(metadata) if names(&metadata) > 1 => Err(StoreError::Unusable(format!(
            "{shown} has {} names (hard links), and by each of them another log would be written: remove all but one",
            names(&metadata)
        ))),
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(StoreError::Unusable(format!("{shown}: {error}")))
        }
        Ok(_) | Err(_) => Ok(()),
    }
}

/// The very file that was opened by a path, as the system numbers it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct OpenedFile {
    path: PathBuf,
    device_and_inode: (u64, u64),
}

impl OpenedFile {
    /// Notes what stands at `path`, for a connection that was opened by it a moment ago.
    ///
    /// # Errors
    /// When nothing does, or it cannot be looked at.
    pub(super) fn note(path: &Path) -> io::Result<Self> {
        Ok(Self {
            path: path.to_owned(),
            device_and_inode: device_and_inode(&path.metadata()?),
        })
    }

    /// # Errors
    /// Why what is written would not be found at the path again.
    pub(super) fn still_there(&self) -> Result<(), String> {
        let path = self.path.display();
        match self.path.metadata() {
            Ok(metadata) if device_and_inode(&metadata) == self.device_and_inode => Ok(()),
            Ok(_) => Err(format!("{path} is another file than the one in use")),
            Err(error) => Err(format!("the file in use is not at {path} now: {error}")),
        }
    }
}

/// A log as it was when it was looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LogSeen {
    pub(super) device_and_inode: (u64, u64),
    /// In bytes.
    pub(super) length: u64,
}

impl OpenedFile {
    /// SQLite's log beside it: what is committed stands there until it is folded in.
    pub(super) fn log(&self) -> PathBuf {
        let mut name = self.path.as_os_str().to_owned();
        name.push("-wal");
        PathBuf::from(name)
    }

    /// The log as it stands at its place now; `None` if there is none.
    pub(super) fn log_seen(&self) -> Option<LogSeen> {
        let metadata = self.log().metadata().ok()?;
        Some(LogSeen {
            device_and_inode: device_and_inode(&metadata),
            length: metadata.len(),
        })
    }
}

#[cfg(unix)]
fn device_and_inode(metadata: &Metadata) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt;
    (metadata.dev(), metadata.ino())
}

#[cfg(unix)]
fn names(metadata: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::nlink(metadata)
}

/// Elsewhere the system keeps an open file from being moved.
#[cfg(not(unix))]
fn device_and_inode(_: &Metadata) -> (u64, u64) {
    (0, 0)
}

#[cfg(not(unix))]
fn names(_: &Metadata) -> u64 {
    1
}
