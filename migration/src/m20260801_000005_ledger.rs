//! The credit ledger: entries that are only ever added, balances that are their sums, and what is held back.

use sea_orm_migration::prelude::*;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        crate::run(manager, STATEMENTS).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        crate::run(
            manager,
            &[
                "DROP TABLE IF EXISTS holds",
                "DROP TABLE IF EXISTS ledger_entries",
                "DROP TABLE IF EXISTS balances",
            ],
        )
        .await
    }
}

const STATEMENTS: &[&str] = &[
    "CREATE TABLE IF NOT EXISTS balances (
        account TEXT NOT NULL CHECK (length(account) BETWEEN 1 AND 64),
        kind TEXT NOT NULL CHECK (length(kind) BETWEEN 1 AND 64),
        balance BIGINT NOT NULL,
        held BIGINT NOT NULL CHECK (held >= 0),
        valid_until BIGINT,
        negative_since BIGINT,
        version BIGINT NOT NULL CHECK (version >= 0),
        last_decision TEXT NOT NULL,
        updated_at BIGINT NOT NULL,
        PRIMARY KEY (account, kind)
    ) /* by key */",
    "CREATE INDEX IF NOT EXISTS balances_negative ON balances (negative_since) WHERE negative_since IS NOT NULL",
    // In the order in which they are booked, so that a batch of entries is written to the end of the table, however many
    // accounts it is about; only the short keys of an entry have their places among those of all the years.
    "CREATE TABLE IF NOT EXISTS ledger_entries (
        seq BIGINT /* counted */ PRIMARY KEY,
        account TEXT NOT NULL,
        source TEXT NOT NULL CHECK (length(source) BETWEEN 1 AND 400),
        kind TEXT NOT NULL,
        entry_id TEXT NOT NULL,
        at BIGINT NOT NULL,
        quantity BIGINT NOT NULL CHECK (quantity <> 0),
        balance_after BIGINT NOT NULL,
        period_from BIGINT,
        period_until BIGINT,
        note TEXT,
        decision_id TEXT NOT NULL
    )",
    // A source moves an account once for each kind. Sources come first: they are numbered much as they come, so that new
    // ones lie side by side, and accounts anywhere.
    "CREATE UNIQUE INDEX IF NOT EXISTS ledger_entries_once ON ledger_entries (source, account, kind)",
    "CREATE INDEX IF NOT EXISTS ledger_entries_newest ON ledger_entries (account, seq)",
    "CREATE TABLE IF NOT EXISTS holds (
        account TEXT NOT NULL,
        hold_no TEXT NOT NULL CHECK (length(hold_no) BETWEEN 1 AND 255),
        kind TEXT NOT NULL,
        quantity BIGINT NOT NULL CHECK (quantity >= 0),
        captured BIGINT NOT NULL CHECK (captured BETWEEN 0 AND quantity),
        status TEXT NOT NULL CHECK (status = 'HELD' OR status = 'CAPTURED' OR status = 'RELEASED'
            OR status = 'EXPIRED'),
        expires_at BIGINT,
        created_at BIGINT NOT NULL,
        updated_at BIGINT NOT NULL,
        PRIMARY KEY (account, hold_no)
    ) /* by key */",
    "CREATE INDEX IF NOT EXISTS holds_expiring ON holds (expires_at) WHERE status = 'HELD'",
];
