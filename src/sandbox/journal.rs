//! The sandbox's file: one JSON line for each change.
//!
//! What was answered is in the file: a change is written before anyone sees it, so that no death of the process
//! loses it. The disk follows within a second; a power cut may cost that second, which a processor without real
//! money can afford, and a benchmark on the same disk could not afford otherwise. A line that was torn is at the
//! end and was never answered; it is cut off when the file is opened.

use super::record::Record;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

/// How often what was written is brought to the disk.
const SYNC_EVERY: Duration = Duration::from_secs(1);

/// Why a ledger's file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error("{path}: {error}")]
    Io {
        path: PathBuf,
        error: std::io::Error,
    },
    #[error("{path} is in use by another sandbox")]
    InUse { path: PathBuf },
    #[error("{path}, line {line}: not a line of a sandbox's ledger")]
    Corrupt { path: PathBuf, line: usize },
    #[error("the sandbox's HTTP client cannot be built: {0}")]
    Client(reqwest::Error),
    #[error("the sandbox's secret {0}")]
    Secret(crate::channels::signing::SecretRefusal),
}

/// The writing side.
#[derive(Debug)]
pub(super) struct Journal {
    /// None after a write has failed: what stands at its end may be torn, and nothing may follow it.
    file: Option<File>,
    /// Ends the thread that syncs when the journal is dropped.
    _alive: mpsc::Sender<()>,
}

/// Nothing more can be written: the disk failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct JournalFailed;

impl Journal {
    /// Opens or creates the file and reads what it has.
    pub(super) fn open(path: &Path) -> Result<(Self, Vec<Record>), OpenError> {
        let io = |error| OpenError::Io {
            path: path.to_owned(),
            error,
        };
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(io)?;
        }
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(path).map_err(io)?;
        if file.try_lock().is_err() {
            return Err(OpenError::InUse {
                path: path.to_owned(),
            });
        }
        let (records, length) = replay(&file, path)?;
        file.set_len(length).map_err(io)?;
        file.seek(SeekFrom::End(0)).map_err(io)?;
        let disk = file.try_clone().map_err(io)?;
        let (alive, gone) = mpsc::channel();
        std::thread::Builder::new()
            .name("sandbox-sync".to_owned())
            .spawn(move || sync_regularly(&disk, &gone))
            .map_err(io)?;
        let journal = Self {
            file: Some(file),
            _alive: alive,
        };
        Ok((journal, records))
    }

    /// Writes the lines of one change together.
    pub(super) fn append(&mut self, records: &[Record]) -> Result<(), JournalFailed> {
        let file = self.file.as_mut().ok_or(JournalFailed)?;
        let mut lines = Vec::new();
        for record in records {
            serde_json::to_writer(&mut lines, record).map_err(|_plain_structs| JournalFailed)?;
            lines.push(b'\n');
        }
        if let Err(error) = file.write_all(&lines) {
            tracing::error!(%error, "the sandbox's ledger cannot be written");
            self.file = None;
            return Err(JournalFailed);
        }
        Ok(())
    }
}

/// Until the journal is gone. A sync that fails is reported; the next write shows what the disk is worth.
fn sync_regularly(disk: &File, journal_gone: &mpsc::Receiver<()>) {
    let mut synced = 0;
    loop {
        let waited = journal_gone.recv_timeout(SYNC_EVERY);
        let length = disk.metadata().map_or(0, |file| file.len());
        if length != synced
            && let Err(error) = disk.sync_data()
        {
            tracing::error!(%error, "the sandbox's ledger cannot be brought to the disk");
        }
        synced = length;
        match waited {
            Err(RecvTimeoutError::Timeout) => {}
            Ok(()) | Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}

/// The records, and the length of what is whole.
fn replay(file: &File, path: &Path) -> Result<(Vec<Record>, u64), OpenError> {
    let mut reader = BufReader::new(file);
    let mut records = Vec::new();
    let mut whole: u64 = 0;
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = reader.read_until(b'\n', &mut line);
        let length = read.map_err(|error| OpenError::Io {
            path: path.to_owned(),
            error,
        })?;
        if length == 0 || line.last() != Some(&b'\n') {
            return Ok((records, whole));
        }
        let Ok(record) = serde_json::from_slice(&line) else {
            if reader.fill_buf().is_ok_and(<[u8]>::is_empty) {
                return Ok((records, whole));
            }
            return Err(OpenError::Corrupt {
                path: path.to_owned(),
                line: records.len().saturating_add(1),
            });
        };
        records.push(record);
        whole = whole.saturating_add(u64::try_from(length).unwrap_or_default());
    }
}
