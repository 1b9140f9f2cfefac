//! Stories through the real binary, a processor of its own, real HTTP, a real mail server, SQLite or PostgreSQL.

#[path = "../support/mod.rs"]
mod support;

mod backup;
mod callbacks;
mod close;
mod crash;
mod expiry;
mod hang_up;
mod idempotency;
mod late_reply;
mod late_success;
mod lock;
mod mail;
mod manual;
mod once;
mod order_of_events;
mod preferences;
mod proxy;
mod queries;
mod races;
mod replay;
mod restart;
mod resubmit;
mod review;
mod shutdown;
