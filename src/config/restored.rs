//! The mark that a restore leaves: what was paid after the backup is forgotten here and known to the channel, so
//! first submits within a channel's `key_life` of it are preceded by a query.

use super::Settings;
use crate::domain::UnixMillis;
use std::path::PathBuf;

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

    /// The embedded database's file; `None` with PostgreSQL.
    #[must_use]
    pub fn sqlite_file(&self) -> Option<PathBuf> {
        let rest = self.database.url.strip_prefix("sqlite:")?;
        let path = rest.strip_prefix("//").unwrap_or(rest);
        let path = path.split('?').next().unwrap_or_default();
        Some(PathBuf::from(path))
    }
}
