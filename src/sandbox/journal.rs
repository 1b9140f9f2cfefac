//! The sandbox's file: one JSON line for each change, written by one thread, many lines with one `fdatasync`.
//!
//! What was answered is in the file: an answer waits until the line with its number is durable. A line that was
//! torn by a crash is at the end and was never answered; it is cut off when the file is opened.

use super::record::Record;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;
use tokio::sync::watch;

/// Lines written together at most.
const BATCH_LINES_MAX: usize = 4096;

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
    sender: mpsc::Sender<Vec<u8>>,
    appended: AtomicU64,
    durable: watch::Receiver<u64>,
}

/// Nothing more can be made durable: the disk failed.
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
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(io)?;
        if file.try_lock().is_err() {
            return Err(OpenError::InUse {
                path: path.to_owned(),
            });
        }
        let (records, length) = replay(&file, path)?;
        file.set_len(length).map_err(io)?;
        file.seek(SeekFrom::End(0)).map_err(io)?;
        let (sender, lines) = mpsc::channel();
        let (written, durable) = watch::channel(0);
        std::thread::Builder::new()
            .name("sandbox-ledger".to_owned())
            .spawn(move || write_all(file, &lines, &written))
            .map_err(io)?;
        let journal = Self {
            sender,
            appended: AtomicU64::new(0),
            durable,
        };
        Ok((journal, records))
    }

    /// Queues a line and returns its number. Called under the book's lock, so that lines stand in the order of
    /// the changes.
    pub(super) fn append(&self, record: &Record) -> u64 {
        let mut line = serde_json::to_vec(record).unwrap_or_default();
        line.push(b'\n');
        let number = self.appended.fetch_add(1, Ordering::Relaxed);
        // A writer that is gone is noticed by whoever waits for the line.
        drop(self.sender.send(line));
        number.saturating_add(1)
    }

    /// The number of the newest line.
    pub(super) fn newest(&self) -> u64 {
        self.appended.load(Ordering::Relaxed)
    }

    /// Waits until the line with this number is in the file.
    pub(super) async fn durable(&self, number: u64) -> Result<(), JournalFailed> {
        if *self.durable.borrow() >= number {
            return Ok(());
        }
        let mut durable = self.durable.clone();
        let waited = durable.wait_for(|written| *written >= number).await;
        waited.map(drop).map_err(|_writer_gone| JournalFailed)
    }
}

fn write_all(mut file: File, lines: &mpsc::Receiver<Vec<u8>>, written: &watch::Sender<u64>) {
    let mut count: u64 = 0;
    let mut batch = Vec::new();
    while let Ok(line) = lines.recv() {
        batch.clear();
        batch.extend_from_slice(&line);
        count = count.saturating_add(1);
        for line in lines.try_iter().take(BATCH_LINES_MAX) {
            batch.extend_from_slice(&line);
            count = count.saturating_add(1);
        }
        if let Err(error) = file.write_all(&batch).and_then(|()| file.sync_data()) {
            tracing::error!(%error, "the sandbox's ledger cannot be written");
            return;
        }
        written.send_replace(count);
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
