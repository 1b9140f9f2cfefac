//! A ledger with as many rows as years of use leave, written by the database itself.

use oncepay::store::{Database, DatabaseSettings};
use sea_orm::{ConnectOptions, ConnectionTrait};
use std::path::Path;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Rows {
    pub(crate) accounts: u64,
    pub(crate) entries_each: u64,
}

/// What an account has to spend: more than any run of debits takes.
const CREDITS: u64 = 1_000_000_000;

pub(crate) fn url(folder: &Path) -> String {
    format!("sqlite://{}", folder.join("oncepay.db").display())
}

pub(crate) fn account(n: u64) -> String {
    format!("user-{n:07}@shop.example")
}

/// Makes the database in `folder`. Of each account's entries most are written in the order of the trees, and the rest
/// between them: pages that have grown are not packed.
pub(crate) async fn fill(folder: &Path, rows: &Rows) {
    let settings = DatabaseSettings {
        url: url(folder),
        readers: 1,
    };
    let migrated = Database::open(&settings).await.expect("it opens");
    migrated.close().await;
    // Nothing is promised of it yet: no log, no waiting for the disk. The server opens it with its own settings.
    let mut options = ConnectOptions::new(url(folder));
    options.max_connections(1).sqlx_logging(false);
    let database = sea_orm::Database::connect(options).await.expect("it opens");
    let run = async |sql: &str| {
        let written = database.execute_unprepared(sql).await;
        written.expect("the rows are written");
    };
    run(
        "PRAGMA journal_mode = DELETE; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; \
         PRAGMA cache_size = -1000000",
    )
    .await;
    let Rows {
        accounts,
        entries_each,
    } = rows;
    let each_account =
        format!("a(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM a WHERE i + 1 < {accounts})");
    run(&format!(
        "WITH RECURSIVE {each_account}
        INSERT INTO balances (account, kind, balance, held, version, last_decision, updated_at)
        SELECT printf('user-%07d@shop.example', i), 'credits', {CREDITS}, 0, 1 + {entries_each},
            printf('evt_0199b4d2%024x', i), 1760000000000 FROM a"
    ))
    .await;
    if *entries_each > 0 {
        for chosen in ["j % 5 <> 2", "j % 5 = 2"] {
            run(&format!(
                "WITH RECURSIVE {each_account},
                e(j) AS (SELECT 0 UNION ALL SELECT j + 1 FROM e WHERE j + 1 < {entries_each})
                INSERT INTO ledger_entries (account, source, kind, entry_id, at, quantity, balance_after, decision_id)
                SELECT printf('user-%07d@shop.example', i), printf('debit:job-0199b4d2%014x-%07d', j, i),
                    'credits', printf('ent_0199b4d2%014x%010x', j, i), 1760000000000 + j, -17, {CREDITS} - j,
                    printf('evt_0199b4d2%014x%010x', j, i)
                FROM e CROSS JOIN a WHERE {chosen}"
            ))
            .await;
        }
    }
    database.close().await.expect("it closes");
}
