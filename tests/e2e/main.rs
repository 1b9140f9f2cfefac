//! Stories through the real binary, a processor of its own, real HTTP, a real mail server, SQLite or PostgreSQL.

#![cfg(test)]
#![expect(
    clippy::string_slice,
    clippy::too_many_lines,
    clippy::type_complexity,
    clippy::large_futures,
    reason = "a story is told in one go, and one that cannot go on says where"
)]

#[path = "../support/mod.rs"]
mod support;

mod backup;
mod callback_security;
mod callbacks;
mod close;
mod crash;
mod expiry;
mod flood;
mod hang_up;
mod idempotency;
mod input;
mod keys;
mod late_reply;
mod late_success;
mod lists;
mod lock;
mod long_words;
mod mail;
mod manual;
mod mismatch;
mod once;
mod operations;
mod order_of_events;
mod orphans;
mod outage;
mod pay_page;
mod preferences;
mod proxy;
mod queries;
mod races;
mod replay;
mod restart;
mod resubmit;
mod review;
mod roles;
mod same_again;
mod secrets;
mod shutdown;
mod storage;
mod wire;
