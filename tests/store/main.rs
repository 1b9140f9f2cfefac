//! The store against real databases: SQLite always, PostgreSQL where `ONCEPAY_TEST_POSTGRES` names a server.

mod alerts;
mod desk;
mod differential;
mod doors;
mod inbox;
mod orders;
mod reads;
mod stage;
mod trouble;
