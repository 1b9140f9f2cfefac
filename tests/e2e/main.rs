//! Stories through the real binary, a processor of its own, real HTTP, a real mail server, SQLite or PostgreSQL.

#[path = "../support/mod.rs"]
mod support;

mod callback_security;
mod flood;
mod input;
mod keys;
mod lists;
mod mismatch;
mod once;
mod operations;
mod orphans;
mod roles;
mod same_again;
