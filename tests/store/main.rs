//! The store against real databases: SQLite always, PostgreSQL where `ONCEPAY_TEST_POSTGRES` names a server.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test that cannot go on says where, and which journal it was about"
)]

mod alerts;
mod audit;
mod desk;
mod differential;
mod doors;
mod figures;
mod inbox;
mod ledger;
mod links;
mod money;
mod money_rules;
mod moved;
mod one_account;
mod orders;
mod plans;
mod reads;
mod rows;
mod stage;
mod sweep;
mod trouble;
mod two_refunds;
