//! Opening the database: SQLite (embedded) or PostgreSQL, a read pool and the connection of rare writes.

use super::StoreError;
use super::file::OpenedFile;
use super::place::Place;
use crate::domain::UnixMillis;
use entities::runtime;
use migration::{Migrator, MigratorTrait};
use sea_orm::sea_query::Expr;
use sea_orm::{
    ColumnTrait, ConnectOptions, ConnectionTrait, DatabaseConnection, DbBackend, DbErr,
    EntityTrait, ExprTrait, QueryFilter,
};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long a write outside the journal (a migration, the epoch) waits for another process to let go of SQLite.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);
/// The journal repeats by itself; a short wait lets it answer whom it must refuse meanwhile.
pub(super) const JOURNAL_BUSY_TIMEOUT: Duration = Duration::from_millis(500);
/// What every connection to SQLite is set to. WAL lets readers go on while the journal writes; FULL, since an answer of
/// ours must survive a power cut.
const PRAGMAS: [(&str, &str); 4] = [
    ("journal_mode", "WAL"),
    ("synchronous", "FULL"),
    ("foreign_keys", "ON"),
    ("temp_store", "MEMORY"),
];
/// In KiB, and negative, as SQLite wants it.
const CACHE: (&str, &str) = ("cache_size", "-2000");
/// Of a reader, whose pages are stale after each write: more is memory that fills up in each of them and serves none.
const READER_CACHE: (&str, &str) = ("cache_size", "-512");
/// What the connection of the journal's writes is set to beside it.
///
/// Its cache holds the upper levels of the trees of some years: the journal alone writes, so that nobody makes its pages
/// stale, while a reader's are after each write. More would cost each commit more than it saves: it walks through all of it.
/// Pages that many batches change, as the last ones of a table, are folded into the database once for ten thousand: 40 MiB
/// of log.
const JOURNAL_PRAGMAS: [(&str, &str); 2] =
    [("cache_size", "-8192"), ("wal_autocheckpoint", "10000")];
/// How long a reader waits for a connection of the pool.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(5);
const JOURNAL_ACQUIRE_TIMEOUT: Duration = Duration::from_secs(1);

/// `[database]`.
#[derive(Clone)]
pub struct DatabaseSettings {
    /// `sqlite://data/oncepay.db` or `postgres://…`.
    pub url: String,
    /// Connections of the read pool.
    pub readers: u32,
}

impl DatabaseSettings {
    /// Whether this URL names a database that could be opened. What is said tells no password.
    ///
    /// # Errors
    /// `Unusable` when it is neither SQLite's nor PostgreSQL's, or names no file.
    pub fn check(url: &str) -> Result<(), StoreError> {
        Place::parse(url).map(drop)
    }
}

/// The URL may hold a password.
impl std::fmt::Debug for DatabaseSettings {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("DatabaseSettings")
            .field("url", &super::place::without_credentials(&self.url))
            .field("readers", &self.readers)
            .finish()
    }
}

/// An open, migrated database.
#[derive(Clone)]
pub struct Database {
    /// Readers; on SQLite these connections are `query_only`.
    pub read: DatabaseConnection,
    /// Migrations and the epoch; the journal opens a connection of its own on its own thread.
    pub write: DatabaseConnection,
    pub url: String,
    pub(super) place: Place,
    /// The file behind the connections; `None` on PostgreSQL.
    pub(super) file: Option<OpenedFile>,
}

/// A URL may carry a password.
impl std::fmt::Debug for Database {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Database")
            .field("url", &super::place::without_credentials(&self.url))
            .finish_non_exhaustive()
    }
}

impl Database {
    /// Opens the database and brings its schema up to date. Folders that are missing are made.
    ///
    /// # Errors
    /// `Unusable` when the URL is neither SQLite's nor PostgreSQL's, the database cannot be reached, its file has more
    /// than one name or is moved meanwhile, or a newer version has migrated it.
    pub async fn open(settings: &DatabaseSettings) -> Result<Self, StoreError> {
        let place = Place::parse(&settings.url)?.settled()?;
        let write = connect(&place, Role::Writer).await?;
        // Noted when it is open: before, there may be no file, and on a layered filesystem another one.
        let noted = place.file().map(OpenedFile::note).transpose();
        let file = noted.map_err(|error| place.unusable(&error))?;
        migrate(&place, &write).await?;
        Self::with(place, file, write, settings).await
    }

    /// Opens the database for who only looks: a schema is not changed under a server that may be running on it.
    ///
    /// # Errors
    /// As [`Database::open`], and `Unusable` when the schema is not up to date.
    pub async fn open_as_it_is(settings: &DatabaseSettings) -> Result<Self, StoreError> {
        let place = Place::parse(&settings.url)?.settled()?;
        let write = connect(&place, Role::Writer).await?;
        let noted = place.file().map(OpenedFile::note).transpose();
        let file = noted.map_err(|error| place.unusable(&error))?;
        refuse_older(&place, &write).await?;
        Self::with(place, file, write, settings).await
    }

    async fn with(
        place: Place,
        file: Option<OpenedFile>,
        write: DatabaseConnection,
        settings: &DatabaseSettings,
    ) -> Result<Self, StoreError> {
        let readers = Role::Reader(Ord::max(settings.readers, 1));
        let read = connect(&place, readers).await?;
        if let Some(file) = &file {
            file.still_there()
                .map_err(|reason| place.unusable(&reason))?;
        }
        Ok(Self {
            read,
            write,
            url: settings.url.clone(),
            place,
            file,
        })
    }

    #[must_use]
    pub fn backend(&self) -> DbBackend {
        self.read.get_database_backend()
    }

    /// Takes the next epoch in the `runtime` row: every journal write is conditioned on it.
    ///
    /// # Errors
    /// `Database` when it does not answer, `Row` when the row is missing.
    pub async fn next_epoch(&self, started_at: UnixMillis) -> Result<i64, StoreError> {
        let rows = runtime::Entity::update_many()
            .col_expr(
                runtime::Column::Epoch,
                Expr::col(runtime::Column::Epoch).add(1),
            )
            .col_expr(runtime::Column::StartedAt, Expr::value(started_at.0))
            .filter(runtime::Column::Id.eq(1))
            .exec_with_returning(&self.write)
            .await?;
        rows.first()
            .map(|row| row.epoch)
            .ok_or_else(|| StoreError::Row("the runtime row is missing".to_owned()))
    }

    /// Whether the log beside the embedded database is not at its place, as it is while the database is open. What is
    /// committed and not folded in stands there alone.
    #[must_use]
    pub fn lacks_its_log(&self) -> bool {
        let file = self.file.as_ref();
        file.is_some_and(|file| file.still_there().is_ok() && file.log_seen().is_none())
    }

    /// Answers when the database does.
    ///
    /// # Errors
    /// `Database` when it does not.
    pub async fn ping(&self) -> Result<(), StoreError> {
        self.read.execute_unprepared("SELECT 1").await?;
        Ok(())
    }
}

/// What a connection is for.
#[derive(Debug, Clone, Copy)]
pub(super) enum Role {
    Reader(u32),
    Writer,
    /// Opened by the journal on its own thread; connects when it is first used, again and again.
    Journal,
    /// Held for as long as the process lives.
    Lock,
}

/// Connections for this role; on SQLite with the settings that our promises need.
pub(super) async fn connect(place: &Place, role: Role) -> Result<DatabaseConnection, StoreError> {
    let file = place.file().map(Path::to_owned);
    let mut options = ConnectOptions::new(place.url().to_owned());
    options
        .max_connections(if let Role::Reader(count) = role {
            count
        } else {
            1
        })
        .min_connections(0)
        .idle_timeout(None)
        .max_lifetime(None)
        .test_before_acquire(false)
        .sqlx_logging(false)
        .record_stmt_in_spans(false)
        .connect_lazy(matches!(role, Role::Journal))
        .acquire_timeout(if matches!(role, Role::Journal) {
            JOURNAL_ACQUIRE_TIMEOUT
        } else {
            ACQUIRE_TIMEOUT
        })
        .set_application_name("oncepay")
        .map_sqlx_sqlite_opts(move |sqlite| sqlite_options(sqlite, file.as_ref(), role))
        .map_sqlx_postgres_opts(move |postgres| postgres_options(postgres, role));
    sea_orm::Database::connect(options)
        .await
        .map_err(|error| place.unusable(&error))
}

fn sqlite_options(
    options: sea_orm::sqlx::sqlite::SqliteConnectOptions,
    file: Option<&PathBuf>,
    role: Role,
) -> sea_orm::sqlx::sqlite::SqliteConnectOptions {
    let reads_only = matches!(role, Role::Reader(_));
    let busy_timeout = if matches!(role, Role::Journal) {
        JOURNAL_BUSY_TIMEOUT
    } else {
        BUSY_TIMEOUT
    };
    // Not as the driver reads the URL, which resolves escapes in it: the file that is locked is the one to open.
    let options = match file {
        Some(file) => options.filename(file),
        None => options,
    };
    let options = options
        .create_if_missing(matches!(role, Role::Writer))
        .busy_timeout(busy_timeout)
        .pragma("query_only", if reads_only { "ON" } else { "OFF" })
        .statement_cache_capacity(200);
    let cache = if reads_only { READER_CACHE } else { CACHE };
    let pragmas = PRAGMAS.into_iter().chain([cache]);
    pragmas.fold(options, |options, (name, value)| {
        options.pragma(name, value)
    })
}

/// What the connection of the journal's writes is set to.
pub(super) fn journal_pragmas() -> impl Iterator<Item = (&'static str, &'static str)> {
    PRAGMAS.into_iter().chain(JOURNAL_PRAGMAS)
}

fn postgres_options(
    options: sea_orm::sqlx::postgres::PgConnectOptions,
    role: Role,
) -> sea_orm::sqlx::postgres::PgConnectOptions {
    let options = options.statement_cache_capacity(200);
    if matches!(role, Role::Journal) {
        // Arrays as parameters hide their length from the planner, and a plan is made when a table is still small: by
        // its lights a scan of all of it is cheaper, or of its whole index into a hash. What a batch touches is found
        // by its keys, however long the tables are.
        options.options([
            ("plan_cache_mode", "force_generic_plan"),
            ("enable_seqscan", "off"),
            ("enable_hashjoin", "off"),
            ("enable_mergejoin", "off"),
            ("jit", "off"),
            // As with SQLite's short busy timeout: the journal repeats, and answers whom it must refuse meanwhile.
            ("lock_timeout", "500ms"),
        ])
    } else {
        options
    }
}

async fn migrate(place: &Place, write: &DatabaseConnection) -> Result<(), StoreError> {
    let unusable = |error: DbErr| place.unusable(&error);
    Migrator::install(write).await.map_err(unusable)?;
    refuse_newer(place, write).await?;
    Migrator::up(write, None).await.map_err(unusable)
}

async fn refuse_older(place: &Place, write: &DatabaseConnection) -> Result<(), StoreError> {
    match Migrator::get_pending_migrations_read_only(write).await {
        Ok(pending) => match pending.first() {
            None => Ok(()),
            Some(step) => Err(StoreError::Unusable(format!(
                "{place} lacks step `{}` of this version's schema: `oncepay serve` or `oncepay migrate` makes it",
                step.name()
            ))),
        },
        Err(error) => {
            refuse_newer(place, write).await?;
            Err(place.unusable(&error))
        }
    }
}

async fn refuse_newer(place: &Place, write: &DatabaseConnection) -> Result<(), StoreError> {
    let applied = Migrator::get_migration_models(write)
        .await
        .map_err(|error| place.unusable(&error))?;
    let known = Migrator::get_migration_files();
    let newer = applied
        .iter()
        .find(|row| !known.iter().any(|step| step.name() == row.version));
    if let Some(newer) = newer {
        return Err(StoreError::Unusable(format!(
            "{place} was written by a newer version of oncepay (step `{}`): use that version, or restore a backup",
            newer.version
        )));
    }
    Ok(())
}
