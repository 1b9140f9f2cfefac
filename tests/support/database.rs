//! A database of one test's own: a SQLite file, or a fresh PostgreSQL database where a server is given.

use rusqlite::OpenFlags;
use sea_orm::{ConnectionTrait, Database, DatabaseConnection, Statement};
use std::path::Path;
use std::time::Duration;

/// The URL of a PostgreSQL server whose scratch databases tests may make and drop.
pub const SERVER_VARIABLE: &str = "ONCEPAY_TEST_POSTGRES";

/// A database that nobody else uses.
pub struct ScratchDatabase {
    pub url: String,
    dropped_at: Option<(String, String)>,
}

impl ScratchDatabase {
    /// In `folder`, or on the server that the environment names.
    pub async fn make(folder: &Path) -> Self {
        match std::env::var(SERVER_VARIABLE) {
            Err(_) => Self {
                url: format!("sqlite://{}", folder.join("data/oncepay.db").display()),
                dropped_at: None,
            },
            Ok(server) => {
                let name = format!("oncepay_{}", uuid::Uuid::new_v4().simple());
                let connection = Database::connect(&server)
                    .await
                    .expect("the test server answers");
                connection
                    .execute_unprepared(&format!("CREATE DATABASE {name}"))
                    .await
                    .expect("a scratch database can be made");
                connection.close().await.expect("it closes");
                let base = server.rsplit_once('/').expect("a URL names a database").0;
                Self {
                    url: format!("{base}/{name}"),
                    dropped_at: Some((server, name)),
                }
            }
        }
    }

    /// One that goes with its server.
    pub const fn at(url: String) -> Self {
        Self {
            url,
            dropped_at: None,
        }
    }

    /// It stays when the test ends.
    pub fn keep(&mut self) {
        self.dropped_at = None;
    }

    pub fn is_sqlite(&self) -> bool {
        self.url.starts_with("sqlite:")
    }

    /// The file of a SQLite database.
    pub fn file(&self) -> &Path {
        Path::new(self.url.strip_prefix("sqlite://").expect("it is SQLite"))
    }

    /// A connection beside the server's.
    pub async fn connect(&self) -> DatabaseConnection {
        Database::connect(&self.url)
            .await
            .expect("the database opens")
    }

    /// A change by another hand, beside the running server.
    pub async fn alter(&self, sql: &str) {
        if self.is_sqlite() {
            let connection = self.beside();
            return connection.execute_batch(sql).expect("it is written");
        }
        let connection = self.connect().await;
        let written = connection.execute_unprepared(sql).await;
        written.expect("it is written");
        connection.close().await.expect("it closes");
    }

    /// A connection of SQLite's own, without a thread and a pool for one statement.
    fn beside(&self) -> rusqlite::Connection {
        let connection =
            rusqlite::Connection::open_with_flags(self.file(), OpenFlags::SQLITE_OPEN_READ_WRITE);
        let connection = connection.expect("the database opens");
        let patient = connection.busy_timeout(Duration::from_secs(20));
        patient.expect("it can wait");
        connection
    }

    /// One number that a query selects.
    pub async fn number(&self, sql: &str) -> i64 {
        if self.is_sqlite() {
            let number = self.beside().query_row(sql, [], |row| row.get(0));
            return number.expect("the query runs");
        }
        let connection = self.connect().await;
        let backend = connection.get_database_backend();
        let row = connection
            .query_one_raw(Statement::from_string(backend, sql))
            .await
            .expect("the query runs")
            .expect("it has a row");
        let number = row.try_get_by_index::<i64>(0).expect("a number");
        connection.close().await.expect("it closes");
        number
    }
}

impl Drop for ScratchDatabase {
    fn drop(&mut self) {
        let Some((server, name)) = self.dropped_at.take() else {
            return;
        };
        // The server process is gone or goes with the test; FORCE ends what is left.
        let sql = format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)");
        drop(
            std::process::Command::new("psql")
                .args([&server, "-qc", &sql])
                .status(),
        );
    }
}
