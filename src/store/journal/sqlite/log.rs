//! Keeping SQLite's log short while many read.
//!
//! At 10,000 pages SQLite folds the log into the database by itself, and begins it anew with the next write: but only if
//! nobody reads from it at that moment. Readers that overlap (a sweep's pages, all callers at once after a start) leave
//! no such moment, and the log grows. Then the writer waits until those who read now have ended; who begins meanwhile
//! reads what is folded in, and keeps nothing open.

use crate::store::connect::JOURNAL_BUSY_TIMEOUT;
use rusqlite::Connection;
use std::time::{Duration, Instant};

/// Pages: somewhat more than SQLite folds in by itself.
const LONG: i64 = 12_000;
/// So many times as long as usual: its room is given back.
const TOO_LONG: i64 = 2;
/// Most of our own reads are shorter, and callers wait meanwhile. SQLite waits for a place that a reader of before holds,
/// which newer readers may take over one from the other: then another try finds it passed on.
const WAITS: Duration = Duration::from_millis(25);
const TRIES: u32 = 2;
/// A longer read (all orders are counted for a scrape, a backup) ends by itself. It is tried again after so many times as
/// long as was waited, and after twice as long each time: the log grows a little, and callers wait seldom.
const REST: u32 = 4;
const DOUBLED_MAX: u32 = 3;

/// When the log is folded in next.
#[derive(Debug)]
pub(super) struct Log {
    /// Pages.
    long: i64,
    /// How often in a row it could not be folded in.
    failed: u32,
    rests_until: Option<Instant>,
}

impl Log {
    pub(super) const fn new() -> Self {
        Self::of(LONG)
    }

    const fn of(long: i64) -> Self {
        Self {
            long,
            failed: 0,
            rests_until: None,
        }
    }

    /// Folds the log in and begins it anew if it has become long, between two writes; true if its file was shortened, too.
    ///
    /// # Errors
    /// When that fails for another reason than a reader. What is committed stands in the log all the same.
    pub(super) fn keep_short(&mut self, connection: &Connection) -> rusqlite::Result<bool> {
        // If even that fails, the next write says what is wrong.
        let Ok(Held { pages, .. }) = checkpoint(connection, "NOOP") else {
            return Ok(false);
        };
        if pages < self.long {
            self.begin_anew();
            return Ok(false);
        }
        let began = Instant::now();
        if self.rests_until.is_some_and(|until| began < until) {
            return Ok(false);
        }
        connection.busy_timeout(WAITS)?;
        // A file of the usual length is written over: it would only have to grow again.
        let shortens = pages >= self.long.saturating_mul(TOO_LONG);
        let folded = fold(connection, shortens);
        connection.busy_timeout(JOURNAL_BUSY_TIMEOUT)?;
        // Whatever came of it, not again with every write.
        self.rest(began);
        let folded = folded?;
        if folded {
            self.begin_anew();
        } else {
            tracing::debug!(pages, "somebody reads for long: the database's log grows");
        }
        Ok(folded && shortens)
    }

    fn rest(&mut self, began: Instant) {
        let times = REST << self.failed.min(DOUBLED_MAX);
        self.failed = self.failed.saturating_add(1);
        let now = Instant::now();
        let waited = now.saturating_duration_since(began);
        self.rests_until = now.checked_add(waited.saturating_mul(times));
    }

    /// What was tried before is of no account: the log is short again, or it has taken the last room and nothing can be
    /// written.
    pub(super) const fn begin_anew(&mut self) {
        self.failed = 0;
        self.rests_until = None;
    }
}

/// Whether it could be done.
fn fold(connection: &Connection, shortens: bool) -> rusqlite::Result<bool> {
    let mode = if shortens { "TRUNCATE" } else { "RESTART" };
    for _ in 0..TRIES {
        if !checkpoint(connection, mode)?.busy {
            return Ok(true);
        }
    }
    Ok(false)
}

/// What a checkpoint says: whether it was kept from its end, and how many pages the log has.
struct Held {
    busy: bool,
    pages: i64,
}

fn checkpoint(connection: &Connection, mode: &str) -> rusqlite::Result<Held> {
    let text = format!("PRAGMA wal_checkpoint({mode})");
    let mut statement = connection.prepare_cached(&text)?;
    statement.query_row([], |row| {
        Ok(Held {
            busy: row.get::<_, i64>(0)? != 0,
            pages: row.get(1)?,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG_HERE: i64 = 40;

    struct Scene {
        file: std::path::PathBuf,
        writer: Connection,
        log: Log,
    }

    impl Scene {
        fn new(name: &str) -> Self {
            let file = std::env::temp_dir().join(format!("log-{name}-{}.db", std::process::id()));
            let writer = Connection::open(&file).unwrap();
            writer
                .execute_batch(
                    "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 20; CREATE TABLE t (x)",
                )
                .unwrap();
            Self {
                file,
                writer,
                log: Log::of(LONG_HERE),
            }
        }

        fn reader(&self) -> Connection {
            Connection::open(&self.file).unwrap()
        }

        /// Two pages or so.
        fn write(&mut self) {
            self.writer
                .execute("INSERT INTO t VALUES (zeroblob(5000))", [])
                .unwrap();
            assert!(!self.log.keep_short(&self.writer).unwrap() || self.pages() == 0);
        }

        fn pages(&self) -> i64 {
            checkpoint(&self.writer, "NOOP").unwrap().pages
        }
    }

    impl Drop for Scene {
        fn drop(&mut self) {
            let name = self.file.display();
            for rest in [
                format!("{name}"),
                format!("{name}-wal"),
                format!("{name}-shm"),
            ] {
                drop(std::fs::remove_file(rest));
            }
        }
    }

    fn begin(reader: &Connection) {
        reader.execute_batch("BEGIN").unwrap();
        let count: i64 = reader
            .query_row("SELECT count(*) FROM t", [], |row| row.get(0))
            .unwrap();
        assert!(count >= 0);
    }

    fn end(reader: &Connection) {
        reader.execute_batch("COMMIT").unwrap();
    }

    #[test]
    fn readers_that_overlap_do_not_let_the_log_grow() {
        let mut scene = Scene::new("overlap");
        let readers = [scene.reader(), scene.reader()];
        begin(&readers[0]);
        let mut most = 0;
        let stop = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            let stop = &stop;
            scope.spawn(move || {
                let mut reading = 0;
                while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                    let next = 1 - reading;
                    begin(&readers[next]);
                    std::thread::sleep(Duration::from_millis(2));
                    end(&readers[reading]);
                    reading = next;
                }
            });
            for _ in 0..300 {
                scene.write();
                most = Ord::max(most, scene.pages());
            }
            stop.store(true, std::sync::atomic::Ordering::Relaxed);
        });
        assert!(most < LONG_HERE + 20, "{most} pages");
    }

    #[test]
    fn a_long_read_is_not_waited_for_with_every_write() {
        let mut scene = Scene::new("long");
        let reader = scene.reader();
        begin(&reader);
        let began = Instant::now();
        for _ in 0..100 {
            scene.write();
        }
        let rests = WAITS * TRIES * REST;
        let tries = 2 + began.elapsed().as_micros() / rests.as_micros();
        assert!(scene.log.failed > 0, "it was tried");
        assert!(u128::from(scene.log.failed) <= tries, "and seldom");
        assert!(scene.pages() > LONG_HERE, "it grows meanwhile");
        end(&reader);
        scene.log.rests_until = None;
        scene.write();
        scene.write();
        assert!(scene.pages() < 20, "it has begun anew");
        assert_eq!(scene.log.failed, 0);
    }
}
