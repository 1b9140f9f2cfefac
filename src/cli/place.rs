//! Where a command finds its data: the configuration, the database, and the server that may be running on it.

use super::args::Cli;
use super::client::Client;
use super::problem::Problem;
use crate::clock::{SharedClock, SystemClock};
use crate::config::{Loaded, Settings, Sources, kept};
use crate::domain::UnixMillis;
use crate::store::journal::{AuditRecord, JournalKind};
use crate::store::{Database, Journal, ProcessLock, StoreError, audit};
use sea_orm::Statement;

/// The configuration as every command but `serve` reads it: nothing is made.
pub(super) fn load(cli: &Cli) -> Result<Loaded, Problem> {
    Ok(Settings::load(&Sources::of_process(cli.config.clone()))?)
}

pub(super) fn settings(cli: &Cli) -> Result<Settings, Problem> {
    Ok(load(cli)?.settings)
}

/// Opens the database for reading. One that is not there is not made.
pub(super) async fn open(settings: &Settings) -> Result<Database, Problem> {
    if let Some(file) = settings.sqlite_file()
        && !file.exists()
    {
        let message = format!(
            "there is no database at {}; `oncepay serve` makes it",
            file.display()
        );
        return Err(Problem::Plain(message));
    }
    Ok(Database::open_as_it_is(&settings.database).await?)
}

/// Who may change something now.
pub(super) enum Writer {
    /// A server runs on this database: it is asked.
    Server(Client),
    /// Nobody does: the database is ours while this lives.
    Own(Box<OwnDatabase>),
}

/// A database that no server uses, held against one that starts meanwhile.
pub(super) struct OwnDatabase {
    pub(super) database: Database,
    pub(super) clock: SharedClock,
    journal: Journal,
    _lock: ProcessLock,
}

/// Finds out who may write. `role` is what the server will want of the key.
pub(super) async fn writer(settings: &Settings, role: &str) -> Result<Writer, Problem> {
    let lock = match ProcessLock::take(&settings.database.url).await {
        Ok(lock) => lock,
        Err(StoreError::InUse(_)) => return Ok(Writer::Server(Client::of(settings, role)?)),
        Err(error) => return Err(error.into()),
    };
    let database = Database::open(&settings.database).await?;
    let clock = SystemClock::start();
    let audited = audit::head(&database.read).await?.seq;
    let audit_key = kept::audit_key(&settings.data_dir, audited)
        .map_err(|error| Problem::plain(error.to_string()))?;
    let epoch = database.next_epoch(clock.wall()).await?;
    let journal = Journal::start(
        &database,
        epoch,
        JournalKind::Grouped,
        SharedClock::clone(&clock),
        audit_key,
    );
    Ok(Writer::Own(Box::new(OwnDatabase {
        database,
        clock,
        journal,
        _lock: lock,
    })))
}

/// Who is at this shell, for the audit log.
pub(super) fn actor() -> String {
    let user = ["SUDO_USER", "USER", "LOGNAME"]
        .iter()
        .find_map(|name| std::env::var(name).ok());
    let user: String = user.unwrap_or_default().chars().take(64).collect();
    format!("shell:{user}")
}

impl OwnDatabase {
    pub(super) fn now(&self) -> UnixMillis {
        self.clock.wall()
    }

    /// Runs one statement, which enters the audit log, and ends the journal; the rows that it touched.
    pub(super) async fn run(
        self,
        statement: Statement,
        record: &AuditRecord,
    ) -> Result<u64, Problem> {
        let affected = self.journal.run_audited(vec![statement], record).await;
        self.journal.close().await;
        let affected = affected.map_err(|error| Problem::plain(error.to_string()))?;
        Ok(affected.first().copied().unwrap_or_default())
    }
}
