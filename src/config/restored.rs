//! The mark that a restore leaves: what was paid after the backup is forgotten here and known to the channel, so that
//! first submits are preceded by a query for a while.

use super::Settings;
use crate::domain::UnixMillis;
use std::path::PathBuf;

/// For so long after a restore a first submit is preceded by a query: an order lives no longer. Also where a channel
/// forgets keys earlier: from then on a repeated submit would be a second charge, and only the question prevents it.
pub const RESTORE_ASKS_MS: i64 = 30 * 86_400_000;

impl Settings {
    /// The file beside the database that holds the moment of the last restore, in milliseconds since 1970.
    #[must_use]
    pub fn restored_file(&self) -> PathBuf {
        match self.sqlite_file() {
            Some(file) => {
                let mut name = file.into_os_string();
                name.push(".restored");
                PathBuf::from(name)
            }
            None => self.data_dir.join("postgres.restored"),
        }
    }

    /// How long after a start a channel's *not found* proves nothing, where it is longest. Milliseconds.
    #[must_use]
    pub fn longest_grace_ms(&self) -> i64 {
        let own = self
            .channels
            .values()
            .filter_map(|it| it.not_found_grace_ms);
        own.fold(self.checks.not_found_grace_ms, Ord::max)
    }

    /// When the database was restored from a backup, if it ever was.
    ///
    /// # Errors
    /// When the mark is there and cannot be read: that it is there must not be overlooked.
    pub fn restored_at(&self) -> std::io::Result<Option<UnixMillis>> {
        match std::fs::read_to_string(self.restored_file()) {
            Ok(text) => {
                let millis = text.trim().parse().map_err(std::io::Error::other)?;
                Ok(Some(UnixMillis(millis)))
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Leaves the mark: at this moment the database has forgotten what channels may know.
    ///
    /// # Errors
    /// When it cannot be brought to the disk.
    pub fn note_restore(&self, at: UnixMillis) -> std::io::Result<()> {
        let file = self.restored_file();
        let mut unfinished = file.clone().into_os_string();
        unfinished.push(".unfinished");
        if let Some(folder) = file.parent() {
            std::fs::create_dir_all(folder)?;
        }
        std::fs::write(&unfinished, at.0.to_string())?;
        std::fs::File::open(&unfinished)?.sync_all()?;
        std::fs::rename(&unfinished, &file)
    }

    /// The embedded database's file; `None` with PostgreSQL.
    #[must_use]
    pub fn sqlite_file(&self) -> Option<PathBuf> {
        let rest = self.database.url.strip_prefix("sqlite:")?;
        let path = rest.strip_prefix("//").unwrap_or(rest);
        let path = path.split('?').next().unwrap_or_default();
        Some(PathBuf::from(path))
    }
}
