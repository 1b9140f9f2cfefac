//! A database of one test's own: a SQLite file, or a fresh PostgreSQL database where a server is given.

use sea_orm::{ConnectionTrait, Database, DatabaseConnection, Statement};
use std::path::Path;

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

    /// One number that a query selects.
    pub async fn number(&self, sql: &str) -> i64 {
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
