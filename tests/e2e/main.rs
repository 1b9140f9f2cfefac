//! Stories through the real binary, a processor of its own, real HTTP, a real mail server, SQLite or PostgreSQL.

#[path = "../support/mod.rs"]
mod support;

mod backup;
mod crash;
mod lock;
mod mail;
mod manual;
mod once;
mod restart;
mod review;
mod secrets;
mod shutdown;
mod storage;
