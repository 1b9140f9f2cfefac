//! The moment of a kill: after some time, or as soon as so many commits were made.

use crate::dice::Dice;
use crate::support::ScratchDatabase;
use sea_orm::{ConnectionTrait, DatabaseConnection, Statement};
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// A round in which too little is committed ends all the same.
const AT_THE_LATEST: Duration = Duration::from_millis(2_500);

/// When to kill.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Moment {
    After(Duration),
    Commits(i64),
}

impl Moment {
    /// Half of them by time, most of those soon; half of them by commits.
    pub(crate) fn roll(dice: &mut Dice) -> Self {
        if dice.one_in(2) {
            return Self::Commits(dice.between(1, 24));
        }
        let most = *dice.pick(&[60, 250, 250, 600, 600, 1_500]);
        let millis = u64::try_from(dice.between(0, most)).expect("a time");
        Self::After(Duration::from_millis(millis))
    }
}

/// Counts the commits of a database without touching it.
pub(crate) enum Watch {
    /// SQLite counts them in the header of the shared index of its log. A connection of ours would be one more that
    /// keeps that index alive, or folds the log back when it closes: the next start would find less to recover.
    Index(PathBuf),
    Server(DatabaseConnection),
}

impl Watch {
    pub(crate) async fn over(database: &ScratchDatabase) -> Self {
        if database.is_sqlite() {
            let mut index = database.file().as_os_str().to_owned();
            index.push("-shm");
            Self::Index(index.into())
        } else {
            Self::Server(database.connect().await)
        }
    }

    /// A number that grows by one with each commit, now and then by more.
    async fn count(&self) -> i64 {
        match self {
            Self::Index(path) => changes(path).unwrap_or_default(),
            Self::Server(connection) => {
                let sql = "SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint";
                let statement = Statement::from_string(connection.get_database_backend(), sql);
                let row = connection.query_one_raw(statement).await;
                let row = row.expect("the query runs").expect("it has a row");
                row.try_get_by_index(0).expect("a number")
            }
        }
    }

    /// Waits for the moment.
    pub(crate) async fn until(&self, moment: Moment) {
        match moment {
            Moment::After(time) => tokio::time::sleep(time).await,
            Moment::Commits(commits) => {
                let (began, first) = (Instant::now(), self.count().await);
                while self.count().await.wrapping_sub(first) < commits
                    && began.elapsed() < AT_THE_LATEST
                {
                    tokio::time::sleep(Duration::from_micros(200)).await;
                }
            }
        }
    }
}

/// `iChange`, the third word of the index's header.
fn changes(path: &PathBuf) -> Option<i64> {
    let mut word = [0; 4];
    File::open(path).ok()?.read_exact_at(&mut word, 8).ok()?;
    Some(i64::from(u32::from_ne_bytes(word)))
}
