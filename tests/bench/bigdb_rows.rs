//! A database as years of a shop leave it, written by the database itself.

use oncepay::store::{Database, DatabaseSettings};
use sea_orm::{ConnectOptions, ConnectionTrait, DatabaseConnection, DbBackend, Statement};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

/// A multiple of ten thousand settled orders, and some that wait for an answer.
#[derive(Debug, Clone, Copy)]
pub struct Rows {
    pub orders: u64,
    pub in_flight: u64,
}

const STATEMENTS: &str = include_str!("bigdb_rows.sql");
const THREE_YEARS_MS: u64 = 3 * 365 * 86_400_000;
/// A prime: the orders of an account are far from each other.
const STEP: u64 = 7919;

impl Rows {
    pub const fn accounts(&self) -> u64 {
        self.orders / 10
    }

    /// What takes an account's number back to its first order.
    fn inverse(&self) -> u64 {
        let accounts = self.accounts();
        (0..STEP)
            .map(|turn| turn * accounts + 1)
            .find(|product| product % STEP == 0)
            .map(|product| product / STEP)
            .expect("a prime has an inverse")
    }
}

pub fn url(file: &Path) -> String {
    format!("sqlite://{}", file.display())
}

/// A database with the schema alone.
pub async fn migrate(file: &Path) {
    let folder = file.parent().expect("a database is in a folder");
    std::fs::create_dir_all(folder).expect("a folder");
    let settings = DatabaseSettings {
        url: url(file),
        readers: 1,
    };
    let migrated = Database::open(&settings).await.expect("it opens");
    migrated.close().await;
}

/// Makes the database; it takes some twenty seconds for a million orders.
pub async fn fill(file: &Path, rows: &Rows) {
    migrate(file).await;
    // Nothing is promised of it yet: no log, no waiting for the disk. The server opens it with its own settings.
    let mut options = ConnectOptions::new(url(file));
    options.max_connections(1).sqlx_logging(false);
    let database = sea_orm::Database::connect(options).await.expect("it opens");
    run(
        &database,
        "PRAGMA journal_mode = DELETE; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; \
         PRAGMA cache_size = -1000000",
    )
    .await;
    // Grants are booked one after the other, and are written here account by account.
    let granted = index(&database, "ledger_entries_granted").await;
    run(&database, "DROP INDEX ledger_entries_granted").await;
    for statement in statements(rows) {
        if statement.contains("$chosen") {
            for chosen in ["<>", "="] {
                run(&database, &statement.replace("$chosen", chosen)).await;
            }
        } else {
            run(&database, &statement).await;
        }
    }
    run(&database, &granted).await;
    database.close().await.expect("it closes");
}

fn statements(rows: &Rows) -> Vec<String> {
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .expect("after 1970")
        .as_millis();
    let mut text = STATEMENTS.to_owned();
    for (name, value) in [
        ("$orders", rows.orders.to_string()),
        ("$accounts", rows.accounts().to_string()),
        ("$inverse", rows.inverse().to_string()),
        ("$in_flight", rows.in_flight.to_string()),
        ("$gap", (THREE_YEARS_MS / rows.orders).to_string()),
        ("$now", now.to_string()),
    ] {
        text = text.replace(name, &value);
    }
    text.split(";\n").map(str::to_owned).collect()
}

async fn run(database: &DatabaseConnection, sql: &str) {
    let written = database.execute_unprepared(sql).await;
    written.expect("the rows are written");
}

/// How an index is made.
async fn index(database: &DatabaseConnection, name: &str) -> String {
    let sql = format!("SELECT sql FROM sqlite_master WHERE name = '{name}'");
    let statement = Statement::from_string(DbBackend::Sqlite, sql);
    let row = database.query_one_raw(statement).await.expect("it answers");
    let row = row.expect("the index is there");
    row.try_get_by_index(0).expect("a text")
}
