//! The store against real databases: SQLite always, PostgreSQL where `ONCEPAY_TEST_POSTGRES` names a server.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test that cannot go on says where, and which journal it was about"
)]

mod alerts;
mod desk;
mod differential;
mod doors;
mod inbox;
mod links;
mod moved;
mod orders;
mod reads;
mod stage;
mod trouble;
