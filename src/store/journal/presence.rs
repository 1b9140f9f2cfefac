//! Whether what the journal writes can be found again: a SQLite file may be deleted, moved or replaced under it, and
//! would take writes all the same.

use super::fault::Fault;
use crate::store::file::OpenedFile;
use std::cell::Cell;

/// The file that was opened, and whether it was at its place when it was last looked for.
#[derive(Debug)]
pub(super) struct Presence {
    /// `None` where the database is a server's.
    file: Option<OpenedFile>,
    missed: Cell<bool>,
}

impl Presence {
    pub(super) const fn over(file: Option<OpenedFile>) -> Self {
        Self {
            file,
            missed: Cell::new(false),
        }
    }

    /// Looks for the file before anything is written.
    pub(super) fn before(&self) -> Result<(), Fault> {
        self.look().map_err(Fault::Away)
    }

    /// Looks once more before a write is answered: it is worth nothing if it went into a file that is gone.
    pub(super) fn after(&self) -> Result<(), Fault> {
        self.look().map_err(Fault::Unclear)
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
