//! The store against real databases: SQLite always, PostgreSQL where `ONCEPAY_TEST_POSTGRES` names a server.

mod orders;
mod stage;
