//! Opening the database: SQLite (embedded) or PostgreSQL, a read pool and the connection of rare writes.

use super::StoreError;
use super::place::Place;
use crate::domain::UnixMillis;
use entities::runtime;
use migration::{Migrator, MigratorTrait};
use sea_orm::sea_query::Expr;
use sea_orm::{
    ColumnTrait, ConnectOptions, ConnectionTrait, DatabaseConnection, DbBackend, DbErr,
    EntityTrait, ExprTrait, QueryFilter,
};
use std::time::Duration;

/// How long a write outside the journal (a migration, the epoch) waits for another process to let go of SQLite.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);
/// The journal repeats by itself; a short wait lets it answer whom it must refuse meanwhile.
const JOURNAL_BUSY_TIMEOUT: Duration = Duration::from_millis(500);
/// How long a reader waits for a connection of the pool.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(5);
const JOURNAL_ACQUIRE_TIMEOUT: Duration = Duration::from_secs(1);

/// `[database]`.
#[derive(Debug, Clone)]
pub struct DatabaseSettings {
    /// `sqlite://data/oncepay.db` or `postgres://…`.
    pub url: String,
    /// Connections of the read pool.
    pub readers: u32,
}

/// An open, migrated database.
#[derive(Clone)]
pub struct Database {
    /// Readers; on SQLite these connections are `query_only`.
    pub read: DatabaseConnection,
    /// Migrations and the epoch; the journal opens a connection of its own on its own thread.
    pub write: DatabaseConnection,
    pub url: String,
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
    /// `Unusable` when the URL is neither SQLite's nor PostgreSQL's, the database cannot be reached, or a newer
    /// version has migrated it.
    pub async fn open(settings: &DatabaseSettings) -> Result<Self, StoreError> {
        let place = Place::parse(&settings.url)?;
        place.make_folder()?;
        let write = connect(&place, Role::Writer).await?;
        migrate(&place, &write).await?;
        Self::with(&place, write, settings).await
    }

    /// Opens the database for who only looks: a schema is not changed under a server that may be running on it.
    ///
    /// # Errors
    /// As [`Database::open`], and `Unusable` when the schema is not up to date.
    pub async fn open_as_it_is(settings: &DatabaseSettings) -> Result<Self, StoreError> {
        let place = Place::parse(&settings.url)?;
        let write = connect(&place, Role::Writer).await?;
        refuse_older(&place, &write).await?;
        Self::with(&place, write, settings).await
    }

    async fn with(
        place: &Place,
        write: DatabaseConnection,
        settings: &DatabaseSettings,
    ) -> Result<Self, StoreError> {
        let readers = Role::Reader(Ord::max(settings.readers, 1));
        Ok(Self {
            read: connect(place, readers).await?,
            write,
            url: settings.url.clone(),
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
        .map_sqlx_sqlite_opts(move |sqlite| sqlite_options(sqlite, role))
        .map_sqlx_postgres_opts(move |postgres| postgres_options(postgres, role));
    sea_orm::Database::connect(options)
        .await
        .map_err(|error| place.unusable(&error))
}

fn sqlite_options(
    options: sea_orm::sqlx::sqlite::SqliteConnectOptions,
    role: Role,
) -> sea_orm::sqlx::sqlite::SqliteConnectOptions {
    let reads_only = matches!(role, Role::Reader(_));
    let busy_timeout = if matches!(role, Role::Journal) {
        JOURNAL_BUSY_TIMEOUT
    } else {
        BUSY_TIMEOUT
    };
    // WAL lets readers go on while the journal writes; FULL, since an answer of ours must survive a power cut.
    options
        .create_if_missing(matches!(role, Role::Writer))
        .foreign_keys(true)
        .busy_timeout(busy_timeout)
        .pragma("journal_mode", "WAL")
        .pragma("synchronous", "FULL")
        .pragma("query_only", if reads_only { "ON" } else { "OFF" })
        .statement_cache_capacity(200)
}

fn postgres_options(
    options: sea_orm::sqlx::postgres::PgConnectOptions,
    role: Role,
) -> sea_orm::sqlx::postgres::PgConnectOptions {
    let options = options.statement_cache_capacity(200);
    if matches!(role, Role::Journal) {
        // Arrays as parameters hide their length from the planner, which would then scan a table for a batch of one.
        options.options([
            ("plan_cache_mode", "force_generic_plan"),
            ("enable_seqscan", "off"),
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
