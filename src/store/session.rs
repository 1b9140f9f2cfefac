//! The session that holds the lock in PostgreSQL, and what becomes of the lock when the session ends.

use super::StoreError;
use super::connect::{Role, connect};
use super::place::Place;
use crate::store::single::Single;
use entities::runtime;
use sea_orm::{ConnectionTrait, DatabaseConnection, DbBackend, EntityTrait, Statement};
use std::time::Duration;

/// How often the server is asked whether the session still holds the lock.
const POLL: Duration = Duration::from_secs(1);
/// A server that needs longer to answer is as good as away.
const ANSWERS_WITHIN: Duration = Duration::from_secs(5);
/// Marks our advisory locks among those of others: "once" in ASCII.
const LOCK_CLASS: i32 = 0x6f6e_6365;

const TAKE: &str = "SELECT pg_try_advisory_lock($1, hashtext(current_database()))::text AS answer";
/// The pool replaces a connection that was closed, and that one has no lock.
const HELD_HERE: &str = "SELECT pid::text AS answer FROM pg_locks WHERE locktype = 'advisory' AND granted \
     AND pid = pg_backend_pid() AND classid::bigint = $1::bigint";
/// A number may be given to another session after a restart; with its beginning it is one session's alone.
const NAME: &str = "SELECT pid || ' ' || backend_start AS answer FROM pg_stat_activity \
     WHERE pid = pg_backend_pid() AND $1::int IS NOT NULL";
/// The session that has the lock, by its name.
const HOLDER: &str = "SELECT a.pid || ' ' || a.backend_start AS answer \
     FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid \
     WHERE l.locktype = 'advisory' AND l.granted AND l.classid::bigint = $1::bigint \
     AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())";

/// A connection with the advisory lock of its database.
#[derive(Debug)]
pub(super) struct LockSession {
    place: Place,
    connection: DatabaseConnection,
    /// The sessions of this process that may have the lock, by their names: this one, and those that were given up and
    /// that the server may not have ended yet.
    names: Vec<String>,
}

/// What came of taking the lock once more.
enum Again {
    Ours,
    /// The server still counts the lock to a session that we have given up: nobody else can have it.
    NotYet,
    Others,
}

impl LockSession {
    /// Takes the lock; `None` when another session has it.
    pub(super) async fn begin(place: Place) -> Result<Option<Self>, StoreError> {
        let connection = connect(&place, Role::Lock).await?;
        let names = ask(&connection, NAME).await?.into_iter().collect();
        let ours = take(&connection).await?;
        Ok(ours.then_some(Self {
            place,
            connection,
            names,
        }))
    }

    /// Completes when the database is another runtime's. A session that merely ended, as when the server was
    /// restarted, is begun anew: what was written meanwhile was conditioned on the epoch.
    pub(super) async fn lost(&mut self, epoch: i64) {
        loop {
            tokio::time::sleep(POLL).await;
            if self.stands().await {
                continue;
            }
            match tokio::time::timeout(ANSWERS_WITHIN, self.again(epoch)).await {
                Ok(Ok(Again::Ours)) => {
                    tracing::warn!("the lock's session had ended: it is taken again")
                }
                Ok(Ok(Again::Others)) => return,
                Ok(Ok(Again::NotYet)) => tracing::warn!("the lock's session does not answer"),
                Ok(Err(error)) => tracing::warn!(%error, "the lock cannot be taken again yet"),
                Err(_) => tracing::warn!("the lock cannot be taken again yet: no answer"),
            }
        }
    }

    async fn stands(&self) -> bool {
        let held = tokio::time::timeout(ANSWERS_WITHIN, ask(&self.connection, HELD_HERE)).await;
        matches!(held, Ok(Ok(Some(_))))
    }

    async fn again(&mut self, epoch: i64) -> Result<Again, StoreError> {
        let connection = connect(&self.place, Role::Lock).await?;
        let name = ask(&connection, NAME).await?.unwrap_or_default();
        // Noted before it can have the lock: if we do not hear that it has, it must not seem to be another's.
        self.names.push(name.clone());
        if !take(&connection).await? {
            self.names.pop();
            let holder = ask(&connection, HOLDER).await?;
            return Ok(match holder {
                Some(holder) if !self.names.contains(&holder) => Again::Others,
                Some(_) | None => Again::NotYet,
            });
        }
        let row = runtime::Entity::find_by_id(1).single(&connection).await?;
        if row.is_none_or(|row| row.epoch != epoch) {
            // Another had the lock, took over, and has gone again.
            return Ok(Again::Others);
        }
        self.connection = connection;
        self.names = vec![name];
        Ok(Again::Ours)
    }
}

async fn take(connection: &DatabaseConnection) -> Result<bool, StoreError> {
    Ok(ask(connection, TAKE).await?.as_deref() == Some("true"))
}

/// The text that a query about our lock yields.
async fn ask(connection: &DatabaseConnection, sql: &str) -> Result<Option<String>, StoreError> {
    let statement = Statement::from_sql_and_values(DbBackend::Postgres, sql, [LOCK_CLASS.into()]);
    let row = connection.query_one_raw(statement).await?;
    Ok(row.map(|row| row.try_get("", "answer")).transpose()?)
}
