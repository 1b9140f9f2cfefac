//! Whether what the journal writes can be found again: a SQLite file may be deleted, moved or replaced under it, and
//! would take writes all the same.

use super::fault::Fault;
use crate::store::file::{LogSeen, OpenedFile};
use std::cell::Cell;

/// The file that was opened, and whether it was at its place when it was last looked for.
#[derive(Debug)]
pub(super) struct Presence {
    /// `None` where the database is a server's.
    file: Option<OpenedFile>,
    missed: Cell<bool>,
    /// Its log when it was last looked at. SQLite writes it over from its beginning, and never shortens it by itself
    /// while it is open.
    log: Cell<Option<LogSeen>>,
}

impl Presence {
    pub(super) const fn over(file: Option<OpenedFile>) -> Self {
        Self {
            file,
            missed: Cell::new(false),
            log: Cell::new(None),
        }
    }

    /// Looks for the file before anything is written.
    pub(super) fn before(&self) -> Result<(), Fault> {
        self.look().map_err(Fault::Away)?;
        self.log_is_whole(Fault::Away)
    }

    /// Looks once more before a write is answered: it is worth nothing if it went into a file that is gone.
    pub(super) fn after(&self) -> Result<(), Fault> {
        self.look().map_err(Fault::Unclear)?;
        self.log_is_whole(Fault::Unclear)
    }

    /// Looks whether another hand has cut the log or taken it away. Who went on over a hole would read it as pages, and
    /// fold them into the database; what goes into a log that is elsewhere is found by nobody.
    fn log_is_whole(&self, away: fn(String) -> Fault) -> Result<(), Fault> {
        let Some(file) = &self.file else {
            return Ok(());
        };
        let Some(before) = self.log.get() else {
            self.log.set(file.log_seen());
            return Ok(());
        };
        let path = file.log();
        let path = path.display();
        match file.log_seen() {
            None => Err(away(format!("the log in use is not at {path} now"))),
            Some(now) if now.device_and_inode != before.device_and_inode => {
                Err(away(format!("{path} is another log than the one in use")))
            }
            Some(now) if now.length < before.length => Err(Fault::Cut(format!(
                "{path} had {} bytes and has {}",
                before.length, now.length
            ))),
            Some(now) => {
                self.log.set(Some(now));
                Ok(())
            }
        }
    }

    /// By the journal itself, which has folded it in.
    pub(super) fn log_was_shortened(&self) {
        self.log.set(None);
    }

    pub(super) const fn is_needed(&self) -> bool {
        self.file.is_some()
    }

    fn look(&self) -> Result<(), String> {
        let Some(file) = &self.file else {
            return Ok(());
        };
        let found = file.still_there();
        let missed = self.missed.replace(found.is_err());
        match &found {
            Err(reason) if !missed => tracing::error!(
                %reason,
                "the database was deleted, moved or replaced: nothing is written until it is back at its place"
            ),
            Ok(()) if missed => tracing::info!("the database is back at its place"),
            Ok(()) | Err(_) => {}
        }
        found
    }
}
